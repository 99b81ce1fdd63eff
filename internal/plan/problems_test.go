package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// Each row is one file of a project (the other two are the built-in ones) and what must be said about it.
var problemRows = []struct{ file, src, want string }{
	// YAML that a policy does not have
	{"modes", "a: &x 1\n", "1:4: an anchor (&x)"},
	{"modes", "a: &x {for: run, steps: [Brief]}\nb: *x\n", "2:4: an alias (*x)"},
	{"modes", "a: *x\n", "1:1: YAML: unknown anchor"},
	{"modes", "<<: {for: run}\n", "1:1: a merge key"},
	{"modes", "a: !!str x\n", "1:4: a tag"},
	{"modes", "a: !mine x\n", "1:4: a tag"},
	{"modes", "quick: {for: save, steps: [Look]}\nquick: {for: save, steps: [Look]}\n", `2:1: key "quick" stands in line 1 already`},
	{"modes", "a: {for: run, 'for': run, steps: [PromptAssemble]}\n", `1:15: key "for" stands in line 1 already`},
	{"modes", "---\n{}\n---\n{}\n", "3:1: a second document begins here"},
	{"modes", "%YAML 1.1\n---\n{}\n", "1:1: a directive"},
	{"modes", "a:\n\tfor: run\n", "2:1: a tab"},
	{"modes", "a: 'x\ty'\n", "1:6: a tab"},
	{"modes", "a: \"x\x1by\"\n", "1:6: control character U+001B"},
	{"modes", "a: x\u202ey\n", "1:5: U+202E changes the direction"},
	{"modes", "a: x\ry\n", "1:5: control character U+000D"},
	{"modes", "a: \xff\n", "1:4: not UTF-8"},
	{"modes", "q\xc3\xa9: \xff\n", "1:5: not UTF-8"},
	{"modes", "", "1:1: the file is empty"},
	{"modes", "# nothing\n", "1:1: the file is empty"},
	{"modes", "- a\n", "1:1: a mapping is expected here, there is a list"},
	{"modes", "a: {\n", "YAML: "},
	{"modes", "a: b: c\n", "1:1: YAML: mapping values are not allowed"},
	{"modes", "a: {for: load}\nb: ]\n", "2:1: YAML: did not find expected node content"},
	{"modes", "a: {for: load}\n\nb: ]\n\nc: 1\n", "3:1: YAML: did not find expected node content"},
	{"modes", "a: 1\n\nb: 'x\nc: 1\nd: 2\n", "3:1: YAML: found unexpected end of stream"},
	{"modes", "a: 1\nb: {x\nc: 1\n", "2:1: YAML: did not find"},
	{"modes", "a: 1\n   b: 1\nc: 1\n", "2:1: YAML: mapping values are not allowed"},
	{"modes", "a:\n  - 1\n - 2\nc: 1\n", "3:1: YAML: did not find"},
	{"modes", "a: @x\n", "1:1: YAML: found character that cannot start any token"},
	{"modes", "a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n", "1:35: nested more than 32 deep"},
	{"modes", "a: " + strings.Repeat("[", 20000), "YAML: "},
	{"modes", "{}\n" + strings.Repeat("#", MaxFile), "1:1: the file has 1048579 bytes"},
	{"modes", "? [a]\n: b\n", "1:3: a name is expected, there is a list"},
	// modes
	{"modes", "Quick: {for: save, steps: [Look]}\n", `1:1: "Quick" is no name`},
	{"modes", "eod: Look\n", `1:6: eod: a mapping is expected, there is the text "Look"`},
	{"modes", "eod: {for: save, steps: [Look]}\n", `1:1: eod: say with "as: quick"`},
	{"modes", "eod: {for: save, as: autosave, steps: [Look]}\n", `1:22: eod.as: "autosave" is none of: quick, sync, full`},
	{"modes", "look: {for: load, as: full, steps: [Look]}\n", `1:1: look: "as" is for modes of save`},
	{"modes", "quick: {for: save, as: quick, steps: [Look]}\n", `1:1: quick: the name says how`},
	{"modes", "quick: {for: load, steps: [Look]}\n", `1:1: quick: the command calls this mode for save`},
	{"modes", "run: null\n", `1:1: the mode run cannot be taken out`},
	{"modes", "eod: {for: stop, as: full, steps: [Look]}\n", `1:12: eod.for: "stop" is none of: save, load, run`},
	{"modes", "eod: {as: full, steps: [Look]}\n", `1:6: eod: the key "for" is missing`},
	{"modes", "eod: {for: save, as: full}\n", `1:6: eod: the key "steps" is missing`},
	{"modes", "eod: {for: save, as: full, steps: []}\n", `1:35: eod.steps: the list is empty`},
	{"modes", "eod: {for: save, as: full, steps: Look}\n", `1:35: eod.steps: a list is expected, there is the text "Look"`},
	{"modes", "eod: {for: save, as: full, step: [Look]}\n", `1:28: eod: unknown key "step"; there are: as, for, steps`},
	{"modes", "eod: {for: save, as: full, steps: [Comit]}\n", `1:36: eod.steps[1]: there is no step "Comit" for save; there are: CheckDocs, Commit`},
	{"modes", "eod: {for: save, as: full, steps: [Validate]}\n", `no step "Validate" for save`},
	{"modes", "eod: {for: save, as: full, steps: [look]}\n", `"look" is no name of a step`},
	{"modes", "eod: {for: save, as: full, steps: [7]}\n", `1:36: eod.steps[1]: a step, Name or Name: {settings}, is expected, there is the number 7`},
	{"modes", "eod: {for: save, as: full, steps: [{Look: {}, Commit: {}}]}\n", `a step, Name or Name: {settings}, is expected, there is a mapping`},
	{"modes", "eod: {for: save, as: full, steps: [Commit: ]}\n", `eod.steps[1].Commit: settings, {key: value, …}, is expected`},
	{"modes", "eod: {for: save, as: full, steps: [Look: {keep: yes}]}\n", `1:49: eod.steps[1].Look.keep: true or false is expected, there is yes, which YAML readers`},
	{"modes", "eod: {for: save, as: full, steps: [Look: {limit: 5}]}\n", `1:50: eod.steps[1].Look.limit: a duration like 90s or 15m is expected, there is the number 5`},
	{"modes", "eod: {for: save, as: full, steps: [Look: {limit: 5 min}]}\n", `"5 min" is not a duration`},
	{"modes", "eod: {for: save, as: full, steps: [Commit: {hocks: true}]}\n", `1:52: eod.steps[1].Commit: hocks: unknown setting`},
	{"modes", "eod: {for: save, as: full, steps: [Look, Verify]}\n", `1:42: eod.steps[2].Verify: bundle is needed`},
	{"modes", "eod: {for: save, as: full, steps: [Verify: {bundle: nightly}]}\n", `1:53: eod.steps[1].Verify.bundle: there is no check bundle "nightly"`},
	{"modes", "ask: {for: run, steps: [AgentCall: {programs: [clod]}]}\n", `1:48: ask.steps[1].AgentCall.programs[1]: there is no program "clod"`},
	{"modes", "ask: {for: run, steps: [SummarizeByAgent: {agent: nobody}]}\n", `1:51: ask.steps[1].SummarizeByAgent.agent: there is no agent "nobody"`},
	{"modes", "ask: {for: run, steps: [RetrieveMemory: {topK: 0}]}\n", `1:48: ask.steps[1].RetrieveMemory: topK: a whole number above 0`},
	{"modes", "ask: {for: run, steps: [RetrieveMemory]}\n", `topK is needed`},
	{"modes", "ask: {for: run, steps: [RetrieveMemory: {topK: 1e3}]}\n", `1:48: ask.steps[1].RetrieveMemory.topK: there is 1e3, which YAML readers`},
	{"modes", "ask: {for: run, steps: [RetrieveMemory: {topK: 9007199254740993}]}\n", `only numbers within`},
	{"modes", "ask: {for: run, steps: [RetrieveMemory: {topK: null}]}\n", `there is nothing (null): leave the key out`},
	{"modes", "ask: {for: run, steps: [RetrieveMemory: {topK: {1: 2}}]}\n", `text is expected as a key, there is the number 1`},
	{"modes", "ask: {for: run, steps: [ContextSelect: {$x: 2}]}\n", `"$x" is no name of a setting`},
	{"modes", "eod: {for: save, as: full, steps: [" + strings.Repeat("Look, ", 101) + "Look]}\n", `102 steps, at most 100`},
	// triggers
	{"triggers", "event: {}\n", `1:1: unknown key "event"; there are: blockers, events, rules, sources`},
	{"triggers", "events: {tun-end: autosave}\n", `1:10: events: there is no event "tun-end"; there are: agent-end, before-compact`},
	{"triggers", "events: {turn-end: autosav}\n", `1:20: events.turn-end: there is no mode "autosav"`},
	{"triggers", "events: {turn-end: load}\n", `events.turn-end: mode load is for load, this event calls one for save`},
	{"triggers", "events: {session-start: quick}\n", `mode quick is for save, this event calls one for load`},
	{"triggers", "events: {turn-end: [autosave]}\n", `events.turn-end: text is expected, there is a list`},
	{"triggers", "blockers: {build_eror: {severity: high}}\n", `1:12: blockers: there is no blocker type "build_eror"`},
	{"triggers", "blockers: {other: {severity: urgent}}\n", `1:30: blockers.other.severity: "urgent" is none of: critical, high, medium, low`},
	{"triggers", "blockers: {other: {severity: low, mend: fix}}\n", `1:41: blockers.other.mend: there is no mend bundle "fix"`},
	{"triggers", "blockers: {other: {mend: build}}\n", `the key "severity" is missing`},
	{"triggers", "blockers: {other: null}\n", `1:12: the blocker type other cannot be taken out`},
	{"triggers", "sources: []\n", `sources: the list is empty`},
	{"triggers", "sources: [{kind: log}]\n", `sources[1].kind: "log" is none of: exit-codes, reports, logs, git, agents, ci`},
	{"triggers", "sources: [{kind: logs}]\n", `sources[1]: logs needs files`},
	{"triggers", "sources: [{kind: git, files: [a]}]\n", `sources[1]: git reads no files`},
	{"triggers", "sources: [{kind: git}, {kind: git}]\n", `"git" stands in the list already`},
	{"triggers", "sources: [{kind: logs, files: [/var/log/x]}]\n", `"/var/log/x" is not relative`},
	{"triggers", "sources: [{kind: logs, files: [../x]}]\n", `"../x" leads out`},
	{"triggers", "sources: [{kind: logs, files: ['a\\b']}]\n", `has a \`},
	{"triggers", "sources: [{kind: logs, files: ['a/[b']}]\n", `"a/[b" is no pattern: "[b" does not close`},
	{"triggers", "rules: [{id: x, literals: [a], patern: b}]\n", `patern: unknown setting`},
	{"triggers", "rules: [{literals: [a]}]\n", `the rule has no id`},
	{"triggers", "rules: [{id: x}]\n", `rules.x: literals is needed`},
	{"triggers", "rules: [{id: x, literals: [a]}, {id: x, literals: [b]}]\n", `a rule "x" stands in the list already`},
	{"triggers", "rules: [{id: x, literals: [a], type: bug}]\n", `"bug" is none of: build_error`},
	{"triggers", "rules: [{id: x, literals: [a], agent: smith}]\n", `1:39: rules.x.agent: there is no agent "smith"`},
	{"triggers", "rules: [{id: x, literals: [on]}]\n", `rules.x.literals[1]: there is on, which YAML readers`},
	{"triggers", "rules: {id: x}\n", `rules: a list is expected, there is a mapping`},
	{"triggers", "rules: [x]\n", `a rule is expected, there is the text "x"`},
	// bundles
	{"bundles", "mend: {build: {agents: [cpp-bilder], proof: person, attempts: 1, limit: 1m}}\n", `1:25: mend.build.agents[1]: there is no agent "cpp-bilder"`},
	{"bundles", "mend: {build: {agents: [tester, tester], proof: person, attempts: 1, limit: 1m}}\n", `"tester" stands in the list already`},
	{"bundles", "mend: {build: {agents: [], proof: person, attempts: 1, limit: 1m}}\n", `mend.build.agents: the list is empty`},
	{"bundles", "mend: {build: {agents: [tester], proof: trust, attempts: 1, limit: 1m}}\n", `mend.build.proof: there is no check bundle "trust"`},
	{"bundles", "mend: {build: {agents: [tester], proof: person, attempts: 0, limit: 1m}}\n", `mend.build.attempts: 0 is not between 1 and 20`},
	{"bundles", "mend: {build: {agents: [tester], proof: person, attempts: 1.0, limit: 1m}}\n", `a whole number is expected, there is the number 1.0`},
	{"bundles", "mend: {build: {agents: [tester], proof: person, attempts: 99999999999999999999, limit: 1m}}\n", `is not between 1 and 20`},
	{"bundles", "mend: {build: {agents: [tester], proof: person, attempts: 1}}\n", `the key "limit" is missing`},
	{"bundles", "mend: {build: null}\n", `builtin/1/triggers.yaml:32:45: blockers.build_error.mend: there is no mend bundle "build"`},
	{"bundles", "checks: {person: {build: detect, limit: 1m}}\n", `1:10: checks: "person" means something else`},
	{"bundles", "checks: {c: {limit: 1m}}\n", `checks.c: checks nothing`},
	{"bundles", "checks: {c: {build: make && make test, limit: 1m}}\n", `checks.c.build: detect or a list of arguments`},
	{"bundles", "checks: {c: {build: [make, -j, 8], limit: 1m}}\n", `checks.c.build[3]: an argument is expected, there is the number 8; if text is meant, put it in quotes`},
	{"bundles", "checks: {c: {build: [-j8, make], limit: 1m}}\n", `"-j8" is no program`},
	{"bundles", "checks: {c: {build: [[make], []], limit: 1m}}\n", `checks.c.build[2]: the list is empty`},
	{"bundles", "checks: {c: {build: [\"a\\0\"], limit: 1m}}\n", `zero byte`},
	{"bundles", "checks: {project-checks: null}\n", `builtin/1/modes.yaml:68:17: full.steps[6].Verify.bundle: there is no check bundle`},
	{"bundles", "agents: {-x: {programs: [claude]}}\n", `1:10: agents: "-x" is no agent's name`},
	{"bundles", "agents: {x: {}}\n", `the key "programs" is missing`},
	{"bundles", "programs: {p: {run: [p, \"{agnt}\"], input: stdin, output: text, limit: 1m}}\n", `"{agnt}": {agent} may stand in an argument`},
	{"bundles", "programs: {p: {run: [\"{agent}\"], input: stdin, output: text, limit: 1m}}\n", `"{agent}": {agent} may stand`},
	{"bundles", "programs: {p: {run: [p], input: argument, output: text, limit: 1m}}\n", `input is argument, but the arguments have {input} 0 times`},
	{"bundles", "programs: {p: {run: [p, \"{input}\"], input: stdin, output: text, limit: 1m}}\n", `input is stdin, but the arguments have {input} 1 times`},
	{"bundles", "programs: {p: {run: [p, \"x{input}\"], input: argument, output: text, limit: 1m}}\n", `"x{input}": {agent} may stand`},
	{"bundles", "programs: {p: {run: [p], input: file, output: text, limit: 1m}}\n", `"file" is none of: stdin, argument`},
	{"bundles", "programs: {p: {run: [p], input: stdin, output: xml, limit: 1m}}\n", `"xml" is none of: text, json`},
}

func TestProblems(t *testing.T) {
	for _, row := range problemRows {
		files := map[string]string{row.file: row.src}
		p, err := projectRaw(files)
		var i *Invalid
		if !errors.As(err, &i) || p != nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %.120q\n got %v\nwant %s", row.file, row.src, err, row.want)
			continue
		}
		for _, pr := range i.Problems {
			if pr.At.File == "" || pr.At.Line < 1 || pr.At.Col < 1 || strings.ContainsAny(pr.What, "\n\x1b") {
				t.Errorf("%.120q: %+v", row.src, pr)
			}
		}
	}
}

