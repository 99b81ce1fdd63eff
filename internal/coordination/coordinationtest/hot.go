package coordinationtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"session/internal/coordination"
)

// Keeper is a Hot whose time a test can let pass.
type Keeper struct {
	coordination.Hot
	// Now is the keeper's time.
	Now func() time.Time
	// Pass lets so much time pass for everything that is kept.
	Pass func(d time.Duration)
}

// Hot attacks a Hot. open gives an empty one each time.
func Hot(t *testing.T, open func(t *testing.T) Keeper) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, Keeper)
	}{
		{"NothingIsKept", nothing}, {"PartsStandAlone", parts}, {"StateAndProgressEndTogether", together},
		{"AQuestionHasItsOwnTime", question}, {"Settled", settled}, {"Clients", clients}, {"Forgotten", forgotten}, {"Refused", refused},
		{"Copied", copied}, {"NobodySeesHalf", nobodySeesHalf},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

const id = "0b7a6c1e-2d3f"

func state(n int) *coordination.State {
	word := fmt.Sprint("w", n)
	return &coordination.State{Status: word, Layer: word, Plan: word, LastActivity: time.Date(2026, 11, 20, 12, 0, n, 5_000_000, time.UTC)}
}

func pending(k Keeper, n int, in time.Duration) *coordination.Pending {
	return &coordination.Pending{
		Request: fmt.Sprint("hitl_", n), Type: "plan_review", Data: json.RawMessage(fmt.Sprintf(`{"options":["yes","no"],"n":%d}`, n)),
		TimeoutAt: k.Now().Add(in).UTC().Truncate(time.Millisecond),
	}
}

func (k Keeper) put(t *testing.T, session string, c coordination.Change) {
	t.Helper()
	if err := k.Put(t.Context(), session, c); err != nil {
		t.Fatal(err)
	}
}

func (k Keeper) want(t *testing.T, session string, want coordination.View) {
	t.Helper()
	got, err := k.Look(t.Context(), session)
	if err != nil || !reflect.DeepEqual(got, want) {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		t.Errorf("kept of %s: %s %v\nwant %s", session, g, err, w)
	}
}

func (k Keeper) wantNothing(t *testing.T, session string) {
	t.Helper()
	if got, err := k.Look(t.Context(), session); !errors.Is(err, coordination.ErrNotFound) || !reflect.DeepEqual(got, coordination.View{}) {
		t.Errorf("kept of %s: %+v %v, want nothing", session, got, err)
	}
}

func nothing(t *testing.T, k Keeper) {
	k.wantNothing(t, id)
	for name, err := range map[string]error{
		"settle": k.Settle(t.Context(), id, "hitl_1"), "disconnect": k.Disconnect(t.Context(), id, "c"),
		"forget": k.Forget(t.Context(), id), "put nothing": k.Put(t.Context(), id, coordination.Change{}),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	k.wantNothing(t, id)
}

func parts(t *testing.T, k Keeper) {
	progress := &coordination.Progress{Total: 5, Completed: 2, Current: "todo_003"}
	k.put(t, id, coordination.Change{Progress: progress})
	k.want(t, id, coordination.View{Progress: progress})
	k.put(t, id, coordination.Change{State: state(1)})
	k.want(t, id, coordination.View{State: state(1), Progress: progress})
	ask := pending(k, 1, time.Hour)
	k.put(t, id, coordination.Change{Pending: ask})
	k.want(t, id, coordination.View{State: state(1), Progress: progress, Pending: ask})
	least := &coordination.State{Status: "created", LastActivity: state(2).LastActivity}
	all := coordination.Change{State: least, Progress: &coordination.Progress{}, Pending: pending(k, 2, time.Hour)}
	all.Pending.Data = nil
	k.put(t, id, all) // shorter than what was there: nothing of that shines through
	k.want(t, id, coordination.View{State: least, Progress: all.Progress, Pending: all.Pending})
	k.wantNothing(t, id+"x")
}

func together(t *testing.T, k Keeper) {
	k.put(t, id, coordination.Change{State: state(1)})
	k.Pass(coordination.Kept - time.Minute)
	k.want(t, id, coordination.View{State: state(1)})
	progress := &coordination.Progress{Total: 1}
	k.put(t, id, coordination.Change{Progress: progress}) // an activity: both are kept from now
	k.Pass(coordination.Kept - time.Minute)
	k.want(t, id, coordination.View{State: state(1), Progress: progress})
	k.put(t, id, coordination.Change{State: state(2)})
	k.Pass(coordination.Kept - time.Minute)
	k.want(t, id, coordination.View{State: state(2), Progress: progress})
	k.Pass(2 * time.Minute)
	k.wantNothing(t, id)
}

func question(t *testing.T, k Keeper) {
	k.put(t, id, coordination.Change{State: state(1), Pending: pending(k, 1, 10*time.Minute)})
	ask := pending(k, 2, 20*time.Minute)
	k.put(t, id, coordination.Change{Pending: ask}) // replaced, with its time
	k.Pass(19 * time.Minute)
	k.want(t, id, coordination.View{State: state(1), Pending: ask})
	k.Pass(2 * time.Minute)
	k.want(t, id, coordination.View{State: state(1)})
	k.put(t, id, coordination.Change{Pending: pending(k, 3, -time.Minute)})
	k.want(t, id, coordination.View{State: state(1)})
	longer := pending(k, 4, 2*coordination.Kept)
	k.put(t, id, coordination.Change{Pending: longer})
	k.Pass(coordination.Kept + time.Minute)
	k.want(t, id, coordination.View{Pending: longer})
}

func settled(t *testing.T, k Keeper) {
	k.put(t, id, coordination.Change{State: state(1), Pending: pending(k, 1, time.Hour)})
	second := pending(k, 2, time.Hour)
	k.put(t, id, coordination.Change{Pending: second})
	for _, late := range []string{"hitl_1", "hitl_20", "hitl_"} {
		if err := k.Settle(t.Context(), id, late); err != nil {
			t.Error(err)
		}
	}
	k.want(t, id, coordination.View{State: state(1), Pending: second})
	for range 2 {
		if err := k.Settle(t.Context(), id, second.Request); err != nil {
			t.Error(err)
		}
	}
	k.want(t, id, coordination.View{State: state(1)})
}

func clients(t *testing.T, k Keeper) {
	var all sync.WaitGroup
	var names []string
	for i := range 50 {
		name := fmt.Sprintf("client-%02d", i)
		names = append(names, name)
		all.Go(func() {
			for range 2 {
				if err := k.Connect(t.Context(), id, name); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	k.want(t, id, coordination.View{Clients: names})
	k.Pass(3 * coordination.Kept)
	k.want(t, id, coordination.View{Clients: names})
	for _, name := range names[1:] {
		if err := k.Disconnect(t.Context(), id, name); err != nil {
			t.Error(err)
		}
	}
	k.want(t, id, coordination.View{Clients: names[:1]})
	if err := k.Disconnect(t.Context(), id, names[0]); err != nil {
		t.Error(err)
	}
	k.wantNothing(t, id)
}

func forgotten(t *testing.T, k Keeper) {
	neighbours := []string{id + ".progress", id + "0", id[1:], strings.ToUpper(id)}
	ask := pending(k, 1, time.Hour)
	for _, s := range append(neighbours, id) {
		k.put(t, s, coordination.Change{State: state(1), Progress: &coordination.Progress{Total: 3}, Pending: ask})
		if err := k.Connect(t.Context(), s, "client"); err != nil {
			t.Fatal(err)
		}
	}
	want, err := k.Look(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := k.Forget(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	k.wantNothing(t, id)
	for _, s := range neighbours {
		k.want(t, s, want)
	}
}

func refused(t *testing.T, k Keeper) {
	soon := k.Now().Add(time.Hour)
	ctx := t.Context()
	for _, bad := range []string{"", "a b", "a:progress", "a\n", "*", "{a}", "ü", strings.Repeat("x", 129), "a/b"} {
		_, looked := k.Look(ctx, bad)
		for name, err := range map[string]error{
			"put": k.Put(ctx, bad, coordination.Change{State: state(1)}), "look": looked, "forget": k.Forget(ctx, bad),
			"connect": k.Connect(ctx, bad, "c"), "connect a client": k.Connect(ctx, id, bad),
			"settle": k.Settle(ctx, bad, "r"), "disconnect": k.Disconnect(ctx, bad, "c"),
			"a status":  k.Put(ctx, id, coordination.Change{State: &coordination.State{Status: bad}}),
			"a request": k.Put(ctx, id, coordination.Change{Pending: &coordination.Pending{Request: bad, TimeoutAt: soon}}),
		} {
			if !errors.Is(err, coordination.ErrInvalid) {
				t.Errorf("%s %q: %v", name, bad, err)
			}
		}
	}
	for name, c := range map[string]coordination.Change{
		"more than all": {Progress: &coordination.Progress{Total: 1, Completed: 2}}, "less than none": {Progress: &coordination.Progress{Completed: -1}},
		"no JSON": {Pending: &coordination.Pending{Request: "r", TimeoutAt: soon, Data: json.RawMessage(`{`)}},
		"large":   {Pending: &coordination.Pending{Request: "r", TimeoutAt: soon, Data: json.RawMessage(`"` + strings.Repeat("x", coordination.MaxData) + `"`)}},
		"forever": {State: state(1), Pending: &coordination.Pending{Request: "r"}},
	} {
		if err := k.Put(ctx, id, c); !errors.Is(err, coordination.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	k.wantNothing(t, id)
}

func copied(t *testing.T, k Keeper) {
	c := coordination.Change{State: state(1), Progress: &coordination.Progress{Total: 2}, Pending: pending(k, 1, time.Hour)}
	want := coordination.View{State: state(1), Progress: &coordination.Progress{Total: 2}, Pending: pending(k, 1, time.Hour)}
	want.Pending.TimeoutAt = c.Pending.TimeoutAt
	k.put(t, id, c)
	spoil := func(s *coordination.State, p *coordination.Progress, q *coordination.Pending) {
		s.Status, p.Total = "spoiled", 99
		q.Data[0] = 'X'
	}
	spoil(c.State, c.Progress, c.Pending)
	k.want(t, id, want)
	got, err := k.Look(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	spoil(got.State, got.Progress, got.Pending)
	k.want(t, id, want)
}

// nobodySeesHalf: of a state that is replaced all the time, a reader sees one or the other.
func nobodySeesHalf(t *testing.T, k Keeper) {
	k.put(t, id, coordination.Change{State: state(0)})
	done := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for last := false; !last; {
				select {
				case <-done:
					last = true
				default:
				}
				v, err := k.Look(t.Context(), id)
				if err != nil || v.State == nil || v.State.Status != v.State.Layer || v.State.Layer != v.State.Plan ||
					v.State.Plan != fmt.Sprint("w", v.State.LastActivity.Second()) {
					t.Errorf("a reader saw %+v %v", v.State, err)
					return
				}
			}
		})
	}
	for w := range 4 {
		writers.Go(func() {
			for i := range 50 {
				k.put(t, id, coordination.Change{State: state((w*13 + i) % 60)})
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
}
