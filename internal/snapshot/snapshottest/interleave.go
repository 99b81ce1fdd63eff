package snapshottest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"session/internal/snapshot"
)

// Run is one process of an interleaving: it works on a store whose every call waits for its turn.
type Run func(s *snapshot.Store) error

// Interleave tries every order in which the calls of several runs can come, on a back end in memory, and with kill also
// every order in which one of them dies before one of its calls. prepare makes the world and the runs anew each time;
// after looks at what is left, with what each run returned (ErrBroken: it died). It returns how many orders there are.
//
// Only calls that begin like one of shared wait for a turn ("put snapshots/", "get blobs/", "list", "del"; " trash/" is
// every call below trash/). The others must commute with what other runs do; they happen together with the next one.
func Interleave(t *testing.T, kill bool, shared []string, prepare func(w *World) []Run, after func(w *World, order string, errs []error)) (orders int) {
	t.Helper()
	var choice []int // which of the possible steps to take, step by step
	for {
		x := exploration{shared: shared, kill: kill, choice: choice}
		w := InMemory(t)
		errs := x.run(w, prepare(w))
		orders++
		after(w, strings.Join(x.log, "; "), errs)
		if t.Failed() {
			t.Logf("in order %d: %s", orders, strings.Join(x.log, "; "))
			return orders
		}
		choice = x.next()
		if choice == nil {
			return orders
		}
	}
}

type exploration struct {
	shared  []string
	kill    bool
	choice  []int
	options []int // how many steps were possible each time
	log     []string

	mu    sync.Mutex
	ready *sync.Cond
	procs []*process
}

type process struct {
	x       *exploration
	name    string
	waiting string // the call that waits for its turn
	turn    bool
	dead    bool
	ended   bool
}

// run drives the runs along x.choice, and further along the first possibility each time.
func (x *exploration) run(w *World, runs []Run) []error {
	x.ready = sync.NewCond(&x.mu)
	errs := make([]error, len(runs))
	for i, run := range runs {
		p := &process{x: x, name: fmt.Sprintf("%c", 'a'+i)}
		x.procs = append(x.procs, p)
		s, err := snapshot.New(stepped{w.Objects, p}, w.Pointers, w.ID())
		if err != nil {
			w.T.Fatal(err)
		}
		go func() {
			errs[i] = run(s)
			x.mu.Lock()
			p.ended = true
			x.mu.Unlock()
			x.ready.Broadcast()
		}()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for killed := false; ; {
		x.settle()
		var can []*process
		for _, p := range x.procs {
			if !p.ended {
				can = append(can, p)
			}
		}
		if len(can) == 0 {
			return errs
		}
		n := len(can)
		if x.kill && !killed {
			n *= 2
		}
		c := x.choose(n)
		p := can[c%len(can)]
		p.dead = p.dead || c >= len(can)
		killed = killed || p.dead
		x.log = append(x.log, p.name+":"+p.waiting+map[bool]string{true: "†"}[p.dead])
		p.turn = true
		x.ready.Broadcast()
	}
}

// settle waits until every run waits for its turn or has ended.
func (x *exploration) settle() {
	for slices.ContainsFunc(x.procs, func(p *process) bool { return !p.ended && (p.waiting == "" || p.turn) }) {
		x.ready.Wait()
	}
}

func (x *exploration) choose(n int) int {
	step := len(x.options)
	x.options = append(x.options, n)
	if step < len(x.choice) {
		return x.choice[step]
	}
	x.choice = append(x.choice, 0)
	return 0
}

// next is the order after this one, nil after the last.
func (x *exploration) next() []int {
	for i := len(x.choice) - 1; i >= 0; i-- {
		if x.choice[i]+1 < x.options[i] {
			return append(slices.Clone(x.choice[:i]), x.choice[i]+1)
		}
	}
	return nil
}

// wait blocks until it is the process's turn.
func (p *process) wait(call, key string) error {
	if !slices.ContainsFunc(p.x.shared, func(s string) bool {
		return strings.HasPrefix(call+" "+key, s) || strings.HasPrefix(" "+key, s)
	}) {
		return nil
	}
	p.x.mu.Lock()
	defer p.x.mu.Unlock()
	p.waiting = call + " " + key
	p.x.ready.Broadcast()
	for !p.turn {
		p.x.ready.Wait()
	}
	p.turn, p.waiting = false, ""
	if p.dead {
		return ErrBroken
	}
	return nil
}

// stepped are objects whose shared calls wait.
type stepped struct {
	snapshot.Objects
	p *process
}

func (s stepped) PutNew(ctx context.Context, key string, data []byte) error {
	if err := s.wait("put", key); err != nil {
		return err
	}
	return s.Objects.PutNew(ctx, key, data)
}

func (s stepped) Get(ctx context.Context, key string) ([]byte, error) {
	if err := s.wait("get", key); err != nil {
		return nil, err
	}
	return s.Objects.Get(ctx, key)
}

func (s stepped) List(ctx context.Context, prefix string, fn func(snapshot.Info) error) error {
	if err := s.wait("list", prefix); err != nil {
		return err
	}
	return s.Objects.List(ctx, prefix, fn)
}

func (s stepped) Delete(ctx context.Context, key string) error {
	if err := s.wait("del", key); err != nil {
		return err
	}
	return s.Objects.Delete(ctx, key)
}

// wait: a dead process makes no call at all, whatever the key.
func (s stepped) wait(call, key string) error {
	if s.p.dead {
		return ErrBroken
	}
	return s.p.wait(call, key)
}
