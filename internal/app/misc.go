package app

import (
	"runtime/debug"
	"time"

	"session/internal/brief"
	"session/internal/engine"
	"session/internal/plan"
	"session/internal/text"
	"session/validate"
)

// Schema is the JSON Schema of the state file.
func Schema() []byte { return validate.Schema() }

// VersionResult says which program this is.
type VersionResult struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

// Version reads what the build recorded.
func Version() VersionResult {
	v := VersionResult{Version: "devel"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	return v
}

// Event tells a watcher what a command is doing.
type Event = engine.Event

// The kinds of events.
const (
	StepBegins = engine.Begin
	StepSays   = engine.Line
	StepEnds   = engine.End
)

// Shell writes an argument list as a line that can be pasted into a POSIX shell.
func Shell(args []string) string { return brief.Shell(args) }

// Ago words a distance in time.
func Ago(words *text.Catalogue, d time.Duration) string { return brief.Ago(words, d) }

// Graph draws a list of snapshots, with line giving what stands beside each.
func Graph(r LogResult, line func(Row) string) []string {
	var nodes []brief.Node
	here := map[string]bool{}
	for _, x := range r.Snapshots {
		here[x.ID] = true
	}
	for _, x := range r.Snapshots {
		n := brief.Node{ID: x.ID, Parent: x.Parent, Text: line(x), Aside: x.Kind == "auto"}
		if !here[x.Parent] {
			n.Parent = ""
		}
		nodes = append(nodes, n)
	}
	return brief.Graph(nodes)
}

// NewestPolicy is the newest built-in policy.
func NewestPolicy() string { return plan.Newest }

// NoPersonError says that something takes a person at a terminal.
type NoPersonError struct{}

func (*NoPersonError) Error() string { return "this takes a person at a terminal" }
