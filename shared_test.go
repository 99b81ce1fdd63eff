//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/tidwall/gjson"

	"session/internal/needtest"
	"session/internal/store/redis/redistest"
	"session/internal/store/s3/s3test"
)

// team is a project with a shared store and coordination, and machines that work on it.
type team struct {
	t           *testing.T
	s3, redis   string // URLs of the servers, with a prefix and a database of this test's own
	first, fifo string
}

const slowAgent = "programs:\n  slow: {run: [cat, %s], input: stdin, output: text, limit: 5m}\n"

func newTeam(t *testing.T) *team {
	t.Helper()
	if testing.Short() {
		t.Skip("long")
	}
	x := &team{t: t, s3: serviceURL(t, "s3"), redis: serviceURL(t, "redis"), first: filepath.Join(t.TempDir(), "first"), fifo: filepath.Join(t.TempDir(), "answer")}
	if err := syscall.Mkfifo(x.fifo, 0o600); err != nil {
		t.Skipf("no FIFO here: %v", err)
	}
	policy := fmt.Sprintf(slowAgent, x.fifo)
	sh(t, filepath.Dir(x.first), environ(t), "git init -q first; cd first; mkdir -p .claude/session/policy; printf '"+strings.ReplaceAll(policy, "\n", `\n`)+"' >.claude/session/policy/bundles.yaml; git add -A; git commit -qm base")
	return x
}

// serviceURL is the URL of a server with a place of this test's own, or skips the test.
func serviceURL(t *testing.T, name string) string {
	t.Helper()
	u, err := url.Parse(needtest.Server(t, name))
	if err != nil {
		t.Fatalf("%s is no URL", needtest.Servers[name])
	}
	if name == "s3" {
		u.Path += fmt.Sprintf("/team-%d-%d", os.Getpid(), time.Now().UnixNano())
	}
	return u.String()
}

// machine is one clone with a home of its own.
type machine struct {
	*team
	dir string
	env []string
	in  []string // what starts programs on it; nothing: they are started here
}

func (x *team) machine(store, coordination string) *machine {
	x.t.Helper()
	m := &machine{team: x, dir: filepath.Join(x.t.TempDir(), "clone"), env: environ(x.t, "SESSION_STORE="+store, "SESSION_COORDINATION="+coordination)}
	sh(x.t, filepath.Dir(m.dir), m.env, "git clone -q "+x.first+" clone")
	return m
}

