package proc

import (
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// tree is a started process with all that comes of it.
type tree struct{}

// asTree puts the process into a group of its own; taskkill ends it with its children when its context is done.
func asTree(cmd *exec.Cmd, _ string) *tree {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	cmd.Cancel = func() error {
		return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	}
	return &tree{}
}

func (*tree) started() {}

// end has nothing left to do: taskkill ended the children together with their parent.
func (*tree) end() {}

// EndMarked finds nobody: Windows shows nobody's environment.
func EndMarked(string, time.Duration) int { return 0 }

// apart detaches a process from our console.
func apart(cmd *exec.Cmd) {
	const detachedProcess = 0x00000008
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}
