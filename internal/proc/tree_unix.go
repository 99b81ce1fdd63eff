//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// asTree puts the process into a group of its own, which is asked to end when its context is done.
func asTree(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// endTree kills what is left of the group of a process that has ended.
func endTree(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // nobody left is the usual answer
	}
}

// apart gives a process a session of its own.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
