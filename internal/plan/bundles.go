package plan

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"session/internal/lazy"
)

// Bundles is bundles.yaml: who does it, and what proves it.
type Bundles struct {
	Mend     map[string]Mend        `json:"mend"`     // named by blockers of triggers.yaml
	Checks   map[string]CheckBundle `json:"checks"`   // named by the setting "bundle" of a step, and by proof
	Agents   map[string]Agent       `json:"agents"`   // named by mend bundles, rules, and the setting "agent" of a step
	Programs map[string]Program     `json:"programs"` // named by agents, and by the setting "programs" of a step
}

// Mend is how a blocker is mended: the agents are asked in this order, each attempt is proved, and after Attempts
// attempts a person has it.
type Mend struct {
	Agents   []string `json:"agents"`
	Proof    string   `json:"proof"` // ProofSameCheck, ProofPerson, or the name of a check bundle
	Attempts int      `json:"attempts"`
	Limit    Duration `json:"limit"` // of one attempt
}

// What proves that a blocker is gone, besides a check bundle: the check that found it passes, or a person says so.
const (
	ProofSameCheck = "same-check"
	ProofPerson    = "person"
)

// CheckBundle is a set of commands that prove that the work is sound. A nil command is not run.
type CheckBundle struct {
	Build *CheckCommand `json:"build,omitempty"`
	Test  *CheckCommand `json:"test,omitempty"`
	Limit Duration      `json:"limit"` // of all of them together
}

// CheckCommand is what a check runs: argument lists, one after the other until one fails, never through a shell; or
// what the project's build system is found to use.
type CheckCommand struct {
	Detect bool
	Run    [][]string // nil if Detect
}

// MarshalJSON writes "detect" or the list of argument lists.
func (c CheckCommand) MarshalJSON() ([]byte, error) {
	if c.Detect {
		return []byte(`"detect"`), nil
	}
	return json.Marshal(c.Run)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *CheckCommand) UnmarshalJSON(b []byte) error {
	if string(b) == `"detect"` {
		*c = CheckCommand{Detect: true}
		return nil
	}
	*c = CheckCommand{}
	if err := json.Unmarshal(b, &c.Run); err != nil {
		return err
	}
	if len(c.Run) == 0 || slices.ContainsFunc(c.Run, func(args []string) bool { return len(args) == 0 }) {
		return errors.New("a check command without arguments")
	}
	return nil
}

// Agent is somebody who can be asked to mend (cpp-builder, tester, …): the programs that can play the part, of which
// the first one installed is taken.
type Agent struct {
	Programs []string `json:"programs"`
}

// Program is how a program is started for an agent.
type Program struct {
	Run    []string `json:"run"`    // argument list; {agent} stands for the agent's name, {input} for the prompt
	Input  string   `json:"input"`  // how it gets the prompt: stdin, or argument (as {input})
	Output string   `json:"output"` // how its answer is read: see Outputs
	Limit  Duration `json:"limit"`  // of one start
}

// Outputs lists the forms of answers: the text itself, one JSON document of our own form, or what the named assistant
// prints when it is asked for JSON.
func Outputs() []string { return []string{"text", "json", "claude-json", "codex-json", "gemini-json"} }

const maxAttempts = 20

func (r *reader) bundles(root *yaml.Node, s *sheet) {
	r.fields(root, "", map[string]field{
		"mend":     func(n *yaml.Node, path string) { s.mend = entries(r, n, path, aName, r.mend) },
		"checks":   func(n *yaml.Node, path string) { s.checks = entries(r, n, path, checkName, r.checkBundle) },
		"agents":   func(n *yaml.Node, path string) { s.agents = entries(r, n, path, anAgentName, r.agent) },
		"programs": func(n *yaml.Node, path string) { s.programs = entries(r, n, path, aName, r.program) },
	})
}

func (r *reader) mend(n *yaml.Node, path string) (m Mend) {
	r.fields(n, path, map[string]field{
		"agents":   func(n *yaml.Node, path string) { m.Agents = r.referAll(n, path, anAgent) },
		"proof":    func(n *yaml.Node, path string) { m.Proof = r.proof(n, path) },
		"attempts": func(n *yaml.Node, path string) { m.Attempts = r.integer(n, path, 1, maxAttempts) },
		"limit":    func(n *yaml.Node, path string) { m.Limit = r.duration(n, path) },
	}, "agents", "proof", "attempts", "limit")
	return m
}

