package redact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// chunk is how much is read at once, in bytes. A stream holds that much and what rules may look at around it.
const chunk = 256 << 10

// Scan looks for secrets in everything that r gives and calls hit for each, in order; offsets and lines are those of the
// whole. It finds what Find would find. An error of r ends the scan and is returned (wrapped), as is one of hit (as it
// is): then nothing is known about what was not read.
func Scan(r io.Reader, hit func(Hit) error) error {
	s := newStream(r)
	for {
		last, err := s.fill()
		if err != nil {
			return fmt.Errorf("look for secrets: %w", err)
		}
		for s.next(last) {
			if err := hit(s.found); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		s.drop()
	}
}

// Copy copies src to dst with its secrets masked and tells how many there were. After an error what dst got is masked,
// but not all of it.
func Copy(dst io.Writer, src io.Reader) (hits int, err error) {
	s := newStream(src)
	for {
		last, err := s.fill()
		if err != nil {
			return hits, fmt.Errorf("mask secrets: %w", err)
		}
		for s.next(last) {
			hits++
			if err := s.write(dst, s.found.Start, Mask(s.found.Rule)); err != nil {
				return hits, err
			}
			s.sent = s.found.End
		}
		if err := s.write(dst, s.settled(last), ""); err != nil {
			return hits, err
		}
		if last {
			return hits, nil
		}
		s.drop()
	}
}

// stream is a window that moves over a reader. Offsets with "all" in their name count from the beginning of the whole.
type stream struct {
	r        io.Reader
	scan     scanner
	baseAll  int // where the buffer begins
	lines    int // lines before counted
	counted  int // offset in the buffer up to which lines are counted
	found    Hit // offsets of the whole
	sent     int // offset of the whole up to which it was written
	failures int
}

func newStream(r io.Reader) *stream {
	return &stream{r: r, lines: 1, scan: scanner{b: make([]byte, 0, chunk+maxAhead+2*maxBehind), table: table()}}
}

// fill reads until the buffer is full or the reader is done.
func (s *stream) fill() (last bool, err error) {
	b := s.scan.b
	for len(b) < cap(b) {
		n, err := s.r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		s.scan.b = b
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if n > 0 {
			s.failures = 0
		} else if s.failures++; s.failures == 100 {
			return false, io.ErrNoProgress
		}
	}
	return false, nil
}

// next finds the next secret of which all is in the buffer.
func (s *stream) next(last bool) bool {
	if !s.scan.next(s.limit(last)) {
		return false
	}
	h := s.scan.hit
	s.lines += bytes.Count(s.scan.b[s.counted:h.Start], newline)
	s.counted = h.Start
	s.found = Hit{Rule: h.Rule, Start: s.baseAll + h.Start, End: s.baseAll + h.End, Line: s.lines}
	return true
}

func (s *stream) limit(last bool) int {
	if last {
		return len(s.scan.b)
	}
	return len(s.scan.b) - maxAhead
}

// settled is the offset of the whole up to which no secret can begin any more.
func (s *stream) settled(last bool) int {
	if last {
		return s.baseAll + len(s.scan.b)
	}
	return s.baseAll + max(0, s.scan.at-maxBehind, s.scan.done)
}

func (s *stream) write(dst io.Writer, end int, mask string) error {
	if end > s.sent {
		if _, err := dst.Write(s.scan.b[s.sent-s.baseAll : end-s.baseAll]); err != nil {
			return err
		}
		s.sent = end
	}
	if mask == "" {
		return nil
	}
	_, err := io.WriteString(dst, mask)
	return err
}

// drop lets go of what is settled.
func (s *stream) drop() {
	keep := s.settled(false) - s.baseAll
	s.lines += bytes.Count(s.scan.b[min(s.counted, keep):keep], newline)
	s.counted = max(0, s.counted-keep)
	s.scan.b = s.scan.b[:copy(s.scan.b, s.scan.b[keep:])]
	s.scan.at, s.scan.done = s.scan.at-keep, max(0, s.scan.done-keep)
	s.baseAll += keep
}
