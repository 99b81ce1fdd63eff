package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// takes is a check for settings of which all keys are known, and those in need are there.
func takes(keys string, need ...string) Check {
	return func(b json.RawMessage) error {
		m := map[string]any{}
		if b != nil {
			if err := json.Unmarshal(b, &m); err != nil {
				return err
			}
		}
		for k := range m {
			if !slices.Contains(strings.Fields(keys), k) {
				return &SettingError{k, errors.New("unknown setting")}
			}
		}
		for _, k := range need {
			if m[k] == nil {
				return fmt.Errorf("%s is needed", k)
			}
		}
		return nil
	}
}

// catalogue has the steps of the seeds with settings like those of the real ones.
func catalogue() Catalogue {
	retrieve := func(b json.RawMessage) error {
		var s struct {
			TopK float64 `json:"topK"`
		}
		if err := takes("topK ranking", "topK")(b); err != nil {
			return err
		}
		if json.Unmarshal(b, &s) != nil || s.TopK < 1 || s.TopK != float64(int(s.TopK)) {
			return &SettingError{"topK", errors.New("a whole number above 0 is needed; there is no default")}
		}
		return nil
	}
	return Catalogue{
		Steps: map[Command]map[string]Check{
			Save: {"Look": takes(""), "Glance": takes(""), "Guard": takes("max_file_size allow", "max_file_size"), "Describe": takes(""),
				"Commit": takes("hooks"), "Push": takes("protected"), "Verify": takes("bundle", "bundle"), "CheckDocs": takes("files"),
				"ReadCI": takes("within_seconds wait_seconds", "within_seconds"), "Diagnose": takes(""), "SummarizeMemory": takes(""), "PersistMemory": takes("")},
			Load: {"Look": takes(""), "Validate": takes(""), "RetrieveMemory": retrieve, "Brief": takes(""), "Route": takes(""),
				"ContextSelect": takes("tokens"), "PromptAssemble": takes(""), "Attempt": takes(""), "Prove": takes("")},
			Run: {"RetrieveMemory": retrieve, "ContextSelect": takes("tokens"), "PromptAssemble": takes(""), "AgentCall": takes("programs"),
				"SummarizeMemory": takes(""), "SummarizeByAgent": takes("agent", "agent"), "PersistMemory": takes("")},
		},
		Rule: takes("id type literals pattern not strength stage severity agent resolution within match miss", "literals"),
	}
}

const name = ".claude/session/profile.yaml"

