package assistant

import (
	"errors"
	"io"
	"strings"
)

// maxArguments bounds what a person types behind a slash command, in bytes.
const maxArguments = 64 << 10

// ErrQuote says that a quote in a line of arguments is not closed.
var ErrQuote = errors.New("a quote is not closed")

// ErrArguments says that there is more than a person types behind a command.
var ErrArguments = errors.New("the arguments are longer than 64 KiB")

// SplitArguments splits what a person typed behind a slash command into words, as a shell would with quotes and
// backslashes, and does nothing else: no variable, no substitution, no operator. "&&" and "$(x)" are words, which the
// command then refuses. Gemini CLI hands all arguments over as one word, OpenCode through a here-document. Errors:
// ErrQuote, ErrArguments.
func SplitArguments(text string) ([]string, error) {
	if len(text) > maxArguments {
		return nil, ErrArguments
	}
	s := splitter{}
	for _, r := range text {
		s.rune(r)
	}
	if s.quote != 0 {
		return nil, ErrQuote
	}
	s.end()
	return s.words, nil
}

// ReadArguments reads the arguments from standard input and splits them (--arguments=-). Errors: SplitArguments', the
// reader's.
func ReadArguments(r io.Reader) ([]string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxArguments+1))
	if err != nil {
		return nil, err
	}
	return SplitArguments(string(b))
}

type splitter struct {
	words   []string
	word    strings.Builder
	in      bool // a word has begun, perhaps an empty one in quotes
	quote   rune
	escaped bool
}

func (s *splitter) rune(r rune) {
	switch {
	case s.escaped:
		if s.quote == '"' && r != '"' && r != '\\' {
			s.word.WriteRune('\\')
		}
		s.escaped = false
		s.word.WriteRune(r)
	case r == '\\' && s.quote != '\'':
		s.in, s.escaped = true, true
	case s.quote != 0 && r == s.quote:
		s.quote = 0
	case s.quote == 0 && (r == '\'' || r == '"'):
		s.in, s.quote = true, r
	case s.quote == 0 && (r == ' ' || r == '\t' || r == '\n' || r == '\r'):
		s.end()
	default:
		s.in = true
		s.word.WriteRune(r)
	}
}

func (s *splitter) end() {
	if s.escaped {
		s.word.WriteRune('\\')
	}
	if s.in {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.in, s.escaped = false, false
}
