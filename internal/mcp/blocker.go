package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"session/internal/app"
	"session/internal/quote"
	"session/internal/text"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// blockerIn is what the tool blocker takes.
type blockerIn struct {
	Action     string `json:"action,omitempty" jsonschema:"list (default), set, clear, scan or report"`
	Type       string `json:"type,omitempty" jsonschema:"set: build_error, test_failure, dependency, design_issue, review_blocked, ci_failure, merge_conflict, decision_required or other"`
	Message    string `json:"message,omitempty" jsonschema:"set: what stops the work"`
	Severity   string `json:"severity,omitempty" jsonschema:"set: low, medium, high or critical"`
	Resolution string `json:"resolution,omitempty" jsonschema:"set: what would help"`
	ID         string `json:"id,omitempty" jsonschema:"clear: id, prefix of it, or type; left out: all"`
	Log        string `json:"log,omitempty" jsonschema:"scan: the text of a log or report"`
	Agent      string `json:"agent,omitempty" jsonschema:"report: name of the agent"`
	Report     string `json:"report,omitempty" jsonschema:"report: its last report"`
}

// blockerOut is the blockers that hold afterwards; for scan, what the log says.
type blockerOut struct {
	About    string    `json:"about"`
	Blocker  *blocked  `json:"blocker" jsonschema:"the one to meet first; null: nothing stops the work"`
	Blockers []blocked `json:"blockers"`
	Cleared  []blocked `json:"cleared"`
	Snapshot string    `json:"snapshot"`
	Verdict  string    `json:"verdict,omitempty" jsonschema:"scan: what the log says as a whole"`
}

func (s *server) blocker(ctx context.Context, req *mcp.CallToolRequest, in blockerIn) (*mcp.CallToolResult, blockerOut, error) {
	if in.Action != "" && in.Action != "list" && in.Action != "scan" {
		free, err := s.alone(ctx)
		if err != nil {
			return nil, blockerOut{}, err
		}
		defer free()
	}
	out, err := s.blockers(ctx, s.at(ctx, req), in)
	if err != nil {
		return nil, blockerOut{}, s.fault(err)
	}
	out.About = s.place.Words.Say("mcp.fence")
	return said(s.fenced(s.blockerText(out))), out, nil
}

func (s *server) blockers(ctx context.Context, p app.Place, in blockerIn) (blockerOut, error) {
	var r app.BlockerResult
	var err error
	switch in.Action {
	case "", "list":
		r, err = app.Blockers(ctx, p)
	case "set":
		r, err = app.SetBlocker(ctx, p, app.SetOptions{Type: in.Type, Message: in.Message, Severity: in.Severity, Resolution: in.Resolution})
	case "clear":
		r, err = app.ClearBlocker(ctx, p, in.ID)
	case "report":
		r, err = app.ReportBlocker(ctx, p, in.Agent, in.Report)
	case "scan":
		scan, err := app.ScanLog(ctx, p, "-", strings.NewReader(in.Log))
		return blockerOut{Blocker: block(scan.Blocker), Blockers: []blocked{}, Cleared: []blocked{}, Verdict: scan.Verdict}, err
	default:
		err = &app.UsageError{Err: errors.New(p.Words.Say("mcp.blocker.action", "action", in.Action))}
	}
	out := blockerOut{Blocker: block(r.Blocker), Blockers: []blocked{}, Cleared: []blocked{}, Snapshot: r.Snapshot}
	for _, b := range r.Blockers {
		out.Blockers = append(out.Blockers, *block(&b))
	}
	for _, b := range r.Cleared {
		out.Cleared = append(out.Cleared, *block(&b))
	}
	return out, err
}

func (s *server) blockerText(o blockerOut) string {
	var lines []string
	for _, b := range o.Cleared {
		lines = append(lines, s.place.Words.Say("blocker.gone", "type", b.Type), quote.Mark+b.Description)
	}
	list := o.Blockers
	if len(list) == 0 && o.Blocker != nil {
		list = []blocked{*o.Blocker}
	}
	for _, b := range list {
		line := fmt.Sprintf("%s  %s (%s)", b.ID, b.Type, b.Severity)
		if b.place != "" {
			line += "  (" + b.place + ")"
		}
		lines = append(lines, line, quote.Mark+b.Description)
	}
	if len(list) == 0 {
		lines = append(lines, s.place.Words.Say("blocker.none"))
	}
	return strings.Join(lines, "\n")
}

// logIn is what the tool log takes.
type logIn struct {
	All   bool `json:"all,omitempty" jsonschema:"snapshots of every path, autosaves too"`
	Limit int  `json:"limit,omitempty" jsonschema:"at most so many, 1 to 200; 20 if left out"`
}

// logOut is a list of snapshots, newest first.
type logOut struct {
	About     string   `json:"about"`
	Snapshots []logged `json:"snapshots"`
}

// logged is an app.Row in short.
type logged struct {
	ID      string    `json:"session_id"`
	Parent  string    `json:"parent_session_id"`
	Path    string    `json:"path"`
	Kind    string    `json:"kind"`
	Created time.Time `json:"created"`
	Commit  string    `json:"git_commit"`
	Working string    `json:"working_on"`
	Done    int       `json:"completed"`
	Total   int       `json:"total"`
	Blocker string    `json:"blocker"`
	Here    bool      `json:"here" jsonschema:"the work tree stands at it"`
}

const (
	usualLog = 20
	maxLog   = 200
)

func (s *server) log(ctx context.Context, req *mcp.CallToolRequest, in logIn) (*mcp.CallToolResult, logOut, error) {
	if in.Limit == 0 {
		in.Limit = usualLog
	}
	if in.Limit < 0 || in.Limit > maxLog {
		return nil, logOut{}, s.fault(&app.UsageError{Err: errors.New(s.place.Words.Say("mcp.log.limit", "max", maxLog))})
	}
	r, err := app.Log(ctx, s.at(ctx, req), app.LogOptions{All: in.All, Limit: in.Limit})
	if err != nil {
		return nil, logOut{}, s.fault(err)
	}
	out := logOut{About: s.place.Words.Say("mcp.fence"), Snapshots: []logged{}}
	lines := []string{}
	for _, x := range r.Snapshots {
		out.Snapshots = append(out.Snapshots, logged{x.ID, x.Parent, text.Safe(x.Path), x.Kind, x.Created, x.Commit, text.Safe(x.WorkingOn), x.Completed, x.Total, x.Blocker, x.Here})
		lines = append(lines, fmt.Sprintf("%s  %s  %s  %d/%d  %s", short(x.ID), app.Ago(s.place.Words, s.place.Now().Sub(x.Created)), short(x.Commit), x.Completed, x.Total, quote.Line(x.WorkingOn, 80)))
	}
	return said(s.fenced(strings.Join(lines, "\n"))), out, nil
}
