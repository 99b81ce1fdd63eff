package blocker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"session/blocker/rules"
)

// tailSize is how much of a log's end is asked for the verdict before anything else is read.
const tailSize = 64 << 10

// Input is one log or report. Either Data and Size, or Stream.
type Input struct {
	Name    string      // a path for people; its base also tells some reports (LastTestsFailed.log)
	Data    io.ReaderAt // the file; only the first Size bytes are read, so one that grows meanwhile is seen as it was
	Size    int64
	Stream  io.Reader // instead of Data: what cannot be read twice (standard input)
	Exit    *int      // exit code of the command that wrote it, if known
	Command string    // that command, if known
	ModTime time.Time // when it was last written, if known
}

// Options are what Scan needs to know of the world.
type Options struct {
	Now    time.Time    // detected_at
	Root   string       // root of the work tree, absolute: what lies in it is named relative to it
	Dir    string       // where the tool ran, absolute, when that is known and not Root: its relative paths start there
	Rules  *rules.Table // nil: the built-in rules
	Newest time.Time    // the newest thing the log speaks of (HEAD's commit, a source file); an older log is stale
	Procs  int          // goroutines to decode and select with; 0: GOMAXPROCS, at most 8
}

// Prepare makes the table of the built-in rules, which the first scan would wait for (about 1.5 ms): for who is going to
// scan and has something else to do before.
func Prepare() { rules.BuiltinTable() }

// table gives the rules to ask.
func (o *Options) table() *rules.Table {
	if o.Rules == nil {
		return rules.BuiltinTable()
	}
	return o.Rules
}

// Report is what a log says.
type Report struct {
	Verdict  Verdict
	Blockers []Blocker // empty, or one; a report of CI values may hold several
	Encoding Encoding
	Reader   string // log, junit, ctest-xml, go-json, github-json, failed-list, agent
	Stale    bool
	CutOff   bool // a build that counts its steps is not at its last one
}

// First is the blocker of a report, nil when there is none.
func (r Report) First() *Blocker { return First(r.Blockers) }

// Why an input cannot be scanned.
var (
	ErrBinary     = errors.New("this is no text: hand in the log itself, unpacked")
	ErrNotRegular = errors.New("this is no regular file")
	ErrNoInput    = errors.New("nothing to read was handed in")
)

// InputError says which input could not be scanned, and why.
type InputError struct {
	Name string
	Err  error
}

// Error gives name and cause.
func (e *InputError) Error() string { return fmt.Sprintf("scan %s: %v", or(e.Name, "input"), e.Err) }

// Unwrap gives the cause: ErrBinary, ErrNotRegular, ErrNoInput, or the reader's error.
func (e *InputError) Unwrap() error { return e.Err }

// Regular refuses what cannot be scanned as a file: directories, pipes, devices, sockets. Callers ask it before they
// open, since opening a pipe may wait for ever. It returns nil or an *InputError that wraps ErrNotRegular.
func Regular(name string, info fs.FileInfo) error {
	m := info.Mode()
	if m.IsRegular() {
		return nil
	}
	kind, hint := "a device or socket", "name a log file"
	switch {
	case m.IsDir():
		kind, hint = "a directory", "name a file in it"
	case m&fs.ModeNamedPipe != 0:
		kind, hint = "a pipe", "read it on standard input: -"
	case m&fs.ModeSymlink != 0:
		kind, hint = "a symbolic link", "name what it points to"
	}
	return &InputError{name, fmt.Errorf("%w but %s: %s", ErrNotRegular, kind, hint)}
}

// FromFile makes the Input of an open file.
func FromFile(name string, f io.ReaderAt, info fs.FileInfo) (Input, error) {
	if err := Regular(name, info); err != nil {
		return Input{}, err
	}
	return Input{Name: name, Data: f, Size: info.Size(), ModTime: info.ModTime()}, nil
}

// Scan reads a log or report and says what stopped the run. Exit code 0, or a success verdict in the log, means no
// blocker, whatever words stand in it; a failing verdict always yields one. Errors are *InputError or ctx's.
func Scan(ctx context.Context, in Input, o Options) (Report, error) {
	r := Report{Verdict: Unknown, Encoding: UTF8, Reader: "log"}
	if in.Exit != nil && *in.Exit == 0 {
		r.Verdict = Succeeded
		return r, nil
	}
	o.Rules = o.table()
	r.Stale = !in.ModTime.IsZero() && in.ModTime.Before(o.Newest)
	err := scanInput(ctx, &in, &o, &r)
	if err != nil && ctx.Err() == nil {
		err = &InputError{in.Name, err}
	}
	for i := range r.Blockers {
		r.Blockers[i].Stale = r.Stale
	}
	return r, err
}

