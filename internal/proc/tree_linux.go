package proc

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// endsWithUs has a process asked to end when we are killed and can no longer end it ourselves.
func endsWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }

// processes are those that run here. Who has the entry mark in its environment is marked; "" marks nobody, and neither is
// anybody whose environment we may not read.
func processes(mark string) (all []process) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		p, ok := seen(pid)
		if !ok {
			continue
		}
		if mark != "" {
			env, _ := os.ReadFile("/proc/" + name + "/environ")
			p.marked = bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00"))
		}
		all = append(all, p)
	}
	return all
}

// seen reads /proc/PID/stat. One that has ended and only waits to be noticed is not there any more.
func seen(pid int) (process, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	_, rest, _ := strings.Cut(string(b[max(0, bytes.LastIndexByte(b, ')')):]), " ") // a name may hold anything
	f := strings.Fields(rest)
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return process{}, false
	}
	parent, err := strconv.Atoi(f[1])
	return process{birth: birth{pid, f[19]}, parent: parent}, err == nil
}

func bornAs(pid int) (birth, bool) {
	p, ok := seen(pid)
	return p.birth, ok
}

// signal reaches the process that was seen, and no other one that has its number by now.
func (p process) signal(s syscall.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil { // gone; or a system that is too old for it
		if err == unix.ENOSYS || err == unix.EPERM {
			_ = syscall.Kill(p.pid, s)
		}
		return
	}
	defer unix.Close(fd)
	if now, ok := bornAs(p.pid); ok && now == p.birth {
		_ = unix.PidfdSendSignal(fd, s, nil, 0)
	}
}
