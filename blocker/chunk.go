package blocker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"

	"session/blocker/rules"
)

const (
	chunkSize = 256 << 10 // bytes: whole lines; fits the second-level cache
	lineCap   = 4 << 10   // bytes of a line that rules see
)

// chunk is a run of whole lines on its way through the scan.
type chunk struct {
	raw      []byte // as read
	text     []byte // clean, with rules.Padding bytes behind n
	n        int
	newlines int  // in the raw lines, including those of cut lines
	within   bool // the chunk begins inside a line that is longer than a chunk
	sel      rules.Selection
	ready    chan struct{}
}

// chunker cuts a stream into chunks at line ends. A line longer than a chunk comes in several, marked within.
type chunker struct {
	r      io.Reader
	rest   []byte // the beginning of a line whose end is not read yet
	within bool
	eof    bool
}

// next fills c; io.EOF when there is nothing more.
func (k *chunker) next(c *chunk) error {
	c.raw = append(c.raw[:0], k.rest...)
	c.within = k.within
	for !k.eof && len(c.raw) < chunkSize {
		have := len(c.raw)
		c.raw = slices.Grow(c.raw, chunkSize-have)
		n, err := k.r.Read(c.raw[have:chunkSize])
		c.raw = c.raw[:have+n]
		if errors.Is(err, io.EOF) {
			k.eof = true
		} else if err != nil {
			return err
		}
	}
	if len(c.raw) == 0 {
		return io.EOF
	}
	end := len(c.raw)
	if !k.eof {
		end = bytes.LastIndexByte(c.raw, '\n') + 1
		if end == 0 {
			end = max(bytes.LastIndexByte(c.raw, '\r')+1, 0)
		}
	}
	k.within = end == 0
	if end == 0 {
		end = len(c.raw)
	}
	k.rest = append(k.rest[:0], c.raw[end:]...)
	c.raw = c.raw[:end]
	return nil
}

// prepare decodes, cleans and selects: the part of the work that needs no order.
func (c *chunk) prepare(enc Encoding, t *rules.Table) {
	raw := c.raw
	c.newlines = bytes.Count(raw, []byte{'\n'})
	if c.within { // the beginning belongs to a line of which the rules have seen enough
		i := bytes.IndexAny(raw, "\n\r")
		if i < 0 {
			i = len(raw)
		}
		raw = raw[i:]
	}
	c.text = cleanText(c.text[:0], raw, enc)
	c.n = len(c.text)
	c.text = append(c.text, make([]byte, rules.Padding)...)
	t.Select(c.text, c.n, &c.sel)
}

// each runs fn over the chunks of r in order; decoding and selecting run on up to procs goroutines beside it. fn must
// not keep the chunk. It stops at the first error of r, ctx or fn.
func each(ctx context.Context, r io.Reader, enc Encoding, t *rules.Table, procs int, fn func(*chunk) error) error {
	k := &chunker{r: r}
	first := &chunk{}
	err := k.next(first)
	if k.eof { // one chunk: no goroutine is worth it
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		first.prepare(enc, t)
		return fn(first)
	}
	if err != nil {
		return err
	}
	return pipeline(ctx, k, first, enc, t, procs, fn)
}

// pipeline reads in one goroutine, prepares in procs, and calls fn in the caller's, in order. The number of chunks alive
// is bounded by those that circulate in free.
func pipeline(ctx context.Context, k *chunker, first *chunk, enc Encoding, t *rules.Table, procs int, fn func(*chunk) error) error {
	ctx, cancel := context.WithCancel(ctx)
	if procs <= 0 {
		procs = runtime.GOMAXPROCS(0)
	}
	procs = min(procs, 8)
	jobs, order, free := make(chan *chunk), make(chan *chunk, procs+2), make(chan *chunk, procs+2)
	for range procs + 1 {
		free <- &chunk{}
	}
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	for range procs {
		wait.Go(func() {
			for c := range jobs {
				c.prepare(enc, t)
				close(c.ready)
			}
		})
	}
	var readErr error
	wait.Go(func() {
		defer close(order)
		defer close(jobs)
		readErr = feed(ctx, k, first, jobs, order, free)
	})
	for c := range order {
		<-c.ready
		if err := fn(c); err != nil {
			cancel()
			for range order { // let the reader come to its end
			}
			return err
		}
		free <- c
	}
	return readErr
}

// feed reads chunks and hands each to a worker and, in order, to the consumer.
func feed(ctx context.Context, k *chunker, c *chunk, jobs, order, free chan *chunk) error {
	for {
		c.ready = make(chan struct{})
		select {
		case jobs <- c:
		case <-ctx.Done():
			return ctx.Err()
		}
		order <- c
		select {
		case c = <-free:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := k.next(c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// utf16Reader decodes UTF-16 as it is read.
type utf16Reader struct {
	r    io.Reader
	big  bool
	raw  []byte
	out  []byte
	rest []byte
	err  error
}

// Read implements io.Reader.
func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.fill()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// fill decodes what one read brings, but for a code unit or the first half of a pair at its end.
func (u *utf16Reader) fill() {
	if u.raw == nil {
		u.raw = make([]byte, 64<<10)
	}
	n := copy(u.raw, u.rest)
	var m int
	m, u.err = u.r.Read(u.raw[n:])
	n += m
	whole := n &^ 1
	if u.err == nil && whole >= 2 && u.raw[whole-2+boolInt(!u.big)]&0xFC == 0xD8 {
		whole -= 2
	}
	u.out = appendUTF16(nil, u.raw[:whole], u.big)
	u.rest = append(u.rest[:0], u.raw[whole:n]...)
}
