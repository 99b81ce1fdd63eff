package redact

import "math/bits"

// class is a set of bytes.
type class [4]uint64

func (c *class) has(b byte) bool { return c[b>>6]>>(b&63)&1 != 0 }

// of makes a class from single letters and ranges like "a-z"; a dash at the end is a dash.
func of(spec string) class {
	var c class
	for i := 0; i < len(spec); i++ {
		lo, hi := spec[i], spec[i]
		if i+2 < len(spec) && spec[i+1] == '-' {
			hi = spec[i+2]
			i += 2
		}
		for b := int(lo); b <= int(hi); b++ {
			c[b>>6] |= 1 << (b & 63)
		}
	}
	return c
}

// The alphabets of tokens.
var (
	digits  = of("0-9")
	letters = of("a-zA-Z")
	hexLow  = of("0-9a-f")
	hexAny  = of("0-9a-fA-F")
	upNum   = of("0-9A-Z")
	alnum   = of("0-9a-zA-Z")
	word    = of("0-9a-zA-Z_")
	slug    = of("0-9a-zA-Z_-")
	dotted  = of("0-9a-zA-Z_.-")
	base64  = of("0-9a-zA-Z+/=")
	base64A = of("0-9a-zA-Z+/=_-") // both alphabets of base64
)

// run is the number of bytes at the beginning of b that are in c, at most most+1.
func (c *class) run(b []byte, most int) int {
	n := 0
	for n < len(b) && n <= most && c.has(b[n]) {
		n++
	}
	return n
}

// runBack is the number of bytes at the end of b that are in c, at most most+1.
func (c *class) runBack(b []byte, most int) int {
	n := 0
	for n < len(b) && n <= most && c.has(b[len(b)-1-n]) {
		n++
	}
	return n
}

// bytesOf is the set of bytes that stand in b.
func bytesOf(b []byte) (c class) {
	for _, x := range b {
		c[x>>6] |= 1 << (x & 63)
	}
	return c
}

func (c *class) size() int {
	return bits.OnesCount64(c[0]) + bits.OnesCount64(c[1]) + bits.OnesCount64(c[2]) + bits.OnesCount64(c[3])
}
