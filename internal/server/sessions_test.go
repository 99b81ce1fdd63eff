package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"session/internal/app"
	"session/internal/coordination"
	"session/internal/lifecycle"
	"session/internal/store/sql"

	"github.com/coder/websocket"
	"github.com/tidwall/gjson"
)

// kept are sessions in a database of their own. Start names a session after the agent that is asked for.
type kept struct{ lifecycle.Records }

func (x kept) Cancel(ctx context.Context, k lifecycle.Key) (lifecycle.Session, error) {
	s, err := x.Get(ctx, k)
	if err == nil && s.Status == lifecycle.Running {
		_, err = x.Change(ctx, k, lifecycle.Change{Cause: lifecycle.Pause})
	}
	if err != nil {
		return s, err
	}
	return x.Change(ctx, k, lifecycle.Change{Cause: lifecycle.Cancel})
}

func (x kept) Remove(ctx context.Context, k lifecycle.Key) (lifecycle.Tombstone, error) {
	return x.Delete(ctx, k, lifecycle.Newest)
}

func (x kept) Start(ctx context.Context, o app.StartOptions) (lifecycle.Session, error) {
	id := lifecycle.ID(o.Agent)
	if id == "" {
		id = lifecycle.ID(rand.Text())
	}
	s, err := x.Create(ctx, lifecycle.Draft{ID: id, Owner: o.Owner, Input: o.Input, Language: o.Language, Limited: true, Metadata: o.Metadata})
	if err != nil {
		return s, err
	}
	return x.Change(ctx, s.Key(), lifecycle.Change{Cause: lifecycle.Start, Take: "run-1"})
}

func (x kept) Begin(context.Context, lifecycle.Session, string) error { return nil }

func (x kept) Load(context.Context) (running, waiting int64, err error) { return 1, 2, nil }

