package lifecycle

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func todos(states ...TodoStatus) (all []Todo) {
	for i, s := range states {
		all = append(all, Todo{ID: TodoID(fmt.Sprint("t", i)), Title: "do", Status: s, UpdatedAt: at(0)})
	}
	return all
}

func states(todos []Todo) string {
	var b []string
	for _, t := range todos {
		b = append(b, fmt.Sprintf("%s+%d", t.Status, t.RetryCount))
	}
	return strings.Join(b, " ")
}

// TestResume is seed 004 §5, state by state.
func TestResume(t *testing.T) {
	for _, s := range Statuses() {
		before := Session{ID: "s", Owner: "o", Status: s, Version: 3, UpdatedAt: at(0)}
		list := todos(TodoCompleted, TodoInProgress, TodoPending, TodoFailed, TodoSkipped)
		after, done, e, err := before.Resume(Resumption{Take: "r"}, list, at(1), DefaultPolicy())
		var refused *NotResumableError
		if s != Paused && s != Waiting && s != Failed {
			if !errors.As(err, &refused) || refused.Status != s || refused.Code() != "SESSION_NOT_RESUMABLE" || !strings.Contains(err.Error(), refused.Code()) {
				t.Errorf("%s: %v", s, err)
			}
			continue
		}
		if err != nil || after.Status != Running || after.Run != "r" || e.Type != SessionResumed {
			t.Errorf("%s: %+v %v", s, after, err)
		}
		if got, want := states(done), "completed+0 pending+1 pending+0 failed+0 skipped+0"; got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
		if states(list) != "completed+0 in_progress+0 pending+0 failed+0 skipped+0" {
			t.Error("the caller's todos were changed")
		}
	}
}

func TestModifications(t *testing.T) {
	title := "anew"
	for name, tc := range map[string]struct {
		m    Modifications
		want string // "" is refused
	}{
		"nothing":              {Modifications{}, "completed+0 pending+1 pending+0 failed+0"},
		"skip":                 {Modifications{Skip: []TodoID{"t1", "t2", "t3"}}, "completed+0 skipped+0 skipped+0 skipped+0"},
		"retry":                {Modifications{Retry: []TodoID{"t0", "t1", "t3"}}, "pending+1 pending+1 pending+0 pending+1"},
		"skip what is done":    {Modifications{Skip: []TodoID{"t0"}}, ""},
		"skip and retry":       {Modifications{Skip: []TodoID{"t3"}, Retry: []TodoID{"t3"}}, ""},
		"skip an unknown one":  {Modifications{Skip: []TodoID{"t9"}}, ""},
		"retry an unknown one": {Modifications{Retry: []TodoID{"t9"}}, ""},
		"update":               {Modifications{Update: []TodoUpdate{{ID: "t2", Title: &title, DependsOn: []TodoID{"t1"}, Data: json.RawMessage(`1`)}}}, "completed+0 pending+1 pending+0 failed+0"},
		"update an unknown":    {Modifications{Update: []TodoUpdate{{ID: "t9"}}}, ""},
		"update with no JSON":  {Modifications{Update: []TodoUpdate{{ID: "t1", Data: json.RawMessage(`{`)}}}, ""},
	} {
		s := Session{ID: "s", Owner: "o", Status: Paused, Version: 3}
		_, done, _, err := s.Resume(Resumption{Modifications: tc.m}, todos(TodoCompleted, TodoInProgress, TodoPending, TodoFailed), at(1), Policy{})
		if (tc.want == "") != errors.Is(err, ErrInvalid) || states(done) != tc.want {
			t.Errorf("%s: %s, %v", name, states(done), err)
		}
		if name == "update" && (done[2].Title != title || string(done[2].Data) != "1" || len(done[2].DependsOn) != 1) {
			t.Errorf("%+v", done[2])
		}
	}
}

