package gitstate

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// pack is one pack file with its index (gitformat-pack(5), index version 2). The index is read where it is asked, so a
// large one costs no memory.
type pack struct {
	file   string // the pack; its index stands beside it
	idx    *os.File
	count  int64
	fan    [256]uint32
	data   func() (*os.File, error) // the pack itself, opened when it is first needed
	opened *os.File
}

// packHead is the start of a pack index: magic, version, and how many ids begin with a byte up to 0, 1, … 255.
const packHead = 8 + 256*4

func openPack(idxFile string) (*pack, error) {
	f, err := os.Open(idxFile)
	if err != nil {
		return nil, err
	}
	p := &pack{file: strings.TrimSuffix(idxFile, "idx") + "pack", idx: f}
	var head [packHead]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || string(head[:8]) != "\xfftOc\x00\x00\x00\x02" {
		f.Close()
		return nil, fmt.Errorf("%s: not a pack index of version 2", idxFile)
	}
	for i := range p.fan {
		p.fan[i] = binary.BigEndian.Uint32(head[8+4*i:])
		if i > 0 && p.fan[i] < p.fan[i-1] {
			f.Close()
			return nil, fmt.Errorf("%s: %w", idxFile, errBadObject)
		}
	}
	p.count = int64(p.fan[255])
	p.data = sync.OnceValues(func() (*os.File, error) {
		d, err := os.Open(p.file)
		p.opened = d
		return d, err
	})
	return p, nil
}

func (p *pack) close() {
	p.idx.Close()
	if p.opened != nil {
		p.opened.Close()
	}
}

