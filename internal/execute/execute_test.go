package execute

import (
	"errors"
	"os"
	"strings"
	"testing"

	"session/internal/assistant"
	"session/internal/memory"
)

func world(t *testing.T, installed ...string) World {
	t.Helper()
	w := World{Dir: t.TempDir(), Env: os.Environ(), Programs: map[string]assistant.Program{}}
	for _, n := range []string{"one", "two", "three"} {
		w.Programs[n] = assistant.Program{Name: n, Run: []string{"bin-" + n}}
	}
	w.Installed = func(p string) bool {
		for _, i := range installed {
			if "bin-"+i == p || i == p {
				return true
			}
		}
		return false
	}
	return w
}

func TestChoose(t *testing.T) {
	for name, tc := range map[string]struct {
		draft     Draft
		named     []string
		installed []string
		want      string
		err       string
	}{
		"the plan's first one":                 {Draft{}, []string{"one", "two"}, []string{"one", "two"}, "one", ""},
		"the plan's first one installed":       {Draft{}, []string{"one", "two"}, []string{"two"}, "two", ""},
		"an agent's programs":                  {Draft{Agent: "tester", Candidates: []string{"three", "two"}}, []string{"one"}, []string{"one", "two", "three"}, "three", ""},
		"a person's word counts most":          {Draft{Program: "two", Candidates: []string{"three"}}, []string{"one"}, []string{"one", "two", "three"}, "two", ""},
		"a person's word, and nothing else":    {Draft{Program: "two"}, []string{"one"}, []string{"one"}, "", "none of these programs is installed: two"},
		"none is installed":                    {Draft{}, []string{"one", "two"}, nil, "", "none of these programs is installed: one, two"},
		"nobody knows it":                      {Draft{Program: "four"}, []string{"one"}, []string{"one"}, "", `there is no program "four" in bundles.yaml`},
		"nobody knows it, before one is found": {Draft{}, []string{"four", "one"}, []string{"one"}, "", `there is no program "four" in bundles.yaml`},
	} {
		p, err := world(t, tc.installed...).choose(&tc.draft, tc.named)
		if p.Name != tc.want || (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
			t.Errorf("%s: %q, %v", name, p.Name, err)
		}
	}
	var missing *NoProgramError
	if _, err := world(t).choose(&Draft{}, []string{"one"}); !errors.As(err, &missing) || len(missing.Programs) != 1 {
		t.Errorf("%v", err)
	}
}

// TestCall starts a real program.
func TestCall(t *testing.T) {
	program := func(script string) map[string]assistant.Program {
		return map[string]assistant.Program{"sh": {Name: "sh", Run: []string{"sh", "-c", script}, Input: "stdin", Output: "text"}}
	}
	w := world(t, "sh")
	w.Programs = program(`printf 'heard: '; cat; pwd >where`)
	d := &Draft{Input: "why?", Memory: memory.Work{Prompt: "remember this\nwhy?"}}
	if err := w.call(t.Context(), d, CallSettings{Programs: []string{"sh"}}); err != nil {
		t.Fatal(err)
	}
	if d.Used != "sh" || d.Answer.Text != "heard: remember this\nwhy?" {
		t.Errorf("%q answered %q", d.Used, d.Answer.Text)
	}
	about := d.Memory.About
	if about.Asked != "why?" || about.Answered != d.Answer.Text || !strings.Contains(about.Text, "why?") || strings.Count(about.Text, "remember this") != 1 {
		t.Errorf("what is remembered: %+v", about)
	}
	if where, err := os.ReadFile(w.Dir + "/where"); err != nil || strings.TrimSpace(string(where)) != w.Dir {
		t.Errorf("it ran in %s, not in %s: %v", where, w.Dir, err)
	}
	for name, script := range map[string]string{"it fails": "echo half an answer; exit 3", "it is killed": "kill -9 $$"} {
		w.Programs = program(script)
		d := &Draft{Input: "why?", Memory: memory.Work{Prompt: "p"}}
		if err := w.call(t.Context(), d, CallSettings{Programs: []string{"sh"}}); err == nil || d.Memory.About.Answered != "" {
			t.Errorf("%s: %v, remembered %+v", name, err, d.Memory.About)
		}
	}
}

func TestCallSettings(t *testing.T) {
	if err := (CallSettings{}).Check(); err == nil {
		t.Error("a call of nothing was accepted")
	}
	if err := (CallSettings{Programs: []string{"x"}}).Check(); err != nil {
		t.Error(err)
	}
	if _, ok := Steps(World{})["AgentCall"]; !ok {
		t.Error("no step AgentCall")
	}
	acting := Steps(World{}).Acting()
	if len(acting) != 1 || acting[0] != "AgentCall" {
		t.Errorf("steps that act: %v: what is before them can be cancelled without a trace", acting)
	}
}
