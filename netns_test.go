//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/tidwall/gjson"

	"session/internal/needtest"
	"session/internal/store/redis/redistest"
)

// network is a network namespace with one cable to this one.
type network struct {
	t          *testing.T
	name, here string
	addr       string // of this side
}

// newNetwork makes the nth network of a test. It takes root and ip(8).
func newNetwork(t *testing.T, n int) *network {
	t.Helper()
	needtest.Program(t, "ip", "apt install iproute2")
	if os.Getuid() != 0 {
		needtest.Missing(t, "root", "network namespaces are made by root")
	}
	x := &network{t: t, name: fmt.Sprintf("session%d-%d", os.Getpid(), n), here: fmt.Sprintf("sn%dx%d", os.Getpid()%100000, n)}
	x.addr = fmt.Sprintf("10.%d.%d.1", 200+n, os.Getpid()%250)
	if out, err := exec.Command("ip", "netns", "add", x.name).CombinedOutput(); err != nil {
		needtest.Missing(t, "netns", "this system does not let us make network namespaces: "+string(out))
	}
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", x.name).Run() }) // the cable goes with it
	there := strings.TrimSuffix(x.addr, "1") + "2"
	for _, line := range []string{
		"link add " + x.here + " type veth peer name eth0 netns " + x.name, "addr add " + x.addr + "/30 dev " + x.here, "link set " + x.here + " up",
		"-n " + x.name + " addr add " + there + "/30 dev eth0", "-n " + x.name + " link set eth0 up", "-n " + x.name + " link set lo up",
	} {
		x.ip(strings.Fields(line)...)
	}
	return x
}

func (x *network) ip(args ...string) {
	x.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		x.t.Fatalf("ip %v: %v %s", args, err, out)
	}
}

// Pull pulls the cable, Plug puts it back.
func (x *network) Pull() { x.t.Helper(); x.ip("link", "set", x.here, "down") }
func (x *network) Plug() { x.t.Helper(); x.ip("link", "set", x.here, "up") }

// machine is one that has nothing but its cable.
func (x *network) machine(of *team) *machine {
	x.t.Helper()
	store, coordination := redistest.ThroughAt(x.t, of.s3, x.addr+":0"), redistest.ThroughAt(x.t, of.redis, x.addr+":0")
	m := of.machine(store.URL()+"&timeout=1s", coordination.URL()+"?timeout=500ms&lease=2s")
	m.in = []string{"ip", "netns", "exec", x.name}
	return m
}

// Two machines on two networks continue one session in turn; then the cable of one is pulled in the middle of its run: it
// stops by itself, the other goes on, and what the first saves meanwhile is taken in when the cable is back.
func TestTwoNetworksOneIsCutOff(t *testing.T) {
	x := newTeam(t)
	net := newNetwork(t, 1)
	a, b := net.machine(x), newNetwork(t, 2).machine(x)

	a.want(0, "save", "-m", "from a")
	if out := b.want(0, "show", "--json"); gjson.Get(out, "context_state.state.working_on").String() != "from a" {
		t.Errorf("b sees %s", out)
	}
	b.want(0, "save", "-m", "from b")
	if out := a.want(0, "show", "--json"); gjson.Get(out, "context_state.state.working_on").String() != "from b" {
		t.Errorf("a sees %s", out)
	}

	run := a.run()
	net.Pull()
	if code := run.end(); code != 13 {
		t.Errorf("the run of a machine that is cut off ended in %d\n%s%s", code, &run.out, &run.errs)
	}
	if out := b.want(0, "save", "-m", "b goes on", "--json"); gjson.Get(out, "autosave").Bool() {
		t.Errorf("b is kept out\n%s", out)
	}
	sh(t, a.dir, a.env, "echo alone >alone")
	if out := a.want(3, "save", "-m", "a, alone", "--json"); !strings.Contains(out, "UNSHARED") {
		t.Errorf("%s", out)
	}
	net.Plug()
	a.want(0, "save")
	b.wantOneChain(4)
	if out := b.want(0, "show", "--json"); gjson.Get(out, "context_state.state.working_on").String() != "a, alone" {
		t.Errorf("b sees %s", out)
	}
}

// database makes a database of this test's own.
func database(t *testing.T) string {
	t.Helper()
	raw := serviceURL(t, "postgres")
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, raw)
	if err != nil {
		t.Fatal(err)
	}
	name := "test_" + strings.ToLower(rand.Text())
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		_ = admin.Close(ctx)
		if err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal("SESSION_TEST_POSTGRES is no URL")
	}
	u.Path = "/" + name
	return u.String()
}

// Two workers on two networks share a queue; the cable of the one that runs is pulled. Its run is taken over by the other,
// once; it is recorded once, and nothing that the first one says later counts.
func TestTwoWorkersOneIsCutOff(t *testing.T) {
	x := newTeam(t)
	db, dir := database(t), t.TempDir()
	log, goOn := filepath.Join(dir, "log"), filepath.Join(dir, "go")
	agent := "echo run >>" + log + "; until test -e " + goOn + "; do sleep 0.1; done; echo done"
	sh(t, x.first, environ(t), "printf 'programs:\\n  slow: {run: [sh, -c, \"%s\"], input: stdin, output: text, limit: 5m}\\n' '"+agent+"' >.claude/session/policy/bundles.yaml; git commit -qam agent")
	nets := []*network{newNetwork(t, 1), newNetwork(t, 2)}
	var m []*machine
	for _, n := range nets {
		one := n.machine(x)
		one.env = append(one.env, "SESSION_DATABASE="+redistest.ThroughAt(t, db, n.addr+":0").URL(), "SESSION_OWNER=ada")
		accept(t, one.dir, append(one.env, "SESSION_STORE=local", "SESSION_COORDINATION=local", "SESSION_DATABASE=local"))
		m = append(m, one)
	}
	a, b := m[0], m[1]
	a.want(0, "save", "-m", "before")
	id := gjson.Get(a.want(0, "run", "--queue", "--agent", "slow", "--json", "long work"), "id").String()
	if id == "" {
		t.Fatal("nothing was queued")
	}
	first := a.command("worker", "--drain", "--rescue-after", "2s")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Process.Kill(); _ = first.Wait() })
	wantRuns(t, log, 1)
	nets[0].Pull()
	second := b.command("worker", "--drain", "--rescue-after", "2s")
	var errs strings.Builder
	second.Stderr = &errs
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = second.Process.Kill() })
	wantRuns(t, log, 2)
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Errorf("%v\n%s", err, errs.String())
	}
	nets[0].Plug()
	info := b.want(0, "info", id, "--json")
	if gjson.Get(info, "status").String() != "completed" || gjson.Get(info, "checkpoints.#").Int() != 1 ||
		gjson.Get(info, `history.#(event_type=="session.completed")#|#`).Int() != 1 {
		t.Errorf("%s", info)
	}
	all := b.want(0, "log", "--all", "--json")
	if gjson.Get(all, `snapshots.#(kind=="fork")#|#`).Int() != 1 {
		t.Errorf("%s", all)
	}
	b.want(0, "check")
}

// wantRuns waits until the agent was started that many times.
func wantRuns(t *testing.T, log string, n int) {
	t.Helper()
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); {
		if b, err := os.ReadFile(log); err == nil && strings.Count(string(b), "run") >= n {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Fatalf("the agent was not started %d times", n)
}
