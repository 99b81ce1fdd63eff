package gitstate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrIndexMoved says that somebody else changed the index while a save was staging. Nothing was published.
var ErrIndexMoved = errors.New("the index was changed by another program meanwhile")

// LockedError says that git's own index.lock stands in the way. It is never removed by us.
type LockedError struct {
	File string
	Age  time.Duration // since it was made
	Dead bool          // no running process has it open: its owner was killed
}

func (e *LockedError) Error() string {
	if e.Dead {
		return fmt.Sprintf("%s was left behind %s ago by a program that no longer runs", e.File, e.Age.Round(time.Second))
	}
	return fmt.Sprintf("%s: another git program holds the index", e.File)
}

// RefMovedError says that the branch is not where it was, or that a hook refused to move it. The index stands as it was.
type RefMovedError struct {
	Ref   string
	Cause error
	Index error // why the index could not be put back; nil: it stands as it was
}

func (e *RefMovedError) Error() string {
	if e.Index != nil {
		return fmt.Sprintf("move %s: %v (and the index could not be put back: %v)", e.Ref, e.Cause, e.Index)
	}
	return fmt.Sprintf("move %s: %v", e.Ref, e.Cause)
}
func (e *RefMovedError) Unwrap() error { return e.Cause }

// Target is what a commit replaces.
type Target struct {
	Ref string // full name, refs/heads/…; "HEAD" when detached
	Old string // where it stands; "" before the first commit
	Log string // message of the reflog entry
}

// Publish makes the private index the real one and then moves the branch, in this order: the other way round a crash
// shows the saved work as staged reversals. If the branch cannot be moved, the index is put back.
func (s *Staging) Publish(ctx context.Context, t Target, commit string, now func() time.Time) error {
	back := s.file + ".before"
	if s.start != nil {
		if err := os.Link(s.repo.indexFile(), back); err != nil {
			if err := copyFile(s.repo.indexFile(), back); err != nil {
				return fmt.Errorf("publish the index: %w", err)
			}
		}
		defer os.Remove(back)
	}
	if err := s.swap(ctx, s.file, s.start, now); err != nil {
		return fmt.Errorf("publish the index: %w", err)
	}
	if s.hand != nil && s.hand.moveRef(t, commit) {
		s.Drop()
		return nil
	}
	if err := s.repo.moveRef(ctx, t, commit); err != nil {
		return &RefMovedError{Ref: t.Ref, Cause: err, Index: s.restore(ctx, back, now)}
	}
	s.Drop()
	return nil
}

// PublishIndex makes the private index the real one without a commit: all that was staged is in HEAD already.
func (s *Staging) PublishIndex(ctx context.Context, now func() time.Time) error {
	if err := s.swap(ctx, s.file, s.start, now); err != nil {
		return fmt.Errorf("publish the index: %w", err)
	}
	s.Drop()
	return nil
}

// swap takes git's own lock by linking from to index.lock, checks that the index is still the file want, and renames.
func (s *Staging) swap(ctx context.Context, from string, want os.FileInfo, now func() time.Time) error {
	index := s.repo.indexFile()
	lock := index + ".lock"
	if err := s.take(ctx, from, lock, now); err != nil {
		return err
	}
	info, err := os.Stat(index)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = nil, nil
	}
	if err == nil && !unmoved(info, want) {
		err = ErrIndexMoved
	}
	if err != nil || sameFile(lock, index) { // nothing to replace: renaming a file to its own other name does nothing
		return errors.Join(err, os.Remove(lock))
	}
	return os.Rename(lock, index)
}

// unmoved compares what git would: another file, or the same one rewritten.
func unmoved(is, was os.FileInfo) bool {
	if is == nil || was == nil {
		return is == nil && was == nil
	}
	return os.SameFile(is, was) && is.ModTime().Equal(was.ModTime()) && is.Size() == was.Size()
}

// lockWait is how long a living git may hold the index before we give up.
const lockWait = 2 * time.Second

func (s *Staging) take(ctx context.Context, from, lock string, now func() time.Time) error {
	until := now().Add(lockWait)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := os.Link(from, lock)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = linkless(from, lock)
		}
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return err
		}
		held := s.repo.lockState(lock, now())
		if held.Dead || !now().Before(until) {
			return held
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// linkless takes the lock on file systems that cannot link.
func linkless(from, lock string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = os.Remove(lock)
	}
	return err
}

// restore puts the index back that stood before Publish, unless somebody has replaced it already.
func (s *Staging) restore(ctx context.Context, back string, now func() time.Time) error {
	if s.start == nil {
		return os.Remove(s.repo.indexFile())
	}
	published, err := os.Stat(s.repo.indexFile())
	if err != nil {
		return err
	}
	return s.swap(context.WithoutCancel(ctx), back, published, now)
}

func (r *Repo) moveRef(ctx context.Context, t Target, commit string) error {
	old := t.Old
	if old == "" {
		old = strings.Repeat("0", len(commit))
	}
	args := []string{"update-ref", "-m", t.Log}
	if commit == "" {
		_, err := r.git.run(ctx, nil, append(args, "-d", t.Ref, old)...)
		return err
	}
	if t.Ref == "HEAD" {
		args = append(args, "--no-deref")
	}
	_, err := r.git.run(ctx, nil, append(args, t.Ref, commit, old)...)
	if err != nil && r.arrived(ctx, t.Ref, commit) {
		return nil
	}
	return err
}

// arrived looks again after git was killed or cancelled on the way: the ref may have moved all the same, and then the
// index must not be put back. An empty HEAD.lock is what git had still to remove: it moved the ref with that in hand.
func (r *Repo) arrived(ctx context.Context, ref, commit string) bool {
	tip, err := r.RefTip(context.WithoutCancel(ctx), ref)
	if err != nil || tip != commit {
		return false
	}
	lock := filepath.Join(r.GitDir, "HEAD.lock")
	if info, err := os.Lstat(lock); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		_ = os.Remove(lock) // what cannot be removed is named by the next command that needs it
	}
	return true
}

// IndexLock reports git's own index.lock if there is one, for doctors and for messages.
func (r *Repo) IndexLock(now time.Time) *LockedError {
	lock := r.indexFile() + ".lock"
	if !exists(lock) {
		return nil
	}
	return r.lockState(lock, now)
}

// young locks may belong to a process that has not opened them yet, or has just closed them to rename.
const young = 2 * time.Second

func (r *Repo) lockState(lock string, now time.Time) *LockedError {
	e := &LockedError{File: lock}
	if info, err := os.Lstat(lock); err == nil {
		e.Age = now.Sub(info.ModTime())
	}
	if e.Age > young {
		open, known := openedBySomeone(lock)
		e.Dead = known && !open
	}
	return e
}

// private lists the private index files of killed runs.
func (r *Repo) private() []string {
	found, _ := filepath.Glob(filepath.Join(escapeGlob(r.runtimeDir()), "index.*"))
	return found
}

func escapeGlob(p string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(p)
}