// projectRaw lays files over builtin/1; a file that is empty is still named.
func projectRaw(files map[string]string) (*Policy, error) {
	p := Profile{Name: name, Base: "builtin/1"}
	bytes := map[string][]byte{}
	for n, into := range map[string]*string{"modes": &p.Modes, "triggers": &p.Triggers, "bundles": &p.Bundles} {
		if src, ok := files[n]; ok {
			*into = n + ".yaml"
			bytes[*into] = []byte(src)
		}
	}
	return Assemble(p, bytes, catalogue())
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := projectRaw(map[string]string{
		"modes":    "eod: {for: save, as: full, steps: [Comit, Puhs]}\nx: 1\n",
		"triggers": "events: {nope: eod, turn-end: nowhere}\n",
		"bundles":  "agents: {a: {programs: [b]}}\nwhat: 1\n",
	})
	var i *Invalid
	if !errors.As(err, &i) {
		t.Fatal(err)
	}
	var places []string
	for _, p := range i.Problems {
		places = append(places, strings.TrimPrefix(p.At.String(), ".claude/session/"))
	}
	want := []string{"bundles.yaml:1:25", "bundles.yaml:2:1", "modes.yaml:1:36", "modes.yaml:1:43", "modes.yaml:2:4",
		"triggers.yaml:1:10", "triggers.yaml:1:31"}
	if !slices.Equal(places, want) {
		t.Errorf("%v\n got %q\nwant %q", err, places, want)
	}
}

