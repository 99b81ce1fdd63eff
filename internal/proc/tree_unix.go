//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// tree is a started process with all that comes of it: its group, and whoever left the group for a session of its own.
type tree struct {
	cmd  *exec.Cmd
	mark string

	mu    sync.Mutex
	known map[birth]bool // seen to belong to it: who it belongs to cannot be seen any more once its parent has ended
}

// asTree puts the process into a group of its own, which is asked to end with all that it started when its context is
// done.
func asTree(cmd *exec.Cmd, mark string) *tree {
	t := &tree{cmd: cmd, mark: mark, known: map[birth]bool{}}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endsWithUs(cmd.SysProcAttr)
	cmd.Cancel = func() error {
		left := t.look()
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		signalAll(left, syscall.SIGTERM)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	return t
}

// started is told that the process runs. Its context may be done already.
func (t *tree) started() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b, ok := bornAs(t.cmd.Process.Pid); ok {
		t.known[b] = true
	}
}

// look finds who belongs to the tree now.
func (t *tree) look() []process {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := family(processes(t.mark), func(p process) bool { return p.marked || t.known[p.birth] })
	for _, p := range found {
		t.known[p.birth] = true
	}
	return found
}

// end kills what is left of the tree of a process that has ended.
func (t *tree) end() {
	if t.cmd.Process == nil {
		return
	}
	_ = syscall.Kill(-t.cmd.Process.Pid, syscall.SIGKILL) // nobody left is the usual answer
	killAll(t.look)
}

// killAll kills who is found until nobody is: who forks while it is killed leaves a child.
func killAll(look func() []process) {
	for range 200 {
		left := look()
		if len(left) == 0 {
			return
		}
		signalAll(left, syscall.SIGKILL)
		time.Sleep(lookAgain)
	}
}

// lookAgain is how long who was sent a signal has until it is looked for again.
const lookAgain = 5 * time.Millisecond

// EndMarked ends what still runs of programs that were started with the entry mark (KEY=value) in their environment, and
// what they started: whoever started them is gone. First they are asked to; after grace they are killed. We and those who
// started us stay. It says how many there were. Only Linux shows other processes' environment: elsewhere nobody is found.
func EndMarked(mark string, grace time.Duration) int {
	t := &tree{mark: mark, known: map[birth]bool{}}
	left := t.look()
	n := len(left)
	signalAll(left, syscall.SIGTERM)
	for until := time.Now().Add(grace); len(left) > 0 && time.Now().Before(until); left = t.look() {
		time.Sleep(lookAgain)
	}
	killAll(t.look)
	return n
}

func signalAll(all []process, s syscall.Signal) {
	for _, p := range all {
		p.signal(s)
	}
}

// process is one of those that run here.
type process struct {
	birth
	parent int
	marked bool
}

// birth tells processes apart that had the same number one after the other.
type birth struct {
	pid int
	at  string
}

// family finds who of all is meant, and whom they started. We and those who started us never belong to it.
func family(all []process, meant func(process) bool) (found []process) {
	children, parent := map[int][]process{}, map[int]int{}
	var queue []process
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
		parent[p.pid] = p.parent
		if meant(p) {
			queue = append(queue, p)
		}
	}
	seen := map[int]bool{}
	for pid := os.Getpid(); pid > 0 && !seen[pid]; pid = parent[pid] {
		seen[pid] = true
	}
	for len(queue) > 0 {
		p := queue[0]
		if queue = queue[1:]; seen[p.pid] {
			continue
		}
		seen[p.pid] = true
		found, queue = append(found, p), append(queue, children[p.pid]...)
	}
	return found
}

// apart gives a process a session of its own.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
