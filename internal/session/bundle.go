package session

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"session/blocker"
)

// Environment is a snapshot's environment_state: where the work stood.
type Environment struct {
	Survey    string     `json:"survey"` // version of the survey that filled it in
	Git       *GitFacts  `json:"git,omitempty"`
	Host      Host       `json:"host"`
	Assistant *Assistant `json:"assistant,omitempty"`
	Profile   string     `json:"profile,omitempty"`  // the policy profile of the plan that ran
	Diagnosed time.Time  `json:"diagnosed,omitzero"` // when logs were looked at: what is newer has not been judged
}

// GitFacts is the work tree as a save left it.
type GitFacts struct {
	Ref       string    `json:"ref"`              // full name of the branch; "" when detached
	Head      string    `json:"head"`             // commit after the save; "" before the first one
	Before    string    `json:"before,omitempty"` // commit before the save, if the save made one
	Tree      string    `json:"tree,omitempty"`
	IndexTree string    `json:"index_tree,omitempty"` // what had been staged by hand
	Upstream  string    `json:"upstream,omitempty"`
	Ahead     int       `json:"ahead,omitempty"`
	Behind    int       `json:"behind,omitempty"`
	Created   bool      `json:"created,omitempty"` // Head is a WIP commit of this save
	Folded    string    `json:"folded,omitempty"`  // the newest WIP commit of those that Head was folded of
	Kept      string    `json:"kept,omitempty"`    // commit that holds the work tree under refs/session/, on no branch
	Dirty     bool      `json:"dirty,omitempty"`   // Files are in no commit of the branch
	Files     []File    `json:"files,omitempty"`
	LeftOut   []LeftOut `json:"left_out,omitempty"`
	WorkTree  string    `json:"work_tree,omitempty"` // which work tree: "main", or the name of a linked one
}

// File is one file as it was recorded: slash path, git's mode and blob id; both empty when it was deleted.
type File struct {
	Path string `json:"path"`
	Mode string `json:"mode,omitempty"`
	Blob string `json:"blob,omitempty"`
}

// LeftOut is a file that a save did not stage, with its size in bytes and its time of change in Unix nanoseconds. Its
// content is nowhere recorded, not even as a hash.
type LeftOut struct {
	Path    string `json:"path"`
	Reason  string `json:"reason"`
	Size    int64  `json:"size"`
	ModTime string `json:"mtime"` // decimal: nanoseconds do not fit a JSON number
}

// Host says what kind of machine it was. No names: snapshots are exported.
type Host struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

// Assistant says which coding assistant the command ran in.
type Assistant struct {
	Name    string `json:"name"`
	Session string `json:"session,omitempty"`
}

// Context is a snapshot's context_state: what the work was about.
type Context struct {
	State    State             `json:"state"` // without the id of the snapshot itself
	Checks   []Check           `json:"checks,omitempty"`
	Findings []Finding         `json:"findings,omitempty"`
	Evidence []Evidence        `json:"evidence,omitempty"`   // what hooks and watched commands saw
	Taken    []Taken           `json:"taken_away,omitempty"` // blockers that a person took away, oldest first
	Attempts []Attempt         `json:"attempts,omitempty"`   // the ledger of the blockers that hold, oldest first
	Memory   []json.RawMessage `json:"memory,omitempty"`     // items of this cycle, opaque here (S3.8)
	Forgot   []string          `json:"forgot,omitempty"`     // ids of memory items that were taken away
	Steps    []json.RawMessage `json:"steps,omitempty"`      // what became of each step of the plan
	Undone   string            `json:"undone,omitempty"`     // the snapshot that this one takes back
}

// Evidence is what a hook or a watched command saw: a command that ended, or what an agent reported last.
type Evidence struct {
	Kind     string    `json:"kind"` // exit-code, agent
	At       time.Time `json:"at"`
	Command  []string  `json:"command,omitempty"` // exit-code; one element where only the line is known
	Dir      string    `json:"dir,omitempty"`     // where it ran: a slash path below the top of the work tree; "" is the top
	ExitCode int       `json:"exit_code"`
	Log      string    `json:"log,omitempty"`    // file below the runtime folder that holds the output
	Output   string    `json:"output,omitempty"` // its last lines, where there is no file
	Agent    string    `json:"agent,omitempty"`
	Report   string    `json:"report,omitempty"` // the agent's last message
}

// Source names what an evidence is about, as Blocker.Source has it: the last word of an agent, or of a command in its
// folder, counts.
func (e Evidence) Source() string {
	if e.Kind == AgentEvidence {
		return blocker.SourceName("agent:" + e.Agent)
	}
	name := "command:" + strings.Join(e.Command, " ")
	if e.Dir != "" {
		name += " (in " + e.Dir + ")"
	}
	return blocker.SourceName(name)
}

