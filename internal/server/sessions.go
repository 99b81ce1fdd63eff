package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"session/internal/app"
	"session/internal/coordination"
	"session/internal/lifecycle"
)

// Sessions is where sessions are kept, and what lets them run.
type Sessions interface {
	lifecycle.Records
	// Cancel ends a session; a running one is paused first. Errors: those of Records.Change.
	Cancel(ctx context.Context, k lifecycle.Key) (lifecycle.Session, error)
	// Remove deletes a session with everything that is its own. Errors: those of Records.Delete.
	Remove(ctx context.Context, k lifecycle.Key) (lifecycle.Tombstone, error)
	// Start makes a session and lets a worker run it. Errors: those of app.Service.Start.
	Start(ctx context.Context, o app.StartOptions) (lifecycle.Session, error)
	// Begin lets a worker run a session that goes on, with the priority that it has. Errors: those of the queue.
	Begin(ctx context.Context, s lifecycle.Session, priority string) error
	// Load is how many sessions run and how many wait, on all workers.
	Load(ctx context.Context) (running, waiting int64, err error)
}

// Shared is what machines tell each other about sessions.
type Shared interface {
	// Listen hears what happens to all sessions, with "", until ctx ends. Missed: it may not have heard all.
	Listen(ctx context.Context, id lifecycle.ID) (<-chan coordination.Heard, error)
	// Connect notes that a client watches a session; leave takes it back.
	Connect(ctx context.Context, id lifecycle.ID, client string) (leave func())
}

// sessionOperations are the routes of sessions (seed 004).
func (s *Server) sessionOperations() []operation {
	if s.Sessions == nil {
		return nil
	}
	const one = "/api/sessions/{session_id}"
	return []operation{
		op(http.MethodPost, "/api/sessions", "createSession", "Make a session and let it run", users, s.create, http.StatusConflict),
		op(http.MethodPost, "/api/agent/run", "createRun", "Make a session and let it run (the seed's name)", users, s.create, http.StatusConflict),
		op(http.MethodGet, "/api/sessions", "listSessions", "Your sessions, the newest first", users, s.list),
		op(http.MethodGet, one, "getSession", "One session, with its plan, requests and checkpoints", users, s.get),
		op(http.MethodDelete, one, "deleteSession", "Remove a session that is not running, with everything that is its own", users, s.remove, http.StatusConflict),
		op(http.MethodPost, one+"/pause", "pauseSession", "Stop a running session; it can be resumed", users, s.pause, http.StatusConflict),
		op(http.MethodPost, one+"/cancel", "cancelSession", "End a session for good", users, s.cancel, http.StatusConflict),
		op(http.MethodPost, one+"/resume", "resumeSession", "Let a paused, waiting or failed session go on, with changes to its todos", users, s.resume, http.StatusBadRequest, http.StatusConflict),
		op(http.MethodGet, one+"/events", "listEvents", "What happened to a session, in order, without gaps", users, s.events),
		op(http.MethodGet, one+"/requests", "listRequests", "Every question that a session put to a person", users, s.requests),
		op(http.MethodPost, one+"/requests/{request_id}/answer", "answerRequest", "Give the one answer to a question; the session goes on", users, s.answer, http.StatusConflict),
		op(http.MethodGet, one+"/snapshots/{snapshot_id}", "getSessionSnapshot", "The snapshot of one of a session's checkpoints", users, s.checkpoint),
		op(http.MethodGet, one+"/diff", "diffCheckpoints", "How the snapshots of two of a session's checkpoints differ", users, s.checkpointDiff),
		op(http.MethodGet, one+"/memory", "searchSessionMemory", "What was remembered in a session, the best first", users, s.sessionMemory),
		op(http.MethodGet, "/api/statistics", "getStatistics", "Your sessions day by day, and how many are in each state", users, s.statistics),
	}
}

// begun is seed 004 §5.2's answer.
type begun struct {
	ID     lifecycle.ID     `json:"session_id"`
	Status lifecycle.Status `json:"status"`
	Socket string           `json:"websocket_url"`
}