func sessions(t testing.TB, limit ...int) kept {
	t.Helper()
	d, err := sql.Open("sqlite:"+filepath.Join(t.TempDir(), "sessions.db"), sql.Patience{}, sql.Drivers{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	r, err := d.Records(context.Background(), lifecycle.Options{Now: time.Now, Policy: lifecycle.DefaultPolicy(), Limit: append(limit, 0)[0]})
	if err != nil {
		t.Fatal(err)
	}
	return kept{r}
}

func withSessions(t *testing.T) (*Server, kept) {
	t.Helper()
	o, x := options(t), sessions(t)
	o.Sessions = x
	o.Limits.Look = 20 * time.Millisecond
	return serving(t, o), x
}

// does makes a request and gives its status and body.
func does(s *Server, method, path, token, body string) (int, gjson.Result) {
	w := answer(s, asks(method, path, token, body))
	return w.Code, gjson.Parse(w.Body.String())
}

func made(t *testing.T, s *Server, token, id string) {
	t.Helper()
	if code, body := does(s, "POST", "/api/sessions", token, `{"user_input":"do it","agent":"`+id+`"}`); code != 201 {
		t.Fatalf("create %s: %d %s", id, code, body)
	}
}

func waits(t *testing.T, x kept, owner lifecycle.Owner, id lifecycle.ID) {
	t.Helper()
	if _, err := x.Ask(t.Context(), lifecycle.Key{Owner: owner, ID: id}, lifecycle.Question{ID: "q1", Type: "decision", Data: json.RawMessage(`{"question":"which?"}`),
		Options: []lifecycle.Option{{ID: "yes"}, {ID: "no"}}, TimeOut: time.Hour}); err != nil {
		t.Fatal(err)
	}
}

// TestLifeOfASession goes the way of seed 004: created, running, waiting, answered, completed; and what is refused.
func TestLifeOfASession(t *testing.T) {
	s, x := withSessions(t)
	code, body := does(s, "POST", "/api/sessions", adaToken, `{"user_input":"do it","language":"en","priority":"high","metadata":{"a":1}}`)
	id := body.Get("data.session_id").String()
	if code != 201 || id == "" || body.Get("data.websocket_url").String() != "ws://127.0.0.1:7420/ws/"+id {
		t.Fatalf("create: %d %s", code, body)
	}
	k := lifecycle.Key{Owner: "ada", ID: lifecycle.ID(id)}
	one := "/api/sessions/" + id
	if _, body := does(s, "GET", one, adaToken, ""); body.Get("data.status").String() != "running" || body.Get("data.todos.#").Int() != 0 || body.Get("data.pending").Type != gjson.Null {
		t.Errorf("get: %s", body)
	}
	waits(t, x, "ada", k.ID)
	if _, body := does(s, "GET", one, adaToken, ""); body.Get("data.status").String() != "hitl_waiting" || body.Get("data.pending.data.question").String() != "which?" {
		t.Errorf("waiting: %s", body)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", one + "/requests/q1/answer", `{"choice":"maybe"}`, 422, "INVALID"},
		{"POST", one + "/requests/q1/answer", `{"choice":"  "}`, 422, "INVALID"},
		{"POST", one + "/requests/q1/answer", "{\"choice\":\"\xff\"}", 422, "INVALID"},
		{"POST", one + "/requests/q9/answer", `{"choice":"yes"}`, 404, "NOT_FOUND"},
		{"POST", one + "/pause", ``, 409, "SESSION_TRANSITION"},
		{"POST", one + "/requests/q1/answer", `{"choice":"yes","via":"web"}`, 200, ""},
		{"POST", one + "/requests/q1/answer", `{"choice":"no"}`, 409, "ALREADY_ANSWERED"},
		{"POST", one + "/resume", `{}`, 400, "SESSION_NOT_RESUMABLE"},
		{"DELETE", one, ``, 409, "SESSION_BUSY"},
		{"POST", one + "/pause", ``, 200, ""},
		{"POST", one + "/resume", `{"modifications":{"skip_todos":["nothing"]}}`, 422, "INVALID"},
		{"POST", one + "/resume", `{"modifications":{"update_todos":[{"id":"a","title":" "}]}}`, 422, "INVALID"},
		{"POST", one + "/resume", `{"modifications":{"skip":["nothing"]}}`, 422, "INVALID"},
		{"POST", "/api/sessions", `{"user_input":"x","priority":"urgent"}`, 422, "INVALID"},
		{"POST", "/api/sessions", `{"user_input":"x","base_session_id":"HEAD"}`, 404, "NOT_FOUND"},
		{"POST", one + "/resume", `{"modifications":{}}`, 200, ""},
		{"POST", "/api/sessions", `{"user_input":"again","agent":"` + id + `"}`, 409, "ID_TAKEN"},
		{"POST", "/api/sessions", `{"user_input":""}`, 422, "INVALID"},
		{"POST", "/api/sessions", `{}`, 422, "INVALID"},
		{"POST", "/api/sessions", `{"user_input":" \n\t"}`, 422, "INVALID"},
		{"POST", "/api/sessions", `{"user_input":"x","todos":["a"," "]}`, 422, "INVALID"},
		{"POST", "/api/sessions", "{\"user_input\":\"a\xff\"}", 422, "INVALID"},
		{"GET", "/api/sessions?after=%ff", ``, 422, "INVALID"},
		{"POST", "/api/sessions", `{"user_input":"x","agent":"../etc"}`, 422, "INVALID"},
		{"POST", "/api/sessions", `{"user_input":"x","owner":"ben"}`, 422, "INVALID"},
		{"POST", "/api/sessions", `{"user_input":7}`, 422, "INVALID"},
		{"POST", "/api/sessions", `{"user_input":"x"`, 400, "MALFORMED"},
		{"POST", "/api/sessions", `{"user_input":"x"}{}`, 400, "MALFORMED"},
		{"POST", "/api/sessions", strings.Repeat("[", 100_000), 400, "MALFORMED"},
		{"POST", "/api/sessions", `{"user_input":"` + strings.Repeat("x", 2<<20) + `"}`, 413, "TOO_LARGE"},
		{"POST", "/api/sessions", `{"user_input":"` + strings.Repeat("x", 1<<20+1) + `"}`, 422, "INVALID"},
		{"POST", "/api/sessions", "{\"user_input\":\"a\\u0000b\"}", 422, "INVALID"},
		{"GET", "/api/sessions?status=asleep", ``, 422, "INVALID"},
		{"GET", "/api/sessions?after=nonsense", ``, 422, "INVALID"},
		{"POST", one + "/cancel", ``, 200, ""},
		{"POST", one + "/cancel", ``, 409, "SESSION_TRANSITION"},
		{"DELETE", one, ``, 200, ""},
		{"GET", one, ``, 404, "NOT_FOUND"},
		{"POST", "/api/sessions", `{"user_input":"again","agent":"` + id + `"}`, 409, "ID_TAKEN"},
	} {
		if status, body := does(s, c.method, c.path, adaToken, c.body); status != c.status || body.Get("error.code").String() != c.code {
			t.Errorf("%s %s %.60s: %d %.300s, want %d %s", c.method, c.path, c.body, status, body, c.status, c.code)
		}
	}
	if w := answer(s, asks("POST", "/api/sessions", adaToken, `{"user_input":"x"}`, "Content-Type", "text/plain")); w.Code != 415 {
		t.Errorf("a form of another page: %d", w.Code)
	}
}

func TestFiveSessionsAtATime(t *testing.T) {
	s, _ := withSessions(t)
	for i := range 5 {
		made(t, s, adaToken, fmt.Sprint("s", i))
	}
	if code, body := does(s, "POST", "/api/agent/run", adaToken, `{"user_input":"one more"}`); code != 429 || body.Get("error.code").String() != "SESSION_LIMIT" {
		t.Errorf("the sixth: %d %s", code, body)
	}
	made(t, s, benToken, "of-ben")
	if _, body := does(s, "GET", "/api/sessions?limit=2", adaToken, ""); body.Get("data.sessions.#").Int() != 2 || body.Get("data.next").String() == "" {
		t.Errorf("list: %s", body)
	}
	if _, body := does(s, "GET", "/api/statistics", adaToken, ""); body.Get("data.days.0.total_sessions").Int() != 5 || body.Get("data.counts.running").Int() != 5 {
		t.Errorf("statistics: %s", body)
	}
}

// TestTwoUsers lets one user ask every route of the table for what is another's: nothing is found, nothing is changed,
// and the answer is the one for what never was.
func TestTwoUsers(t *testing.T) {
	s, x := withSessions(t)
	made(t, s, adaToken, "of-ada")
	waits(t, x, "ada", "of-ada")
	k := lifecycle.Key{Owner: "ada", ID: "of-ada"}
	if _, err := x.Checkpoint(t.Context(), k, "run-1", "snapshot-1", ""); err != nil {
		t.Fatal(err)
	}
	before, err := x.Get(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, o := range s.ops {
		if !strings.Contains(o.path, "{") {
			continue
		}
		path := strings.NewReplacer("{session_id}", "of-ada", "{request_id}", "q1", "{snapshot_id}", "snapshot-1").Replace(o.path) + "?from=snapshot-1&to=snapshot-1&query=do&top_k=9"
		body := ""
		if hasBody(o.in) {
			body = `{"choice":"yes"}`
			if !strings.HasSuffix(o.path, "answer") {
				body = `{}`
			}
		}
		code, got := does(s, o.method, path, benToken, body)
		never, missing := does(s, o.method, strings.ReplaceAll(path, "of-ada", "of-nobody"), benToken, body)
		if code != 404 || never != 404 || got.Get("error.code").String() != missing.Get("error.code").String() || got.Get("error.message").String() != missing.Get("error.message").String() {
			t.Errorf("%s %s: %d %s; for what never was: %d %s", o.method, o.path, code, got, never, missing)
		}
		if text := got.String(); strings.Contains(text, "of-ada") || strings.Contains(text, "do it") {
			t.Errorf("%s %s tells of another's: %s", o.method, o.path, text)
		}
		asked++
	}
	if asked < 10 {
		t.Errorf("only %d routes were asked", asked)
	}
	if after, err := x.Get(t.Context(), k); err != nil || after.Version != before.Version {
		t.Errorf("it was changed: %+v %v", after, err)
	}
	if _, body := does(s, "GET", "/api/sessions", benToken, ""); body.Get("data.sessions.#").Int() != 0 {
		t.Errorf("list: %s", body)
	}
	if _, body := does(s, "GET", "/api/statistics", benToken, ""); body.Get("data.days.#").Int() != 0 || body.Get("data.counts").String() != "{}" {
		t.Errorf("statistics: %s", body)
	}
	if code, _ := does(s, "POST", "/api/sessions", benToken, `{"user_input":"x","agent":"of-ada"}`); code != 409 {
		t.Errorf("take another's id: %d", code) // the id is taken, and that is all it says
	}
	if code, _ := does(s, "GET", "/api/sessions/of-ada", testKey, ""); code != 404 {
		t.Errorf("the operator reads a user's session: %d", code)
	}
}

func dial(t *testing.T, url, path, token string) (*websocket.Conn, error) {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(url, "http")+path, &websocket.DialOptions{Subprotocols: []string{socketProtocol, socketKey + token}})
	if err == nil {
		t.Cleanup(func() { conn.CloseNow() })
		conn.SetReadLimit(4 << 20)
	}
	return conn, err
}

func hear(t *testing.T, conn *websocket.Conn) gjson.Result {
	t.Helper()
	_, b, err := conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return gjson.ParseBytes(b)
}

// TestSocketTellsAll listens from the beginning, leaves, and comes back: every event once, in order.
func TestSocketTellsAll(t *testing.T) {
	s, x := withSessions(t)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	made(t, s, adaToken, "one")
	k := lifecycle.Key{Owner: "ada", ID: "one"}
	conn, err := dial(t, server.URL, "/ws/one", adaToken)
	if err != nil {
		t.Fatal(err)
	}
	if conn.Subprotocol() != socketProtocol {
		t.Errorf("protocol %q", conn.Subprotocol())
	}
	if h := hear(t, conn); h.Get("type").String() != "hello" || h.Get("status").String() != "running" {
		t.Errorf("hello: %s", h)
	}
	for i, want := range []string{"session.created", "session.started"} {
		if e := hear(t, conn); e.Get("event.event_type").String() != want || e.Get("seq").Int() != int64(i+1) {
			t.Errorf("event %d: %s", i, e)
		}
	}
	if _, err := x.Revise(t.Context(), k, lifecycle.Revision{Plan: "p", Todos: []lifecycle.Todo{{ID: "a", Title: "A"}, {ID: "b", Title: "B"}}}); err != nil {
		t.Fatal(err)
	}
	if p := hear(t, conn); p.Get("type").String() != "progress" || p.Get("progress.total_todos").Int() != 2 {
		t.Errorf("progress: %s", p)
	}
	if _, err := x.Work(t.Context(), k, "", []lifecycle.TodoChange{{ID: "a", To: lifecycle.TodoInProgress}}); err != nil {
		t.Fatal(err)
	}
	if p := hear(t, conn); p.Get("progress.current_todo").String() != "a" {
		t.Errorf("progress: %s", p)
	}
	conn.CloseNow()
	if code, body := does(s, "POST", "/api/sessions/one/pause", adaToken, ""); code != 200 {
		t.Fatal(body)
	}
	again, err := dial(t, server.URL, "/ws/one?after=1", adaToken)
	if err != nil {
		t.Fatal(err)
	}
	hear(t, again)
	for _, want := range []string{"session.started", "session.paused"} {
		if e := hear(t, again); e.Get("event.event_type").String() != want {
			t.Errorf("after a pause: %s, want %s", e, want)
		}
	}
	hear(t, again) // progress
	if _, err := x.Cancel(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	if e := hear(t, again); e.Get("event.event_type").String() != "session.cancelled" { // done by another process: found by looking
		t.Errorf("cancelled elsewhere: %s", e)
	}
	if code, body := does(s, "DELETE", "/api/sessions/one", adaToken, ""); code != 200 {
		t.Fatal(body)
	}
	if _, _, err := again.Read(t.Context()); websocket.CloseStatus(err) != closedGone {
		t.Errorf("a session that is gone closes with %v", err)
	}
}

// revocable knows ada until her token is revoked, and fails while its database is away.
type revocable struct{ state atomic.Int32 }

const (
	tokenAway = 1 + iota
	tokenRevoked
)

func (r *revocable) Identify(ctx context.Context, token string) (User, error) {
	switch r.state.Load() {
	case tokenAway:
		return User{}, app.ErrDatabaseAway
	case tokenRevoked:
		return User{}, ErrNoToken
	}
	return fewTokens{}.Identify(ctx, token)
}

// TestBlankAnswer answers a question without options with nothing: it stays open for the one answer.
func TestBlankAnswer(t *testing.T) {
	s, x := withSessions(t)
	made(t, s, adaToken, "one")
	if _, err := x.Ask(t.Context(), lifecycle.Key{Owner: "ada", ID: "one"}, lifecycle.Question{ID: "q1", Type: "decision", Data: json.RawMessage(`{"question":"which?"}`), TimeOut: time.Hour}); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{`{}`, `{"choice":""}`, `{"choice":" \n\t "}`, `{"choice":"","data":{"a":1}}`} {
		if code, got := does(s, "POST", "/api/sessions/one/requests/q1/answer", adaToken, body); code != 422 || got.Get("error.code").String() != "INVALID" {
			t.Errorf("%s: %d %s", body, code, got)
		}
	}
	if code, got := does(s, "POST", "/api/sessions/one/requests/q1/answer", adaToken, `{"choice":"Redis"}`); code != 200 {
		t.Errorf("the answer: %d %s", code, got)
	}
}

// TestSocketEndsWithItsToken revokes the token of an open WebSocket: it is closed, though nothing happens to the session.
// A database that is away, and the operator's key, close none.
func TestSocketEndsWithItsToken(t *testing.T) {
	o, x := options(t), sessions(t)
	tokens := &revocable{}
	o.Sessions, o.Tokens, o.Limits.Again = x, tokens, 10*time.Millisecond
	s := serving(t, o)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	made(t, s, adaToken, "one")
	made(t, s, testKey, "mine")
	tokens.state.Store(tokenRevoked)
	mine, err := dial(t, server.URL, "/ws/mine", testKey)
	tokens.state.Store(0)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := dial(t, server.URL, "/ws/one?after=2", adaToken)
	if err != nil {
		t.Fatal(err)
	}
	hear(t, conn) // hello
	tokens.state.Store(tokenAway)
	time.Sleep(100 * time.Millisecond)
	if _, err := x.Change(t.Context(), lifecycle.Key{Owner: "ada", ID: "one"}, lifecycle.Change{Cause: lifecycle.Pause}); err != nil {
		t.Fatal(err)
	}
	if e := hear(t, conn); e.Get("event.event_type").String() != "session.paused" {
		t.Errorf("while the database is away: %s", e)
	}
	tokens.state.Store(tokenRevoked)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != closedToken {
		t.Errorf("a token that was revoked closes with %v", err)
	}
	if _, err := x.Change(t.Context(), lifecycle.Key{Owner: "local", ID: "mine"}, lifecycle.Change{Cause: lifecycle.Pause}); err != nil {
		t.Fatal(err)
	}
	for range 4 { // hello, created, started, paused
		hear(t, mine)
	}
}

// TestSocketBeyondTheLast asks for what comes after an event that there is not: it hears the next one that there is.
func TestSocketBeyondTheLast(t *testing.T) {
	s, x := withSessions(t)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	made(t, s, adaToken, "one")
	conn, err := dial(t, server.URL, "/ws/one?after=999", adaToken)
	if err != nil {
		t.Fatal(err)
	}
	if h := hear(t, conn); h.Get("seq").Int() != 2 {
		t.Errorf("hello: %s", h)
	}
	if _, err := x.Change(t.Context(), lifecycle.Key{Owner: "ada", ID: "one"}, lifecycle.Change{Cause: lifecycle.Pause}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if _, b, err := conn.Read(ctx); err != nil || gjson.GetBytes(b, "event.event_type").String() != "session.paused" {
		t.Errorf("the next event: %s %v", b, err)
	}
}

// TestSocketsRefused opens sockets that must not be.
func TestSocketsRefused(t *testing.T) {
	s, _ := withSessions(t)
	s.Limits.Sockets = 2
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	made(t, s, adaToken, "one")
	for name, c := range map[string]struct{ path, token string }{
		"nobody": {"/ws/one", ""}, "guessed": {"/ws/one", strings.Repeat("x", 40)}, "another's": {"/ws/one", benToken}, "not there": {"/ws/two", adaToken},
		"a number that is none": {"/ws/one?after=x", adaToken}, "below none": {"/ws/one?after=-1", adaToken}, "the token in the query": {"/ws/one?token=" + adaToken, ""},
	} {
		if _, err := dial(t, server.URL, c.path, c.token); err == nil {
			t.Errorf("%s: is let in", name)
		}
	}
	if _, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http")+"/ws/one", &websocket.DialOptions{
		HTTPHeader: map[string][]string{"Origin": {"http://evil.example"}, "Authorization": {"Bearer " + adaToken}}}); err == nil {
		t.Error("a page of another origin is let in")
	}
	for i := range 3 {
		if _, err := dial(t, server.URL, "/ws/one", adaToken); (err != nil) != (i == 2) {
			t.Errorf("socket %d: %v", i, err)
		}
	}
}

// TestSocketSaysTooMuch lets clients speak: each is closed, the service goes on.
func TestSocketSaysTooMuch(t *testing.T) {
	s, _ := withSessions(t)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	made(t, s, adaToken, "one")
	for _, say := range []string{"hello", strings.Repeat("x", 1<<20)} {
		conn, err := dial(t, server.URL, "/ws/one", adaToken)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Write(t.Context(), websocket.MessageText, []byte(say)) // it may be closed before all is said
		for err == nil {
			_, _, err = conn.Read(t.Context())
		}
	}
	if code, _ := does(s, "GET", "/api/sessions/one", adaToken, ""); code != 200 {
		t.Errorf("afterwards: %d", code)
	}
}

// TestSlowClient does not read while much happens: it is dropped, and another one hears everything.
func TestSlowClient(t *testing.T) {
	o, x := options(t), sessions(t)
	o.Sessions = x
	o.Limits.Look, o.Limits.Take = 10*time.Millisecond, 100*time.Millisecond
	s := serving(t, o)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	made(t, s, adaToken, "one")
	slow, err := dial(t, server.URL, "/ws/one", adaToken)
	if err != nil {
		t.Fatal(err)
	}
	quick, err := dial(t, server.URL, "/ws/one", adaToken)
	if err != nil {
		t.Fatal(err)
	}
	note, _ := json.Marshal(strings.Repeat("n", 900_000))
	k := lifecycle.Key{Owner: "ada", ID: "one"}
	go func() {
		for i := range 24 {
			cause := []lifecycle.Cause{lifecycle.Pause, lifecycle.Resume}[i%2]
			if _, err := x.Change(context.Background(), k, lifecycle.Change{Cause: cause, Note: note}); err != nil {
				t.Error(err)
			}
		}
	}()
	for seq := int64(0); seq < 26; {
		f := hear(t, quick)
		if f.Get("type").String() == "event" {
			if seq++; f.Get("seq").Int() != seq {
				t.Fatalf("event %d comes as %d", f.Get("seq").Int(), seq)
			}
		}
	}
	for !strings.Contains(answer(s, asks("GET", "/metrics", meterToken, "")).Body.String(), `session_websockets_ended_total{reason="slow"} 1`) {
		_, _ = x.Get(t.Context(), k) // until it was dropped
	}
	_ = slow
}

// elsewhere is another machine that tells of a session, or that something was missed.
type elsewhere struct {
	heard chan coordination.Heard
	mu    sync.Mutex
	there []string
}

func (e *elsewhere) Listen(context.Context, lifecycle.ID) (<-chan coordination.Heard, error) {
	return e.heard, nil
}

func (e *elsewhere) Connect(_ context.Context, id lifecycle.ID, client string) func() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.there = append(e.there, string(id)+" "+client)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.there = e.there[1:]
	}
}

