package gitstate

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// moveRef moves a branch in process, exactly as git update-ref would: under git's own locks, from the value that it is
// expected to have, with a line in the reflogs of the branch and of HEAD. ok is false, and nothing has changed, where git
// has to do it: a hook wants to hear of it, the ref is packed, somebody holds a lock, or anything else is not plain.
func (h *byHand) moveRef(t Target, commit string) (ok bool) {
	who, known := h.repo.person("committer", h.config)
	if !known || !strings.HasPrefix(t.Ref, "refs/heads/") || len(t.Old) != 40 || len(commit) != 40 || !h.repo.movesPlainly(h.config) {
		return false
	}
	at := h.now()
	m := refMove{repo: h.repo, Target: t, to: commit,
		line: t.Old + " " + commit + " " + who + " " + strconv.FormatInt(at.Unix(), 10) + " " + at.Format("-0700") + "\t" + reflogMessage(t.Log) + "\n"}
	return m.do() == nil
}

// movesPlainly reports whether a ref is moved by nothing but a file and two lines of log (githooks, reference-transaction;
// git-config, core.logAllRefUpdates and hook.*).
func (r *Repo) movesPlainly(c Config) bool {
	if !c.Bool("core.logallrefupdates", true) || c["core.hookspath"] != "" || r.inner == nil {
		return false
	}
	for key := range c {
		if strings.HasPrefix(key, "hook.") {
			return false
		}
	}
	return !exists(filepath.Join(r.CommonDir, "hooks", "reference-transaction"))
}

// reflogMessage is a message as git writes it: one line, without runs of white space (refs.c).
func reflogMessage(m string) string {
	return strings.Join(strings.FieldsFunc(m, func(c rune) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }), " ")
}

type refMove struct {
	Target
	repo *Repo
	to   string
	line string // of the reflogs
}

var errNotPlain = errors.New("git has to move this ref")

// do locks, looks, writes the logs, and renames, in git's order: who is killed on the way leaves what a killed git leaves.
func (m refMove) do() (err error) {
	ref := filepath.Join(m.repo.CommonDir, filepath.FromSlash(m.Ref))
	head := filepath.Join(m.repo.GitDir, "HEAD")
	if err := lock(head+".lock", ""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(head+".lock")) }()
	if err := lock(ref+".lock", m.to+"\n"); err != nil {
		return err
	}
	renamed := false
	defer func() {
		if !renamed {
			err = errors.Join(err, os.Remove(ref+".lock"))
		}
	}()
	logs := []string{filepath.Join(m.repo.CommonDir, "logs", filepath.FromSlash(m.Ref)), filepath.Join(m.repo.GitDir, "logs", "HEAD")}
	if !holds(head, "ref: "+m.Ref+"\n") || !holds(ref, m.Old+"\n") || !regular(logs[0]) || !regular(logs[1]) { // a log that is missing is git's to make
		return errNotPlain
	}
	for _, log := range logs {
		if err := appendLine(log, m.line); err != nil {
			return err
		}
	}
	if err := os.Rename(ref+".lock", ref); err != nil {
		return err
	}
	renamed = true
	return nil
}

// lock makes a lock file, unless somebody has it.
func lock(name, content string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// holds reports whether a regular file says just this.
func holds(name, content string) bool {
	if !regular(name) {
		return false
	}
	b, err := os.ReadFile(name)
	return err == nil && string(b) == content
}

func regular(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

func appendLine(name, line string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}
