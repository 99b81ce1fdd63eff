package gitstate

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// rawCommit is a commit object.
type rawCommit struct {
	tree     objectID
	parents  []objectID
	author   string // name
	at       time.Time
	encoding string
	message  []byte
}

// maxCommit bounds a commit object that is read, in bytes.
const maxCommit = 4 << 20

func (o *objects) readCommit(id objectID) (rawCommit, error) {
	b, err := o.readAs(id, commitObject, maxCommit)
	if err != nil {
		return rawCommit{}, err
	}
	c, err := parseCommit(b)
	if err != nil {
		return c, fmt.Errorf("commit %s: %w", id, err)
	}
	return c, nil
}

// parseCommit reads a commit object: header lines, an empty line, the message.
func parseCommit(b []byte) (c rawCommit, err error) {
	head, message, _ := bytes.Cut(b, []byte("\n\n"))
	c.message = message
	for i, line := range strings.Split(string(head), "\n") {
		key, value, _ := strings.Cut(line, " ")
		ok := true
		switch {
		case i == 0:
			c.tree, ok = parseObjectID(value)
			ok = ok && key == "tree"
		case key == "parent":
			var id objectID
			id, ok = parseObjectID(value)
			c.parents = append(c.parents, id)
		case key == "author":
			c.author, c.at, ok = parsePerson(value)
		case key == "encoding":
			c.encoding = value
		}
		if !ok {
			return c, errBadObject
		}
	}
	return c, nil
}

// parsePerson reads "Name <address> seconds zone".
func parsePerson(s string) (name string, at time.Time, ok bool) {
	name, rest, ok := strings.Cut(s, " <")
	_, when, ok2 := strings.Cut(rest, "> ")
	seconds, _, _ := strings.Cut(when, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	return name, time.Unix(n, 0), ok && ok2 && err == nil
}

// known makes of a commit what git log would print of it; false: only git can say (another encoding, a trailer that we
// did not write like this).
func (c rawCommit) known(id objectID) (Commit, bool) {
	subject, rest, body := strings.Cut(string(c.message), "\n")
	plain := c.encoding == "" && utf8.Valid(c.message) && utf8.ValidString(c.author) && subject != "" && strings.TrimSpace(subject) == subject
	if !plain || body && rest != "" && rest[0] != '\n' { // a subject of several lines
		return Commit{}, false
	}
	out := Commit{ID: id.String(), Author: c.author, Time: c.at, Subject: subject, Body: bodyOf(rest)}
	for _, p := range c.parents {
		out.Parents = append(out.Parents, p.String())
	}
	if !strings.Contains(strings.ToLower(rest), strings.ToLower(SnapshotTrailer)) {
		return out, true
	}
	value, ok := strings.CutPrefix(rest, "\n"+SnapshotTrailer+": ")
	value, ok2 := strings.CutSuffix(value, "\n")
	out.Trailer = value
	return out, ok && ok2 && value != "" && strings.TrimSpace(value) == value && !strings.ContainsAny(value, "\n:")
}

// maxChain is how many commits are followed in process. Whoever is further away is asked of git.
const maxChain = 256

// chain follows single parents from one commit down to another, the newer ones included, the last not. false: they do
// not stand in one line, or not near to each other.
func (o *objects) chain(from, to objectID) (ids []objectID, commits []rawCommit, ok bool) {
	for at := from; at != to; {
		c, err := o.readCommit(at)
		if err != nil || len(ids) == maxChain {
			return nil, nil, false
		}
		ids, commits = append(ids, at), append(commits, c)
		if len(c.parents) != 1 {
			return nil, nil, false
		}
		at = c.parents[0]
	}
	return ids, commits, true
}

// history opens what can be said of commits in process. nil where only git can say it: where go-git could not open the
// repository, where objects are replaced, parents grafted, or the clone is shallow.
func (r *Repo) history() *objects {
	if r.inner == nil || exists(filepath.Join(r.CommonDir, "shallow")) || exists(filepath.Join(r.CommonDir, "info", "grafts")) {
		return nil
	}
	refs, err := r.refs()
	if err != nil || refs.replaced() {
		return nil
	}
	o, err := openObjects(r.CommonDir)
	if err != nil {
		return nil // git says the same, with its own words
	}
	return o
}

// relate is Relate where the two stand in one line.
func (o *objects) relate(saved, now string) (Relation, bool) {
	a, ok1 := parseObjectID(saved)
	b, ok2 := parseObjectID(now)
	if o == nil || !ok1 || !ok2 {
		return Relation{}, false
	}
	if ids, _, ok := o.chain(b, a); ok {
		if _, err := o.readCommit(a); err == nil {
			return Relation{Ahead: len(ids)}, true
		}
		return Relation{}, false
	}
	ids, _, ok := o.chain(a, b)
	return Relation{Behind: len(ids)}, ok
}

func (r *Repo) relateInProcess(saved, now string) (Relation, bool) {
	o := r.history()
	if o == nil {
		return Relation{}, false
	}
	defer o.Close()
	return o.relate(saved, now)
}

// logInProcess is Log for a range of two object ids, where the second stands in one line above the first.
func (r *Repo) logInProcess(revs string, n int) ([]Commit, bool) {
	from, to, ok := strings.Cut(revs, "..")
	old, ok1 := parseObjectID(from)
	top, ok2 := parseObjectID(to)
	if !ok || !ok1 || !ok2 {
		return nil, false
	}
	o := r.history()
	if o == nil {
		return nil, false
	}
	defer o.Close()
	if _, _, behind := o.chain(old, top); behind {
		return nil, true // it has nothing that the first lacks
	}
	ids, commits, ok := o.chain(top, old)
	if !ok {
		return nil, false
	}
	var all []Commit
	for i := range commits[:min(n, len(commits))] {
		c, ok := commits[i].known(ids[i])
		if !ok {
			return nil, false
		}
		all = append(all, c)
	}
	return all, true
}

// realInProcess is RealCommit where it stands in one line below HEAD, or is HEAD.
func (r *Repo) realInProcess(head string) (*Commit, bool) {
	at, ok := parseObjectID(head)
	o := r.history()
	if o == nil || !ok {
		return nil, false
	}
	defer o.Close()
	for range maxChain {
		raw, err := o.readCommit(at)
		if err != nil || raw.encoding != "" {
			return nil, false
		}
		if !raw.wip() {
			c, ok := raw.known(at)
			return &c, ok
		}
		if len(raw.parents) != 1 {
			return nil, false
		}
		at = raw.parents[0]
	}
	return nil, false
}

// wip reports whether a line of the message is our trailer, as git log --grep looks for it.
func (c rawCommit) wip() bool {
	for _, line := range strings.Split(string(c.message), "\n") {
		if id, ok := strings.CutPrefix(line, SnapshotTrailer+": "); ok && id != "" && (id[0] >= '0' && id[0] <= '9' || id[0] >= 'a' && id[0] <= 'z') {
			return true
		}
	}
	return false
}
