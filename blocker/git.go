package blocker

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"session/internal/lazy"
)

// GitState is what git says about an operation that is not finished.
type GitState struct {
	Operation string   // merge, rebase, cherry-pick, revert, am, or empty
	Unmerged  []string // paths with index entries of stage 1 to 3, relative to the root
}

// FromGit makes blockers of unmerged paths and of an operation in progress. Unmerged paths are critical: nothing can be
// committed. An operation whose conflicts are all settled only wants to be finished, so it is low.
func FromGit(g GitState, now time.Time) []Blocker {
	op := or(g.Operation, "merge")
	b := Blocker{Type: MergeConflict, Source: "git", Rule: "git-state", AutoDetected: true, DetectedAt: now}
	switch {
	case len(g.Unmerged) > 0:
		b.File = g.Unmerged[0]
		b.Message = fmt.Sprintf("%s in progress, %d unmerged paths: %s", op, len(g.Unmerged), strings.Join(g.Unmerged[:min(3, len(g.Unmerged))], ", "))
		b.ErrorPattern = op + ": unmerged paths"
		b.Resolution = fmt.Sprintf("Settle the conflicts, `git add` the files, then `git %s --continue` (or --abort)", op)
		for _, p := range g.Unmerged[:min(len(g.Unmerged), MaxEvidence)] {
			b.Evidence = append(b.Evidence, cut(p, maxLine))
		}
	case g.Operation != "":
		b.Severity, b.ErrorPattern = Low, op+": in progress"
		b.Message = "a " + op + " is in progress and has no conflicts left"
		b.Resolution = fmt.Sprintf("Finish it with `git %s --continue`, or take it back with --abort", op)
	default:
		return nil
	}
	b.Description = describe(&b, b.Message)
	return []Blocker{New(b)}
}

// Marker is a conflict left in a file: the lines of its three marks, 1-based.
type Marker struct{ Begin, Middle, End int }

// maxMarked bounds how much of a file is searched for marks.
const maxMarked = 64 << 20

// Markers finds conflict marks as git writes them: <<<<<<<, =======, >>>>>>> of seven characters each, at the start of a
// line, in this order (with ||||||| between, when diff3 is set). A heading underlined with ======= is none. Only the
// first conflict of a file is returned.
func Markers(r io.Reader) (Marker, bool, error) {
	buf := bufio.NewReaderSize(io.LimitReader(r, maxMarked), lineCap)
	var m Marker
	for no := 1; ; no++ {
		line, err := buf.ReadSlice('\n')
		if m.mark(line, no) {
			return m, true, nil
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = buf.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			return Marker{}, false, nil
		}
		if err != nil {
			return Marker{}, false, err
		}
	}
}

// mark takes in one line; it reports whether the conflict is complete.
func (m *Marker) mark(line []byte, no int) bool {
	switch {
	case isMark(line, '<', true):
		*m = Marker{Begin: no}
	case m.Begin > 0 && m.Middle == 0 && isMark(line, '=', false):
		m.Middle = no
	case m.Middle > 0 && isMark(line, '>', true):
		m.End = no
		return true
	}
	return false
}

// isMark: seven times c, then a blank and a label, or (where git may write none) the end of the line.
func isMark(line []byte, c byte, label bool) bool {
	line = bytes.TrimRight(line, "\r\n")
	rest := bytes.TrimLeft(line, string(c))
	if len(line)-len(rest) != 7 {
		return false
	}
	return len(rest) == 0 || label && rest[0] == ' '
}

// documents are files in which marks stand as examples or underlines.
var documents = map[string]bool{".rst": true, ".adoc": true, ".asciidoc": true}

// examples are folders of test data.
var examples = lazy.Regexp(`(?:^|/)(?:testdata|fixtures|__snapshots__)/`)

// MarkersBelong tells whether marks in a file are probably meant: documents that underline with =, and test data about
// merging. Callers pass over such files unless git says that they are unmerged.
func MarkersBelong(name string) bool {
	name = slashes(name)
	return documents[strings.ToLower(path.Ext(name))] || examples().MatchString(name)
}

// FromMarkers makes the blocker of a file in which a conflict was left.
func FromMarkers(name string, m Marker, now time.Time) Blocker {
	b := Blocker{Type: MergeConflict, Source: "git", Rule: "conflict-markers", AutoDetected: true, DetectedAt: now, File: name,
		Line: m.Begin, LogLine: m.Begin, Message: fmt.Sprintf("conflict markers at lines %d, %d and %d of %s", m.Begin, m.Middle, m.End, name),
		ErrorPattern: "conflict markers in " + name, Resolution: "Settle the conflict in " + name + " and take the markers out"}
	b.Description = describe(&b, b.Message)
	return New(b)
}
