package assistant

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Position says how far a transcript has been read. It is kept with what was read, so that every message is stored once:
// also when the file was rewritten, or when a new file begins with the messages of an old one (a fork).
type Position struct {
	Offset  int64  `json:"offset"`
	Mark    string `json:"mark,omitempty"`    // hash of the bytes before Offset
	Last    string `json:"last,omitempty"`    // id of the last message
	Counted string `json:"counted,omitempty"` // id of the last message whose usage was counted
	Cost    int64  `json:"cost,omitempty"`    // the transcript's own sum then, in millionths of a US dollar
}

// Segment is one message of the main agent's conversation.
type Segment struct {
	ID    string    `json:"id,omitempty"` // the transcript's
	Role  Role      `json:"role"`
	At    time.Time `json:"at"`
	Model string    `json:"model,omitempty"`
	Text  string    `json:"text,omitempty"`
	Tools []ToolUse `json:"tools,omitempty"`
	Cut   bool      `json:"cut,omitempty"` // Text was longer
}

// Role is whose message it is.
type Role string

// The roles. A summary is what stands for messages that the assistant has dropped from its context; a tool is a result
// whose call was read earlier.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Summary   Role = "summary"
	Tool      Role = "tool"
)

// ToolUse is a call of a tool and what came of it, in short.
type ToolUse struct {
	Name     string `json:"name"`
	Input    string `json:"input,omitempty"`  // the command, the file, or the beginning of the JSON
	Output   string `json:"output,omitempty"` // its end
	Failed   bool   `json:"failed,omitempty"`
	ExitCode *int   `json:"exit_code,omitempty"` // where the transcript has it
	Agent    string `json:"agent,omitempty"`     // the agent that was called; its own messages are not part of this
	AgentID  string `json:"agent_id,omitempty"`
}

// Usage is counted in tokens.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
}

func (u *Usage) add(v Usage) {
	u.Input, u.Output = u.Input+v.Input, u.Output+v.Output
	u.CacheRead, u.CacheWrite = u.CacheRead+v.CacheRead, u.CacheWrite+v.CacheWrite
}

// Ran is a command that builds or tests and that has ended: evidence for a blocker, or against one.
type Ran struct {
	Tool     string
	Command  string
	Failed   bool
	ExitCode int    // -1: not known
	Output   string // its end, of one that failed
	At       time.Time
}

// Page is the part of a transcript that is new.
type Page struct {
	Segments  []Segment
	Ran       []Ran // the newest, in their order
	Usage     Usage // of the messages in this page
	CostMicro int64 // in millionths of a US dollar; 0 where the transcript names none
	Next      Position
	Skipped   int64 // bytes that were passed over because there were too many
	Unread    int   // lines that were too long, or no JSON
}

// Bounds of a page, where TranscriptOptions says nothing else.
const (
	defaultPage = 8 << 20
	maxLine     = 4 << 20
	maxSegments = 2000
	maxRan      = 50
	textLimit   = 16 << 10
	inputLimit  = 400
	outputLimit = 2 << 10
	proofLimit  = 16 << 10 // of a failure's output
	lookBack    = 256 << 10
	markSize    = 256
)

// TranscriptOptions say what is read.
type TranscriptOptions struct {
	From     Name // whose form the transcript has; "": it is told from its first line
	Path     string
	After    Position
	MaxBytes int64               // read at most so much, the newest; 0: 8 MiB
	Redact   func(string) string // applied to every text before it is cut; nil: nothing is
}

// ErrNoTranscript says that a file has the form of no transcript that is known.
var ErrNoTranscript = errors.New("this file is no transcript of an assistant that session knows")

