package sql

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"session/internal/memory"
)

// A block of postings is what neighbouring items have of one keyword, one after the other, each as: the item's place in
// the block, how it has the keyword (memory.Mark), how often, the item's length, its time in ms. All are varints, the last
// one signed. A block grows at its end, in one statement, without being read.
const (
	blockItems  = 256
	postingSize = 12      // bytes, about
	postingsMax = 1 << 16 // that are held until they are written
)

func appendPosting(b []byte, p memory.Posting) []byte {
	b = append(b, byte(p.Item%blockItems), byte(p.Mark))
	b = binary.AppendUvarint(b, uint64(p.Count))
	b = binary.AppendUvarint(b, uint64(p.Length))
	return binary.AppendVarint(b, p.At)
}

var errPosting = fmt.Errorf("%w: postings that nobody wrote", memory.ErrDamaged)

// readPosting reads the first posting of what is left of a block, whose first item has the number first. Of a page that
// was lost, zeros are left; they are no posting.
func readPosting(b []byte, first int64) (p memory.Posting, rest []byte, err error) {
	if len(b) < 2 || b[1] == 0 {
		return p, nil, errPosting
	}
	p.Item, p.Mark = first+int64(b[0]), memory.Mark(b[1])
	count, n := binary.Uvarint(b[2:])
	length, m := binary.Uvarint(b[2+max(n, 0):])
	at, k := binary.Varint(b[2+max(n, 0)+max(m, 0):])
	if n <= 0 || m <= 0 || k <= 0 || count == 0 {
		return p, nil, errPosting
	}
	p.Count, p.Length, p.At = int(count), int64(length), at
	return p, b[2+n+m+k:], nil
}

func eachPosting(b []byte, first int64, each func(memory.Posting)) error {
	for last := int64(-1); len(b) > 0; {
		p, rest, err := readPosting(b, first)
		if err != nil {
			return err
		}
		if p.Item <= last {
			return errPosting // items only come with higher numbers
		}
		each(p)
		b, last = rest, p.Item
	}
	return nil
}

// withoutItem is a block without an item, and whether it was in it.
func withoutItem(b []byte, item int64) (without []byte, found bool, err error) {
	err = eachPosting(b, item-item%blockItems, func(p memory.Posting) {
		if p.Item == item {
			found = true
		} else {
			without = appendPosting(without, p)
		}
	})
	return without, found, err
}

// keywordWriter collects the postings of many items and writes them by keyword: one row for neighbours, and the rows in
// the order of their key, because in a big table rows in the order of their items would each go to another page.
type keywordWriter struct {
	t        tx
	session  int64
	postings []keywordPosting
}

type keywordPosting struct {
	keyword string
	memory.Posting
}

func (w *keywordWriter) add(item, at, length int64, entries []memory.Entry) error {
	for _, e := range entries {
		w.postings = append(w.postings, keywordPosting{e.Key, memory.Posting{Item: item, At: at, Length: length, Mark: e.Mark, Count: e.Count}})
	}
	if len(w.postings) < postingsMax {
		return nil
	}
	return w.flush()
}

func (w *keywordWriter) flush() (err error) {
	slices.SortFunc(w.postings, func(a, b keywordPosting) int {
		return cmp.Or(strings.Compare(a.keyword, b.keyword), cmp.Compare(a.Item, b.Item))
	})
	full, err := w.t.prepare(addPostings(w.t.rows))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, full.Close()) }()
	// A context that can be cancelled costs the driver a goroutine a row; so it is asked here instead.
	quiet := context.WithoutCancel(w.t.ctx)
	args := make([]any, 0, postingsColumns*w.t.rows)
	for len(w.postings) > 0 && err == nil {
		if err := w.t.ctx.Err(); err != nil {
			return err
		}
		args = append(args, w.next()...)
		if rows := len(args) / postingsColumns; rows == w.t.rows {
			_, err = full.ExecContext(quiet, args...)
			args = args[:0]
		} else if len(w.postings) == 0 {
			_, err = w.t.exec(addPostings(rows), args...)
		}
	}
	return err
}

// next takes the postings of one row off.
func (w *keywordWriter) next() (row []any) {
	first := w.postings[0]
	block := first.Item / blockItems
	n := 1
	for n < len(w.postings) && w.postings[n].keyword == first.keyword && w.postings[n].Item/blockItems == block {
		n++
	}
	b := make([]byte, 0, n*postingSize)
	for _, p := range w.postings[:n] {
		b = appendPosting(b, p.Posting)
	}
	w.postings = w.postings[n:]
	return []any{w.session, []byte(first.keyword), block, b}
}

const postingsColumns = 4

// addPostings is the statement that adds so many rows, or what they hold to rows that are there.
func addPostings(rows int) string {
	b := []byte("INSERT INTO memory_keywords (session, keyword, block, postings) VALUES ")
	for i := range rows {
		n := i * postingsColumns
		b = fmt.Appendf(b, "($%d, $%d, $%d, $%d),", n+1, n+2, n+3, n+4)
	}
	return string(b[:len(b)-1]) + " ON CONFLICT (session, keyword, block) DO UPDATE SET postings = /*bytes(*/memory_keywords.postings || excluded.postings/*)*/"
}
