package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// stuck is a project that is blocked, and an agent program (it is found under the name of an assistant) that says on one
// pipe that it runs, and waits on another one.
type stuck struct {
	dir, up, on string
	sent        string // a pipe on which one that the agent sent away (AWAY=1) says that it runs
	env         []string
}

func newStuck(t *testing.T) stuck {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("named pipes are made with mkfifo")
	}
	top := t.TempDir()
	s := stuck{dir: filepath.Join(top, "w"), up: filepath.Join(top, "up"), on: filepath.Join(top, "on"), sent: filepath.Join(top, "sent")}
	s.env = environ(t, "TOP="+top)
	s.env = append(s.env, "PATH="+filepath.Join(top, "bin")+":"+os.Getenv("PATH"))
	sh(t, top, s.env, `mkdir bin; mkfifo up on sent away; cat >bin/claude <<'EOF'
#!/bin/sh
echo call >>"$TOP/calls"
cat >/dev/null
[ -z "$STUBBORN" ] || trap '' TERM
for p in $(cat "$TOP/pids"); do
	grep -q '^State:.[^ZX]' /proc/$p/status && echo $p >>"$TOP/beside"
done 2>/dev/null
echo $$ >>"$TOP/pids"
[ -z "$AWAY" ] || setsid sh -c 'echo $$ >>"$TOP/pids"; echo up >"$TOP/sent"; read x <"$TOP/away"' &
echo up >"$TOP/up"
read x <"$TOP/on"
[ "$x" = mend ] && touch mended
printf '{"type":"result","subtype":"success","is_error":false,"result":"Status: FIXED","total_cost_usd":0.25,"usage":{"input_tokens":100,"output_tokens":20}}'
EOF
chmod 755 bin/claude; git init -q -b main w; cd w; printf 'mended\n' >.gitignore
printf 'all:\n\t@test -e mended || { echo "clock.cpp:7:3: error: Tick was not declared in this scope"; exit 1; }\n' >Makefile; git add -A; git commit -qm base`)
	if _, _, code := session(t, s.dir, s.env, "save", "--full"); code != 3 {
		t.Fatal("nothing stops the work", code)
	}
	return s
}

// resume starts session load --resume and waits until its agent runs.
func (s stuck) resume(t *testing.T) *exec.Cmd { t.Helper(); return s.begin(t, "load", "--resume") }

// begin starts a command that starts the agent, and waits until it runs. What it says is in its Stderr.
func (s stuck) begin(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("session", args...)
	cmd.Dir, cmd.Env, cmd.Stderr = s.dir, s.env, new(bytes.Buffer)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(s.up); err != nil || string(b) != "up\n" {
		t.Fatal(string(b), err)
	}
	return cmd
}

// goOn lets the agent go on.
func (s stuck) goOn(t *testing.T, how string) {
	t.Helper()
	if err := os.WriteFile(s.on, []byte(how+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s stuck) calls(t *testing.T) string {
	t.Helper()
	return sh(t, s.dir, s.env, `wc -l <"$TOP/calls"`)
}

// TestRecoveryAtOnce: a resume beside another one is refused; a save beside it records what it sees.
func TestRecoveryAtOnce(t *testing.T) {
	t.Parallel()
	s := newStuck(t)
	cmd := s.resume(t)
	if out, errs, code := session(t, s.dir, s.env, "load", "--resume"); code != 13 {
		t.Errorf("a second resume: %d %s%s", code, out, errs)
	}
	if out, errs, code := session(t, s.dir, s.env, "save", "-m", "meanwhile"); code != 0 {
		t.Errorf("a save beside it: %d %s%s", code, out, errs)
	}
	s.goOn(t, "mend")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	r := runJSON(t, s.dir, s.env, 0, "show", "--json")
	if a := r.Get("context_state.attempts.0"); a.Get("result").String() != "fixed" || a.Get("tokens").Int() != 120 || a.Get("cost_micro_usd").Int() != 250000 {
		t.Errorf("the attempt on record: %s", r)
	}
}

// TestRecoveryInterrupted: an attempt that was cut short stands as started; the next resume proves it first, and starts
// nobody again if it was mended.
func TestRecoveryInterrupted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signal syscall.Signal
		how    string // what the agent does after its starter is gone
		calls  string
	}{
		"killed, and mended":     {syscall.SIGKILL, "mend", "1"},
		"killed, and not mended": {syscall.SIGKILL, "leave", "2"},
		"interrupted":            {syscall.SIGINT, "", "2"},
		"hung up":                {syscall.SIGHUP, "", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(c.signal) {
				t.Skip("these tests run under nohup, and so does what they start")
			}
			s := newStuck(t)
			if c.signal == syscall.SIGKILL {
				s.env = append(s.env, "STUBBORN=1") // or the agent ends with its starter, on Linux
			}
			cmd := s.resume(t)
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil || c.signal != syscall.SIGKILL && cmd.ProcessState.ExitCode() != 130 {
				t.Errorf("ended with %v", err)
			}
			if said := fmt.Sprint(cmd.Stderr); c.signal != syscall.SIGKILL && (strings.Contains(said, "nothing was recorded") || !strings.Contains(said, "attempt 1 of cpp-builder is on record")) {
				t.Errorf("it says %q", said)
			}
			if c.how != "" {
				s.goOn(t, c.how)
			}
			if got := runJSON(t, s.dir, s.env, 0, "blocker", "list", "--json").Get("blocker.recovery_attempted").Int(); got != 1 {
				t.Errorf("%d attempts counted", got)
			}
			if c.how == "mend" {
				sh(t, s.dir, s.env, `until test -e mended; do :; done`) // the agent outlived its starter
				r := runJSON(t, s.dir, s.env, 0, "load", "--resume", "--json")
				if r.Get("recovery.attempts.0.result").String() != "fixed" {
					t.Errorf("%s", r.Get("recovery"))
				}
			} else {
				again := s.resume(t)
				s.goOn(t, "mend")
				if err := again.Wait(); err != nil {
					t.Error(err)
				}
			}
			if got := s.calls(t); got != c.calls {
				t.Errorf("the agent was started %s times, want %s", got, c.calls)
			}
			if _, errs, code := session(t, s.dir, s.env, "check"); code != 0 {
				t.Error(errs)
			}
		})
	}
}

