package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stays is a shell script that runs in a session of its own until it is killed, and writes its process id into a file. It
// waits for a FIFO that nobody opens.
func stays(t *testing.T, dir, name, how string) (script string) {
	t.Helper()
	fifo := filepath.Join(dir, name+".fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	return how + ` sh -c 'trap "" TERM HUP; echo $$ >` + filepath.Join(dir, name) + `; read x <` + fifo + `' >/dev/null 2>&1`
}

// isThere says whether the process that wrote its number into a file still runs. It waits for the file.
func isThere(t *testing.T, dir, name string) bool {
	t.Helper()
	for {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if pid, bad := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && bad == nil {
			_, ok := seen(pid)
			return ok
		}
	}
}

// TestTreeIsEndedWhereverItWent: who left the group for a session of its own is ended, too: as a child, as one whose parent
// has ended, and as one that began only when it was asked to end. Others stay, whatever they look like.
func TestTreeIsEndedWhereverItWent(t *testing.T) {
	dir := t.TempDir()
	mark := "SESSION_RUN=4f1c"
	other := exec.Command("sh", "-c", stays(t, dir, "other", "exec"))
	other.Env = append(env(), mark+"0", "X"+mark, "NOT="+mark)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	script := stays(t, dir, "child", "setsid") + " & " + // its parent is there
		"(" + stays(t, dir, "orphan", "setsid") + " &) ; " + // its parent has ended
		stays(t, dir, "bare", "env -i PATH=$PATH setsid") + " & " + // without the mark
		"trap '" + strings.ReplaceAll(stays(t, dir, "late", "setsid"), "'", `'\''`) + " & exit' TERM; " +
		"until [ -s " + dir + "/child -a -s " + dir + "/orphan -a -s " + dir + "/bare ]; do :; done; echo started; " +
		"while :; do read x </dev/zero; done"
	ctx, cancel := context.WithCancel(t.Context())
	started := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	_, err := Run(ctx, Command{Args: []string{"sh", "-c", script}, Env: append(env(), mark), Mark: mark, Tree: true, Output: started})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	for _, name := range []string{"child", "orphan", "bare"} {
		if isThere(t, dir, name) {
			t.Errorf("%s is still there", name)
		}
	}
	if all := processes(mark); slices.ContainsFunc(all, func(p process) bool { return p.marked }) {
		t.Error("somebody with the mark is still there")
	}
	if !isThere(t, dir, "other") {
		t.Error("one that was not started by it was ended")
	}
}

// TestEndMarked ends what a program that is gone has started; not ourselves and not others.
func TestEndMarked(t *testing.T) {
	dir := t.TempDir()
	mark := "SESSION_RUN=" + strconv.Itoa(os.Getpid()) + "a"
	for name, entry := range map[string]string{"mine": mark, "other": mark + "b"} {
		cmd := exec.Command("sh", "-c", stays(t, dir, name, "setsid")+" & until [ -s "+dir+"/"+name+" ]; do :; done")
		cmd.Env = append(env(), entry)
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	if !isThere(t, dir, "mine") || !isThere(t, dir, "other") {
		t.Fatal("they did not start")
	}
	if n := EndMarked(mark, 20*time.Millisecond); n != 1 || isThere(t, dir, "mine") || !isThere(t, dir, "other") {
		t.Errorf("%d were ended", n)
	}
	if n := EndMarked(mark, 0); n != 0 {
		t.Errorf("%d were ended again", n)
	}
	if EndMarked(mark+"b", 0) != 1 {
		t.Error("the other one was not there")
	}
}

// TestFamilyLeavesUsOut: neither we nor who started us are ever ended, even where the mark is theirs.
func TestFamilyLeavesUsOut(t *testing.T) {
	me, up := os.Getpid(), os.Getppid()
	all := []process{{birth{up, "1"}, 1, true}, {birth{me, "2"}, up, true}, {birth{-5, "3"}, me, false}, {birth{-6, "4"}, up, true}, {birth{-7, "5"}, -6, false}}
	found := family(all, func(p process) bool { return p.marked })
	var pids []int
	for _, p := range found {
		pids = append(pids, p.pid)
	}
	if !slices.Equal(pids, []int{-6, -7}) {
		t.Errorf("%v", pids)
	}
}
