package rules

import (
	"encoding/binary"
	"math"
	"strings"
)

// The filter looks at six bytes at every stride-th position, at four and three for literals that are too short for more.
// The longer the bytes, the rarer they are by chance.
const (
	longGram   = 6
	middleGram = 4
	shortGram  = 3
	maxStride  = 3
)

// The bit tables: eight bits and more an entry, so that few positions pass by chance; 128 KiB and twice 16 KiB stay in
// the nearer caches, whose look-ups, being independent, the processor does not wait for.
const (
	longBits  = 20
	otherBits = 17
)

// bucketBits sizes the index of entries.
const bucketBits = 13

// filter finds literals in text. At every stride-th position it hashes the next bytes into bit tables; only where a bit
// is set are literals compared. A literal is entered with stride neighbouring offsets, so that wherever it stands,
// exactly one position that is looked at falls on one of them.
type filter struct {
	literals []string
	stride   int
	long     [1 << (longBits - 6)]uint64
	middle   [1 << (otherBits - 6)]uint64
	short    [1 << (otherBits - 6)]uint64
	first    [1<<bucketBits + 1]uint16 // where a bucket's entries begin
	entries  []entry                   // by bucket
}

// entry is a literal and the offset of its hashed bytes.
type entry struct {
	hash            uint32
	literal, offset uint16
}

// Padding is the number of readable bytes that must stand behind a text handed to the filter.
const Padding = 8

// The three hashes are told apart in entries by their two highest bits.
const middleMark, shortMark = 1 << 30, 1 << 31

func hashLong(v uint64) uint32 { return uint32(v << 16 * 0x9E3779B97F4A7C15 >> (64 - longBits)) }

func hashMiddle(v uint64) uint32 { return uint32(v) * 0x9E3779B1 >> (32 - otherBits) }

func hashShort(v uint64) uint32 { return uint32(v) << 8 * 0x85EBCA6B >> (32 - otherBits) }

func bucket(h uint32) uint32 { return h & (1<<bucketBits - 1) }

func newFilter(literals []string) *filter {
	f := &filter{literals: literals, stride: maxStride}
	for _, l := range literals {
		f.stride = max(1, min(f.stride, len(l)-shortGram+1))
	}
	common := frequentGrams()
	f.entries = make([]entry, 0, f.stride*len(literals))
	for i, l := range literals {
		f.enter(uint16(i), l, common)
	}
	f.index()
	return f
}

// index puts the entries in the order of their buckets.
func (f *filter) index() {
	for _, e := range f.entries {
		f.first[bucket(e.hash)+1]++
	}
	for i := 1; i < len(f.first); i++ {
		f.first[i] += f.first[i-1]
	}
	at, sorted := f.first, make([]entry, len(f.entries))
	for _, e := range f.entries {
		sorted[at[bucket(e.hash)]] = e
		at[bucket(e.hash)]++
	}
	f.entries = sorted
}

// enter puts a literal into the table of the longest bytes that fit it.
func (f *filter) enter(i uint16, l string, common *grams) {
	gram := shortGram
	for _, g := range []int{longGram, middleGram} {
		if len(l) >= g+f.stride-1 {
			gram = g
			break
		}
	}
	w := common.window(l, gram+f.stride-1)
	for o := w; o < w+f.stride; o++ {
		var b [8]byte
		copy(b[:], l[o:o+gram])
		f.entries = append(f.entries, entry{f.set(gram, binary.LittleEndian.Uint64(b[:])), i, uint16(o)})
	}
}

// set sets the bit of a gram and gives its hash with its mark.
func (f *filter) set(gram int, v uint64) uint32 {
	switch gram {
	case longGram:
		h := hashLong(v)
		f.long[h>>6] |= 1 << (h & 63)
		return h
	case middleGram:
		h := hashMiddle(v)
		f.middle[h>>6] |= 1 << (h & 63)
		return h | middleMark
	}
	h := hashShort(v)
	f.short[h>>6] |= 1 << (h & 63)
	return h | shortMark
}

// frequent are the four bytes that logs are full of, whatever wrote them: a literal is better known by others.
const frequent = "ing |tion|test|Test|ests|INFO|aven|mave|load|Comp|ompi|http|java|ting|apac|pach|ache|sion|solv|esol|urce|ourc|" +
	"comm|ommo|omma|uild|Buil|rror|Erro|erro|ions|ctio|atio|ing:|ning|ding|code|read|ding| com| Com| rem| in | at | to | of | the|" +
	"the |file|File|ile |ed: |te: |ts: |ng: |inte|nter|rent|mpil|pile|ssin|sing|age |pack|acka|ckag|kage|dule|modu|odul|ates|ment|" +
	"fail|Fail|aile|iled|ould|not |ult |ject|proj|roje|ent |ence|ated|ted |ver |ther|able|ect |tory|ire |main|    |----|====|...."