// Taken is a failure that a person took away: what was seen of it until then no longer counts, wherever it was seen.
type Taken struct {
	Type  blocker.Type `json:"type"`
	Error string       `json:"error"` // its error_pattern
	At    time.Time    `json:"at"`
}

// maxTaken bounds Context.Taken.
const maxTaken = 50

// TakeAway notes that a person took a blocker away. What it was read from is not read again.
func (c *Context) TakeAway(b *blocker.Blocker, at time.Time) {
	c.Evidence = slices.DeleteFunc(slices.Clone(c.Evidence), func(e Evidence) bool { return e.Source() == b.Source })
	c.Taken = append(slices.Clone(c.Taken), Taken{b.Type, b.ErrorPattern, at.UTC()})
	c.Taken = c.Taken[max(0, len(c.Taken)-maxTaken):]
}

// TookAway reports whether a person took a failure away after it was seen.
func (c *Context) TookAway(b *blocker.Blocker, seen time.Time) bool {
	return slices.ContainsFunc(c.Taken, func(t Taken) bool { return t.Type == b.Type && t.Error == b.ErrorPattern && !seen.After(t.At) })
}

// The kinds of evidence.
const (
	ExitEvidence  = "exit-code"
	AgentEvidence = "agent"
)

// Check is a command that was run, or a document that was looked at, with its result.
type Check struct {
	Name       string   `json:"name"`
	Status     string   `json:"status"` // passed, failed, timeout, interrupted, skipped, missing, stale, unknown
	ExitCode   int      `json:"exit_code"`
	DurationMS int64    `json:"duration_ms"`
	Log        string   `json:"log,omitempty"` // file that holds its output
	Command    []string `json:"command,omitempty"`
	Note       string   `json:"note,omitempty"`
}

// Messages is a snapshot's message_history_state: the segments that are new since its parent.
type Messages struct {
	Segments []json.RawMessage `json:"segments,omitempty"`
	Spent    *Spent            `json:"spent,omitempty"`
}

// Spent is what the segments cost: tokens, and money in millionths of a US dollar where the assistant names it.
type Spent struct {
	Input        int64 `json:"input_tokens"`
	Output       int64 `json:"output_tokens"`
	CacheRead    int64 `json:"cache_read_tokens,omitempty"`
	CacheWrite   int64 `json:"cache_write_tokens,omitempty"`
	CostMicroUSD int64 `json:"cost_micro_usd,omitempty"`
}

// Add takes the segments of another part of the same conversation in, and what they cost.
func (m *Messages) Add(more Messages) {
	m.Segments = append(m.Segments, more.Segments...)
	if more.Spent == nil {
		return
	}
	var sum Spent
	if m.Spent != nil {
		sum = *m.Spent
	}
	s := more.Spent
	sum.Input, sum.Output = sum.Input+s.Input, sum.Output+s.Output
	sum.CacheRead, sum.CacheWrite = sum.CacheRead+s.CacheRead, sum.CacheWrite+s.CacheWrite
	sum.CostMicroUSD += s.CostMicroUSD
	m.Spent = &sum
}

// Bundle is what one snapshot carries, as documents.
type Bundle struct {
	Environment Environment
	Context     Context
	Messages    Messages
}

// Parts encodes the three parts.
func (b Bundle) Parts() (environment, context, messages json.RawMessage, err error) {
	b.Context.State.fill()
	b.Context.State.Snapshot = "" // the id follows from where the snapshot stands, not from what it says
	for _, p := range []struct {
		to   *json.RawMessage
		from any
	}{{&environment, b.Environment}, {&context, b.Context}, {&messages, b.Messages}} {
		if *p.to, err = json.Marshal(p.from); err != nil {
			return nil, nil, nil, err
		}
	}
	return environment, context, messages, nil
}

// ReadBundle decodes the three parts. Fields that a newer program wrote are passed over.
func ReadBundle(environment, context, messages json.RawMessage) (b Bundle, err error) {
	for _, p := range []struct {
		from json.RawMessage
		to   any
	}{{environment, &b.Environment}, {context, &b.Context}, {messages, &b.Messages}} {
		if err := json.Unmarshal(p.from, p.to); err != nil {
			return Bundle{}, err
		}
	}
	return b, nil
}

// Projected is the state file's State of a snapshot.
func (b Bundle) Projected(snapshot, line string) State {
	s := b.Context.State
	s.Snapshot, s.Line = snapshot, line
	s.fill()
	return s
}
