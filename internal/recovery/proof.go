package recovery

import (
	"slices"
	"strings"
	"time"

	"session/blocker"
	"session/internal/session"
)

// Command is one command of a proof.
type Command struct {
	Name string // build, test; "" for a command that was watched
	Args []string
	Dir  string // slash path below the top of the work tree
}

// Proof is what shows that a blocker is gone: the check that found it, run again. An agent's word never is (S1.16).
type Proof struct {
	Kind     string // commands, ci, review, person, none
	Commands []Command
	Bundle   string            // of checks, that the policy names; "": the check that found the blocker
	Evidence *session.Evidence // the watched command that is run again; its exit code replaces this one
}

// The kinds of proof.
const (
	ByCommands = "commands"
	ByCI       = "ci"     // the next run for the pushed commit
	ByReview   = "review" // the reviewer's next word
	ByPerson   = "person"
	ByNothing  = "none" // no command is known that would show it
)

// Line is the proof as people read it; quote writes an argument list as a line.
func (p Proof) Line(quote func([]string) string) string {
	var lines []string
	for _, c := range p.Commands {
		lines = append(lines, quote(c.Args))
	}
	if len(lines) == 0 {
		return p.Kind
	}
	return strings.Join(lines, "; ")
}

// Prover knows what a project's checks are.
type Prover struct {
	Checks   func(bundle string) []Command // "": the bundle that a full save runs
	Evidence []session.Evidence
	Plain    func(line string) ([]string, bool) // splits a command line that needs no shell
}

// Passed reports whether all commands of a proof are known to have gone well after a time.
func (p Proof) Passed(seen []session.Evidence, after time.Time) bool {
	for _, c := range p.Commands {
		i := slices.IndexFunc(seen, func(e session.Evidence) bool {
			return e.Kind == session.ExitEvidence && e.ExitCode == 0 && e.Dir == c.Dir && e.At.After(after) && slices.Equal(e.Command, c.Args)
		})
		if i < 0 {
			return false
		}
	}
	return p.Kind == ByCommands
}

// Of finds what proves that b is gone.
func (p Prover) Of(b *blocker.Blocker, mend Mend) Proof {
	switch mend.Proof {
	case "person":
		return Proof{Kind: ByPerson}
	case "", "same-check":
		return p.same(b)
	}
	named := commands(p.Checks(mend.Proof))
	named.Bundle = mend.Proof
	return named
}

func (p Prover) same(b *blocker.Blocker) Proof {
	kind, name, _ := strings.Cut(b.Source, ":")
	switch {
	case kind == "github" && strings.HasPrefix(name, "review"):
		return Proof{Kind: ByReview}
	case kind == "github":
		return Proof{Kind: ByCI}
	case kind == "check":
		return commands(upTo(p.Checks(""), name))
	case kind == "command":
		if found, ok := p.watched(b.Source); ok {
			return found
		}
	}
	switch b.Type {
	case blocker.BuildError, blocker.Dependency:
		return commands(upTo(p.Checks(""), "build"))
	case blocker.TestFailure, blocker.CIFailure, blocker.DesignIssue:
		return commands(p.Checks(""))
	case blocker.ReviewBlocked:
		return Proof{Kind: ByReview}
	}
	return Proof{Kind: ByNothing}
}

// watched is a command that was seen to fail, to be run again. What only a shell could run is not run.
func (p Prover) watched(source string) (Proof, bool) {
	for _, e := range slices.Backward(p.Evidence) {
		if e.Kind != session.ExitEvidence || e.Source() != source {
			continue
		}
		args := e.Command
		line := e.Log == "" || strings.ContainsAny(args[0], " \t") // of one that session ran, a single word is a program
		if len(args) == 1 && line {
			var ok bool
			if args, ok = p.Plain(args[0]); !ok {
				return Proof{}, false
			}
		}
		return Proof{Kind: ByCommands, Commands: []Command{{Args: args, Dir: e.Dir}}, Evidence: &e}, true
	}
	return Proof{}, false
}

func commands(all []Command) Proof {
	if len(all) == 0 {
		return Proof{Kind: ByNothing}
	}
	return Proof{Kind: ByCommands, Commands: all}
}

// upTo keeps the commands up to the last one of a name: a test is proved on a fresh build.
func upTo(all []Command, name string) []Command {
	for i, c := range slices.Backward(all) {
		if c.Name == name {
			return all[:i+1]
		}
	}
	return nil
}
