package rules

import (
	"bytes"
	"strconv"
)

// parseShape runs one of the hand-written parsers. They cost tens of nanoseconds where a pattern costs microseconds.
func parseShape(shape string, line []byte) (Match, bool) {
	switch shape {
	case ShapeColon:
		return parseColon(line)
	case ShapeParen:
		return parseParen(line)
	}
	return parseLevel(line)
}

// errorWords are the words for an error at the head of a message, longest first where one begins another, as compilers
// print them: English, German, French, Italian, Portuguese, Spanish, Russian, Japanese, Chinese (both scripts), Korean,
// Dutch, Polish, Turkish.
var errorWords = []string{
	"fatal error", "Fatal error", "FATAL ERROR", "internal compiler error", "internal error", "syntax error",
	"catastrophic error", "error", "Error", "ERROR", "fatal", "Fatal",
	"schwerwiegender Fehler", "Fehler", "erreur fatale", "erreur", "errore irreversibile", "errore", "erro fatal", "erro",
	"error fatal", "фатальная ошибка", "ошибка", "致命的エラー", "エラー", "致命错误", "错误", "嚴重錯誤", "錯誤", "严重错误",
	"치명적 오류", "치명적인 오류", "오류", "에러", "fatale fout", "fout", "błąd krytyczny", "błąd", "ölümcül hata", "hata",
}

// ends are the marks that may close an error word.
const fullColon = "："

// errorHead reads "error", "error C2065", "error[E0308]", "error TS2345", "Error(3)" … and its colon at the head of b.
// It returns the code and what follows.
func errorHead(b []byte) (code string, rest []byte, ok bool) {
	for _, w := range errorWords {
		if bytes.HasPrefix(b, []byte(w)) {
			if code, rest, ok := codeColon(b[len(w):]); ok {
				return code, rest, true
			}
		}
	}
	return "", nil, false
}

// codeColon reads an optional code and a colon.
func codeColon(b []byte) (code string, rest []byte, ok bool) {
	b = bytes.TrimLeft(b, " ")
	i := 0
	for i < len(b) && i < 48 && (isWord(b[i]) || b[i] == '[' || b[i] == ']' || b[i] == '(' || b[i] == ')' || b[i] == '#' || b[i] == '-') {
		i++
	}
	code = string(bytes.Trim(b[:i], "[]()# -"))
	b = bytes.TrimLeft(b[i:], " ")
	switch {
	case bytes.HasPrefix(b, []byte(":")):
		b = b[1:]
	case bytes.HasPrefix(b, []byte(fullColon)):
		b = b[len(fullColon):]
	default:
		return "", nil, false
	}
	if code != "" && !hasDigit(code) && !isShout(code) {
		return "", nil, false
	}
	return code, bytes.TrimSpace(b), true
}