func TestManyProblemsStayReadable(t *testing.T) {
	_, err := projectRaw(map[string]string{"modes": strings.Repeat("- x\n", 3) + strings.Repeat("\x01", 5000)})
	if err == nil || len(err.Error()) > 10000 {
		t.Errorf("%d bytes", len(err.Error()))
	}
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "m%d: 1\n", i)
	}
	_, err = projectRaw(map[string]string{"modes": b.String()})
	if err == nil || !strings.Contains(err.Error(), "and 150 more") {
		t.Error(err)
	}
}

func TestStepsThatNobodyKnowsAreRefused(t *testing.T) {
	for _, cat := range []Catalogue{{}, {Steps: map[Command]map[string]Check{Save: {}}}} {
		if _, err := Builtin(Newest, cat); err == nil || !strings.Contains(err.Error(), `there is no step "Look" for save`) {
			t.Error(err)
		}
	}
	cat := catalogue()
	cat.Rule = nil
	p := Profile{Name: name, Base: "builtin/1", Triggers: "t"}
	if _, err := Assemble(p, map[string][]byte{"t": []byte("rules: [{id: x, literals: [a]}]\n")}, cat); err == nil {
		t.Error("a rule that nobody checked was taken")
	}
	cat = catalogue()
	cat.Steps[Save]["Look"] = func(json.RawMessage) error { panic("at the disco") }
	if _, err := Builtin(Newest, cat); err == nil || !strings.Contains(err.Error(), "panicked: at the disco") {
		t.Error(err)
	}
}