func scanInput(ctx context.Context, in *Input, o *Options, r *Report) error {
	head, all, err := open(in)
	if err != nil {
		return err
	}
	enc, bom := Detect(head)
	r.Encoding = enc
	if enc == Binary {
		return ErrBinary
	}
	body := io.Reader(all)
	if _, err := io.CopyN(io.Discard, body, int64(bom)); err != nil {
		return err
	}
	if enc == UTF16LE || enc == UTF16BE {
		body = &utf16Reader{r: body, big: enc == UTF16BE}
		head = appendUTF16(nil, head[bom:len(head)&^1], enc == UTF16BE)
	} else {
		head = head[bom:]
	}
	body, done, err := structured(ctx, in, o, r, head, body)
	if done || err != nil {
		return err
	}
	return scanLog(ctx, in, o, r, body)
}

// open gives the head of the input and a reader over all of it.
func open(in *Input) (head []byte, all io.Reader, err error) {
	switch {
	case in.Data != nil:
		all = io.NewSectionReader(in.Data, 0, in.Size)
	case in.Stream != nil:
		all = in.Stream
	default:
		return nil, nil, ErrNoInput
	}
	head = make([]byte, tailSize)
	n, err := io.ReadFull(all, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	head = head[:n]
	return head, io.MultiReader(bytes.NewReader(head), all), nil
}

// scanLog asks the end first, then reads from the beginning.
func scanLog(ctx context.Context, in *Input, o *Options, r *Report, body io.Reader) error {
	if in.Data != nil && in.Size > tailSize && in.Exit == nil {
		ok, err := succeededAtEnd(ctx, in, o, r.Encoding)
		if err != nil {
			return err
		}
		if ok {
			r.Verdict = Succeeded
			return nil
		}
	}
	s := newScan(o.Rules, newPlaces(o.Root, o.Dir))
	err := each(ctx, body, r.Encoding, o.Rules, o.Procs, func(c *chunk) error {
		s.chunk(c)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	s.conclude(in, o, r)
	return nil
}

// succeededAtEnd looks for a success verdict in the last 64 KiB.
func succeededAtEnd(ctx context.Context, in *Input, o *Options, enc Encoding) (bool, error) {
	from := (in.Size - tailSize) &^ 1
	tail := make([]byte, in.Size-from)
	n, err := in.Data.ReadAt(tail, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	tail = tail[:n]
	if enc == UTF16LE || enc == UTF16BE {
		tail = appendUTF16(nil, tail[:n&^1], enc == UTF16BE)
	}
	_, tail, _ = bytes.Cut(tail, []byte{'\n'})
	s := newScan(o.Rules, newPlaces(o.Root, o.Dir))
	err = each(ctx, bytes.NewReader(tail), enc, o.Rules, 1, func(c *chunk) error {
		s.chunk(c)
		return nil
	})
	return s.verdict.sure() && s.verdict.judge(nil, s.proof) == Succeeded, err
}

// conclude turns what a pass over a log kept into the report.
func (s *scan) conclude(in *Input, o *Options, r *Report) {
	r.Verdict, r.CutOff = s.verdict.judge(in.Exit, s.proof), unfinished(s.lastLines())
	if r.Verdict == Succeeded {
		if in.Exit == nil && s.verdict.part() && r.CutOff {
			r.Verdict = Unknown
		}
		return
	}
	f, ok := s.decide(r.Verdict)
	if !ok && r.Verdict == Unknown {
		if f, ok = s.dyingWords(); !ok {
			if complete(s.lastLines()) {
				r.Verdict = Succeeded
			}
			return
		}
	}
	if !ok {
		f = s.fallback(in)
	}
	f.t = byCommand(f, in)
	if in.Exit != nil && killed(*in.Exit) && (f.hit == nil || !f.hit.definite()) {
		f.t = CIFailure
	}
	r.Verdict = Failed
	b := s.blocker(f, in, o)
	r.Blockers = append(r.Blockers, b)
}
