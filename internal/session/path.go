package session

import (
	"strconv"
	"unicode/utf8"
)

// PathText writes a path of git's (any bytes but NUL) as text that survives JSON: as it is where it is UTF-8, else
// quoted with \xNN for the bytes that are not. A path that begins with a quote is quoted too, so that the two cannot
// be confused. PathBytes reads it back.
func PathText(path string) string {
	if utf8.ValidString(path) && (path == "" || path[0] != '"') {
		return path
	}
	out := []byte{'"'}
	for i := 0; i < len(path); {
		r, n := utf8.DecodeRuneInString(path[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			const hex = "0123456789abcdef"
			out = append(out, '\\', 'x', hex[path[i]>>4], hex[path[i]&15])
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\n':
			out = append(out, '\\', 'n')
		default:
			out = append(out, path[i:i+n]...)
		}
		i += n
	}
	return string(append(out, '"'))
}

// PathBytes is the path that PathText wrote. Text that PathText cannot have written is returned as it is.
func PathBytes(text string) string {
	if text == "" || text[0] != '"' {
		return text
	}
	if path, err := strconv.Unquote(text); err == nil {
		return path
	}
	return text
}
