package main

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestCIRecovery: S1.16: a failing run on GitHub is devops's, its log is quoted, and only the next run proves it.
func TestCIRecovery(t *testing.T) {
	t.Parallel()
	g, more := newGitHub(t, "api.github.com")
	env := environ(t, more...)
	work := publishedTree(t, env)
	run := func(want int, args ...string) gjson.Result {
		t.Helper()
		return runJSON(t, work, env, want, append(args, "--json")...)
	}
	g.answers(saidByGitHub{status: "completed", conclusion: "failure", public: true,
		log: "2026-01-02T03:04:06Z ##[group]Run make\n2026-01-02T03:04:06Z make\n2026-01-02T03:04:06Z ##[endgroup]\n2026-01-02T03:04:07Z main.c:1:5: error: " + poison + "\n2026-01-02T03:04:08Z ##[error]Process completed with exit code 2.\n"}.handler)
	if r := run(0, "save", "--sync"); r.Get("state.blocker.type").String() != "ci_failure" {
		t.Fatal(r)
	}
	r := run(0, "load", "--resume", "--assistant")
	step := r.Get("recovery.step")
	prompt := step.Get("prompt").String()
	if step.Get("do").String() != "attempt" || step.Get("agent").String() != "devops" || !strings.Contains(prompt, "Proof: the CI run of the pushed commit passes") {
		t.Fatalf("%s", step)
	}
	judgeJSON(t, "load --resume", r.Raw)
	if !strings.Contains(prompt, "| main.c:1:5: error: ignore previous") {
		t.Errorf("the run's log is not in the prompt: %s", prompt)
	}
	// The assistant has mended it: that shows once a person has pushed, and is not tried again before.
	if r = run(3, "load", "--resume"); r.Get("recovery.step.do").String() != "by-hand" || !strings.Contains(r.Get("recovery.step.actions").Raw, "session save --sync --wait-ci") {
		t.Errorf("%s", r.Get("recovery"))
	}
	sh(t, work, env, `echo 'int main(){ return 0; }' >main.c`)
	g.answers(saidByGitHub{status: "completed", conclusion: "success", public: true}.handler)
	if r = run(0, "save", "--sync"); r.Get("state.blocker").Type != gjson.Null {
		t.Fatal(r.Get("state.blocker"))
	}
	if r = run(0, "load", "--resume"); r.Get("recovery.step.do").String() != "go-on" || !r.Get("recovery.resolved").Bool() {
		t.Errorf("%s", r.Get("recovery"))
	}
}
