package app

import (
	"fmt"

	"session/internal/capture"
	"session/internal/execute"
	"session/internal/plan"
	"session/internal/recovery"
)

// catalogue names every step that a plan may name.
func catalogue() plan.Catalogue {
	return plan.Catalogue{Steps: map[plan.Command]map[string]plan.Check{
		plan.Save: capture.Steps(capture.World{}).Checks(),
		plan.Load: recovery.Steps(recovery.World{}).Checks(),
		plan.Run:  execute.Steps(execute.World{}).Checks(),
	}}
}

// policy is the policy that a command runs under.
type policy struct {
	*plan.Policy
	hash     string // of the policy
	accepted string // the hash that is accepted on this machine
}

func (s *site) policy() (policy, error) {
	p, err := plan.Builtin(plan.Newest, catalogue())
	if err != nil {
		return policy{}, err
	}
	h, err := p.Hash()
	return policy{Policy: p, hash: h, accepted: h}, err
}

// mode gives the plan of a mode for a command.
func (p policy) mode(name string, command plan.Command) (plan.Plan, error) {
	m, ok := p.Plan(name)
	if !ok || m.For != command {
		return plan.Plan{}, fmt.Errorf("there is no mode %q for %s", name, command)
	}
	return m, nil
}
