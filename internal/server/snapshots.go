package server

import (
	"context"
	"net/http"

	"session/internal/app"
	"session/internal/lifecycle"
)

// operations is the whole table.
func (s *Server) operations() []operation {
	return append([]operation{
		op(http.MethodGet, "/api/me", "getMe", "Who asks, and what they may do", users, s.me),
		op(http.MethodGet, "/api/status", "getStatus", "The work tree as it is now, and its last save", operators, s.status),
		op(http.MethodGet, "/api/snapshots", "listSnapshots", "Snapshots of the work tree's path, or of all paths, newest first", operators, s.snapshots),
		op(http.MethodGet, "/api/snapshots/{snapshot_id}", "getSnapshot", "One whole snapshot", operators, s.snapshot),
		op(http.MethodGet, "/api/diff", "diffSnapshots", "How two snapshots differ, field by field and file by file", operators, s.diff),
		op(http.MethodGet, "/api/memory", "searchMemory", "What was remembered, the best first", operators, s.memory),
	}, s.sessionOperations()...)
}

// nothing is the input of an operation that takes none.
type nothing struct{}

// whoami is who asks.
type whoami struct {
	User     string `json:"user"`
	Operator bool   `json:"operator" jsonschema:"may read the snapshots of the work tree"`
	Version  string `json:"version"`
	Language string `json:"language" jsonschema:"of messages: en or ko"`
}

func (s *Server) me(_ context.Context, c call, _ nothing) (whoami, error) {
	return whoami{c.user.Name, c.user.Operator, app.Version().Version, string(c.place.Words.Lang())}, nil
}

func (s *Server) status(ctx context.Context, c call, _ nothing) (app.StatusResult, error) {
	return app.Status(ctx, c.place, app.StatusOptions{})
}

type snapshotsIn struct {
	All   bool `query:"all" doc:"of every path, autosaves too"`
	Limit int  `query:"limit" range:"1,1000" doc:"at most so many; 100 if left out"`
}

func (s *Server) snapshots(ctx context.Context, c call, in snapshotsIn) (app.LogResult, error) {
	return app.Log(ctx, c.place, app.LogOptions{All: in.All, Limit: or(in.Limit, 100)})
}

type snapshotIn struct {
	ID string `path:"snapshot_id" doc:"id, prefix of it, HEAD or HEAD~n"`
}

func (s *Server) snapshot(ctx context.Context, c call, in snapshotIn) (app.ShowResult, error) {
	r, err := app.Show(ctx, c.place, in.ID)
	if err == nil {
		r.Context.Findings = c.place.Word(r.Context.Findings)
	}
	return r, err
}

type diffIn struct {
	From string `query:"from" required:"" doc:"id, prefix of it, HEAD or HEAD~n"`
	To   string `query:"to" doc:"likewise; HEAD if left out"`
}

func (s *Server) diff(ctx context.Context, c call, in diffIn) (app.DiffResult, error) {
	return app.Diff(ctx, c.place, in.From, in.To)
}

type memoryIn struct {
	Text string `query:"query" required:"" doc:"words, names, file names"`
	TopK int    `query:"top_k" required:"" range:"1,1000" doc:"at most so many; there is no default"`
	All  bool   `query:"all" doc:"in every session, not only the work tree's"`
}

type memoryOut struct {
	Items []app.Memory `json:"items"`
}

type sessionMemoryIn struct {
	ID   lifecycle.ID `path:"session_id" doc:"id of a session"`
	Text string       `query:"query" required:"" doc:"words, names, file names"`
	TopK int          `query:"top_k" required:"" range:"1,1000" doc:"at most so many; there is no default"`
}

// sessionMemory looks into the memory of one session, as its newest checkpoint has it.
func (s *Server) sessionMemory(ctx context.Context, c call, in sessionMemoryIn) (memoryOut, error) {
	x, err := s.Sessions.Get(ctx, c.key(in.ID))
	if err != nil || x.Head == "" { // nothing is remembered before the first checkpoint
		return memoryOut{filled[app.Memory](nil)}, err
	}
	q := app.MemoryQuery{Text: in.Text, TopK: in.TopK, Ranking: "count-recency"}
	q.Session = string(x.Head)
	found, err := app.SearchMemory(ctx, c.place, q)
	return memoryOut{filled(found)}, err
}

func (s *Server) memory(ctx context.Context, c call, in memoryIn) (memoryOut, error) {
	q := app.MemoryQuery{Text: in.Text, TopK: in.TopK, Ranking: "count-recency"}
	q.All = in.All
	found, err := app.SearchMemory(ctx, c.place, q)
	return memoryOut{filled(found)}, err
}