func profile(t *testing.T, src string) Profile {
	t.Helper()
	p, err := ParseProfile(name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// project puts a policy together whose three files are given; "" leaves a file out of the profile.
func project(t *testing.T, whole string, modes, triggers, bundles string) (*Policy, error) {
	t.Helper()
	src, files := "base: builtin/1\n", map[string][]byte{}
	for n, s := range map[string]string{"modes": modes, "triggers": triggers, "bundles": bundles} {
		if s != "" {
			src += n + ": " + n + ".yaml\n"
			files[n+".yaml"] = []byte(s)
		}
	}
	if whole != "" {
		src += "whole: [" + whole + "]\n"
	}
	return Assemble(profile(t, src), files, catalogue())
}

func mustHash(t *testing.T, p *Policy, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	h, err := p.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func source(t *testing.T, file string) string {
	t.Helper()
	b, err := builtin.ReadFile("builtin/1/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// builtin1 is the plan hash of builtin/1.
//
// BEFORE THE FIRST RELEASE this number may be set anew when builtin/1 is changed on purpose. FROM THE FIRST RELEASE ON
// it is frozen, like every file under builtin/1: snapshots name this policy, and a change of it would change the plan of
// everybody who uses it. Then a change is a new policy: add builtin/2 beside it, with a hash of its own here.
const builtin1 = "c8db18a1be3c3ef115ff124481bec58db2f0ab24cefc98db6958235efea1ba07"

func TestBuiltinNeverChanges(t *testing.T) {
	golden := map[string]string{"builtin/1": builtin1}
	for _, n := range Builtins() {
		p, err := Builtin(n, catalogue())
		if got := mustHash(t, p, err); got != golden[n] {
			t.Errorf("%s has hash %s, recorded is %q: see the comment at builtin1", n, got, golden[n])
		}
	}
	if !slices.Contains(Builtins(), Newest) {
		t.Error("Newest is no built-in policy")
	}
}

func TestBuiltinPlans(t *testing.T) {
	p, err := Builtin(Newest, catalogue())
	if err != nil {
		t.Fatal(err)
	}
	names := func(steps []Step) (all []string) {
		for _, s := range steps {
			all = append(all, s.Name)
		}
		return all
	}
	for mode, want := range map[string]string{
		"quick":    "save quick Look Guard Describe Commit Diagnose SummarizeMemory PersistMemory",
		"sync":     "save sync Look Guard Describe Commit Push ReadCI Diagnose SummarizeMemory PersistMemory",
		"full":     "save full Look Guard Describe Commit Push Verify CheckDocs ReadCI Diagnose SummarizeMemory PersistMemory",
		"autosave": "save  Glance Diagnose SummarizeMemory PersistMemory",
		"load":     "load  Look Validate RetrieveMemory Brief",
		"resume":   "load  Look Validate RetrieveMemory ContextSelect Route PromptAssemble Attempt Prove Brief",
		"run":      "run  RetrieveMemory ContextSelect PromptAssemble AgentCall SummarizeMemory PersistMemory",
	} {
		pl, ok := p.Plan(mode)
		got := fmt.Sprint(pl.For, " ", pl.As, " ", strings.Join(names(pl.Steps), " "))
		if !ok || got != want {
			t.Errorf("%s: %s, want %s", mode, got, want)
		}
	}
	if len(p.Plans()) != 7 {
		t.Error(slices.Sorted(maps.Keys(p.Plans())))
	}
	if _, ok := p.Plan("nightly"); ok {
		t.Error("a plan for a mode that is not there")
	}
	ci := p.Plans()["full"].Steps[7]
	if ci.Name != "ReadCI" || !ci.Keep || ci.Limit != 0 || string(ci.With) != `{"wait_seconds":1800,"within_seconds":5}` {
		t.Errorf("%+v %s", ci, ci.With)
	}
	if push := p.Plans()["full"].Steps[4]; push.Name != "Push" || !push.Keep || push.Limit.String() != "2m" {
		t.Errorf("%+v", push)
	}
}

// TestRoutes holds the routes of S1.16.
func TestRoutes(t *testing.T) {
	p, err := Builtin(Newest, catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for typ, want := range map[string]string{
		"build_error": "cpp-builder", "test_failure": "tester code-editor", "dependency": "cpp-builder", "design_issue": "architect",
		"review_blocked": "code-editor", "ci_failure": "devops", "merge_conflict": "", "decision_required": "", "other": "",
	} {
		m := p.Bundles.Mend[p.Triggers.Blockers[typ].Mend]
		if got := strings.Join(m.Agents, " "); got != want || want != "" && m.Attempts != 3 {
			t.Errorf("%s: %q %d, want %q 3", typ, got, m.Attempts, want)
		}
	}
}

func TestSingleEntries(t *testing.T) {
	p, err := project(t, "",
		"eod: {for: save, as: sync, steps: [Look, Commit: {hooks: true}]}\n",
		"events: {turn-end: null, session-end: eod}\nrules:\n  - {id: ours, type: build_error, literals: [OOPS], agent: us}\n",
		"agents: {us: {programs: [fixer]}}\nprograms:\n  fixer: {run: [./fix, \"--as={agent}\"], input: stdin, output: text, limit: 90s}\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Modes) != 8 || len(p.Bundles.Programs) != 5 || p.Bundles.Programs["fixer"].Limit.String() != "1m30s" {
		t.Errorf("%+v", p)
	}
	if _, on := p.Triggers.Events["turn-end"]; on || p.Triggers.Events["session-end"] != "eod" || p.Triggers.Events["before-push"] != "autosave" {
		t.Error(p.Triggers.Events)
	}
	if pl, _ := p.Plan("eod"); pl.As != "sync" || string(pl.Steps[1].With) != `{"hooks":true}` {
		t.Errorf("%+v", pl)
	}
	for entry, want := range map[string]string{
		"modes/eod":                     ".claude/session/modes.yaml:1:1",
		"modes/quick":                   "builtin/1/modes.yaml:16:1",
		"triggers/events/session-end":   ".claude/session/triggers.yaml:1:26",
		"triggers/rules":                ".claude/session/triggers.yaml:3:3",
		"triggers/blockers/build_error": "builtin/1/triggers.yaml:32:3",
		"triggers/sources":              "builtin/1/triggers.yaml:15:3",
		"bundles/programs/fixer":        ".claude/session/bundles.yaml:3:3",
		"bundles/agents/us":             ".claude/session/bundles.yaml:1:10",
		"bundles/checks/project-checks": "builtin/1/bundles.yaml:20:3",
	} {
		if at, ok := p.Origin(entry); !ok || at.String() != want {
			t.Errorf("%s comes from %s, want %s", entry, at, want)
		}
	}
	if _, ok := p.Origin("triggers/events/turn-end"); ok || !slices.IsSorted(p.Entries()) || len(p.Entries()) < 30 {
		t.Error(p.Entries())
	}
}

func TestWholeFiles(t *testing.T) {
	base, err := Builtin(Newest, catalogue())
	if err != nil {
		t.Fatal(err)
	}
	p, err := project(t, "modes, triggers, bundles", source(t, "modes.yaml"), source(t, "triggers.yaml"), source(t, "bundles.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	strip := func(p *Policy) any {
		b, _ := json.Marshal([]any{p.Modes, p.Triggers, p.Bundles})
		return string(b)
	}
	if strip(p) != strip(base) {
		t.Error("the same files give another policy")
	}
	if mustHash(t, p, nil) == mustHash(t, base, nil) {
		t.Error("the profile's name is part of the hash (S0.4)")
	}
	_, err = project(t, "modes, triggers, bundles", "quick: {for: save, steps: [Look]}\n", "sources: null\n", "{}\n")
	for _, want := range []string{"modes.yaml:1:1: the mode autosave is missing", "triggers.yaml:1:1: the blocker type build_error is missing"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
}

func TestAnOverlayIsNotKept(t *testing.T) {
	before, _ := Builtin(Newest, catalogue())
	a := mustHash(t, before, nil)
	if _, err := project(t, "", "quick: {for: save, steps: [Look]}\n", "", ""); err != nil {
		t.Fatal(err)
	}
	after, _ := Builtin(Newest, catalogue())
	if mustHash(t, after, nil) != a || !reflect.DeepEqual(before, after) {
		t.Error("one policy changed another")
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	p := profile(t, "base: builtin/1\nmodes: sub/m.yaml\n")
	if got := p.Files(); !slices.Equal(got, []string{"sub/m.yaml"}) {
		t.Error(got)
	}
	_, err := Assemble(p, nil, catalogue())
	if err == nil || !strings.Contains(err.Error(), ".claude/session/sub/m.yaml:1:1: the profile names this file") {
		t.Error(err)
	}
	_, err = Builtin("builtin/99", catalogue())
	if err == nil || !strings.Contains(err.Error(), `no built-in policy "builtin/99"`) {
		t.Error(err)
	}
}

func TestProfile(t *testing.T) {
	got := profile(t, "base: builtin/1\nbundles: b.yaml\nwhole: [bundles]\nruntime_root: ops\n")
	want := Profile{Name: name, Base: "builtin/1", Bundles: "b.yaml", Whole: []string{"bundles"}, RuntimeRoot: "ops"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	for src, want := range map[string]string{
		"modes: m.yaml\n":                                 `1:1: the key "base" is missing`,
		"base: builtin/7\n":                               `1:7: base: "builtin/7" is none of: builtin/1`,
		"base: builtin/1\nmodes: ../m.yaml\n":             `2:8: modes: "../m.yaml" leads out of its folder`,
		"base: builtin/1\nmodes: /etc/passwd\n":           `2:8: modes: "/etc/passwd" is not relative`,
		"base: builtin/1\nmodes: C:/m.yaml\n":             `2:8: modes: "C:/m.yaml" is not relative`,
		"base: builtin/1\nmodes: a\\b.yaml\n":             `2:8: modes: "a\\b.yaml" has a \`,
		"base: builtin/1\nmodes: ~/m.yaml\n":              `2:8: modes: "~/m.yaml" is not relative`,
		"base: builtin/1\nmodes: a//b.yaml\n":             `2:8: modes: "a//b.yaml" has empty`,
		"base: builtin/1\nmodes: a.yaml\nbundles: a.yaml": `"a.yaml" is named twice`,
		"base: builtin/1\nmodes: profile.yaml\n":          `"profile.yaml" is named twice`,
		"base: builtin/1\nwhole: [modes]\n":               `2:9: whole[1]: modes is to stand alone, but`,
		"base: builtin/1\nwhole: [profile]\n":             `"profile" is none of: modes, triggers, bundles`,
		"base: builtin/1\nruntime_root: .git/x\n":         `".git/x" is git's`,
		"base: builtin/1\nruntime_root: ../up\n":          `leads out of its folder`,
		"base: builtin/1\nextends: x\n":                   `2:1: unknown key "extends"; there are: base, bundles,`,
		"":                                                `1:1: the file is empty`,
	} {
		_, err := ParseProfile(name, []byte(src))
		var i *Invalid
		if !errors.As(err, &i) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\n got %v\nwant %s", src, err, want)
		}
	}
	for _, bad := range []string{"/abs/profile.yaml", "../p.yaml", `a\p.yaml`, "C:/p.yaml", "builtin/1", ""} {
		if _, err := ParseProfile(bad, []byte("base: builtin/1\n")); err == nil {
			t.Errorf("%q names a profile", bad)
		}
	}
}