// ReadTranscript reads what is new in a transcript: whole lines from a position on, in bounded memory whatever the size
// of the file. Lines of unknown types are passed over, those of agents below the main one too. Errors: fs.ErrNotExist,
// ErrNoTranscript, what the file system says.
func ReadTranscript(o TranscriptOptions) (Page, error) {
	f, size, err := openRegular(o.Path)
	if err != nil {
		return Page{}, fmt.Errorf("read transcript %s: %w", o.Path, err)
	}
	defer f.Close()
	page, err := readTranscript(f, size, o)
	if err != nil {
		return Page{}, fmt.Errorf("read transcript %s: %w", o.Path, err)
	}
	return page, nil
}

// openRegular opens a file unless it is something that could block or never end.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotAFile
	}
	if err != nil {
		return nil, 0, err
	}
	f, err := os.Open(path)
	return f, info.Size(), err
}

func readTranscript(f io.ReaderAt, size int64, o TranscriptOptions) (Page, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultPage
	}
	form := o.From
	if form == "" {
		form = guess(f, size)
	}
	read := formOf(form)
	if read == nil {
		return Page{}, ErrNoTranscript
	}
	b := newBuilder(o)
	start := o.After.Offset
	if !marked(f, size, o.After) {
		start, b.anew = 0, o.After.Last != ""
	}
	if size-start > o.MaxBytes {
		b.page.Skipped = size - o.MaxBytes - start
		start = size - o.MaxBytes
	}
	b.dry = true // tools that were called before this page
	if _, err := eachLine(f, max(0, start-lookBack), start, func(l []byte) { b.line(read, l) }); err != nil {
		return Page{}, err
	}
	b.dry = false
	end, err := eachLine(f, start, size, func(l []byte) { b.line(read, l) })
	if err != nil {
		return Page{}, err
	}
	return b.finish(Position{Offset: end, Mark: mark(f, end)}), nil
}

// formOf is the reader of one assistant's lines.
func formOf(n Name) func(*builder, []byte) {
	switch n {
	case Claude:
		return claudeLine
	case Codex:
		return codexLine
	case Gemini:
		return geminiLine
	case Copilot:
		return copilotLine
	}
	return nil
}

// guess tells a transcript's form from its beginning.
func guess(f io.ReaderAt, size int64) Name {
	head := make([]byte, min(size, 64<<10))
	n, _ := f.ReadAt(head, 0)
	first, _, _ := bytes.Cut(head[:n], []byte("\n"))
	for _, form := range []struct {
		sign string
		name Name
	}{{`"type":"session_meta"`, Codex}, {`"projectHash"`, Gemini}, {`"type":"session.start"`, Copilot}, {`"sessionId"`, Claude}, {`"leafUuid"`, Claude}} {
		if bytes.Contains(first, []byte(form.sign)) {
			return form.name
		}
	}
	return ""
}

// mark is a hash of the bytes that stand before an offset, by which a file is known again.
func mark(f io.ReaderAt, offset int64) string {
	b := make([]byte, min(offset, markSize))
	if _, err := f.ReadAt(b, offset-int64(len(b))); err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:8])
}

func marked(f io.ReaderAt, size int64, at Position) bool {
	return at.Offset > 0 && at.Offset <= size && at.Mark == mark(f, at.Offset)
}

// eachLine calls do with every whole line that begins in a part of a file; one longer than maxLine is handed over as nil.
// It says where the last whole line ends.
func eachLine(f io.ReaderAt, from, to int64, do func([]byte)) (end int64, err error) {
	if from >= to {
		return to, nil
	}
	at, skip, long := from, false, false
	if from > 0 { // the rest of a line that began earlier; nothing but its end where a line begins at from
		at, skip = from-1, true
	}
	end = from
	r := bufio.NewReaderSize(io.NewSectionReader(f, at, to-at), 64<<10)
	for line := []byte(nil); ; {
		part, err := r.ReadSlice('\n')
		at += int64(len(part))
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return end, nil
		case err != nil:
			return end, err
		}
		if l := bytes.TrimSpace(line); !skip && (long || len(l) > 0) {
			do(l)
		}
		end, line, skip, long = at, line[:0], false, false
	}
}
