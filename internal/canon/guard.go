package canon

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// guard refuses what RFC 8785 would silently change, or would refuse without saying where.
func guard(in []byte) error {
	if i := invalidUTF8(in); i >= 0 {
		return &Refused{Offset: i, Reason: ErrUnicode}
	}
	if d := deeper(in, MaxDepth); d >= 0 {
		return &Refused{Offset: d, Reason: ErrDepth}
	}
	if !json.Valid(in) {
		return syntax(in)
	}
	g := walker{in: in}
	return g.value()
}

func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; ; {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
}

// deeper finds the bracket that opens level most+1, or -1. It needs no valid JSON: strings are skipped, brackets counted.
func deeper(b []byte, most int) int {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > most {
				return i
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return -1
}

func syntax(in []byte) error {
	var v json.RawMessage
	err := json.Unmarshal(in, &v)
	at := 0
	if s, ok := err.(*json.SyntaxError); ok {
		at = max(0, int(s.Offset)-1)
	}
	return &Refused{Offset: at, Detail: quote(err.Error()), Reason: ErrSyntax}
}

// walker goes once over JSON that is known to be valid, so it looks for nothing but the ends of things.
type walker struct {
	in []byte
	at int
}

func (w *walker) value() error {
	switch c := w.next(); c {
	case '{':
		return w.object()
	case '[':
		return w.array()
	case '"':
		_, err := w.text()
		return err
	case 't', 'n':
		w.at += 4
	case 'f':
		w.at += 5
	default:
		return w.number()
	}
	return nil
}

// next gives the first byte that is not white space, without taking it.
func (w *walker) next() byte {
	for w.in[w.at] <= ' ' {
		w.at++
	}
	return w.in[w.at]
}

func (w *walker) array() error {
	w.at++
	for w.next() != ']' {
		if err := w.value(); err != nil {
			return err
		}
		w.skip(',')
	}
	w.at++
	return nil
}

// skip takes c if it comes next.
func (w *walker) skip(c byte) {
	if w.next() == c {
		w.at++
	}
}

func (w *walker) object() error {
	w.at++
	seen := map[string]bool{}
	for w.next() != '}' {
		at := w.at
		name, err := w.text()
		if err != nil {
			return err
		}
		if seen[name] {
			return &Refused{Offset: at, Detail: quote(name), Reason: ErrDuplicate}
		}
		seen[name] = true
		w.skip(':')
		if err := w.value(); err != nil {
			return err
		}
		w.skip(',')
	}
	w.at++
	return nil
}

// text takes a string and gives what it means, so that two spellings of a name are one member.
func (w *walker) text() (string, error) {
	start := w.at
	escaped := false
	for w.at++; w.in[w.at] != '"'; w.at++ {
		if w.in[w.at] == '\\' {
			escaped = true
			w.at++
		}
	}
	w.at++
	raw := w.in[start:w.at]
	if !escaped {
		return string(raw[1 : len(raw)-1]), nil
	}
	if i := loneSurrogate(raw); i >= 0 {
		return "", &Refused{Offset: start + i, Detail: quote(string(raw[i : i+6])), Reason: ErrUnicode}
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", &Refused{Offset: start, Reason: ErrSyntax}
	}
	return s, nil
}

// loneSurrogate finds an escaped half of a UTF-16 pair without its other half; encoding/json reads it as U+FFFD.
func loneSurrogate(raw []byte) int {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		switch u := unit(raw[i+1:]); {
		case u >= 0xDC00 && u < 0xE000:
			return i - 1
		case u >= 0xD800 && u < 0xDC00:
			rest := raw[i+5:]
			if !bytes.HasPrefix(rest, []byte(`\u`)) || unit(rest[2:])&0xFC00 != 0xDC00 {
				return i - 1
			}
			i += 6
		}
		i += 4
	}
	return -1
}

func unit(hex []byte) uint64 {
	u, _ := strconv.ParseUint(string(hex[:4]), 16, 32) // valid JSON: four hex digits stand here
	return u
}

func (w *walker) number() error {
	start := w.at
	for w.at < len(w.in) && bytes.IndexByte([]byte("+-.0123456789eE"), w.in[w.at]) >= 0 {
		w.at++
	}
	if s := string(w.in[start:w.at]); !exact(s) {
		return &Refused{Offset: start, Detail: quote(s), Reason: ErrNumber}
	}
	return nil
}

func quote(s string) string {
	const most = 40
	if len(s) <= most {
		return strconv.QuoteToASCII(s)
	}
	return strconv.QuoteToASCII(s[:most]) + "…"
}
