package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"session/blocker/rules"
	"session/internal/atomicfile"
	"session/internal/canon"
	"session/internal/capture"
	"session/internal/execute"
	"session/internal/plan"
	"session/internal/recovery"
)

// policyDir is where a project's own policy stands, below the root of the work tree.
const policyDir = ".claude/session/policy"

// catalogue names every step that a plan may name.
func catalogue() plan.Catalogue {
	return plan.Catalogue{Steps: map[plan.Command]map[string]plan.Check{
		plan.Save: capture.Steps(capture.World{}).Checks(),
		plan.Load: recovery.Steps(recovery.World{}).Checks(),
		plan.Run:  execute.Steps(execute.World{}).Checks(),
	}, Needs: map[plan.Command]map[string][]string{plan.Save: capture.Needs()}, Rule: checkRule}
}

// policy is what a command runs under. A project's own policy names programs to run, so it is inert until a person has
// accepted it on this machine: until then the built-in one runs.
type policy struct {
	*plan.Policy               // what runs
	hash         string        // of what runs
	own          *plan.Policy  // what the work tree asks for; nil where it cannot be read
	ownHash      string        // its hash
	accepted     string        // the hash that is accepted on this machine
	form         []byte        // stored form of the accepted policy; nil if it is not known here
	invalid      *plan.Invalid // why own cannot be read
	files        []string      // the files of own, below the root; none for a built-in policy
}

// inert reports whether the work tree asks for a policy that was not accepted.
func (p policy) inert() bool { return p.own == nil || p.ownHash != p.accepted }

// PolicyError says that the policy is not the accepted one: nothing was done (S0.5, Fail-Fast).
type PolicyError struct {
	Hash, Accepted string
	Changes        []plan.Change // from the accepted policy to the one in the work tree
	Invalid        *plan.Invalid
}

func (e *PolicyError) Error() string {
	if e.Invalid != nil {
		return "the policy of this work tree cannot be read"
	}
	return fmt.Sprintf("the policy of this work tree (%.12s) is not the accepted one (%.12s)", e.Hash, e.Accepted)
}

// mustBeAccepted is Fail-Fast: load and run do nothing under a policy that nobody accepted.
func (p policy) mustBeAccepted() error {
	if !p.inert() {
		return nil
	}
	e := &PolicyError{Hash: p.ownHash, Accepted: p.accepted, Invalid: p.invalid}
	if p.own != nil && p.form != nil {
		now, err := p.own.Canonical()
		if err != nil {
			return err
		}
		if e.Changes, err = plan.Diff(p.form, now); err != nil {
			return err
		}
	}
	return e
}

// policy reads the policies of this work tree: the built-in one, the project's, and which one is accepted.
func (s *site) policy(ctx context.Context) (policy, error) {
	var p policy
	base, err := s.accepted(ctx, &p)
	if err != nil {
		return p, err
	}
	p.hash = base.hash
	if p.accepted == "" {
		p.accepted = p.hash
	}
	if p.accepted == p.hash && p.form == nil {
		p.form = base.form
	}
	p.Policy, p.own, p.ownHash = base.Policy, base.Policy, p.hash
	if err := s.ownPolicy(&p, base.Profile); err != nil {
		return p, err
	}
	if !p.inert() {
		p.Policy, p.hash = p.own, p.ownHash
	}
	return p, nil
}

// builtin is a built-in policy with its stored form and its hash.
type builtin struct {
	*plan.Policy
	form []byte
	hash string
}

func readBuiltin(name string) (b builtin, err error) {
	b.Policy, b.form, b.hash, err = plan.StoredBuiltin(name)
	return b, err
}

func (s *site) acceptedFile() string {
	return filepath.Join(s.storeDir(), "policy", "accepted.json")
}

