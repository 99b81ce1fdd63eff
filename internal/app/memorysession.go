package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"session/internal/memory"
	"session/internal/session"
	"session/internal/snapshot"
)

// notebook begins the path of a session that is no branch: a name under which somebody remembers something.
const notebook = "memory:"

// maxName bounds the name of a session, in bytes.
const maxName = 200

// memorySession is a session whose memory is meant: a line of snapshots.
type memorySession struct {
	path    snapshot.Path
	line    snapshot.ID
	head    snapshot.ID // "" where nothing was saved yet
	foreign bool        // imported: nothing of ours continues it
}

func (x memorySession) ref() memory.SessionRef { return memory.SessionRef(x.line) }

func sessionOf(p snapshot.PathInfo) memorySession {
	return memorySession{path: p.Path, line: p.Line, head: p.Head.ID, foreign: p.Foreign}
}

// called is what a person calls a session.
func (x memorySession) called() string {
	for _, prefix := range []string{notebook, "refs/heads/"} {
		if name, ok := strings.CutPrefix(string(x.path), prefix); ok {
			return session.PathText(name)
		}
	}
	return string(x.path)
}

// NoSessionError says that a session has no memory because there is none of that name.
type NoSessionError struct {
	Name  string
	Known []string
}

func (e *NoSessionError) Error() string { return fmt.Sprintf("there is no session %q", e.Name) }

// memorySession finds the session that a name means: "" is this work tree's; else a name given to session memory add, a
// branch, a path as session log shows it, or a snapshot of it. *NoSessionError: there is none.
func (c *lineage) memorySession(ctx context.Context, name string) (memorySession, error) {
	if name == "" {
		id, err := c.newestID(ctx)
		if err != nil {
			return memorySession{}, err
		}
		return c.sessionAt(ctx, id)
	}
	paths, err := namedPaths(name)
	if err != nil {
		return memorySession{}, err
	}
	for _, path := range paths {
		at, err := c.store.Head(ctx, path)
		if err != nil {
			return memorySession{}, err
		}
		if at.Head != nil {
			return memorySession{path: path, line: at.Line, head: at.Head.ID}, nil
		}
	}
	if x, ok, err := c.sessionByID(ctx, name); ok || err != nil {
		return x, err
	}
	return memorySession{}, c.noSession(ctx, name)
}

func namedPaths(name string) ([]snapshot.Path, error) {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	if len(name) > maxName || strings.ToValidUTF8(name, "") != name || strings.ContainsFunc(name, control) || strings.TrimSpace(name) == "" {
		return nil, &UsageError{fmt.Errorf("session %.40q: its name must be plain text of at most %d bytes", name, maxName)}
	}
	return []snapshot.Path{snapshot.Path(notebook + name), branchPath("refs/heads/" + name), snapshot.Path(name)}, nil
}

// minIDPrefix is how much of an id names a session: shorter ones look too much like names.
const minIDPrefix = 6

func (c *lineage) sessionByID(ctx context.Context, name string) (x memorySession, ok bool, err error) {
	if len(name) < minIDPrefix && !strings.HasPrefix(name, "HEAD") {
		return x, false, nil
	}
	id, err := c.resolve(ctx, name)
	if errors.Is(err, snapshot.ErrNotFound) || errors.Is(err, snapshot.ErrInvalid) {
		return x, false, nil
	}
	if err == nil {
		x, err = c.sessionAt(ctx, id)
	}
	return x, err == nil, err
}

// sessionAt is the session that a snapshot belongs to.
func (c *lineage) sessionAt(ctx context.Context, id snapshot.ID) (memorySession, error) {
	m, err := c.store.Manifest(ctx, id)
	if err != nil {
		return memorySession{}, err
	}
	at, err := c.store.Head(ctx, m.Path)
	if err != nil {
		return memorySession{}, err
	}
	if at.Head != nil && at.Line == m.Line {
		return memorySession{path: m.Path, line: m.Line, head: at.Head.ID}, nil
	}
	all, err := c.memorySessions(ctx)
	if err != nil {
		return memorySession{}, err
	}
	if i := slices.IndexFunc(all, func(x memorySession) bool { return x.line == m.Line }); i >= 0 {
		return all[i], nil
	}
	return memorySession{path: m.Path, line: m.Line, head: id, foreign: true}, nil
}

// memorySessions are all sessions of the store. A snapshot that cannot be read may be any of theirs: it is an error.
func (c *lineage) memorySessions(ctx context.Context) ([]memorySession, error) {
	g, err := c.store.Graph(ctx)
	if err != nil {
		return nil, err
	}
	if len(g.Damaged) > 0 {
		return nil, g.Damaged[0]
	}
	paths, err := c.store.Paths(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]memorySession, len(paths))
	for i, p := range paths {
		all[i] = sessionOf(p)
	}
	return all, nil
}

func (c *lineage) noSession(ctx context.Context, name string) error {
	all, err := c.memorySessions(ctx)
	if err != nil {
		return err
	}
	e := &NoSessionError{Name: name}
	for _, x := range all {
		e.Known = append(e.Known, x.called())
	}
	return e
}

// MemoryScope says whose memory: this work tree's session, a named one, or all of the store.
type MemoryScope struct {
	Session string
	All     bool
}

// sessions are the sessions in scope.
func (c *lineage) sessions(ctx context.Context, o MemoryScope) ([]memorySession, error) {
	switch {
	case o.All && o.Session != "":
		return nil, &UsageError{errors.New(c.Words.Say("usage.memory-scope"))}
	case o.All:
		return c.memorySessions(ctx)
	}
	x, err := c.memorySession(ctx, o.Session)
	return []memorySession{x}, err
}