func (s *Server) begun(c call, x lifecycle.Session) begun {
	scheme := "ws://"
	if s.Secure {
		scheme = "wss://"
	}
	return begun{x.ID, x.Status, scheme + c.http.Host + "/ws/" + string(x.ID)}
}

type createIn struct {
	Input    string          `json:"user_input" jsonschema:"what is to be done; not blank"`
	Todos    []string        `json:"todos,omitempty" jsonschema:"what it consists of, none blank; left out: it is one thing to do"`
	Agent    string          `json:"agent,omitempty" jsonschema:"an agent or a program of the policy; left out: the usual one"`
	Base     string          `json:"base_session_id,omitempty" jsonschema:"the snapshot to begin from; for the operator only; left out: where the work tree's path stands"`
	Language string          `json:"language,omitempty" jsonschema:"language tag"`
	Priority string          `json:"priority,omitempty" jsonschema:"high, normal or low"`
	Metadata json.RawMessage `json:"metadata,omitempty" jsonschema:"kept with the session, and not looked at"`
}

func (s *Server) create(ctx context.Context, c call, in createIn) (begun, error) {
	switch {
	case !slices.Contains([]string{"", "high", "normal", "low"}, in.Priority):
		return begun{}, s.invalid(c.http, errors.New("priority is high, normal or low"))
	case strings.TrimSpace(in.Input) == "":
		return begun{}, s.invalid(c.http, errors.New("user_input is blank"))
	case slices.ContainsFunc(in.Todos, func(t string) bool { return strings.TrimSpace(t) == "" }):
		return begun{}, s.invalid(c.http, errors.New("a todo is blank"))
	case in.Base != "" && !c.user.Operator:
		return begun{}, s.absent(c.http) // snapshots of the work tree do not exist for others
	case len(in.Todos) > maxTodos:
		return begun{}, s.invalid(c.http, fmt.Errorf("%d todos; at most %d", len(in.Todos), maxTodos))
	}
	x, err := s.Sessions.Start(ctx, app.StartOptions{Owner: c.owner(), Input: in.Input, Language: in.Language, Agent: in.Agent, Base: in.Base, Todos: in.Todos,
		Priority: in.Priority, Metadata: in.Metadata})
	if err != nil {
		return begun{}, err
	}
	noteSession(c.http, string(x.ID))
	return s.begun(c, x), nil
}

const maxTodos = 500 // of one request

// owner is whose sessions a call is about.
func (c call) owner() lifecycle.Owner { return lifecycle.Owner(c.user.Name) }

type sessionIn struct {
	ID lifecycle.ID `path:"session_id" json:"-" doc:"id of a session"`
}

func (c call) key(id lifecycle.ID) lifecycle.Key { return lifecycle.Key{Owner: c.owner(), ID: id} }

type listIn struct {
	Status string `query:"status" enum:"created,running,paused,hitl_waiting,completed,failed,cancelled,expired" doc:"only those in this state"`
	Limit  int    `query:"limit" range:"1,1000" doc:"at most so many; 20 if left out"`
	Offset int    `query:"offset" range:"0,1000000000" doc:"pass over so many"`
	After  string `query:"after" doc:"go on where a page ended: its next"`
}

// listed is a page of sessions.
type listed struct {
	Sessions []lifecycle.Session `json:"sessions"`
	Next     lifecycle.Cursor    `json:"next,omitempty" jsonschema:"where the next page begins; absent if there is none"`
}

func (s *Server) list(ctx context.Context, c call, in listIn) (listed, error) {
	q := lifecycle.Query{Owner: c.owner(), Limit: in.Limit, Offset: in.Offset, After: lifecycle.Cursor(in.After)}
	if in.Status != "" {
		q.Statuses = []lifecycle.Status{lifecycle.Status(in.Status)}
	}
	page, err := s.Sessions.List(ctx, q)
	return listed{filled(page.Sessions), page.Next}, err
}

// filled is a list that is not null in JSON.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// whole is one session with what stands around it.
type whole struct {
	lifecycle.Session
	Socket      string                 `json:"websocket_url"`
	Progress    progress               `json:"progress"`
	Todos       []lifecycle.Todo       `json:"todos"`
	Pending     *lifecycle.Request     `json:"pending" jsonschema:"the question that waits for an answer"`
	Checkpoints []lifecycle.Checkpoint `json:"session_checkpoints"`
}

