package gitstate

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Status is one answer of git status --porcelain=v2 --branch: the whole look at a work tree.
type Status struct {
	Head        Head
	Upstream    string // short name of the upstream branch, "" when there is none
	HasUpstream bool   // the upstream branch exists here: Ahead and Behind are known
	Ahead       int    // commits that the upstream lacks
	Behind      int    // commits that the upstream has and HEAD lacks
	Entries     []Entry
}

// Kind tells the record types of porcelain v2 apart.
type Kind byte

// The kinds of entries. (A rename is asked for as an addition and a deletion.)
const (
	Tracked   Kind = '1'
	Unmerged  Kind = 'u'
	Untracked Kind = '?'
)

// Entry is one path that differs between HEAD, index and work tree.
type Entry struct {
	Path  string // raw bytes as git keeps them, slash-separated; a trailing slash marks an untracked folder
	Kind  Kind
	X, Y  byte   // change in the index against HEAD; change in the work tree against the index; '.' is none
	Sub   string // "N..." or the submodule state "S<c><m><u>"
	Mode  uint32 // mode in the index (tracked only)
	Index string // object id in the index (tracked only)
}

// Submodule reports whether the entry is a submodule.
func (e Entry) Submodule() bool { return strings.HasPrefix(e.Sub, "S") }

// Stageable reports whether the work tree holds something for this path that git add would take. A submodule whose
// own files changed but whose commit did not has nothing to stage.
func (e Entry) Stageable() bool {
	if e.Kind == Untracked {
		return true
	}
	if e.Kind != Tracked || e.Y == '.' {
		return false
	}
	return !e.Submodule() || e.Y == 'D' || e.Sub[1] == 'C'
}

// Staged reports whether the index differs from HEAD for this path.
func (e Entry) Staged() bool { return e.Kind == Tracked && e.X != '.' }

// UntrackedMode says how files that git does not track are listed.
type UntrackedMode string

// The ways: not at all, folders collapsed (cheap with git's untracked cache), or every file.
const (
	NoFiles UntrackedMode = "no"
	Folders UntrackedMode = "normal"
	Files   UntrackedMode = "all"
)

func (r *Repo) askStatus(ctx context.Context, untracked UntrackedMode) (Status, error) {
	out, err := r.git.read(ctx, nil, "--no-optional-locks", "status", "--porcelain=v2", "--branch", "-z",
		"--no-renames", "--ignore-submodules=none", "--untracked-files="+string(untracked))
	if err != nil {
		return Status{}, fmt.Errorf("look at the work tree: %w", err)
	}
	return parseStatus(out)
}

// Unmerged lists the paths that a merge left in conflict.
func (s Status) Unmerged() []string {
	var paths []string
	for _, e := range s.Entries {
		if e.Kind == Unmerged {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// Staged reports whether the index differs from HEAD anywhere.
func (s Status) Staged() bool {
	for _, e := range s.Entries {
		if e.Staged() {
			return true
		}
	}
	return false
}

// parseStatus reads porcelain v2 with -z (git-status(1), "Porcelain Format Version 2"). Unknown header lines are passed
// over, as git asks of its readers; unknown record types are an error.
func parseStatus(b []byte) (Status, error) {
	var s Status
	for len(b) > 0 {
		line, rest, ok := bytes.Cut(b, []byte{0})
		if !ok {
			return Status{}, fmt.Errorf("git status: record without an end: %q", clip(b))
		}
		b = rest
		if len(line) < 2 {
			return Status{}, fmt.Errorf("git status: record %q", clip(line))
		}
		if line[0] == '#' {
			s.header(string(line))
			continue
		}
		e, err := parseEntry(string(line))
		if err != nil {
			return Status{}, err
		}
		if e.Kind != 0 {
			s.Entries = append(s.Entries, e)
		}
	}
	return s, nil
}

func (s *Status) header(line string) {
	key, value, _ := strings.Cut(strings.TrimPrefix(line, "# "), " ")
	switch key {
	case "branch.oid":
		if value != "(initial)" {
			s.Head.Commit = value
		}
	case "branch.head":
		if value != "(detached)" {
			s.Head.Ref = "refs/heads/" + value
		}
	case "branch.upstream":
		s.Upstream = value
	case "branch.ab":
		a, b, _ := strings.Cut(value, " ")
		var err1, err2 error
		s.Ahead, err1 = strconv.Atoi(strings.TrimPrefix(a, "+"))
		s.Behind, err2 = strconv.Atoi(strings.TrimPrefix(b, "-"))
		s.HasUpstream = err1 == nil && err2 == nil
	}
}

func parseEntry(line string) (Entry, error) {
	bad := func() (Entry, error) { return Entry{}, fmt.Errorf("git status: record %q", clip([]byte(line))) }
	switch Kind(line[0]) {
	case Untracked: // ? path
		if len(line) < 3 || line[1] != ' ' {
			return bad()
		}
		return Entry{Path: line[2:], Kind: Untracked, X: '?', Y: '?'}, nil
	case '!':
		return Entry{}, nil
	case Tracked: // 1 XY sub mH mI mW hH hI path
		f := strings.SplitN(line, " ", 9)
		if len(f) != 9 || len(f[1]) != 2 || len(f[2]) != 4 || f[8] == "" {
			return bad()
		}
		mode, err := strconv.ParseUint(f[4], 8, 32)
		if err != nil {
			return bad()
		}
		return Entry{Path: f[8], Kind: Tracked, X: f[1][0], Y: f[1][1], Sub: f[2], Mode: uint32(mode), Index: f[7]}, nil
	case Unmerged: // u XY sub m1 m2 m3 mW h1 h2 h3 path
		f := strings.SplitN(line, " ", 11)
		if len(f) != 11 || len(f[1]) != 2 || len(f[2]) != 4 || f[10] == "" {
			return bad()
		}
		return Entry{Path: f[10], Kind: Unmerged, X: f[1][0], Y: f[1][1], Sub: f[2]}, nil
	}
	return bad()
}

func clip(b []byte) []byte { return b[:min(len(b), 200)] }
