package app

import (
	"context"
	"os"
	"sync"

	"session/internal/store/sql"
)

// openingMemory is a memory that is being opened while everything else is prepared: it takes as long as git does to say
// what changed.
type openingMemory struct {
	done chan struct{}
	db   *sql.DB
	err  error
	once sync.Once // whoever comes first has it
}

// beginMemory starts to open the memory, where there is one. stop closes what nobody came for.
func (s *site) beginMemory(ctx context.Context) (stop func()) {
	if _, err := os.Stat(s.memoryFile()); err != nil {
		return func() {}
	}
	o := &openingMemory{done: make(chan struct{})}
	s.memoryAhead = o
	go func() {
		defer close(o.done)
		o.db, o.err = sql.OpenSQLite(ctx, s.memoryFile())
	}()
	return func() {
		o.once.Do(func() {
			<-o.done
			if o.err == nil {
				_ = o.db.Close() // nothing was asked of it
			}
		})
	}
}

// openMemory opens the memory, or takes the one that is being opened.
func (s *site) openMemory(ctx context.Context) (db *sql.DB, err error) {
	taken := false
	if o := s.memoryAhead; o != nil {
		o.once.Do(func() {
			<-o.done
			db, err, taken = o.db, o.err, true
		})
	}
	if !taken {
		db, err = sql.OpenSQLite(ctx, s.memoryFile())
	}
	return db, err
}
