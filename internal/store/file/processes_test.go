package file_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
	"session/internal/store/file"
)

// process is this binary once more.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T, do, dir, arg string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0], "-test.run=^$")}
	p.cmd.Env = append(os.Environ(), "STORE_DO="+do, "STORE_DIR="+dir, "STORE_ARG="+arg, "GORACE=atexit_sleep_ms=0", "GOMAXPROCS=1")
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

func (p *process) say(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, s+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func world(t testing.TB, s *file.Store) *snapshottest.World {
	return snapshottest.NewWorldAs(t, snapshottest.Back{Objects: s, Pointers: s, Leaser: s}, s.ID())
}

const main = snapshot.Path("refs/heads/main")

// A hundred processes continue one base, twenty times over: one snapshot each time, and every loser knows the winner.
func TestAHundredProcessesOneWinner(t *testing.T) {
	const processes, rounds = 100, 20
	s := create(t)
	w := world(t, s)
	base := w.First(main).ID
	var all []*process
	for i := range processes {
		all = append(all, start(t, "race", s.Dir(), fmt.Sprint("run-", i)))
	}
	for _, p := range all {
		if got := p.line(); got != "ready" {
			t.Fatal(got)
		}
	}
	for round := range rounds {
		for _, p := range all {
			p.say(string(base))
		}
		said := map[string]int{}
		for _, p := range all {
			said[p.line()]++
		}
		next := snapshot.NextID(s.ID(), base)
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
	left, err := os.ReadDir(filepath.Join(s.Dir(), "leases"))
	if err != nil || len(left) != 0 {
		t.Errorf("locks left: %v %v", left, err)
	}
}

func TestAKilledProcessHoldsNoLease(t *testing.T) {
	s := create(t)
	key := snapshot.FirstID(s.ID(), main)
	p := start(t, "lease", s.Dir(), string(key))
	p.line()
	_, err := s.Acquire(t.Context(), key, snapshot.Holder{}, 0)
	var busy *snapshot.ErrBusy
	if !errors.As(err, &busy) || busy.Who.PID != p.cmd.Process.Pid || busy.Who.Command != "session run" || !busy.Who.Start.Equal(snapshottest.Noon()) {
		t.Fatalf("%v %+v", err, busy)
	}
	if live, err := s.Live(t.Context()); err != nil || len(live) != 1 || live[0].Who.PID != p.cmd.Process.Pid {
		t.Errorf("%+v %v", live, err)
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()
	if live, err := s.Live(t.Context()); err != nil || len(live) != 0 {
		t.Errorf("a dead process is live: %+v %v", live, err)
	}
	l, err := s.Acquire(t.Context(), key, snapshot.Holder{PID: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Renew(t.Context()), l.Release(t.Context())); err != nil {
		t.Error(err)
	}
}

// Many processes make one store at once: all use the same.
func TestStoresAreCreatedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "session")
	var all []*process
	for range 20 {
		all = append(all, start(t, "create", dir, ""))
	}
	for _, p := range all {
		if err := p.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if _, err := file.Open(dir); err != nil {
		t.Error(err)
	}
}