// isShout: a code may be a word in capitals, WHITESPACE say.
func isShout(s string) bool {
	return len(s) >= 4 && len(bytes.Trim([]byte(s), "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) == 0
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func hasDigit(s string) bool { return bytes.ContainsAny([]byte(s), "0123456789") }

// trimLevel takes away what stands before the path of a diagnostic: [ERROR], ERROR:, error:, e:, ##[error], ==>.
func trimLevel(b []byte) []byte {
	if t := bytes.TrimLeft(b, " "); len(b)-len(t) < 4 { // deeper is what a program printed inside a test
		b = t
	}
	for _, p := range []string{"##[error]", "::error::", "[ERROR] ", "[error] ", "[ERROR]", "ERROR: ", "ERROR in ", "error: ", "Error: ", "stderr: ", "e: "} {
		if bytes.HasPrefix(b, []byte(p)) {
			return bytes.TrimLeft(b[len(p):], " ")
		}
	}
	return b
}

// digits reads a number at the head of b.
func digits(b []byte) (n, size int) {
	for size < len(b) && size < 9 && b[size] >= '0' && b[size] <= '9' {
		size++
	}
	n, err := strconv.Atoi(string(b[:size]))
	if err != nil {
		return 0, 0
	}
	return n, size
}

// parseColon reads path:line[:col][-end]: word [code]: msg.
func parseColon(b []byte) (Match, bool) {
	b = trimLevel(b)
	for from := pathStart(b); from < len(b); {
		i := bytes.IndexByte(b[from:], ':')
		if i < 0 {
			break
		}
		i += from
		if m, ok := colonAt(b, i); ok {
			return m, true
		}
		from = i + 1
	}
	return Match{}, false
}

// pathStart skips the colon of a Windows drive.
func pathStart(b []byte) int {
	if len(b) > 2 && b[1] == ':' && (b[2] == '\\' || b[2] == '/') {
		return 2
	}
	return 0
}

func colonAt(b []byte, i int) (m Match, ok bool) {
	line, n := digits(b[i+1:])
	file := b[:i]
	if j := bytes.LastIndex(file, []byte(" - /")); j >= 0 { // maven quotes a tool's output behind its exit code
		file = file[j+3:]
	}
	if n == 0 || !isPath(file) {
		return m, false
	}
	m = Match{File: string(file), Line: line}
	rest := b[i+1+n:]
	if len(rest) > 0 && (rest[0] == ':' || rest[0] == '.') {
		if col, n := digits(rest[1:]); n > 0 {
			m.Col, rest = col, rest[1+n:]
		}
	}
	rest = skipRange(rest)
	switch {
	case bytes.HasPrefix(rest, []byte(":")):
		rest = rest[1:]
	case bytes.HasPrefix(rest, []byte(fullColon)):
		rest = rest[len(fullColon):]
	case !bytes.HasPrefix(rest, []byte(" - ")): // tsc --pretty: path:line:col - error TS1:
		return m, false
	default:
		rest = rest[3:]
	}
	code, msg, ok := errorHead(skipEnd(bytes.TrimLeft(rest, " \t")))
	m.setMessage(code, msg)
	return m, ok
}

// skipEnd passes over the end of a range in rustc's old form: 3:5: 3:8 error: …
func skipEnd(b []byte) []byte {
	_, n := digits(b)
	if n > 0 && n+1 < len(b) && b[n] == ':' {
		if _, k := digits(b[n+1:]); k > 0 && n+1+k < len(b) && b[n+1+k] == ' ' {
			return b[n+2+k:]
		}
	}
	return b
}

// skipRange passes over the end of a range: 3:5-9, 3:5-4:2.
func skipRange(b []byte) []byte {
	for len(b) > 1 && (b[0] == '-' || b[0] == ':') && b[1] >= '0' && b[1] <= '9' {
		_, n := digits(b[1:])
		b = b[1+n:]
	}
	return b
}

// setMessage keeps the code before the message: it is what a person searches for, and the same in every language.
func (m *Match) setMessage(code string, msg []byte) {
	m.Msg = string(msg)
	if code == "" {
		return
	}
	m.Vars = map[string]string{"code": code}
	m.Msg = code + ": " + m.Msg
}

// isPath tells whether b can be a path: not empty, no quotes, no marks that paths do not have in diagnostics; a blank
// only when some part looks like a file name.
func isPath(b []byte) bool {
	if len(b) == 0 || len(b) > 1024 || bytes.ContainsAny(b, "\"'`<>|*?\t") {
		return bytes.HasPrefix(b, []byte("<stdin>")) || bytes.HasPrefix(b, []byte("<stdout>")) || bytes.HasPrefix(b, []byte("<command"))
	}
	if b[0] == ' ' || b[len(b)-1] == ' ' {
		return false
	}
	if bytes.IndexByte(b, ' ') < 0 {
		return bytes.ContainsAny(b, "./\\") || !isClock(b)
	}
	absolute := b[0] == '/' || b[0] == '.' || len(b) > 2 && b[1] == ':'
	return absolute && bytes.ContainsAny(b, "/\\") && bytes.IndexByte(b, '.') >= 0 && !bytes.Contains(b, []byte(": "))
}

// isClock is true for 12 and 12:34, the head of a time of day.
func isClock(b []byte) bool { return len(bytes.Trim(b, "0123456789:")) == 0 }

// parseParen reads path(line[,col]) [:] word [code]: msg. However far in it stands, as in MSBuild's terminal log, an error
// with a code is a compiler's.
func parseParen(b []byte) (Match, bool) {
	t := trimLevel(b)
	deep := len(t) > 0 && t[0] == ' '
	b = bytes.TrimLeft(t, " ")
	for from := 0; from < len(b); {
		i := bytes.IndexByte(b[from:], '(')
		if i < 0 {
			break
		}
		i += from
		if m, ok := parenAt(b, i); ok && (!deep || m.Vars["code"] != "") {
			return m, true
		}
		from = i + 1
	}
	return Match{}, false
}

func parenAt(b []byte, i int) (m Match, ok bool) {
	line, n := digits(b[i+1:])
	file := bytes.TrimRight(b[:i], " ")
	j := bytes.LastIndex(file, []byte(": ")) // a script runner's "package script: "
	if j >= 0 {
		file = file[j+2:]
	}
	if n == 0 || !isPath(file) {
		return m, false
	}
	m = Match{File: string(file), Line: line}
	rest := b[i+1+n:]
	if len(rest) > 0 && rest[0] == ',' {
		if col, n := digits(bytes.TrimLeft(rest[1:], " ")); n > 0 {
			m.Col = col
		}
	}
	end := bytes.IndexByte(rest, ')')
	if end < 0 || end > 40 || len(bytes.Trim(rest[:end], "0123456789,- ~")) > 0 {
		return m, false
	}
	rest = skipColumn(bytes.TrimLeft(rest[end+1:], " :"))
	code, msg, ok := errorHead(rest)
	if !ok {
		code, msg, ok = bracketError(rest) // IAR: Error[Pe020]: …
	}
	m.setMessage(code, msg)
	return m, ok && (j < 0 || code != "")
}

// skipColumn passes over Flex's "col: 5 ".
func skipColumn(b []byte) []byte {
	if t, ok := bytes.CutPrefix(b, []byte("col: ")); ok {
		_, n := digits(t)
		return bytes.TrimLeft(t[n:], " ")
	}
	return b
}

func bracketError(b []byte) (code string, msg []byte, ok bool) {
	for _, w := range []string{"Error", "Fatal Error", "error"} {
		if bytes.HasPrefix(b, []byte(w+"[")) {
			return codeColon(b[len(w):])
		}
	}
	return "", nil, false
}

// parseLevel reads a message that only has a level before it.
func parseLevel(b []byte) (Match, bool) {
	t := trimLevel(b)
	if len(t) < len(bytes.TrimLeft(b, " ")) && len(t) > 0 {
		return Match{Msg: string(t)}, true
	}
	code, msg, ok := errorHead(t)
	if !ok || len(msg) == 0 {
		return Match{}, false
	}
	var m Match
	m.setMessage(code, msg)
	return m, true
}