func (r *reader) proof(n *yaml.Node, path string) string {
	if n.Kind == yaml.ScalarNode && (n.Value == ProofSameCheck || n.Value == ProofPerson) {
		return n.Value
	}
	return r.refer(n, path, aCheck)
}

func checkName(s string) string {
	if s == ProofSameCheck || s == ProofPerson {
		return quoted(s) + " means something else where a proof is named: take another name"
	}
	return aName(s)
}

func (r *reader) checkBundle(n *yaml.Node, path string) (c CheckBundle) {
	r.fields(n, path, map[string]field{
		"build": func(n *yaml.Node, path string) { c.Build = r.command(n, path) },
		"test":  func(n *yaml.Node, path string) { c.Test = r.command(n, path) },
		"limit": func(n *yaml.Node, path string) { c.Limit = r.duration(n, path) },
	}, "limit")
	if n.Kind == yaml.MappingNode && c.Build == nil && c.Test == nil {
		r.problem(n, path, "checks nothing: give it build, test or both")
	}
	return c
}

// command reads detect, one argument list, or a list of argument lists.
func (r *reader) command(n *yaml.Node, path string) *CheckCommand {
	var c CheckCommand
	switch {
	case n.Kind == yaml.ScalarNode && n.Value == "detect":
		c.Detect = true
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.SequenceNode:
		r.list(n, path, func(n *yaml.Node, path string) { c.Run = append(c.Run, r.arguments(n, path)) })
	case n.Kind == yaml.SequenceNode:
		c.Run = [][]string{r.arguments(n, path)}
	default:
		r.problem(n, path, "detect or a list of arguments like [make, test] is expected, there is %s; nothing is run through a shell", kind(n))
	}
	return &c
}

// arguments reads the program and its arguments. Arguments may be empty text, the program may not.
func (r *reader) arguments(n *yaml.Node, path string) []string {
	all := []string{}
	r.list(n, path, func(n *yaml.Node, path string) {
		if r.scalar(n, path, "an argument", isText) && strings.ContainsRune(n.Value, 0) {
			r.problem(n, path, "an argument cannot hold a zero byte")
		}
		all = append(all, n.Value)
	})
	if len(all) > 0 && (all[0] == "" || all[0][0] == '-') {
		r.problem(n.Content[0], path, "%s is no program", quoted(all[0]))
	}
	return all
}

func (r *reader) agent(n *yaml.Node, path string) (a Agent) {
	r.fields(n, path, map[string]field{
		"programs": func(n *yaml.Node, path string) { a.Programs = r.referAll(n, path, aProgram) },
	}, "programs")
	return a
}

var placeholder = lazy.Regexp(`\{[a-z]+\}`)

func (r *reader) program(n *yaml.Node, path string) (p Program) {
	r.fields(n, path, map[string]field{
		"run":    func(n *yaml.Node, path string) { p.Run = r.arguments(n, path) },
		"input":  func(n *yaml.Node, path string) { p.Input = r.word(n, path, "stdin", "argument") },
		"output": func(n *yaml.Node, path string) { p.Output = r.word(n, path, Outputs()...) },
		"limit":  func(n *yaml.Node, path string) { p.Limit = r.duration(n, path) },
	}, "run", "input", "output", "limit")
	if run := value(n, "run"); run != nil && len(p.Run) == len(run.Content) {
		r.placeholders(run, path+".run", p)
	}
	return p
}

func (r *reader) placeholders(n *yaml.Node, path string, p Program) {
	inputs := 0
	for i, arg := range p.Run {
		for _, found := range placeholder().FindAllString(arg, -1) {
			switch {
			case found == "{agent}" && i > 0:
			case found == "{input}" && arg == found && i > 0:
				inputs++
			default:
				r.problem(n.Content[i], path, "%s: {agent} may stand in an argument and {input} be one; there are no others", quoted(arg))
			}
		}
	}
	if want := map[string]int{"argument": 1, "stdin": 0}; inputs != want[p.Input] && p.Input != "" {
		r.problem(n, path, "input is %s, but the arguments have {input} %d times", p.Input, inputs)
	}
}