func (s *Server) get(ctx context.Context, c call, in sessionIn) (w whole, err error) {
	k := c.key(in.ID)
	if w.Session, err = s.Sessions.Get(ctx, k); err != nil {
		return w, err
	}
	w.Socket = s.begun(c, w.Session).Socket
	plan, err := s.Sessions.Plan(ctx, k, 0)
	if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
		return w, err
	}
	w.Todos, w.Progress = filled(plan.Todos), progressOf(plan)
	asked, err := s.Sessions.Asked(ctx, k)
	if err != nil {
		return w, err
	}
	if i := slices.IndexFunc(asked, func(q lifecycle.Request) bool { return q.Status == lifecycle.RequestPending }); i >= 0 {
		w.Pending = &asked[i]
	}
	w.Checkpoints, err = s.Sessions.Checkpoints(ctx, k)
	w.Checkpoints = filled(w.Checkpoints)
	return w, err
}

// removed is what is left of a session.
type removed struct {
	ID lifecycle.ID `json:"session_id"`
	At time.Time    `json:"at"`
}

func (s *Server) remove(ctx context.Context, c call, in sessionIn) (removed, error) {
	t, err := s.Sessions.Remove(ctx, c.key(in.ID))
	s.live.wake(c.key(in.ID))
	return removed{t.ID, t.At}, err
}

func (s *Server) pause(ctx context.Context, c call, in sessionIn) (lifecycle.Session, error) {
	defer s.live.wake(c.key(in.ID))
	return s.Sessions.Change(ctx, c.key(in.ID), lifecycle.Change{Cause: lifecycle.Pause})
}

func (s *Server) cancel(ctx context.Context, c call, in sessionIn) (lifecycle.Session, error) {
	defer s.live.wake(c.key(in.ID))
	return s.Sessions.Cancel(ctx, c.key(in.ID))
}

type resumeIn struct {
	ID            lifecycle.ID            `path:"session_id" json:"-" doc:"id of a session"`
	Modifications lifecycle.Modifications `json:"modifications,omitempty"`
}

func (s *Server) resume(ctx context.Context, c call, in resumeIn) (begun, error) {
	defer s.live.wake(c.key(in.ID))
	x, _, err := s.Sessions.Resume(ctx, c.key(in.ID), lifecycle.Resumption{Modifications: in.Modifications})
	if err != nil {
		return begun{}, err
	}
	return s.begun(c, x), s.Sessions.Begin(ctx, x, "")
}

type eventsIn struct {
	ID    lifecycle.ID `path:"session_id" doc:"id of a session"`
	After int64        `query:"after" range:"0,9007199254740991" doc:"only events with a greater number"`
	Limit int          `query:"limit" range:"1,1000" doc:"at most so many; 100 if left out"`
}

type eventsOut struct {
	Events []lifecycle.Event `json:"events"`
}

func (s *Server) events(ctx context.Context, c call, in eventsIn) (eventsOut, error) {
	all, err := s.Sessions.Events(ctx, c.key(in.ID), in.After, or(in.Limit, 100))
	return eventsOut{filled(all)}, err
}

type requestsOut struct {
	Requests []lifecycle.Request `json:"requests"`
}

func (s *Server) requests(ctx context.Context, c call, in sessionIn) (requestsOut, error) {
	all, err := s.Sessions.Asked(ctx, c.key(in.ID))
	return requestsOut{filled(all)}, err
}

type answerIn struct {
	ID      lifecycle.ID        `path:"session_id" json:"-" doc:"id of a session"`
	Request lifecycle.RequestID `path:"request_id" json:"-" doc:"id of a question"`
	Choice  string              `json:"choice,omitempty" jsonschema:"the id of one of the options, where there are options; else what the person says; not blank"`
	Data    json.RawMessage     `json:"data,omitempty" jsonschema:"more to say"`
	Via     string              `json:"via,omitempty" jsonschema:"web if a person answered on a page; rest if left out"`
}

