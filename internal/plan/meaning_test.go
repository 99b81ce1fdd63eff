package plan

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestEveryKindOfEntry reads one of each and looks at the typed value.
func TestEveryKindOfEntry(t *testing.T) {
	p, err := project(t, "",
		`
nightly:
  for: save
  as: full
  steps:
    - Look
    - Guard: {max_file_size: 5, allow: [testdata/**, "*.pem"], limit: 1m30s}
    - Verify:
        bundle: quick-checks
        keep: true
        limit: 500ms
ask:
  for: run
  steps:
    - RetrieveMemory: {topK: 7, ranking: bm25}
    - AgentCall: {programs: [fixer, claude], limit: 1h}
`, `
sources:
  - {kind: logs, files: [out/*.log, "**/build-[0-9].log"]}
  - kind: exit-codes
blockers:
  other: {severity: critical, mend: all}
rules:
  - id: our-linker
    type: build_error
    literals: [OURLD, "it's"]
    pattern: '^OURLD: (?P<msg>.*)$'
    severity: low
    agent: us
    within: 12
    match: ["OURLD: x"]
`, `
mend:
  all: {agents: [us, tester], proof: quick-checks, attempts: 20, limit: 2h}
checks:
  quick-checks:
    build: [make, -j, "8"]
    test: [[./configure, ""], [ctest, --preset, "a b"]]
    limit: 3m
  only-tests: {test: detect, limit: 1s}
agents:
  us: {programs: [fixer]}
programs:
  fixer: {run: [./tools/fix, --for, "{agent}", "{input}"], input: argument, output: json, limit: 90s}
`)
	if err != nil {
		t.Fatal(err)
	}
	minute := Duration(time.Minute)
	night := p.Modes["nightly"]
	if night.For != Save || night.As != "full" || len(night.Steps) != 3 {
		t.Fatalf("%+v", night)
	}
	guard, verify := night.Steps[1], night.Steps[2]
	if string(guard.With) != `{"allow":["testdata/**","*.pem"],"max_file_size":5}` || guard.Keep || guard.Limit != minute+minute/2 || guard.At.Line != 7 {
		t.Errorf("%+v %s", guard, guard.With)
	}
	if string(verify.With) != `{"bundle":"quick-checks"}` || !verify.Keep || verify.Limit != Duration(500*time.Millisecond) {
		t.Errorf("%+v %s", verify, verify.With)
	}
	if got := string(p.Modes["ask"].Steps[1].With); got != `{"programs":["fixer","claude"]}` {
		t.Error(got)
	}
	sources := []Source{{"logs", []string{"out/*.log", "**/build-[0-9].log"}}, {"exit-codes", nil}}
	if !reflect.DeepEqual(p.Triggers.Sources, sources) {
		t.Errorf("%+v", p.Triggers.Sources)
	}
	if p.Triggers.Blockers["other"] != (Blocker{"critical", "all"}) || p.Triggers.Blockers["ci_failure"].Mend != "ci" {
		t.Errorf("%+v", p.Triggers.Blockers)
	}
	rule := `{"agent":"us","id":"our-linker","literals":["OURLD","it's"],"match":["OURLD: x"],"pattern":"^OURLD: (?P<msg>.*)$","severity":"low","type":"build_error","within":12}`
	if len(p.Triggers.Rules) != 1 || string(p.Triggers.Rules[0]) != rule {
		t.Errorf("%s", p.Triggers.Rules)
	}
	if got := p.Bundles.Mend["all"]; !reflect.DeepEqual(got, Mend{[]string{"us", "tester"}, "quick-checks", 20, 120 * minute}) {
		t.Errorf("%+v", got)
	}
	checks := p.Bundles.Checks["quick-checks"]
	if checks.Limit != 3*minute || !reflect.DeepEqual(checks.Build.Run, [][]string{{"make", "-j", "8"}}) ||
		!reflect.DeepEqual(checks.Test.Run, [][]string{{"./configure", ""}, {"ctest", "--preset", "a b"}}) || checks.Test.Detect {
		t.Errorf("%+v %+v", checks.Build, checks.Test)
	}
	if only := p.Bundles.Checks["only-tests"]; only.Build != nil || !only.Test.Detect {
		t.Errorf("%+v", only)
	}
	program := Program{[]string{"./tools/fix", "--for", "{agent}", "{input}"}, "argument", "json", minute + minute/2}
	if got := p.Bundles.Programs["fixer"]; !reflect.DeepEqual(got, program) {
		t.Errorf("%+v", got)
	}
}

// TestTopKIsInTheHash (S3.4, S3.7): how many memories are retrieved stands in the plan and nowhere else, and the plan
// has another name when it changes.
func TestTopKIsInTheHash(t *testing.T) {
	hash := func(topK int) string {
		p, err := project(t, "", fmt.Sprintf("run: {for: run, steps: [RetrieveMemory: {topK: %d, ranking: count-recency}]}\n", topK), "", "")
		return mustHash(t, p, err)
	}
	if hash(3) == hash(4) {
		t.Error("topK does not count")
	}
}

