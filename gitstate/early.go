package gitstate

import (
	"context"
	"sync"
)

// early holds answers that git was asked for before they were needed, so that it works while the caller still prepares.
// Each answer is given out once: who asks again wants to know what is so then.
type early struct {
	mu        sync.Mutex
	config    func() (Config, error)
	untracked func() ([]string, error)
	status    func() (Status, error)
	index     func() (*index, error)
	mode      UntrackedMode
}

// Begin starts what the next Scan, or the next Status in its place, and the next Config will ask git. The work tree is
// taken to be as it was at this moment, or later. stop ends what nobody came for.
func (r *Repo) Begin(ctx context.Context, choice PathChoice, untracked UntrackedMode) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	e := &early{mode: untracked}
	e.config = ahead(&running, func() (Config, error) { return r.askConfig(ctx) })
	f := facts{choice: choice, scannable: scannable, inProcess: r.inner != nil, ownIndex: r.IndexFile != ""}
	switch u := f.gate(); {
	case u != nil:
		e.status = ahead(&running, func() (Status, error) { return r.askStatus(ctx, untracked) })
	case untracked != NoFiles:
		e.untracked = ahead(&running, func() ([]string, error) { return r.askUntracked(ctx) })
	}
	r.early = e
	return func() { cancel(); running.Wait() }
}

// BeginStatus starts what the next Status and the next Config will ask git, as Begin does for a Scan, and what the next
// FilesNow will read.
func (r *Repo) BeginStatus(ctx context.Context, untracked UntrackedMode) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	read := sync.OnceValues(r.index)
	r.early = &early{
		mode:   untracked,
		status: ahead(&running, func() (Status, error) { return r.askStatus(ctx, untracked) }),
		index:  read,
		config: ahead(&running, func() (Config, error) {
			_, _ = read() // before git is started: it is the status that is waited for
			return r.askConfig(ctx)
		}),
	}
	return func() { cancel(); running.Wait() }
}

// ahead starts f and returns a function that waits for what it says.
func ahead[T any](running *sync.WaitGroup, f func() (T, error)) func() (T, error) {
	var v T
	var err error
	done := make(chan struct{})
	running.Go(func() {
		defer close(done)
		v, err = f()
	})
	return func() (T, error) { <-done; return v, err }
}

// take gives out an answer that is on its way, once; nil: none is.
func take[T any](e *early, from func(*early) *func() (T, error)) func() (T, error) {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	slot := from(e)
	f := *slot
	*slot = nil
	return f
}

// Config asks git for its whole configuration: one start, about a millisecond.
func (r *Repo) Config(ctx context.Context) (Config, error) {
	if f := take(r.early, func(e *early) *func() (Config, error) { return &e.config }); f != nil {
		return f()
	}
	return r.askConfig(ctx)
}

// readIndex reads the index; a repository that only git can open is left to git.
func (r *Repo) readIndex() (*index, error) {
	if f := take(r.early, func(e *early) *func() (*index, error) { return &e.index }); f != nil {
		return f()
	}
	return r.index()
}

func (r *Repo) index() (*index, error) {
	if r.inner == nil {
		return nil, &indexError{string(UnfitRepo)}
	}
	return readIndex(r.indexFile())
}

// Status looks at the whole work tree once. It takes no lock and writes nothing.
func (r *Repo) Status(ctx context.Context, untracked UntrackedMode) (Status, error) {
	f := take(r.early, func(e *early) *func() (Status, error) { return &e.status })
	if f != nil && r.early.mode == untracked {
		return f()
	}
	return r.askStatus(ctx, untracked)
}

// untracked lists new files that are not ignored.
func (r *Repo) untracked(ctx context.Context) ([]string, error) {
	if f := take(r.early, func(e *early) *func() ([]string, error) { return &e.untracked }); f != nil {
		return f()
	}
	return r.askUntracked(ctx)
}
