// Package plan turns policy files into execution plans and gives them a name. It is pure: bytes in, values out.
//
// # Model
//
// A policy is three files. modes.yaml says what is done in which order: a Mode is a list of steps for one command.
// triggers.yaml says what follows when something is seen: events call modes, blockers have a severity and somebody who
// mends them, sources say where blockers are looked for. bundles.yaml says who does it and what proves it. A Profile
// names the three files and the built-in policy under them: each file of a project may stand alone or name single
// entries, and every entry that it does not name comes from the built-in policy. Origin tells where an entry came from.
//
// Reading is strict, because these files name programs to run and because YAML readers disagree about what a file says:
// one document of at most MaxFile bytes, no anchors, aliases, tags, merge keys or repeated keys, no unknown keys, no
// plain scalar that some reader takes for a number, a date or a boolean and another one for text, no reference to
// something that is not there. All problems of all files are reported together, each with file, line and column.
//
// A Policy is typed values; comments, key order, quotes, white space and line ends are gone. Its plans are what the
// engine runs. Its stored form is RFC 8785 JSON of the profile's name, the values of the three files and the plans of
// all modes, and the SHA-256 of these bytes is the plan hash (S0.4, S3.7). So the stored form of an accepted policy is
// the whole of what was accepted: Restore reads it, and Diff says, entry by entry, how another one differs.
//
// Which steps exist and what settings they take is known to those who wrote them. The caller hands that in as a
// Catalogue; this package keeps settings as JSON.
package plan

import (
	"encoding/json"
	"maps"
	"slices"
)

// Command is the kind of cycle that a mode belongs to.
type Command string

// The commands that run a plan.
const (
	Save Command = "save"
	Load Command = "load"
	Run  Command = "run"
)

// Plan is what one mode runs: its steps in order (S0.6: all that runs is a step that is named here).
type Plan struct {
	Mode  string  `json:"mode"`
	For   Command `json:"for"`
	As    string  `json:"as,omitempty"` // quick, sync or full: "mode" of the state file; empty: it keeps the last save's
	Steps []Step  `json:"steps"`
}

// Step is one entry of a plan.
type Step struct {
	Name  string          `json:"name"`
	Keep  bool            `json:"keep,omitempty"`  // its failure is recorded and the run goes on
	Limit Duration        `json:"limit,omitempty"` // longest time it may take; 0: as long as it takes
	With  json.RawMessage `json:"with,omitempty"`  // its settings, a canonical JSON object; nil: none
	At    Place           `json:"-"`               // where it was written; zero in a restored plan
}

// Mode is an entry of modes.yaml.
type Mode struct {
	For   Command `json:"for"`
	As    string  `json:"as,omitempty"`
	Steps []Step  `json:"steps"`
}

// Policy is a whole policy as validated values. It is never changed after it was made.
type Policy struct {
	Profile  string // the profile's name; part of the hash
	Modes    map[string]Mode
	Triggers Triggers
	Bundles  Bundles

	origin map[string]Place
}

// Plan gives what a mode runs, and whether there is such a mode.
func (p *Policy) Plan(mode string) (Plan, bool) {
	m, ok := p.Modes[mode]
	as := m.As
	if f, builtin := fixedModes[mode]; builtin && f.as != "" {
		as = f.as
	}
	return Plan{Mode: mode, For: m.For, As: as, Steps: m.Steps}, ok
}

// Plans gives the plans of all modes, by mode.
func (p *Policy) Plans() map[string]Plan {
	all := make(map[string]Plan, len(p.Modes))
	for mode := range p.Modes {
		all[mode], _ = p.Plan(mode)
	}
	return all
}

// Origin says where an entry was written: "modes/quick", "triggers/events/turn-end", "triggers/sources",
// "triggers/blockers/build_error", "triggers/rules", "bundles/mend/build", "bundles/checks/…", "bundles/agents/…",
// "bundles/programs/…". Files of a built-in policy are called builtin/N/…. A restored policy knows no origins.
func (p *Policy) Origin(entry string) (Place, bool) {
	at, ok := p.origin[entry]
	return at, ok
}

// Entries lists the names that Origin knows, sorted.
func (p *Policy) Entries() []string { return slices.Sorted(maps.Keys(p.origin)) }

// Catalogue is what the caller knows: the steps of each command with a check of their settings, and a check of a
// project's own recognition rules. What it does not name is refused.
type Catalogue struct {
	Steps map[Command]map[string]Check
	Needs map[Command]map[string][]string // of a step: those of which one must stand before it; of "": one must be there
	Rule  Check
}

// Check looks at settings (a JSON object; nil: none given) and says what is wrong with them. An error that is or wraps
// a *SettingError is reported at the place of that setting.
type Check func(settings json.RawMessage) error

// SettingError is a fault in one setting.
type SettingError struct {
	Setting string // its key
	Err     error
}

// Error names the setting and its fault.
func (e *SettingError) Error() string { return e.Setting + ": " + e.Err.Error() }

// Unwrap gives the fault.
func (e *SettingError) Unwrap() error { return e.Err }
