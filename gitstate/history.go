package gitstate

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit is one commit as people know it.
type Commit struct {
	ID      string
	Parents []string
	Author  string
	Time    time.Time // author date
	Subject string
	Body    string // what the message says below its subject, at most 8 KiB of it
	Trailer string // value of the trailer Session-Snapshot, "" when it is none of ours
}

// SnapshotTrailer is the trailer of a WIP commit: the snapshot that records it.
const SnapshotTrailer = "Session-Snapshot"

const logFormat = "--format=%H%x00%P%x00%an%x00%at%x00%s%x00%(trailers:key=" + SnapshotTrailer + ",valueonly,separator=%x2C)%x00%b%x00"

// maxBody is how much of a message's body is read, in bytes.
const maxBody = 8 << 10

func bodyOf(message string) string {
	message = strings.TrimSpace(message)
	return strings.ToValidUTF8(message[:min(len(message), maxBody)], "")
}

// Log lists at most n commits of a range ("A..B", or one name), newest first.
func (r *Repo) Log(ctx context.Context, revs string, n int) ([]Commit, error) {
	if all, ok := r.logInProcess(revs, n); ok {
		return all, nil
	}
	return r.log(ctx, revs, n)
}

func (r *Repo) log(ctx context.Context, revs string, n int, filter ...string) ([]Commit, error) {
	args := []string{"-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.showSignature=false", "log", "--no-color", "--no-decorate",
		"--max-count=" + strconv.Itoa(n), logFormat}
	out, err := r.git.run(ctx, nil, append(append(args, filter...), "--end-of-options", revs, "--")...)
	if err != nil {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	f := strings.Split(string(out), "\x00")
	var all []Commit
	for i := 0; i+7 <= len(f); i += 7 {
		at, err := strconv.ParseInt(f[i+3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("list commits: date %q", f[i+3])
		}
		all = append(all, Commit{ID: strings.TrimSpace(f[i]), Parents: strings.Fields(f[i+1]), Author: f[i+2],
			Time: time.Unix(at, 0), Subject: f[i+4], Trailer: strings.TrimSpace(f[i+5]), Body: bodyOf(f[i+6])})
	}
	return all, nil
}

// RealCommit is the newest commit that is no WIP commit of ours; nil when there is none.
func (r *Repo) RealCommit(ctx context.Context) (*Commit, error) {
	h, err := r.Head(ctx)
	if err != nil || h.Commit == "" {
		return nil, err
	}
	if c, ok := r.realInProcess(h.Commit); ok {
		return c, nil
	}
	all, err := r.log(ctx, h.Commit, 1, "--invert-grep", "--grep=^"+SnapshotTrailer+": [0-9a-z]")
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// Relation is how a saved commit stands to HEAD.
type Relation struct {
	Missing bool // the commit is not in the object store: lost with the power, or never fetched
	Ahead   int  // commits that HEAD has and the saved commit lacks
	Behind  int  // commits that the saved commit has and HEAD lacks
}

// Relate compares a saved commit with another one.
func (r *Repo) Relate(ctx context.Context, saved, now string) (Relation, error) {
	if saved == now {
		return Relation{}, nil
	}
	if rel, ok := r.relateInProcess(saved, now); ok {
		return rel, nil
	}
	if _, err := r.git.run(ctx, nil, "cat-file", "-e", saved+"^{commit}"); err != nil {
		if ctx.Err() != nil {
			return Relation{}, err
		}
		return Relation{Missing: true}, nil
	}
	if now == "" {
		return Relation{Behind: 1}, nil
	}
	out, err := r.git.run(ctx, nil, "rev-list", "--left-right", "--count", saved+"..."+now, "--")
	if err != nil {
		return Relation{}, fmt.Errorf("compare %.12s with HEAD: %w", saved, err)
	}
	f := strings.Fields(string(out))
	if len(f) != 2 {
		return Relation{}, fmt.Errorf("compare %.12s with HEAD: %q", saved, out)
	}
	behind, err1 := strconv.Atoi(f[0])
	ahead, err2 := strconv.Atoi(f[1])
	if err1 != nil || err2 != nil {
		return Relation{}, fmt.Errorf("compare %.12s with HEAD: %q", saved, out)
	}
	return Relation{Ahead: ahead, Behind: behind}, nil
}

// RefTip is the commit that a ref points at, "" when there is no such ref.
func (r *Repo) RefTip(ctx context.Context, ref string) (string, error) {
	out, err := r.git.run(ctx, nil, "rev-parse", "-q", "--verify", "--end-of-options", ref+"^{commit}")
	if err != nil && exitCode(err) == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", ref, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Show returns the content of a file in a commit; ok is false when the commit does not hold it.
func (r *Repo) Show(ctx context.Context, commit, path string) (content []byte, ok bool, err error) {
	out, err := r.git.run(ctx, nil, "cat-file", "blob", commit+":"+path)
	if err != nil && exitCode(err) == 128 {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read %s at %.12s: %w", path, commit, err)
	}
	return out, true, nil
}

// LastTouching is the newest commit reachable from HEAD that changed a file, "" when none did.
func (r *Repo) LastTouching(ctx context.Context, path string) (string, error) {
	out, err := r.git.run(ctx, nil, "log", "-1", "--format=%H", "HEAD", "--", ":(top,literal)"+path)
	if err != nil {
		return "", fmt.Errorf("find the commit that changed %s: %w", path, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// TouchedAt is the time of the newest commit reachable from HEAD that changed a file or folder; ok is false when none
// did, or when there is no commit yet.
func (r *Repo) TouchedAt(ctx context.Context, path string) (at time.Time, ok bool, err error) {
	if h, err := r.Head(ctx); err != nil || h.Commit == "" {
		return time.Time{}, false, err
	}
	out, err := r.git.run(ctx, nil, "log", "-1", "--format=%ct", "HEAD", "--", ":(top,literal)"+path)
	s := strings.TrimSpace(string(out))
	if err != nil || s == "" {
		return time.Time{}, false, err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("date of the commit that changed %s: %q", path, s)
	}
	return time.Unix(n, 0), true, nil
}
