package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"session/internal/atomicfile"
	"session/internal/plan"
)

// PlanResult says what a mode runs, and under which policy.
type PlanResult struct {
	Mode     string       `json:"mode,omitempty"`
	Plan     []PlanStep   `json:"plan"`
	Modes    []string     `json:"modes"`
	Hash     string       `json:"hash"` // of the policy of this work tree, over all modes
	Accepted string       `json:"accepted_hash"`
	Runs     string       `json:"runs"` // profile that really runs: the built-in one while the project's is not accepted
	Inert    bool         `json:"inert"`
	Inputs   PlanInputs   `json:"inputs"`
	Changes  []PlanChange `json:"changes"`  // since the accepted policy
	Problems []string     `json:"problems"` // why the project's policy cannot be read

	Shown string `json:"-"` // the profile as a person is told of it: a folder without a profile.yaml is named itself
}

// PlanStep is one step of a plan.
type PlanStep struct {
	Name  string          `json:"name"`
	Keep  bool            `json:"keep"`
	Limit string          `json:"limit,omitempty"`
	With  json.RawMessage `json:"with,omitempty"`
	From  string          `json:"from"` // where it was written: file:line
}

// PlanInputs are what the hash is made of.
type PlanInputs struct {
	Profile string            `json:"profile"`
	Files   []string          `json:"files"`   // the project's own, below the root
	Origins map[string]string `json:"origins"` // entry → file:line
}

// PlanChange is one entry that differs from the accepted policy.
type PlanChange struct {
	File  string          `json:"file"`
	Entry string          `json:"entry"`
	Old   json.RawMessage `json:"old,omitempty"`
	New   json.RawMessage `json:"new,omitempty"`
}

// ShowPlan says what a mode of this work tree's policy runs; "" names no mode.
func ShowPlan(ctx context.Context, p Place, mode string) (PlanResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return PlanResult{}, err
	}
	pol, err := s.policy(ctx)
	if err != nil {
		return PlanResult{}, err
	}
	if err := pol.placed(); err != nil {
		return PlanResult{}, err
	}
	r, err := pol.result()
	r.Shown = s.shown(r.Inputs.Profile)
	if err != nil || mode == "" {
		return r, err
	}
	shown := pol.Policy
	if pol.own != nil {
		shown = pol.own
	}
	m, ok := shown.Plan(mode)
	if !ok {
		return r, &ModeError{Mode: mode, Command: "any command", Modes: r.Modes}
	}
	r.Mode = mode
	for _, st := range m.Steps {
		step := PlanStep{Name: st.Name, Keep: st.Keep, With: st.With, From: st.At.String()}
		if st.Limit > 0 {
			step.Limit = st.Limit.String()
		}
		r.Plan = append(r.Plan, step)
	}
	return r, nil
}

// shown is a profile as a person finds it: files without a profile are named by their folder.
func (s *site) shown(profile string) string {
	if slices.Contains(plan.Builtins(), profile) {
		return profile
	}
	if _, err := os.Lstat(s.below(profile)); isMissing(err) {
		return path.Dir(profile)
	}
	return profile
}

// placed lets a built-in policy know where its entries stand.
func (p *policy) placed() error {
	if !slices.Contains(plan.Builtins(), p.Profile) {
		return nil
	}
	full, err := plan.Builtin(p.Profile, catalogue())
	if err != nil {
		return err
	}
	if p.own == p.Policy {
		p.own = full
	}
	p.Policy = full
	return nil
}

func (p policy) result() (PlanResult, error) {
	r := PlanResult{Plan: []PlanStep{}, Modes: []string{}, Hash: p.ownHash, Accepted: p.accepted, Runs: p.Profile, Inert: p.inert(),
		Inputs: PlanInputs{Files: append([]string{}, p.files...), Origins: map[string]string{}}, Changes: []PlanChange{}, Problems: []string{}}
	if p.invalid != nil {
		for _, x := range p.invalid.Problems {
			r.Problems = append(r.Problems, x.String())
		}
		return r, nil
	}
	r.Inputs.Profile = p.own.Profile
	for _, e := range p.own.Entries() {
		if at, ok := p.own.Origin(e); ok {
			r.Inputs.Origins[e] = at.String()
		}
	}
	for m := range p.own.Plans() {
		r.Modes = append(r.Modes, m)
	}
	sortStrings(r.Modes)
	changes, err := p.changes()
	for _, c := range changes {
		r.Changes = append(r.Changes, PlanChange{c.File, c.Entry, c.Old, c.New})
	}
	return r, err
}

// changes lists the entries in which the work tree's policy differs from the accepted one.
func (p policy) changes() ([]plan.Change, error) {
	if p.own == nil || p.form == nil || !p.inert() {
		return nil, nil
	}
	now, err := p.own.Canonical()
	if err != nil {
		return nil, err
	}
	return plan.Diff(p.form, now)
}

// AcceptPlan accepts the policy of this work tree on this machine. The caller has shown a person what changes, and the
// person has agreed to this very hash.
func AcceptPlan(ctx context.Context, p Place, hash string) (PlanResult, error) {
	s, err := p.open(ctx)
	if err != nil {
		return PlanResult{}, err
	}
	pol, err := s.policy(ctx)
	if err != nil {
		return PlanResult{}, err
	}
	if pol.invalid != nil {
		return PlanResult{}, pol.mustBeAccepted()
	}
	if pol.ownHash != hash {
		return PlanResult{}, fmt.Errorf("the policy changed while it was being looked at (%.12s, now %.12s): look again", hash, pol.ownHash)
	}
	form, err := pol.own.Canonical()
	if err != nil {
		return PlanResult{}, err
	}
	if _, _, err := s.store(true); err != nil {
		return PlanResult{}, err
	}
	if err := os.MkdirAll(filepath.Dir(s.acceptedFile()), 0o700); err != nil {
		return PlanResult{}, fmt.Errorf("accept the policy: %w", err)
	}
	if err := atomicfile.Replace(s.acceptedFile(), form, 0o600); err != nil {
		return PlanResult{}, fmt.Errorf("accept the policy: %w", err)
	}
	if pol, err = s.policy(ctx); err != nil {
		return PlanResult{}, err
	}
	r, err := pol.result()
	r.Shown = s.shown(r.Inputs.Profile)
	return r, err
}
