package redact

import "bytes"

// assigned is the rule for values that have a name beside them that says what they are.
const assigned = "assigned-secret"

// keywords call the rule for assignments.
func keywords() []string {
	return []string{"passw", "passphrase", "pwd", "secret", "token", "key", "credential", "creds"}
}

// degree is how much the name beside a value says.
type degree int

const (
	silent   degree = iota // nothing
	hinting                // a key of some kind
	telling                // a token, an API key, a secret
	password               // chosen by a person: may be weak
)

// assignment judges the name around a keyword, then the value beside it.
func assignment(w *window) (int, int, bool) {
	l, r := w.name()
	how := meaning(w.b[l:r])
	if how == silent {
		return 0, 0, false
	}
	v, ok := w.value(r)
	if !ok && how == password {
		v, ok = w.netrc(l, r)
	}
	if !ok || v.end-v.start < 8 || !secretValue(w.b[v.start:v.end], how, v) {
		return 0, 0, false
	}
	if s, e, ok := w.inner(v.start, v.end); ok {
		return s, e, true
	}
	return v.start, v.end, true
}

// netrc finds the value of "machine host login me password v", on one line or on several.
func (w *window) netrc(l, r int) (value, bool) {
	lead := w.b[max(0, l-200):l]
	i := bytes.LastIndex(lead, []byte("login "))
	if i < 0 || bytes.Count(lead[i:], newline) > 1 || len(bytes.Fields(lead[i:])) != 2 {
		return value{}, false
	}
	start := skip(w.b, r, blanks, 8)
	end := start
	for end < len(w.b) && end-start <= mostValue && w.b[end] > ' ' {
		end++
	}
	return value{start: start, end: end, quoted: true}, start > r && end > start
}

const mostName = 80

// name gives the identifier that the keyword stands in.
func (w *window) name() (int, int) {
	inName := &dotted
	l := w.at - min(inName.runBack(w.b[:w.at], mostName), mostName)
	if w.at-l == mostName && l > 0 && inName.has(w.b[l-1]) {
		l = w.at
	}
	if l > 0 && w.b[l-1] == '\\' && l < w.at && (w.b[l] == 'n' || w.b[l] == 't' || w.b[l] == 'r') {
		l++ // \nname: the letter belongs to the escape
	}
	r := w.at + w.n + inName.run(w.after(), mostName)
	for r > w.at+w.n && !alnum.has(w.b[r-1]) {
		r--
	}
	return l, min(r, w.at+w.n+mostName)
}

// words are the parts of an identifier, in lower case, from the last to the first.
type words struct {
	b   []byte
	end int
}

// prev gives the word before: dbPassword_2 is 2, password, db; APIKey is key, api.
func (s *words) prev(buf *[mostName]byte) []byte {
	for s.end > 0 && !alnum.has(s.b[s.end-1]) {
		s.end--
	}
	e := s.end
	i := e
	for i > 0 && alnum.has(s.b[i-1]) && !(i < e && breaks(s.b, i)) {
		i--
	}
	s.end = i
	n := 0
	for ; i < e && n < len(buf); i++ {
		buf[n] = lower[s.b[i]]
		n++
	}
	return buf[:n]
}

