//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

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
	need(t, "ip", "apt install iproute2")
	if os.Getuid() != 0 {
		missing(t, "root", "network namespaces are made by root")
	}
	x := &network{t: t, name: fmt.Sprintf("session%d-%d", os.Getpid(), n), here: fmt.Sprintf("sn%dx%d", os.Getpid()%100000, n)}
	x.addr = fmt.Sprintf("10.%d.%d.1", 200+n, os.Getpid()%250)
	if out, err := exec.Command("ip", "netns", "add", x.name).CombinedOutput(); err != nil {
		missing(t, "netns", "this system does not let us make network namespaces: "+string(out))
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
