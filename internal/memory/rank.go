package memory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// Ranking is the name of an order in which found items come.
type Ranking string

// The rankings. Both put the number of matched keywords first.
const (
	// CountRecency is seed 003's order: items that hold more of the query's keywords; among these the ones that hold more
	// of them as whole words; among these the newest.
	CountRecency Ranking = "count-recency"
	// CountBM25Recency weighs items with the same number of keywords by BM25 (rare keywords and short items first), and
	// only then by time.
	CountBM25Recency Ranking = "count-bm25-recency"
)

// Check refuses names of no ranking, the empty one too, since there is no default; errors.Is ErrInvalid.
func (r Ranking) Check() error {
	if r != CountRecency && r != CountBM25Recency {
		return fmt.Errorf("memory search: %w: ranking %.80q is none of %s, %s", ErrInvalid, r, CountRecency, CountBM25Recency)
	}
	return nil
}

// Posting says that an item holds a key.
type Posting struct {
	Item   int64 // number of the item in its store, 0 or more; of two items of the same time the higher one is newer
	At     int64 // its timestamp, ms since 1970
	Length int64 // its length, as Entries gives it
	Mark   Mark
	Count  int // how often the item has the key
}

// Index is what a store offers to the ranking.
type Index interface {
	// Postings calls each for every posting whose key is in from ≤ key < to, compared as bytes.
	Postings(ctx context.Context, from, to string, each func(Posting)) error
	// Size is the number of items and the sum of their lengths.
	Size(ctx context.Context) (items, length int64, err error)
}

// Rank finds the best topK items of an index for a query: the numbers of those that hold one of its keywords at least, in
// the order of the ranking, and behind them those that only hold words which begin with one.
func Rank(ctx context.Context, in Index, query string, topK int, by Ranking) ([]int64, error) {
	keywords := ask(query)
	r := newRanker(in, by)
	if by == CountBM25Recency {
		items, length, err := in.Size(ctx)
		if err != nil {
			return nil, err
		}
		r.items, r.mean = float64(items), float64(max(1, length))/float64(max(1, items))
	}
	for _, a := range keywords {
		if err := r.keyword(ctx, a.ranges, a.need); err != nil {
			return nil, err
		}
		if r.held == 0 && a.otherwise != nil {
			if err := r.keyword(ctx, a.otherwise, a.need); err != nil {
				return nil, err
			}
		}
	}
	best := r.best(topK)
	if len(best) == topK {
		return best, nil
	}
	rest, err := r.near(ctx, keywords, topK-len(best))
	return append(best, rest...), err
}

// near ranks what only comes near the keywords, and was not found yet.
func (r *ranker) near(ctx context.Context, keywords []asked, topK int) ([]int64, error) {
	near := newRanker(r.in, CountRecency)
	for _, a := range keywords {
		if err := near.keyword(ctx, a.loose, 1); err != nil {
			return nil, err
		}
	}
	for c := range near.found.all {
		if p := *r.places.of(c.item); p > 0 && r.found.at(p-1).count > 0 {
			c.count = 0
		}
	}
	return near.best(topK), nil
}

// candidate is an item that holds a keyword, or only a part of one, and then has a count of 0.
type candidate struct {
	item, at     int64
	score        float64
	count, whole int32

	keyword  int32 // the last keyword of which it had a key, and what it has of that one
	weight   int32
	hasWhole bool
}

// candidates are kept in parts that stay where they are: a common word has a hundred thousand of them.
type candidates struct {
	parts [][]candidate
	n     int
}

const partSize = 1 << 10

func (c *candidates) at(i int32) *candidate { return &c.parts[i/partSize][i%partSize] }

// add gives how many there are now.
func (c *candidates) add(x candidate) int32 {
	if c.n%partSize == 0 {
		c.parts = append(c.parts, make([]candidate, 0, partSize))
	}
	last := &c.parts[len(c.parts)-1]
	*last = append(*last, x)
	c.n++
	return int32(c.n)
}

func (c *candidates) all(yield func(*candidate) bool) {
	for _, p := range c.parts {
		for i := range p {
			if !yield(&p[i]) {
				return
			}
		}
	}
}

type ranker struct {
	in          Index
	by          Ranking
	items, mean float64 // number of items, and their mean length
	found       candidates
	places      places
	keywords    int32 // so many were looked up
	held        int   // so many items hold the last one
	hits        []Posting
	idf         float64 // of what was looked up last
}