func (m *machine) session(args ...string) (string, string, int) {
	m.t.Helper()
	cmd := m.command(args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		m.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func (m *machine) command(args ...string) *exec.Cmd {
	line := append(append(append([]string{}, m.in...), "session"), args...)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env = m.dir, m.env
	return cmd
}

func (m *machine) want(code int, args ...string) string {
	m.t.Helper()
	out, errs, got := m.session(args...)
	if got != code {
		m.t.Fatalf("session %v: exit code %d, want %d\n%s%s", args, got, code, out, errs)
	}
	return out
}

// running is a run that waits for its agent's answer.
type running struct {
	m    *machine
	cmd  *exec.Cmd
	out  bytes.Buffer
	errs bytes.Buffer
	fifo *os.File
}

func (m *machine) run() *running {
	m.t.Helper()
	accept(m.t, m.dir, m.env)
	r := &running{m: m, cmd: m.command("run", "--agent", "slow", "--json", "take your time")}
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.errs
	if err := r.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	var err error
	if r.fifo, err = os.OpenFile(m.fifo, os.O_WRONLY, 0); err != nil { // opens when the agent reads: the run holds the path now
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = r.fifo.Close(); _ = r.cmd.Process.Kill() })
	return r
}

// answer lets the agent finish, and returns the run's exit code.
func (r *running) answer() int {
	r.m.t.Helper()
	_, _ = fmt.Fprintln(r.fifo, "done at last") // an agent that was ended reads no more
	_ = r.fifo.Close()
	return r.end()
}

func (r *running) end() int {
	_ = r.cmd.Wait() // the exit code says it
	return r.cmd.ProcessState.ExitCode()
}

// wantOneChain: the shared store is sound, and the path is one chain of that many snapshots.
func (m *machine) wantOneChain(n int) {
	m.t.Helper()
	out := m.want(0, "log", "--json")
	if got := gjson.Get(out, "snapshots.#").Int(); int(got) != n {
		m.t.Errorf("%d snapshots, want %d\n%s", got, n, out)
	}
	m.want(0, "check")
}

// Redis vanishes in the middle of a run on one machine while another one saves: whatever they know of each other, one of
// them continues the base, the other is refused or recorded beside it, and each is told what is so.
func TestRedisVanishesMidRun(t *testing.T) {
	for name, fault := range map[string]func(t *testing.T, x *team, of *redistest.Link){
		"nothing happens": func(*testing.T, *team, *redistest.Link) {},
		"flushed":         flush,
		"stopped":         func(_ *testing.T, _ *team, of *redistest.Link) { of.Down() },
		"restarted empty": func(t *testing.T, x *team, of *redistest.Link) { of.Down(); flush(t, x, of); of.Up() },
		"swallows all":    func(_ *testing.T, _ *team, of *redistest.Link) { of.Cut() },
	} {
		t.Run(name, func(t *testing.T) {
			x := newTeam(t)
			net := redistest.Through(t, x.redis)
			a, b := x.machine(x.s3, net.URL()+"?timeout=300ms&lease=2s"), x.machine(x.s3, net.URL()+"?timeout=300ms&lease=2s")
			a.want(0, "save", "-m", "before")
			run := a.run()
			fault(t, x, net)
			saved := b.want(0, "save", "-m", "from the other machine", "--json")
			beside := gjson.Get(saved, "autosave").Bool()
			code := run.answer()
			if beside != (code == 0) || code != 0 && code != 13 {
				t.Errorf("the run ended in %d, the save was beside it: %v\n%s%s%s", code, beside, saved, &run.out, &run.errs)
			}
			if name == "nothing happens" && !beside {
				t.Error("the lease kept nobody out")
			}
			t.Logf("run %d, save beside it: %v", code, beside)
			b.wantOneChain(2)
			a.want(0, "save", "-m", "and on")
			b.wantOneChain(3)
		})
	}
}

func flush(t *testing.T, x *team, _ *redistest.Link) {
	o, err := goredis.ParseURL(x.redis)
	if err != nil {
		t.Fatal("no URL of a Redis")
	}
	c := goredis.NewClient(o)
	defer c.Close()
	keys := c.Keys(t.Context(), "session:lease:*").Val() // of other tests as well, which bear it
	if len(keys) == 0 {
		t.Fatal("nobody holds a lease")
	}
	if err := c.Del(t.Context(), keys...).Err(); err != nil {
		t.Fatal(err)
	}
}

// One machine is cut off from the coordination service, and only it: its run stops by itself, is told why, and whoever is
// on the other side goes on.
func TestCutOffMachineStops(t *testing.T) {
	x := newTeam(t)
	net := redistest.Through(t, x.redis)
	a, b := x.machine(x.s3, net.URL()+"?timeout=300ms&lease=1s"), x.machine(x.s3, x.redis+"?lease=1s")
	a.want(0, "save", "-m", "before")
	run := a.run()
	net.Cut()
	if code := run.end(); code != 13 || !strings.Contains(run.errs.String(), "another machine") {
		t.Errorf("exit code %d\n%s%s", code, &run.out, &run.errs)
	}
	if out := b.want(0, "save", "-m", "on the other side", "--json"); gjson.Get(out, "autosave").Bool() {
		t.Errorf("the lease of a machine that is cut off keeps others out\n%s", out)
	}
	b.wantOneChain(2)
	net.Mend()
	a.want(0, "save", "-m", "and on")
	b.wantOneChain(3)
}

// A machine is killed: what it held is free when its time is over, and not before.
func TestKilledMachine(t *testing.T) {
	x := newTeam(t)
	a, b := x.machine(x.s3, x.redis+"?lease=3s"), x.machine(x.s3, x.redis+"?lease=3s")
	a.want(0, "save", "-m", "before")
	run := a.run()
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.end()
	for until := time.Now().Add(time.Minute); ; { // each save waits two seconds
		out := b.want(0, "save", "-m", "on another machine", "--json")
		if !gjson.Get(out, "autosave").Bool() {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("a dead machine keeps others out\n%s", out)
		}
	}
	b.wantOneChain(2)
	a.want(0, "check")
}

// The shared store fails in the middle of a save: what was saved is kept here and said to be, and the next save that gets
// through takes it in. Where the server had done it and only its answer was lost, nothing is there twice.
func TestStoreFailsMidSave(t *testing.T) {
	for name, fault := range map[string]func(r *http.Request) s3test.Fault{
		"refuses":      func(*http.Request) s3test.Fault { return s3test.Fault{Lose: true} },
		"503":          func(*http.Request) s3test.Fault { return s3test.Fault{Status: 503, Code: "SlowDown"} },
		"slow":         func(*http.Request) s3test.Fault { return s3test.Fault{Slow: true} },
		"answers lost": func(r *http.Request) s3test.Fault { return s3test.Fault{LoseAnswer: r.Method != http.MethodGet} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTeam(t)
			proxy := s3test.NewProxy(t, x.s3)
			a, b := x.machine(proxy.URL()+"&timeout=300ms", ""), x.machine(x.s3, "")
			a.want(0, "save", "-m", "before")
			sh(t, a.dir, a.env, "echo work >work")
			proxy.Set(func(n int, r *http.Request) s3test.Fault {
				if r.Method == http.MethodPut || n > 60 { // from the commit on
					return fault(r)
				}
				return s3test.Fault{}
			})
			out := a.want(3, "save", "-m", "in the storm", "--json")
			if !strings.Contains(out, "UNSHARED") || strings.Contains(out, s3Secret(t, x.s3)) {
				t.Errorf("%s", out)
			}
			proxy.Set(nil)
			if out := a.want(0, "save", "--json"); gjson.Get(out, "state.working_on").String() != "in the storm" {
				t.Errorf("%s", out)
			}
			out = b.want(0, "show", "--json")
			if gjson.Get(out, "context_state.state.working_on").String() != "in the storm" {
				t.Errorf("the other machine sees %s", out)
			}
			b.want(0, "check")
		})
	}
}