// grams is a set of four-byte strings by hash (a collision only makes a window look worse than it is), and how common
// single bytes are.
type grams struct {
	set    [64]uint64
	common [256]uint8
}

func frequentGrams() *grams {
	g := &grams{}
	for f := range strings.SplitSeq(frequent, "|") {
		h := gramHash(f)
		g.set[h>>6] |= 1 << (h & 63)
	}
	for b := range g.common {
		g.common[b] = commonness(byte(b))
	}
	return g
}

func gramHash(s string) uint32 {
	return (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24) * 0x9E3779B1 >> 20
}

func (g *grams) has(s string) bool {
	h := gramHash(s)
	return g.set[h>>6]>>(h&63)&1 != 0
}

// window picks the part of size bytes of a literal that is rarest in ordinary text: capitals, digits and marks before
// small letters and blanks, and no frequent four bytes if it can be helped.
func (g *grams) window(l string, size int) int {
	best, cost := 0, math.MaxInt
	for w := 0; w+size <= len(l); w++ {
		c := 0
		for i := w; i < w+size; i++ {
			c += int(g.common[l[i]])
			if i+4 <= w+size && g.has(l[i:]) {
				c += 40
			}
		}
		if c < cost {
			best, cost = w, c
		}
	}
	return best
}

func commonness(b byte) uint8 {
	switch {
	case strings.IndexByte("etaonisr-=_", b) >= 0:
		return 6
	case b >= 'a' && b <= 'z':
		return 4
	case b == ' ', b == '.', b == '/', b == '0', b == '1':
		return 3
	case b >= 'A' && b <= 'Z', b >= '0' && b <= '9':
		return 2
	}
	return 1
}

// next finds the first position ≥ from (a multiple of stride) at which a literal is verified. It returns the literal,
// where it begins, and the position to go on from; literal is -1 at the end. text[:n] is searched; Padding readable
// bytes follow it.
func (f *filter) next(text []byte, n, from int) (literal, start, resume int) {
	text = text[: n+Padding : n+Padding]
	for i := from; i < n; i += f.stride {
		v := binary.LittleEndian.Uint64(text[i:])
		l, m, s := hashLong(v), hashMiddle(v), hashShort(v)
		if (f.long[l>>6]>>(l&63)|f.middle[m>>6]>>(m&63)|f.short[s>>6]>>(s&63))&1 == 0 {
			continue
		}
		for _, h := range [3]uint32{l, m | middleMark, s | shortMark} {
			if literal, start = f.verify(text, n, i, h); literal >= 0 {
				return literal, start, i
			}
		}
	}
	return -1, n, n
}

// verify compares the literals of one hash at position i.
func (f *filter) verify(text []byte, n, i int, h uint32) (literal, start int) {
	b := bucket(h)
	for _, e := range f.entries[f.first[b]:f.first[b+1]] {
		if s, ok := f.stand(e, h, text, n, i); ok {
			return int(e.literal), s
		}
	}
	return -1, 0
}

// stand tells whether the literal of an entry stands in text[:n] with its hashed bytes at i, and where it begins.
func (f *filter) stand(e entry, h uint32, text []byte, n, i int) (start int, ok bool) {
	if e.hash != h {
		return 0, false
	}
	l, s := f.literals[e.literal], i-int(e.offset)
	return s, s >= 0 && s+len(l) <= n && string(text[s:s+len(l)]) == l
}

// at reports all literals verified at position i, in no particular order.
func (f *filter) at(text []byte, n, i int, found func(literal, start int)) {
	v := binary.LittleEndian.Uint64(text[i:])
	l, m, s := hashLong(v), hashMiddle(v), hashShort(v)
	if (f.long[l>>6]>>(l&63)|f.middle[m>>6]>>(m&63)|f.short[s>>6]>>(s&63))&1 == 0 {
		return
	}
	for _, h := range [3]uint32{l, m | middleMark, s | shortMark} {
		b := bucket(h)
		for _, e := range f.entries[f.first[b]:f.first[b+1]] {
			if start, ok := f.stand(e, h, text, n, i); ok {
				found(int(e.literal), start)
			}
		}
	}
}
