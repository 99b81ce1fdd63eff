package s3_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
	"session/internal/store/s3"
	"session/internal/store/s3/s3test"
)

// TestMain is also the other processes of these tests: started again with STORE_DO set, the binary does one thing.
func TestMain(m *testing.M) {
	do := os.Getenv("STORE_DO")
	if do == "" {
		os.Exit(m.Run())
	}
	if err := other(do, os.Getenv("STORE_URL"), os.Getenv("STORE_ARG")); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func other(do, raw, arg string) error {
	at, err := s3.ParseURL(raw, noEnvironment)
	if err != nil {
		return err
	}
	s, err := s3.Open(context.Background(), at, s3.Options{Random: rand.Reader})
	if err != nil {
		return err
	}
	chain, err := s.Snapshots()
	if err != nil {
		return err
	}
	if do == "race" {
		return race(chain, arg)
	}
	return change(chain, do, snapshot.ID(arg))
}

// change is one change of a store by a process that may be killed.
func change(chain *snapshot.Store, do string, base snapshot.ID) error {
	kind, size := snapshot.Kind(strings.TrimSuffix(do, "+blob")), 100
	if strings.HasSuffix(do, "+blob") {
		size = 40_000
	}
	c, err := chain.Commit(context.Background(), request(kind, base, "the-run", size))
	if err != nil {
		return err
	}
	return c.Behind
}

// race commits once for each base that it reads, and answers how that went.
func race(chain *snapshot.Store, run string) error {
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		c, err := chain.Commit(context.Background(), request(snapshot.Continue, snapshot.ID(in.Text()), run, 500))
		var lost *snapshot.ErrContinued
		switch {
		case err == nil:
			fmt.Println("won", c.ID)
		case errors.As(err, &lost):
			fmt.Println("lost", lost.Run)
		default:
			fmt.Println("failed", err)
		}
	}
	return nil
}

// process is this binary once more.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T, do, raw, arg string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0], "-test.run=^$")}
	p.cmd.Env = append(os.Environ(), "STORE_DO="+do, "STORE_URL="+raw, "STORE_ARG="+arg, "GORACE=atexit_sleep_ms=0", "GOMAXPROCS=1")
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.out = in, bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = p.cmd.Wait() })
	return p
}

func (p *process) line() string {
	p.t.Helper()
	s, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("a process said %q and ended: %v", s, err)
	}
	return strings.TrimSpace(s)
}

// A hundred processes continue one base of a real server, twenty times over: one snapshot each time, and every loser knows
// the winner.
func TestAHundredProcessesOneWinner(t *testing.T) {
	const processes, rounds = 100, 20
	raw := real(t)
	if testing.Short() {
		t.Skip("long")
	}
	w := world(t, quick(t, raw))
	base := w.First(main).ID
	var all []*process
	for i := range processes {
		all = append(all, start(t, "race", raw, fmt.Sprint("run-", i)))
	}
	for _, p := range all {
		if got := p.line(); got != "ready" {
			t.Fatal(got)
		}
	}
	for round := range rounds {
		for _, p := range all {
			if _, err := io.WriteString(p.in, string(base)+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		said := map[string]int{}
		for _, p := range all {
			said[p.line()]++
		}
		next := snapshot.NextID(w.ID(), base)
		m, err := w.Manifest(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		if said["won "+string(next)] != 1 || said["lost "+m.RunID] != processes-1 {
			t.Fatalf("round %d: %v", round, said)
		}
		w.WantWhole(next, snapshottest.Words(m.RunID, 500))
		base = next
	}
	w.WantHead(main, base)
	if r := w.WantSound(true); r.Snapshots != rounds+1 {
		t.Errorf("%d snapshots after %d rounds", r.Snapshots, rounds)
	}
}

// Killed (SIGKILL) before any of its requests reaches the server, or after the server did it and before it hears so, a
// commit has happened or it has not: the old or the new head stands and is whole, and the same run's second attempt is the
// same snapshot.
func TestKilledAtAnyRequest(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	servers(t, func(t *testing.T, url func(testing.TB) string) {
		for _, do := range []string{"continue", "continue+blob", "auto", "fork+blob"} {
			t.Run(do, func(t *testing.T) {
				points, reached := 0, true
				for at := 1; reached; at++ {
					for _, answered := range []bool{false, true} {
						if reached = killedAt(t, url(t), do, at, answered) >= at; reached {
							points++
						}
					}
				}
				t.Logf("killed at %d points", points)
				if points < 10 {
					t.Error("too few: the killing does not work")
				}
			})
		}
	})
}

// killedAt kills a process at one of its requests, and returns how many there were until then.
func killedAt(t *testing.T, raw, do string, at int, answered bool) int {
	t.Helper()
	w := world(t, quick(t, raw))
	base := w.Chain(main, 2)[1]
	proxy := s3test.NewProxy(t, raw)
	pid := make(chan *os.Process, 1)
	kill := func() {
		p := <-pid
		_ = p.Kill()
	}
	proxy.Set(func(n int, _ *http.Request) s3test.Fault {
		switch {
		case n != at:
			return s3test.Fault{}
		case answered:
			return s3test.Fault{After: kill, LoseAnswer: true}
		}
		return s3test.Fault{Before: kill, Lose: true}
	})
	p := start(t, do, proxy.URL(), string(base))
	pid <- p.cmd.Process
	_, _ = io.Copy(io.Discard, p.out)
	_ = p.cmd.Wait()
	seen := proxy.Seen()
	proxy.Set(nil)
	afterKill(t, w, raw, do, base, fmt.Sprintf("request %d, answered %v", at, answered))
	return seen
}

func afterKill(t *testing.T, w *snapshottest.World, raw, do string, base snapshot.ID, point string) {
	t.Helper()
	w.WantSound(false)
	at, err := w.Head(t.Context(), main)
	if err != nil || at.Head.ID != base && at.Head.Parent != base {
		t.Fatalf("%s: %+v %v", point, at, err)
	}
	if _, err := w.Load(t.Context(), at.Head.ID); err != nil {
		t.Errorf("%s: %v", point, err)
	}
	w.Repairing(time.Now().Add(2 * time.Hour)) // leftovers are old by then
	for range 2 {
		if err := other(do, raw, string(base)); err != nil {
			t.Errorf("%s: the second attempt: %v", point, err)
		}
	}
	g, err := w.Graph(t.Context())
	if err != nil || len(g.Nodes) != 3 {
		t.Errorf("%s: %d snapshots after the second attempt: %v", point, len(g.Nodes), err)
	}
	w.WantSound(true)
}
