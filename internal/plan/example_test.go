package plan_test

import (
	"encoding/json"
	"fmt"

	"session/internal/plan"
)

// steps stands for what capture, recovery and execute know about their steps.
func steps() plan.Catalogue {
	any := func(json.RawMessage) error { return nil }
	cat := plan.Catalogue{Steps: map[plan.Command]map[string]plan.Check{plan.Save: {}, plan.Load: {}, plan.Run: {}}}
	for command, names := range map[plan.Command][]string{
		plan.Save: {"Look", "Glance", "Guard", "Describe", "Commit", "Push", "Verify", "CheckDocs", "ReadCI", "Diagnose", "SummarizeMemory", "PersistMemory"},
		plan.Load: {"Look", "Validate", "RetrieveMemory", "Brief", "Route", "ContextSelect", "PromptAssemble", "Attempt", "Prove"},
		plan.Run:  {"RetrieveMemory", "ContextSelect", "PromptAssemble", "AgentCall", "SummarizeMemory", "PersistMemory"},
	} {
		for _, n := range names {
			cat.Steps[command][n] = any
		}
	}
	return cat
}

// A team has a mode of its own for the end of the day, and lets everything else be as it is.
func Example() {
	profile, err := plan.ParseProfile(".claude/session/profile.yaml", []byte("base: builtin/1\nmodes: modes.yaml\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	own := "eod:\n  for: save\n  as: sync\n  steps: [Look, Guard, Describe, Commit, {Push: {keep: true, limit: 5m}}]\n"
	policy, err := plan.Assemble(profile, map[string][]byte{"modes.yaml": []byte(own)}, steps())
	if err != nil {
		fmt.Println(err)
		return
	}
	eod, _ := policy.Plan("eod")
	for _, s := range eod.Steps {
		fmt.Println(s.Name, s.Keep, s.Limit)
	}
	from, _ := policy.Origin("modes/eod")
	fmt.Println(from)
	from, _ = policy.Origin("modes/full")
	fmt.Println(from)
	// Output:
	// Look false 0s
	// Guard false 0s
	// Describe false 0s
	// Commit false 0s
	// Push true 5m
	// .claude/session/modes.yaml:1:1
	// builtin/1/modes.yaml:52:1
}

// What changed since a person accepted the policy.
func ExampleDiff() {
	accepted, err := plan.Builtin(plan.Newest, steps())
	if err != nil {
		fmt.Println(err)
		return
	}
	profile := plan.Profile{Name: plan.Newest, Base: plan.Newest, Bundles: "bundles.yaml"}
	pulled := "mend:\n  ci: {agents: [devops], proof: person, attempts: 3, limit: 30m}\nprograms:\n  opencode: {run: [sh, -c, evil], input: stdin, output: text, limit: 30m}\n"
	now, err := plan.Assemble(profile, map[string][]byte{"bundles.yaml": []byte(pulled)}, steps())
	if err != nil {
		fmt.Println(err)
		return
	}
	before, _ := accepted.Canonical()
	after, _ := now.Canonical()
	changes, err := plan.Diff(before, after)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range changes {
		fmt.Println(c)
	}
	// Output:
	// bundles.yaml: mend.ci.proof: "same-check" → "person"
	// bundles.yaml: programs.opencode.run: ["opencode","run"] → ["sh","-c","evil"]
}

// Everything that is wrong is said at once, with its place.
func ExampleInvalid() {
	profile := plan.Profile{Name: "policy/profile.yaml", Base: plan.Newest, Modes: "modes.yaml"}
	_, err := plan.Assemble(profile, map[string][]byte{"modes.yaml": []byte("eod:\n  for: save\n  as: sink\n  steps: [Look, Comit]\n")}, steps())
	fmt.Println(err)
	// Output:
	// policy refused, nothing was run:
	//   policy/modes.yaml:3:7: eod.as: "sink" is none of: quick, sync, full
	//   policy/modes.yaml:4:17: eod.steps[2]: there is no step "Comit" for save; there are: CheckDocs, Commit, Describe, Diagnose, Glance, Guard, Look, PersistMemory, Push, ReadCI, SummarizeMemory, Verify
}
