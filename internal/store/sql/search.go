package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"

	"session/internal/memory"
)

// Search implements memory.Store. The ranking is package memory's; the database finds postings by key, which is the only
// thing that a query becomes.
func (m Memory) Search(ctx context.Context, q memory.Query) (found []memory.Found, err error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	ref, every := q.In.Session()
	err = m.db.read(ctx, func(t tx) error {
		p := postings{tx: t}
		if every {
			err = p.everywhere()
		} else {
			err = p.within(ref, q.At)
		}
		if err == nil {
			found, err = p.search(ctx, q)
		}
		return err
	})
	if err != nil {
		return nil, about("search", ref, err)
	}
	return found, nil
}

// postings is what a search sees of the tables: a memory.Index.
type postings struct {
	tx
	query         string
	args          []any // in front of the range
	items, length int64
	stmt          *dbsql.Stmt
}

func (p *postings) within(ref memory.SessionRef, at memory.Snapshot) error {
	s, _, err := p.standing("session", ref)
	switch {
	case err != nil:
		return err
	case s.stale():
		return fmt.Errorf("%w: analyser %d made its keywords, this is %d; rebuild it", memory.ErrBehind, s.analyser, memory.AnalyserVersion)
	case at != "" && s.snapshot != string(at):
		return fmt.Errorf("%w: it stands at %.80q, the session at %.80q", memory.ErrBehind, s.snapshot, at)
	}
	p.query, p.args = "postings", []any{s.session}
	p.items, p.length = s.items, s.length
	return nil
}

func (p *postings) everywhere() error {
	var stale int64
	_, err := p.one(memoryQueries["every-session"], []any{memory.AnalyserVersion}, &p.items, &p.length, &stale)
	if err == nil && stale > 0 {
		err = fmt.Errorf("%w: another analyser than %d made the keywords of %d sessions; rebuild them", memory.ErrBehind, memory.AnalyserVersion, stale)
	}
	p.query = "postings-everywhere"
	return err
}

func (p *postings) search(ctx context.Context, q memory.Query) (found []memory.Found, err error) {
	p.stmt, err = p.prepare(memoryQueries[p.query])
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.stmt.Close()) }()
	best, err := memory.Rank(ctx, p, q.Text, q.TopK, q.Ranking)
	if err != nil {
		return nil, err
	}
	return p.fetch(best)
}

// Size implements memory.Index.
func (p *postings) Size(context.Context) (items, length int64, err error) {
	return p.items, p.length, nil
}

// Postings implements memory.Index. An item's number has its session's in front, so that it is one in the whole store.
func (p *postings) Postings(ctx context.Context, from, to string, each func(memory.Posting)) error {
	rows, err := p.stmt.QueryContext(ctx, append(p.args[:len(p.args):len(p.args)], []byte(from), []byte(to))...)
	if err != nil {
		return err
	}
	return eachRow(rows, func(scan func(...any) error) error {
		var session, block int64
		var b dbsql.RawBytes
		if err := scan(&session, &block, &b); err != nil {
			return err
		}
		return eachPosting(b, session<<itemBits+block*blockItems, each)
	})
}

const itemBits = 32 // of an item's number; above them is its session's

// fetch reads what may be shown of items. One that has keywords but is not there is damage, and not skipped.
func (p *postings) fetch(items []int64) (found []memory.Found, err error) {
	stmt, err := p.prepare(memoryQueries["item"])
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	found = make([]memory.Found, 0, len(items)) // no match is an empty list in JSON, too
	for _, n := range items {
		f, err := scanFound(stmt.QueryRowContext(p.ctx, n>>itemBits, n&(1<<itemBits-1)).Scan)
		if errors.Is(err, dbsql.ErrNoRows) {
			return nil, fmt.Errorf("%w: keywords of an item that is not there", memory.ErrDamaged)
		} else if err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	return found, nil
}