// TestHearsOfOtherMachines changes a session behind the service's back, which looks only when it is told.
func TestHearsOfOtherMachines(t *testing.T) {
	o, x := options(t), sessions(t)
	e := &elsewhere{heard: make(chan coordination.Heard)}
	o.Sessions, o.Shared = x, e
	o.Limits.Look = time.Hour
	s := serving(t, o)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go s.listen(ctx)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	made(t, s, adaToken, "one")
	conn, err := dial(t, server.URL, "/ws/one?after=2", adaToken)
	if err != nil {
		t.Fatal(err)
	}
	hear(t, conn) // hello
	k := lifecycle.Key{Owner: "ada", ID: "one"}
	for _, tell := range []coordination.Heard{{Event: coordination.Event{Session: "one"}}, {Missed: true}} {
		cause := map[bool]lifecycle.Cause{false: lifecycle.Pause, true: lifecycle.Resume}[tell.Missed]
		if _, err := x.Change(t.Context(), k, lifecycle.Change{Cause: cause}); err != nil {
			t.Fatal(err)
		}
		e.heard <- coordination.Heard{Event: coordination.Event{Session: "another"}}
		e.heard <- tell
		if f := hear(t, conn); f.Get("event.data.cause").String() != string(cause) {
			t.Errorf("told %+v, heard %s", tell, f)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.there) != 1 || !strings.HasPrefix(e.there[0], "one ") {
		t.Errorf("connected: %v", e.there)
	}
}

// TestManyListeners lets many listen to one session at once, each from another event on.
func TestManyListeners(t *testing.T) {
	s, x := withSessions(t)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	made(t, s, adaToken, "one")
	k := lifecycle.Key{Owner: "ada", ID: "one"}
	const last = 12
	var all sync.WaitGroup
	for i := range 20 {
		from := i % 3
		conn, err := dial(t, server.URL, fmt.Sprintf("/ws/one?after=%d", from), adaToken)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			var got []int64
			for len(got) == 0 || got[len(got)-1] < last {
				_, b, err := conn.Read(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				if f := gjson.ParseBytes(b); f.Get("type").String() == "event" {
					got = append(got, f.Get("seq").Int())
				}
			}
			for n, seq := range got {
				if seq != int64(from+n+1) {
					t.Errorf("from %d: %v", from, got)
					return
				}
			}
		})
	}
	for i := range last - 2 {
		cause := []lifecycle.Cause{lifecycle.Pause, lifecycle.Resume}[i%2]
		if _, err := x.Change(t.Context(), k, lifecycle.Change{Cause: cause}); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
}

// TestEveryRouteIsTheTables makes sure that no route that gives data stands outside the table.
func TestEveryRouteIsTheTables(t *testing.T) {
	s, _ := withSessions(t)
	var ids []string
	for _, o := range s.ops {
		ids = append(ids, o.id)
		if !strings.HasPrefix(o.path, "/api/") {
			t.Errorf("%s stands at %s", o.id, o.path)
		}
		if code, _ := does(s, o.method, strings.NewReplacer("{", "", "}", "").Replace(o.path), "", ""); code != 401 {
			t.Errorf("%s without a token: %d", o.id, code)
		}
	}
	for _, want := range []string{"createSession", "listSessions", "getSession", "resumeSession", "pauseSession", "cancelSession", "deleteSession", "answerRequest", "listSnapshots", "diffSnapshots",
		"searchMemory", "searchSessionMemory", "getStatistics"} {
		if !slices.Contains(ids, want) {
			t.Errorf("%s is missing", want)
		}
	}
}