func (s *Server) answer(ctx context.Context, c call, in answerIn) (lifecycle.Request, error) {
	defer s.live.wake(c.key(in.ID))
	via := "rest"
	if in.Via == "web" {
		via = in.Via
	}
	q, err := s.Sessions.Answer(ctx, c.key(in.ID), in.Request, lifecycle.Decision{By: c.owner(), Via: via, Choice: in.Choice, Data: in.Data})
	if err != nil {
		return q, err
	}
	x, err := s.Sessions.Get(ctx, c.key(in.ID))
	if err != nil || x.Status != lifecycle.Running {
		return q, err
	}
	return q, s.Sessions.Begin(ctx, x, "")
}

type checkpointIn struct {
	ID       lifecycle.ID `path:"session_id" doc:"id of a session"`
	Snapshot string       `path:"snapshot_id" doc:"id of a snapshot"`
}

func (s *Server) checkpoint(ctx context.Context, c call, in checkpointIn) (app.ShowResult, error) {
	if err := s.has(ctx, c, in.ID, in.Snapshot); err != nil {
		return app.ShowResult{}, err
	}
	return s.snapshot(ctx, c, snapshotIn{in.Snapshot})
}

type checkpointDiffIn struct {
	ID   lifecycle.ID `path:"session_id" doc:"id of a session"`
	From string       `query:"from" required:"" doc:"id of a snapshot"`
	To   string       `query:"to" required:"" doc:"id of a snapshot"`
}

func (s *Server) checkpointDiff(ctx context.Context, c call, in checkpointDiffIn) (app.DiffResult, error) {
	if err := s.has(ctx, c, in.ID, in.From, in.To); err != nil {
		return app.DiffResult{}, err
	}
	return s.diff(ctx, c, diffIn{in.From, in.To})
}

// has makes sure that snapshots belong to a session of who asks: what is not one of its checkpoints is not there.
func (s *Server) has(ctx context.Context, c call, id lifecycle.ID, snapshots ...string) error {
	all, err := s.Sessions.Checkpoints(ctx, c.key(id))
	if err != nil {
		return err
	}
	for _, want := range snapshots {
		if !slices.ContainsFunc(all, func(p lifecycle.Checkpoint) bool { return string(p.Snapshot) == want }) {
			return lifecycle.ErrNotFound
		}
	}
	return nil
}

type statisticsIn struct {
	Days int `query:"days" range:"1,366" doc:"so many days back; 30 if left out"`
}

// counted is the table of seed 004 §9.2.
type counted struct {
	From   string           `json:"from" jsonschema:"first day, UTC"`
	To     string           `json:"to" jsonschema:"last day, UTC"`
	Days   []lifecycle.Day  `json:"days" jsonschema:"newest first; a day without sessions is left out"`
	Counts map[string]int64 `json:"counts" jsonschema:"sessions in each state now"`
}

func (s *Server) statistics(ctx context.Context, c call, in statisticsIn) (counted, error) {
	return s.counts.ask(ctx, countsOf{c.owner(), or(in.Days, 30)}, func() (counted, error) {
		all, stop := context.WithTimeout(context.WithoutCancel(ctx), s.Limits.Write*3/4)
		defer stop()
		return s.count(all, c, in)
	})
}

// countsOf is what is counted.
type countsOf struct {
	owner lifecycle.Owner
	days  int
}

func (s *Server) count(ctx context.Context, c call, in statisticsIn) (counted, error) {
	to := s.now().UTC()
	from := to.AddDate(0, 0, 1-or(in.Days, 30))
	out := counted{From: from.Format(time.DateOnly), To: to.Format(time.DateOnly), Counts: map[string]int64{}}
	days, err := s.Sessions.Daily(ctx, lifecycle.Of(c.owner()), from, to)
	if err != nil {
		return out, err
	}
	out.Days = filled(days)
	counts, err := s.Sessions.Counts(ctx, lifecycle.Of(c.owner()))
	for status, n := range counts {
		out.Counts[string(status)] = n
	}
	return out, err
}