func TestDurations(t *testing.T) {
	for in, want := range map[string]Duration{
		"1ms": Duration(time.Millisecond), "500ms": Duration(500 * time.Millisecond), "90s": Duration(90 * time.Second),
		"15m": Duration(15 * time.Minute), "1h30m": Duration(90 * time.Minute), "168h": MaxDuration, "1m500ms": Duration(time.Minute + 500*time.Millisecond),
		"90m": Duration(90 * time.Minute), "0h1s": Duration(time.Second),
	} {
		got, err := ParseDuration(in)
		if err != nil || got != want {
			t.Errorf("%s: %s %v", in, got, err)
		}
		if again, err := ParseDuration(got.String()); err != nil || again != got {
			t.Errorf("%s is written %s and read %s %v", in, got, again, err)
		}
	}
	for _, in := range []string{"", "0s", "5", "5 s", "-5s", "+5s", "5.5s", "1m1h", "5s5s", "169h", "9999999999h", "99999999999999999999s", "5d", "5S", "٥s", "1us", "5s "} {
		if d, err := ParseDuration(in); err == nil {
			t.Errorf("%q is read as %s", in, d)
		}
	}
	if Duration(0).String() != "0s" {
		t.Error(Duration(0))
	}
}

func TestScalars(t *testing.T) {
	for want, all := range map[meaning][]string{
		isText: {"a", "15m", "1h30m", "claude-json", "-", ".", "..", "-x", "./fix", "v1.2.3", "1.2.3", "*.log", "{agent}", "a b", "no-op", "1a",
			"'on'", `"5"`, "'null'", "0x", "+", "--flag", "2024-01-02x", "-j8", "=x"},
		isBool:    {"true", "false"},
		isNull:    {"null"},
		isInt:     {"0", "7", "-7", "10485760"},
		isDecimal: {"0.5", "-1.25", "10.0"},
		isDisputed: {"~", "yes", "Yes", "NO", "on", "Off", "y", "N", "True", "FALSE", "Null", "NULL", "1e3", "1E-3", ".5", "1.", "+5", "-0", "017", "0o17",
			"0x1F", "0b11", "1_000", "12:30", "1:2:3.5", ".inf", "-.INF", ".nan", "2024-01-02", "2024-1-2 10:00:00", "=", "1,000", "00", "1.5e3"},
	} {
		for _, s := range all {
			var n yaml.Node
			if err := yaml.Unmarshal([]byte("k: "+s+"\n"), &n); err != nil {
				if want != isText {
					t.Error(s, err)
				}
				continue
			}
			if v := n.Content[0].Content[1]; v.Kind == yaml.ScalarNode && scalar(v) != want {
				t.Errorf("%s is %d, want %d", s, scalar(v), want)
			}
		}
	}
}
