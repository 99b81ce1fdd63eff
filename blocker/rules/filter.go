package rules

import (
	"encoding/binary"
	"math"
)

// gram is the number of bytes that the filter hashes at each position it looks at.
const gram = 3

// maxStride keeps the windows of long literals small: beyond it little is won and the bit table fills up.
const maxStride = 4

const hashBits = 18

// filter finds literals in text. It hashes three bytes at every stride-th position into a bit table (in the L1/L2
// cache); only where the bit is set are literals compared. A literal of n bytes is entered with stride neighbouring
// positions, so that every place where it can stand is hit by exactly one position that is looked at.
type filter struct {
	literals []string
	stride   int
	bits     [1 << (hashBits - 6)]uint64
	heads    map[uint32][]entry
}

// entry is a literal and the offset of its three hashed bytes.
type entry struct{ literal, offset uint16 }

// Padding is the number of readable bytes that must stand behind a text handed to the filter.
const Padding = 8

func hash(v uint32) uint32 { return (v & 0xffffff) * 0x9E3779B1 >> (32 - hashBits) }

func newFilter(literals []string) *filter {
	f := &filter{literals: literals, stride: maxStride, heads: map[uint32][]entry{}}
	for _, l := range literals {
		f.stride = max(1, min(f.stride, len(l)-gram+1))
	}
	for i, l := range literals {
		w := f.window(l)
		for o := w; o < w+f.stride; o++ {
			h := hash(uint32(l[o]) | uint32(l[o+1])<<8 | uint32(l[o+2])<<16)
			f.bits[h>>6] |= 1 << (h & 63)
			f.heads[h] = append(f.heads[h], entry{uint16(i), uint16(o)})
		}
	}
	return f
}

// window picks the part of a literal whose bytes are rarest in ordinary text: capitals, digits and marks before small
// letters and blanks.
func (f *filter) window(l string) int {
	best, cost := 0, math.MaxInt
	for w := 0; w+f.stride-1+gram <= len(l); w++ {
		c := 0
		for _, b := range []byte(l[w : w+f.stride-1+gram]) {
			c += commonness(b)
		}
		if c < cost {
			best, cost = w, c
		}
	}
	return best
}

func commonness(b byte) int {
	switch {
	case b >= 'a' && b <= 'z', b == '-', b == '=', b == '_':
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
		h := hash(binary.LittleEndian.Uint32(text[i:]))
		if f.bits[h>>6]>>(h&63)&1 == 0 {
			continue
		}
		for _, e := range f.heads[h] {
			l, s := f.literals[e.literal], i-int(e.offset)
			if s >= 0 && s+len(l) <= n && string(text[s:s+len(l)]) == l {
				return int(e.literal), s, i
			}
		}
	}
	return -1, n, n
}

// at reports all literals verified at position i, in no particular order.
func (f *filter) at(text []byte, n, i int, found func(literal, start int)) {
	h := hash(binary.LittleEndian.Uint32(text[i:]))
	if f.bits[h>>6]>>(h&63)&1 == 0 {
		return
	}
	for _, e := range f.heads[h] {
		l, s := f.literals[e.literal], i-int(e.offset)
		if s >= 0 && s+len(l) <= n && string(text[s:s+len(l)]) == l {
			found(int(e.literal), s)
		}
	}
}