// breaks tells whether a new word begins at i: a capital after a small letter, the last of several capitals before a
// small one, a digit after a letter or the other way round.
func breaks(b []byte, i int) bool {
	p, c := b[i-1], b[i]
	switch {
	case digits.has(p) != digits.has(c):
		return true
	case isUpper(c) && !isUpper(p):
		return true
	}
	return isUpper(c) && isUpper(p) && i+1 < len(b) && isLower(b[i+1])
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// meaning asks what the last words of a name say: password_file is a file and tokenCount a count, and no secrets.
func meaning(name []byte) degree {
	s := words{name, len(name)}
	var buf, buf2 [mostName]byte
	head := s.prev(&buf)
	for len(head) > 0 && vague(head) {
		head = s.prev(&buf)
	}
	d := headMeaning(head)
	if d == silent {
		return silent
	}
	for range 4 {
		q := s.prev(&buf2)
		if len(q) == 0 {
			break
		}
		if harmless(q, d) {
			return silent
		}
		if d == hinting && secretKey(q) {
			d = telling
		}
	}
	if d == hinting && len(name) == len(head) {
		return silent // a bare "key" is a key of a map
	}
	return d
}

// vague words at the end of a name say nothing: tokenValue, secret_prod, password2.
func vague(w []byte) bool {
	if digits.has(w[0]) {
		return true
	}
	switch string(w) {
	case "value", "val", "string", "str", "text", "txt", "data", "raw", "plain", "plaintext", "base", "b", "encoded", "enc", "prod",
		"production", "dev", "stage", "staging", "test", "live", "default", "old", "new", "current", "main", "primary", "secondary", "s":
		return true
	}
	return false
}

func headMeaning(w []byte) degree {
	has := func(suffix string) bool { return bytes.HasSuffix(w, []byte(suffix)) }
	switch {
	case has("password"), has("passwd"), has("passphrase"), string(w) == "pwd", string(w) == "passwort":
		return password
	case has("apikey"), has("accesskey"), has("secretkey"), has("authkey"), has("privatekey"), has("masterkey"), has("accountkey"), has("signingkey"):
		return telling
	case has("secret"), has("token"), string(w) == "credential", string(w) == "credentials", string(w) == "creds":
		return telling
	case string(w) == "key":
		return hinting
	}
	return silent
}

// secretKey: before "key", these make it a secret one.
func secretKey(w []byte) bool {
	switch string(w) {
	case "api", "access", "secret", "auth", "private", "master", "account", "signing", "encryption", "encrypt", "storage", "shared", "app",
		"subscription", "license", "client", "service", "admin", "root", "session", "cipher", "aes", "hmac", "jwt", "webhook":
		return true
	}
	return false
}

// harmless: before the head, these make it something that everybody may know.
func harmless(w []byte, d degree) bool {
	switch string(w) {
	case "public", "pub", "verifier", "csrf", "xsrf", "authenticity", "verification", "antiforgery", "no", "not", "page", "next", "prev", "continuation", "cancellation", "cancel", "idempotency",
		"parser", "lexer", "syntax", "placeholder", "example", "fake", "mock", "dummy", "invalid", "wrong", "expected":
		return true
	case "primary", "foreign", "partition", "sort", "range", "cache", "row", "object", "bucket", "hash", "map", "lookup", "i18n", "locale",
		"translation", "message", "msg", "schema", "sequence", "index", "idx", "unique", "group", "context", "ctx", "config", "param", "query",
		"field", "column", "registry", "kms", "ssh", "host", "hotkey", "shortcut", "keyboard", "label", "feature", "flag", "storage_key":
		return d == hinting
	}
	return false
}

// value is a value beside a name: b[start:end], without its quotes.
type value struct {
	start, end int
	quoted     bool
	call       bool // an argument: setToken("…"), setenv("TOKEN", "…")
}

const mostValue = 1024

// value finds the value that is assigned to the name that ends at i: key: v, key = "v", "key" => 'v', key := `v`,
// Key string = "v", <key>v</key>, setKey("v"), putenv("KEY", "v"), key || "v".
func (w *window) value(i int) (value, bool) {
	b := w.b
	i = skip(b, i, closers, 4)
	i = skip(b, i, blanks, 20)
	i = w.annotation(i)
	op := i
	for i < len(b) && i-op < 4 && operators.has(b[i]) {
		i++
	}
	if i == op {
		return value{}, false
	}
	kind := b[op:i]
	if !assigns(kind) {
		return value{}, false
	}
	i = skip(b, i, blanks, 20)
	i = w.annotated(i, kind)
	if bytes.IndexByte(kind, '>') >= 0 && len(kind) == 1 {
		i = skip(b, i, spaces, 20)
	}
	call := bytes.ContainsAny(kind, "(,")
	return w.literalAt(i, call, bytes.ContainsAny(kind, "|?") && !bytes.ContainsAny(kind, "="))
}

// assigns: =, :, :=, =>, ==, ?=, +=, .=, >, a comma or bracket before an argument, || and ?? before what is taken instead.
func assigns(op []byte) bool {
	return bytes.ContainsAny(op, "=:>,(") || string(op) == "||" || string(op) == "??"
}

var (
	closers   = of("\"'`\\])")
	blanks    = of(" \t")
	spaces    = of(" \t\r\n")
	operators = of("=:>?|+.!(,")
	typeName  = of("0-9a-zA-Z_.&*<>[]|?")
)

func skip(b []byte, i int, c class, most int) int {
	for n := 0; n < most && i < len(b) && c.has(b[i]); n++ {
		i++
	}
	return i
}

// annotation passes over a type between name and operator: token string = "…".
func (w *window) annotation(i int) int {
	if i == 0 || i >= len(w.b) || !blanks.has(w.b[i-1]) || !typeName.has(w.b[i]) || operators.has(w.b[i]) {
		return i
	}
	n := typeName.run(w.b[i:], 32)
	j := skip(w.b, i+n, blanks, 8)
	if n <= 32 && j < len(w.b) && w.b[j] == '=' {
		return j
	}
	return i
}

// annotated passes over a type after a colon: token: string = "…", token: &str = "…".
func (w *window) annotated(i int, kind []byte) int {
	if string(kind) != ":" {
		return i
	}
	n := typeName.run(w.b[min(i, len(w.b)):], 40)
	j := skip(w.b, i+n, blanks, 8)
	if n == 0 || n > 40 || j == i+n || j+1 >= len(w.b) || w.b[j] != '=' || w.b[j+1] == '=' {
		return i
	}
	return skip(w.b, j+1, blanks, 8)
}

// literalAt reads the value at i: a quoted one to its quote, else one without white space, where the language may be one
// that needs no quotes.
func (w *window) literalAt(i int, call, fallback bool) (value, bool) {
	b := w.b
	if i+1 < len(b) && (letters.has(b[i]) || b[i] == '@' || b[i] == '$') && (b[i+1] == '"' || b[i+1] == '\'') {
		i++ // b"…", r'…', @"…"
	}
	escaped := i+1 < len(b) && b[i] == '\\' && (b[i+1] == '"' || b[i+1] == '\'')
	if escaped {
		i++
	}
	if i < len(b) && (b[i] == '"' || b[i] == '\'' || b[i] == '`') {
		return w.quoted(i, escaped, call)
	}
	if call || fallback {
		return value{}, false
	}
	end := i
	for end < len(b) && end-i <= mostValue && !valueEnd.has(b[end]) && b[end] > ' ' && b[end] < 0x7f {
		if b[end] == '\\' && end+1 < len(b) && (b[end+1] == 'n' || b[end+1] == 'r' || b[end+1] == '"') {
			break
		}
		if b[end] == '&' && parameter(b[end+1:]) {
			break
		}
		end++
	}
	called := end < len(b) && b[end] == '('
	return value{start: i, end: end}, end > i && end-i <= mostValue && !called
}

var valueEnd = of("\"'`;,)}]<>|(")

// parameter tells whether another parameter of a query begins: name=.
func parameter(b []byte) bool {
	n := slug.run(b, 40)
	return n > 0 && n < len(b) && b[n] == '='
}

func (w *window) quoted(i int, escaped, call bool) (value, bool) {
	b, q := w.b, w.b[i]
	for n := 0; n < 2 && i+1 < len(b) && b[i+1] == q; n++ {
		i++ // """
	}
	i++
	for end := i; end < len(b) && end-i <= mostValue; end++ {
		switch {
		case b[end] == '\n':
			return value{}, false
		case b[end] == '\\' && end+1 < len(b):
			if escaped && b[end+1] == q {
				return value{start: i, end: end, quoted: true, call: call}, end > i
			}
			if b[end+1] == 'n' {
				return value{start: i, end: end, quoted: true, call: call}, end > i
			}
			end++
		case b[end] == q:
			return value{start: i, end: end, quoted: true, call: call}, end > i
		}
	}
	return value{}, false
}