// find returns the offset of an object in the pack; -1: it is not in it.
func (p *pack) find(id objectID) (int64, error) {
	lo, hi := int64(0), int64(p.fan[id[0]])
	if id[0] > 0 {
		lo = int64(p.fan[id[0]-1])
	}
	var got objectID
	for lo < hi {
		mid := (lo + hi) / 2
		if _, err := p.idx.ReadAt(got[:], packHead+20*mid); err != nil {
			return -1, fmt.Errorf("read pack index: %w", err)
		}
		switch c := bytes.Compare(got[:], id[:]); {
		case c == 0:
			return p.offset(mid)
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return -1, nil
}

func (p *pack) offset(i int64) (int64, error) {
	var b [8]byte
	if _, err := p.idx.ReadAt(b[:4], packHead+24*p.count+4*i); err != nil {
		return -1, fmt.Errorf("read pack index: %w", err)
	}
	at := binary.BigEndian.Uint32(b[:4])
	if at&(1<<31) == 0 {
		return int64(at), nil
	}
	if _, err := p.idx.ReadAt(b[:], packHead+28*p.count+8*int64(at&^(1<<31))); err != nil {
		return -1, fmt.Errorf("read pack index: %w", err)
	}
	far := int64(binary.BigEndian.Uint64(b[:]))
	if far < 0 {
		return -1, errBadObject
	}
	return far, nil
}

// list opens the indexes of all packs, once.
func (o *objects) list() ([]*pack, error) {
	o.listing.Do(func() {
		for _, d := range o.dirs {
			files, err := filepath.Glob(escapeGlob(filepath.Join(d, "pack")) + "/pack-*.idx")
			if err != nil {
				o.listErr = err
				return
			}
			for _, f := range files {
				p, err := openPack(f)
				if err != nil {
					o.listErr = err
					return
				}
				o.packs = append(o.packs, p)
			}
		}
	})
	return o.packs, o.listErr
}

// find looks for an object in the packs, first where the last one was.
func (o *objects) find(id objectID) (*pack, int64, error) {
	packs, err := o.list()
	if err != nil {
		return nil, -1, err
	}
	first := o.last.Load()
	if first != nil {
		if at, err := first.find(id); err != nil || at >= 0 {
			return first, at, err
		}
	}
	for _, p := range packs {
		if p == first {
			continue
		}
		at, err := p.find(id)
		if err != nil {
			return nil, -1, err
		}
		if at >= 0 {
			o.last.Store(p)
			return p, at, nil
		}
	}
	return nil, -1, nil
}

// The kinds of entries that only packs have: differences against an entry further up, or against an object by its id.
const (
	offsetDelta objectKind = 6
	refDelta    objectKind = 7
)

// maxDeltas bounds a chain of differences; git makes none longer than 4095.
const maxDeltas = 4096

// unpack reads the object at an offset, through its chain of differences.
func (o *objects) unpack(p *pack, at, limit int64) (objectKind, []byte, error) {
	var deltas [][]byte
	var held int64 // by the deltas; together they may not be larger than one object may be
	for len(deltas) < maxDeltas {
		e, err := p.entry(at, limit-held)
		if err != nil {
			return 0, nil, err
		}
		held += int64(len(e.data))
		switch e.kind {
		case offsetDelta:
			deltas, at = append(deltas, e.data), e.base
		case refDelta:
			deltas = append(deltas, e.data)
			if at, err = p.find(e.ref); err == nil && at < 0 {
				err = fmt.Errorf("%s: %w", e.ref, errNoObject)
			}
			if err != nil {
				return 0, nil, err
			}
		default:
			b := e.data
			for i := len(deltas) - 1; i >= 0; i-- {
				if b, err = applyDelta(b, deltas[i], limit); err != nil {
					return 0, nil, err
				}
			}
			return e.kind, b, nil
		}
	}
	return 0, nil, fmt.Errorf("%w: more than %d differences", errBadObject, maxDeltas)
}

// packEntry is one entry as it stands in a pack.
type packEntry struct {
	kind objectKind
	base int64    // offsetDelta
	ref  objectID // refDelta
	data []byte
}

func (p *pack) entry(at, limit int64) (e packEntry, err error) {
	f, err := p.data()
	if err != nil {
		return e, err
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, at, 1<<62), 4096)
	c, err := r.ReadByte()
	if err != nil {
		return e, fmt.Errorf("read pack: %w", err)
	}
	e.kind = objectKind(c >> 4 & 7)
	size := int64(c & 15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = r.ReadByte(); err != nil || shift > 46 {
			return e, errBadObject
		}
		size |= int64(c&0x7f) << shift
	}
	switch e.kind {
	case offsetDelta:
		b, _ := r.Peek(8)
		back, used := readBack(b)
		if used == 0 || back <= 0 || back > at {
			return e, errBadObject
		}
		e.base = at - back
		_, _ = r.Discard(used) // they were there a moment ago
	case refDelta:
		if _, err := io.ReadFull(r, e.ref[:]); err != nil {
			return e, errBadObject
		}
	case commitObject, treeObject, blobObject, 4:
	default:
		return e, errBadObject
	}
	if size > limit {
		return e, fmt.Errorf("%w: larger than %d bytes", errBadObject, limit)
	}
	e.data, err = inflate(r, size, size)
	if err == nil && int64(len(e.data)) != size {
		err = errBadObject
	}
	return e, err
}

// readBack reads a number of seven bits a byte, each byte but the last counting one more (gitformat-pack(5)): how far back
// the base of a difference stands, or how many bytes of a path are dropped. used is 0 where b is cut off or too large.
func readBack(b []byte) (n int64, used int) {
	for i, c := range b[:min(len(b), 8)] {
		n |= int64(c & 0x7f)
		if c&0x80 == 0 {
			return n, i + 1
		}
		n = (n + 1) << 7
	}
	return 0, 0
}

// applyDelta makes an object from its base and the difference: copies from the base, and new bytes.
func applyDelta(base, delta []byte, limit int64) ([]byte, error) {
	from, delta, ok1 := deltaSize(delta)
	to, delta, ok2 := deltaSize(delta)
	if !ok1 || !ok2 || from != int64(len(base)) || to > limit {
		return nil, errBadObject
	}
	out := make([]byte, 0, to)
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		var piece []byte
		switch {
		case op&0x80 != 0:
			at, n, rest, ok := deltaCopy(op, delta)
			if !ok || at+n > int64(len(base)) {
				return nil, errBadObject
			}
			piece, delta = base[at:at+n], rest
		case op == 0 || int(op) > len(delta):
			return nil, errBadObject
		default:
			piece, delta = delta[:op], delta[op:]
		}
		if int64(len(out)+len(piece)) > to {
			return nil, errBadObject
		}
		out = append(out, piece...)
	}
	if int64(len(out)) != to {
		return nil, errBadObject
	}
	return out, nil
}

func deltaSize(b []byte) (n int64, rest []byte, ok bool) {
	for i, c := range b {
		if i > 7 {
			return 0, nil, false
		}
		n |= int64(c&0x7f) << (7 * i)
		if c&0x80 == 0 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}

// deltaCopy reads offset and length of a copy; the bits of op say which of their bytes are there.
func deltaCopy(op byte, b []byte) (at, n int64, rest []byte, ok bool) {
	for i := range 7 {
		if op&(1<<i) == 0 {
			continue
		}
		if len(b) == 0 {
			return 0, 0, nil, false
		}
		if i < 4 {
			at |= int64(b[0]) << (8 * i)
		} else {
			n |= int64(b[0]) << (8 * (i - 4))
		}
		b = b[1:]
	}
	if n == 0 {
		n = 0x10000
	}
	return at, n, b, true
}