// accepted fills in what a person accepted, and answers with the built-in policy that others are laid over: the one
// that the accepted policy or the Ref names, so that a new release of the program changes nobody's plan.
func (s *site) accepted(ctx context.Context, p *policy) (builtin, error) {
	form, err := atomicfile.Read(s.acceptedFile(), plan.MaxFile*8)
	switch {
	case err == nil:
		was, err := plan.Restore(form)
		if err != nil {
			return builtin{}, fmt.Errorf("%s: %w: session plan accept writes it again", s.acceptedFile(), err)
		}
		p.form, p.accepted = form, canon.Digest(form)
		if slices.Contains(plan.Builtins(), was.Profile) {
			return readBuiltin(was.Profile)
		}
		return readBuiltin(plan.Newest)
	case !isMissing(err):
		return builtin{}, fmt.Errorf("read the accepted policy: %w", err)
	}
	ref, err := s.refs().Load(ctx)
	if err != nil { // there is none, or a damaged one: that is told by those who resume from it
		return readBuiltin(plan.Newest)
	}
	p.accepted = ref.LastExecutionPlanHash
	newest, err := readBuiltin(plan.Newest)
	if err != nil || newest.hash == p.accepted {
		return newest, err
	}
	for _, name := range plan.Builtins() {
		if name == plan.Newest {
			continue
		}
		if b, err := readBuiltin(name); err == nil && b.hash == p.accepted {
			return b, nil
		}
	}
	return newest, nil
}

// ownPolicy reads the project's policy, where it has one.
func (s *site) ownPolicy(p *policy, base string) error {
	profile, err := s.profile(base)
	if err != nil || profile == nil {
		return s.unreadable(p, err)
	}
	files := map[string][]byte{}
	dir := path.Dir(profile.Name)
	for _, f := range profile.Files() {
		b, err := atomicfile.Read(s.below(dir, f), plan.MaxFile+1)
		if err != nil && !isMissing(err) {
			return fmt.Errorf("read the policy: %w", err)
		}
		if err == nil {
			files[f] = b
			p.files = append(p.files, path.Join(dir, f))
		}
	}
	own, err := plan.Assemble(*profile, files, catalogue())
	if err != nil {
		return s.unreadable(p, err)
	}
	p.own = own
	p.ownHash, err = own.Hash()
	return err
}

// unreadable keeps the problems of a policy: they are told by whoever must not run without it.
func (s *site) unreadable(p *policy, err error) error {
	if errors.As(err, &p.invalid) {
		p.own, p.ownHash = nil, ""
		return nil
	}
	return err
}

func (s *site) below(parts ...string) string {
	return filepath.Join(s.root, filepath.FromSlash(path.Join(parts...)))
}

// profile is the profile that was asked for, the project's profile.yaml, or what its files without one amount to; nil
// where there is no policy.
func (s *site) profile(base string) (*plan.Profile, error) {
	name := s.Profile
	if name == "" {
		name = policyDir + "/profile.yaml"
	}
	if slices.Contains(plan.Builtins(), name) {
		p := plan.BuiltinProfile(name)
		return &p, nil
	}
	b, err := atomicfile.Read(s.below(name), plan.MaxFile+1)
	if err == nil {
		p, err := plan.ParseProfile(name, b)
		return &p, err
	}
	if !isMissing(err) || s.Profile != "" {
		return nil, fmt.Errorf("read the policy profile: %w", err)
	}
	p := plan.Profile{Name: name, Base: base} // as if a profile stood there that names what there is
	for f, to := range map[string]*string{"modes.yaml": &p.Modes, "triggers.yaml": &p.Triggers, "bundles.yaml": &p.Bundles} {
		if _, err := os.Lstat(s.below(policyDir, f)); err == nil {
			*to = f
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the policy: %w", err)
		}
	}
	if len(p.Files()) == 0 {
		return nil, nil
	}
	return &p, nil
}

// ModeError says that there is no such mode.
type ModeError struct {
	Mode    string
	Command plan.Command
	Modes   []string // that there are
	Inert   bool     // the project's policy, which is not accepted, may have it
}

func (e *ModeError) Error() string {
	return fmt.Sprintf("there is no mode %q for %s", e.Mode, e.Command)
}

// mode gives the plan of a mode for a command.
func (p policy) mode(name string, command plan.Command) (plan.Plan, error) {
	m, ok := p.Plan(name)
	if ok && m.For == command {
		return m, nil
	}
	e := &ModeError{Mode: name, Command: command, Inert: p.inert()}
	for n, m := range p.Plans() {
		if m.For == command {
			e.Modes = append(e.Modes, n)
		}
	}
	slices.Sort(e.Modes)
	return plan.Plan{}, e
}

// checkRule checks a project's own recognition rule.
func checkRule(settings json.RawMessage) error {
	list := append(append([]byte("["), settings...), ']')
	_, err := rules.Parse("rules", list)
	var field *rules.Field
	if errors.As(err, &field) {
		return &plan.SettingError{Setting: field.Field, Err: fmt.Errorf("is %q: want %s", field.Value, field.Want)}
	}
	return err
}