// TestHashIsThatOfTheWholePolicy: it names the profile and covers modes that never run.
func TestHashIsThatOfTheWholePolicy(t *testing.T) {
	one := "base: builtin/1\nmodes: m.yaml\n"
	files := map[string][]byte{"m.yaml": []byte("{}\n")}
	seen := map[string]string{}
	for _, n := range []string{"a/profile.yaml", "b/profile.yaml", "a/other.yaml"} {
		p, err := ParseProfile(n, []byte(one))
		if err != nil {
			t.Fatal(err)
		}
		pol, err := Assemble(p, files, catalogue())
		h := mustHash(t, pol, err)
		if seen[h] != "" {
			t.Errorf("%s and %s have one hash", n, seen[h])
		}
		seen[h] = n
	}
	a, err := project(t, "", "never: {for: run, steps: [PromptAssemble]}\n", "", "")
	b, err2 := project(t, "", "{}\n", "", "")
	if mustHash(t, a, err) == mustHash(t, b, err2) {
		t.Error("a mode that nobody calls does not count")
	}
	c, err := ParseProfile(name, []byte("base: builtin/1\nmodes: x.yaml\nruntime_root: .\n"))
	if err != nil {
		t.Fatal(err)
	}
	pol, err := Assemble(c, map[string][]byte{"x.yaml": []byte("{}\n")}, catalogue())
	if mustHash(t, pol, err) != mustHash(t, b, nil) {
		t.Error("how the files are called and where the Ref is kept are no part of the plan")
	}
}

// TestNobodyElsesHash runs this test binary under other locales and time zones.
func TestNobodyElsesHash(t *testing.T) {
	p, err := Builtin(Newest, catalogue())
	h := mustHash(t, p, err)
	if os.Getenv("PLAN_TEST_CHILD") != "" {
		fmt.Println("hash=" + h)
		return
	}
	for _, l := range []string{"C", "tr_TR.UTF-8", "ko_KR.UTF-8"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestNobodyElsesHash$")
		cmd.Env = append(os.Environ(), "PLAN_TEST_CHILD=1", "LC_ALL="+l, "LANG="+l, "TZ=Asia/Seoul", "GOMAXPROCS=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "hash="+h+"\n") {
			t.Errorf("%s: %v %s", l, err, out)
		}
	}
}

// TestManyAtOnce: policies are values; reading them shares nothing.
func TestManyAtOnce(t *testing.T) {
	var all sync.WaitGroup
	hashes := make([]string, 16)
	for i := range hashes {
		all.Go(func() {
			if p, err := Builtin(Newest, catalogue()); err == nil {
				hashes[i], _ = p.Hash()
			}
		})
	}
	all.Wait()
	if slices.Sort(hashes); hashes[0] != hashes[15] || hashes[0] != builtin1 {
		t.Error(hashes)
	}
}

// TestTakingOut: null takes an entry out, where the rest can do without it.
func TestTakingOut(t *testing.T) {
	_, err := project(t, "", "", "events: {agent-end: null, before-push: null}\nsources: null\n", "programs: {opencode: null}\nagents:\n"+
		"  cpp-builder: {programs: [claude]}\n  tester: {programs: [claude]}\n  code-editor: {programs: [claude]}\n  architect: {programs: [claude]}\n"+
		"  devops: {programs: [claude]}\n")
	if err == nil || !strings.Contains(err.Error(), `builtin/1/modes.yaml:126:43: run.steps[4].AgentCall.programs[4]: there is no program "opencode"`) {
		t.Fatal(err)
	}
	p, err := project(t, "", "", "events: {agent-end: null, before-push: null}\nsources: null\n", "")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Triggers.Events) != 4 || len(p.Triggers.Sources) != 0 {
		t.Errorf("%+v", p.Triggers)
	}
	if _, ok := p.Origin("triggers/sources"); ok {
		t.Error("what is out comes from nowhere")
	}
	b, err := p.Canonical()
	if err != nil || !strings.Contains(string(b), `"sources":[]`) {
		t.Errorf("%s", b)
	}
}

// TestHostileSizes: what is large is refused or read in time and memory that grow with it, not faster.
func TestHostileSizes(t *testing.T) {
	long := strings.Repeat("x", 300000)
	for what, src := range map[string]string{
		"a long name":      long + ": {for: run, steps: [PromptAssemble]}\n",
		"a long value":     "a: {for: " + long + "}\n",
		"a long step":      "a: {for: run, steps: [" + long + "]}\n",
		"a long key":       "a: {for: run, steps: [ContextSelect: {" + long + ": 1}]}\n",
		"a long number":    "a: {for: run, steps: [ContextSelect: {tokens: " + strings.Repeat("9", 300000) + "}]}\n",
		"a long exponent":  "a: {for: run, steps: [ContextSelect: {tokens: 1e" + strings.Repeat("9", 300000) + "}]}\n",
		"a long list":      "a: {for: run, steps: [" + strings.Repeat("x,", 100000) + "]}\n",
		"many entries":     strings.Repeat("a: 1\n", 100000),
		"deep":             strings.Repeat("{a: ", 9000),
		"many documents":   strings.Repeat("---\n", 100000),
		"many control":     strings.Repeat("\x01", 300000),
		"long punctuation": strings.Repeat("?", 300000),
	} {
		_, err := projectRaw(map[string]string{"modes": src})
		if err == nil || len(err.Error()) > 20000 {
			t.Errorf("%s: %d bytes of %.200v", what, len(fmt.Sprint(err)), err)
		}
	}
}