// TestInterruptedSaysWhatIsOnRecord: what an interrupted command says of its record is what stands there.
func TestInterruptedSaysWhatIsOnRecord(t *testing.T) {
	t.Parallel()
	s := newStuck(t)
	interrupt := func(args ...string) string {
		t.Helper()
		cmd := s.begin(t, args...)
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
			t.Errorf("%v: exit %d", args, cmd.ProcessState.ExitCode())
		}
		return fmt.Sprint(cmd.Stderr)
	}
	if said := interrupt("run", "do it"); !strings.Contains(said, "the run ended without a snapshot; session ") || !strings.Contains(said, " is paused") {
		t.Errorf("of a run: %q", said)
	}
	if got := runJSON(t, s.dir, s.env, 0, "list", "--json").Get("sessions.0.status").String(); got != "paused" {
		t.Errorf("its session is %s", got)
	}
	// the first attempt is proved before the second one begins, which is interrupted as well
	interrupt("load", "--resume")
	if said := interrupt("load", "--resume", "--lang", "ko"); !strings.Contains(said, "cpp-builder의 시도 2") {
		t.Errorf("of a second attempt: %q", said)
	}
	if got := runJSON(t, s.dir, s.env, 0, "show", "--json").Get("context_state.attempts.#.result").Raw; got != `["failed","started"]` {
		t.Errorf("the ledger: %s", got)
	}
	sh(t, s.dir, s.env, "touch mended")
	if got := runJSON(t, s.dir, s.env, 0, "load", "--resume", "--json").Get("recovery.attempts.#.result").Raw; got != `["fixed"]` {
		t.Errorf("the ledger in the end: %s", got)
	}
}

// TestRecoveryKilled: where session is killed while an agent runs, the agent ends, too; one that does not, and one that it
// sent away, are ended before the next agent begins. There are never two in one work tree.
func TestRecoveryKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a process of its parent's end, and shows who belongs to whom")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		env         string
		first, next []string
		left        bool // somebody is, until the next one begins
	}{
		"an agent":                        {"", []string{"load", "--resume"}, []string{"load", "--resume"}, false},
		"a stubborn one":                  {"STUBBORN=1", []string{"load", "--resume"}, []string{"load", "--resume"}, true},
		"one that sent another one away":  {"AWAY=1", []string{"load", "--resume"}, []string{"load", "--resume"}, true},
		"a run":                           {"", []string{"run", "do it"}, []string{"run", "do it"}, false},
		"a stubborn run, then a recovery": {"STUBBORN=1", []string{"run", "do it"}, []string{"load", "--resume"}, true},
		"a recovery, then a run":          {"STUBBORN=1", []string{"load", "--resume"}, []string{"run", "do it"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStuck(t)
			s.env = append(s.env, c.env)
			cmd := s.begin(t, c.first...)
			if c.env == "AWAY=1" {
				if _, err := os.ReadFile(s.sent); err != nil { // the other one runs, too
					t.Fatal(err)
				}
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if !c.left {
				sh(t, s.dir, s.env, `until grep -qs '^State:.[ZX]' /proc/$(cat "$TOP/pids")/status || ! test -e /proc/$(cat "$TOP/pids"); do :; done`)
			}
			s.env = append(s.env, "AWAY=")
			again := s.begin(t, c.next...)
			s.goOn(t, "mend")
			if err := again.Wait(); err != nil {
				t.Error(err, again.Stderr)
			}
			if said := fmt.Sprint(again.Stderr); strings.Contains(said, "processes of an earlier run") != c.left {
				t.Errorf("it says %q", said)
			}
			if beside, err := os.ReadFile(filepath.Join(s.dir, "..", "beside")); err == nil {
				t.Errorf("still there when the next one began: %s", beside)
			}
		})
	}
}

// TestInterruptedLeavesNobody: of an agent that is interrupted nobody is left, wherever it sent them.
func TestInterruptedLeavesNobody(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("asks /proc who is left")
	}
	t.Parallel()
	s := newStuck(t)
	s.env = append(s.env, "AWAY=1")
	for _, args := range [][]string{{"load", "--resume"}, {"run", "do it"}} {
		cmd := s.begin(t, args...)
		if _, err := os.ReadFile(s.sent); err != nil { // the one that was sent away runs, too
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		pids := sh(t, s.dir, s.env, `cat "$TOP/pids"`)
		if got := sh(t, s.dir, s.env, `for p in $(cat "$TOP/pids"); do grep -qs '^State:.[^ZX]' /proc/$p/status && echo $p; done; rm "$TOP/pids"`); got != "" || len(strings.Fields(pids)) != 2 {
			t.Errorf("%v: of %q these are left: %q", args, pids, got)
		}
	}
}