// TestTodoMoves tries every move.
func TestTodoMoves(t *testing.T) {
	all := []TodoStatus{TodoPending, TodoInProgress, TodoCompleted, TodoFailed, TodoSkipped, "else"}
	want := map[TodoStatus]string{TodoPending: "in_progress skipped", TodoInProgress: "pending completed failed skipped", TodoCompleted: "pending",
		TodoFailed: "pending skipped", TodoSkipped: "pending"}
	for from, may := range want {
		for _, to := range all {
			after, err := ApplyTodos(todos(from), []TodoChange{{ID: "t0", To: to}}, at(1))
			if ok := from == to || strings.Contains(" "+may+" ", " "+string(to)+" "); ok != (err == nil) || ok && after[0].Status != to {
				t.Errorf("%s to %s: %v", from, to, err)
			}
		}
	}
	after, err := ApplyTodos(todos(TodoInProgress), []TodoChange{{ID: "t0", To: TodoFailed, Result: json.RawMessage(`"bad"`)}, {ID: "t0", To: TodoPending}}, at(1))
	if err != nil || after[0].RetryCount != 1 || after[0].Result != nil {
		t.Errorf("%+v %v", after, err)
	}
	if _, err := ApplyTodos(nil, []TodoChange{{ID: "t0"}}, at(1)); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

func TestRevision(t *testing.T) {
	first, err := Revision{Plan: "p", Todos: []Todo{{ID: "a", Title: "A"}, {ID: "b", Title: "B", Status: TodoSkipped}}}.Next(Plan{}, at(0))
	if err != nil || first.Version != 1 || states(first.Todos) != "pending+0 skipped+0" {
		t.Fatal(first, err)
	}
	first.Todos[0].Status, first.Todos[0].RetryCount = TodoFailed, 2
	second, err := Revision{Plan: "p", Todos: []Todo{{ID: "c", RetryCount: 9}, {ID: "a", Title: "A2", Status: TodoCompleted}}}.Next(first, at(1))
	if err != nil || second.Version != 2 || states(second.Todos) != "pending+0 failed+2" || second.Todos[1].Title != "A2" {
		t.Errorf("%+v %v", second, err)
	}
	for name, r := range map[string]Revision{
		"no id":        {},
		"another plan": {Plan: "q"},
		"twice":        {Plan: "p", Todos: []Todo{{ID: "a"}, {ID: "a"}}},
		"odd state":    {Plan: "p", Todos: []Todo{{ID: "x", Status: "done"}}},
		"odd id":       {Plan: "p", Todos: []Todo{{ID: "x y"}}},
		"odd depends":  {Plan: "p", Todos: []Todo{{ID: "x", DependsOn: []TodoID{""}}}},
		"body":         {Plan: "p", Body: json.RawMessage(`{`)},
		"too many":     {Plan: "p", Todos: make([]Todo, maxTodos+1)},
	} {
		if _, err := r.Next(first, at(1)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQuestions(t *testing.T) {
	s := Session{ID: "s", Owner: "o", Status: Running, Version: 3, Run: "r", UpdatedAt: at(0), RunningSince: at(0)}
	q := Question{ID: "q", As: "r", Type: "plan_review", Options: []Option{{ID: "yes"}, {ID: "no"}}, TimeOut: 5 * time.Minute}
	asked, r, e, err := s.Ask(q, at(1), Policy{})
	if err != nil || asked.Status != Waiting || r.TimeoutAt != at(6) || r.Run != "r" || e.Type != SessionPaused || !strings.Contains(string(e.Data), `"request_id":"q"`) {
		t.Fatal(asked, r, string(e.Data), err)
	}
	yes := Decision{By: "o", Choice: "yes"}
	var late *AnsweredError
	if _, _, _, err := asked.Answer(r, Decision{By: "o", Choice: "maybe"}, at(2), Policy{}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "yes, no") {
		t.Error(err)
	}
	if _, _, _, err := asked.Answer(r, yes, at(6), Policy{}); !errors.As(err, &late) || late.Request.Status != RequestTimedOut {
		t.Errorf("at its time: %v", err)
	}
	if _, _, _, err := asked.TimeOut(r, at(6).Add(-time.Millisecond), Policy{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("timed out early: %v", err)
	}
	going, answered, e, err := asked.Answer(r, yes, at(6).Add(-time.Millisecond), Policy{})
	if err != nil || going.Status != Running || answered.Status != RequestAnswered || answered.Decision.Choice != "yes" || e.Type != SessionResumed {
		t.Errorf("%+v %+v %v", going, answered, err)
	}
	if _, _, _, err := going.Answer(answered, yes, at(3), Policy{}); !errors.As(err, &late) || !strings.Contains(err.Error(), "answered by o") {
		t.Errorf("twice: %v", err)
	}
	paused, out, _, err := asked.TimeOut(r, at(6), Policy{})
	if err != nil || paused.Status != Paused || out.Status != RequestTimedOut || paused.Run != "" {
		t.Errorf("%+v %+v %v", paused, out, err)
	}
	if _, _, _, err := paused.TimeOut(out, at(7), Policy{}); !errors.As(err, &late) {
		t.Errorf("timed out twice: %v", err)
	}
	for name, bad := range map[string]Question{
		"no time":   {ID: "q", Type: "t"},
		"no type":   {ID: "q", TimeOut: time.Second},
		"option":    {ID: "q", Type: "t", TimeOut: time.Second, Options: []Option{{}}},
		"two alike": {ID: "q", Type: "t", TimeOut: time.Second, Options: []Option{{ID: "a"}, {ID: "a"}}},
		"too many":  {ID: "q", Type: "t", TimeOut: time.Second, Options: make([]Option, maxOptions+1)},
	} {
		if _, _, _, err := s.Ask(bad, at(1), Policy{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