// The shared store is gone when a run ends: the command says so, and what the agent did comes with the next save.
func TestStoreFailsAtTheEndOfARun(t *testing.T) {
	x := newTeam(t)
	proxy := s3test.NewProxy(t, x.s3)
	a, b := x.machine(proxy.URL()+"&timeout=300ms", ""), x.machine(x.s3, "")
	a.want(0, "save", "-m", "before")
	run := a.run()
	proxy.Set(func(int, *http.Request) s3test.Fault { return s3test.Fault{Lose: true} })
	if code := run.answer(); code != 1 || !strings.Contains(run.errs.String(), "waits on this machine") {
		t.Errorf("exit code %d\n%s%s", code, &run.out, &run.errs)
	}
	proxy.Set(nil)
	if out, _, _ := a.session("load", "--json"); !strings.Contains(out, "NEWER_AUTOSAVE") {
		t.Errorf("load does not name what waits\n%s", out)
	}
	a.want(0, "save")
	if out := b.want(0, "show", "--json"); !strings.Contains(gjson.Get(out, "message_history_state").String(), "done at last") {
		t.Errorf("the other machine does not see what the agent said\n%s", out)
	}
	b.want(0, "check")
}

func s3Secret(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal("no URL")
	}
	secret, _ := u.User.Password()
	return secret
}

// Many machines continue one named base: one wins, the others are refused with 13 and leave nothing.
func TestMachinesContinueOneBase(t *testing.T) {
	x := newTeam(t)
	for _, coordination := range []string{"", x.redis} {
		const n = 6
		x.s3 = serviceURL(t, "s3")
		var all []*machine
		for range n {
			all = append(all, x.machine(x.s3, coordination))
		}
		base := gjson.Get(all[0].want(0, "save", "--json"), "snapshot").String()
		for round := range 3 {
			codes := make([]int, n)
			var done sync.WaitGroup
			for i, m := range all {
				done.Go(func() { _, _, codes[i] = m.session("save", "--base", base, "-m", fmt.Sprint(i)) })
			}
			done.Wait()
			count := map[int]int{}
			for _, c := range codes {
				count[c]++
			}
			if count[0] != 1 || count[13] != n-1 {
				t.Fatalf("exit codes %v, want one 0 and %d times 13", codes, n-1)
			}
			all[0].wantOneChain(round + 2)
			base = gjson.Get(all[0].want(0, "log", "--json"), "snapshots.0.session_id").String()
		}
	}
}
