package snapshot

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// read goes through the file once: lines of bounded length, of bounded number, in canonical form, counted and hashed.
func (im *importer) read(ctx context.Context, r io.Reader, each func(line) error) error {
	in := reader{in: bufio.NewReaderSize(r, 64<<10), left: im.limits.Bytes, sum: sha256.New()}
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if n > im.limits.Lines {
			return fmt.Errorf("%w: more than %d lines", ErrTooLarge, im.limits.Lines)
		}
		l, err := in.line()
		if err == nil && (l.Header != nil) != (n == 1) {
			err = fmt.Errorf("%w: the header belongs into the first line, and nowhere else", ErrInvalid)
		}
		if err == nil {
			err = each(l)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if l.End != nil {
			return in.end(*l.End, n)
		}
	}
}

type reader struct {
	in   *bufio.Reader
	left int64
	sum  hash.Hash // of the lines before the last one read
	last []byte
}

func (r *reader) line() (l line, err error) {
	r.sum.Write(r.last)
	r.last = r.last[:0]
	for more := true; more; {
		b, err := r.in.ReadSlice('\n')
		r.last = append(r.last, b...)
		r.left -= int64(len(b))
		switch {
		case r.left < 0 || len(r.last) > MaxPart+maxManifest:
			return l, ErrTooLarge
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return l, fmt.Errorf("%w: the file ends too early", ErrInvalid)
		case err != nil:
			return l, err
		default:
			more = false
		}
	}
	if err := decodeLarge(bytes.TrimSuffix(r.last, []byte("\n")), &l); err != nil {
		return l, fmt.Errorf("%w: no line of an export: %w", ErrInvalid, err)
	}
	return l, l.one()
}

// one refuses a line that says nothing or two things.
func (l *line) one() error {
	n := 0
	for _, is := range []bool{l.Header != nil, l.Tombstone != nil, l.Blob != nil, l.Manifest != nil, l.Autosave != nil, l.End != nil} {
		if is {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("%w: a line of an export says one thing", ErrInvalid)
	}
	return nil
}

func (r *reader) end(e exportEnd, lines int) error {
	if is := hex.EncodeToString(r.sum.Sum(nil)); e.SHA256 != is || e.Lines != lines-1 {
		return fmt.Errorf("%w: the file is not whole: its last line does not fit the others", ErrInvalid)
	}
	if _, err := r.in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: something follows the last line", ErrInvalid)
	}
	return nil
}