func newRanker(in Index, by Ranking) *ranker {
	return &ranker{in: in, by: by, places: places{pages: map[int64]*page{}, at: -1}}
}

// places finds the candidate of an item. Items come by the thousand and mostly in the order of their numbers, so they are
// kept by pages, of which the last one is at hand.
type places struct {
	pages map[int64]*page
	at    int64 // the last page's number
	last  *page
}

// page is the places of neighbouring items among the candidates, counted from 1.
type page [256]int32

func (p *places) of(item int64) *int32 {
	number := item / int64(len(page{}))
	if number != p.at {
		p.at, p.last = number, p.pages[number]
		if p.last == nil {
			p.last = new(page)
			p.pages[number] = p.last
		}
	}
	return &p.last[item%int64(len(page{}))]
}

func (r *ranker) keyword(ctx context.Context, ranges []keyRange, need int32) error {
	r.keywords++
	r.held = 0
	for _, k := range ranges {
		if k.weight == 0 && r.by != CountBM25Recency {
			continue
		}
		if err := r.look(ctx, k, need); err != nil {
			return err
		}
	}
	return nil
}

// look looks a range up. For BM25 all of its postings must be known before the first one counts.
func (r *ranker) look(ctx context.Context, k keyRange, need int32) error {
	wait := k.score && r.by == CountBM25Recency
	r.hits = r.hits[:0]
	err := r.in.Postings(ctx, k.from, k.to, func(p Posting) {
		switch {
		case p.Mark&k.marks == 0:
		case wait:
			r.hits = append(r.hits, p)
		default:
			r.hit(p, k, need)
		}
	})
	if err != nil {
		return err
	}
	if !k.one {
		r.hits = merge(r.hits)
	}
	n := float64(len(r.hits))
	r.idf = math.Log(1 + (r.items-n+.5)/(n+.5))
	for _, p := range r.hits {
		r.hit(p, k, need)
	}
	return nil
}

// merge makes one posting out of all that an item has in a range of keys.
func merge(hits []Posting) []Posting {
	slices.SortFunc(hits, func(a, b Posting) int { return cmp.Compare(a.Item, b.Item) })
	n := 0
	for _, p := range hits {
		if n > 0 && hits[n-1].Item == p.Item {
			hits[n-1].Count += p.Count
			continue
		}
		hits[n] = p
		n++
	}
	return hits[:n]
}

func (r *ranker) hit(p Posting, k keyRange, need int32) {
	place := r.places.of(p.Item)
	if *place == 0 {
		*place = r.found.add(candidate{item: p.Item, at: p.At})
	}
	c := r.found.at(*place - 1)
	if c.keyword != r.keywords {
		c.keyword, c.weight, c.hasWhole = r.keywords, 0, false
	}
	if c.weight < need && c.weight+k.weight >= need {
		c.count++
		r.held++
	}
	c.weight += k.weight
	if k.whole && !c.hasWhole {
		c.hasWhole = true
		c.whole++
	}
	if k.score && r.by == CountBM25Recency {
		c.score += r.bm25(p)
	}
}

// bm25 is the score that a key of the given idf gives one of the items that hold it. k1 and b are those that retrieval over
// short texts is usually run with (Anserini).
func (r *ranker) bm25(p Posting) float64 {
	const k1, b = 0.9, 0.4
	tf := float64(p.Count)
	return r.idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(p.Length)/r.mean))
}

func (r *ranker) compare(a, b *candidate) int {
	second := cmp.Compare(b.whole, a.whole)
	if r.by == CountBM25Recency {
		second = cmp.Compare(b.score, a.score)
	}
	return cmp.Or(cmp.Compare(b.count, a.count), second, cmp.Compare(b.at, a.at), cmp.Compare(b.item, a.item))
}

// best is the first n candidates that hold a keyword, without sorting all of them.
func (r *ranker) best(n int) []int64 {
	n = min(n, r.found.n)
	var top []*candidate
	var worst *candidate // of the n that are in so far
	for c := range r.found.all {
		if c.count == 0 || worst != nil && r.compare(worst, c) < 0 {
			continue
		}
		if top = append(top, c); len(top) == 2*n {
			slices.SortFunc(top, r.compare)
			top = top[:n]
			worst = top[n-1]
		}
	}
	slices.SortFunc(top, r.compare)
	items := make([]int64, 0, n)
	for _, c := range top[:min(n, len(top))] {
		items = append(items, c.item)
	}
	return items
}
