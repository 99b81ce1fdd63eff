package redact

import (
	"bytes"
	stdbase64 "encoding/base64"
)

// shape is a form with parts: the literals that call it, and what decides.
type shape struct {
	rule     string
	literals []string
	fold     bool
	match    func(w *window) (start, end int, ok bool)
}

func shapes() []shape {
	return []shape{
		{"private-key", []string{"-----BEGIN"}, false, privateKey},
		{"private-key", []string{"Private-Lines: "}, false, puttyKey},
		{"jwt", []string{"eyJ"}, false, jwt},
		{"jwt", []string{"ZXlK"}, false, jwtInBase64},
		{"url-password", []string{"://"}, false, urlPassword},
		{"authorization", []string{"bearer ", "basic "}, true, scheme},
		{"authorization", []string{"authorization"}, true, authorization},
		{"authorization", []string{"curl "}, false, curlUser},
		{"docker-auth", []string{`"auth"`, `"_auth"`}, false, dockerAuth},
		{"nuget-password", []string{"cleartextpassword"}, true, nugetPassword},
		{"azure-key", []string{"accountkey=", "sharedaccesskey="}, true, azureKey},
		{"azure-key", []string{"&sig=", "?sig="}, false, azureSignature},
		{"azure-key", []string{"0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~"}, false, azureSecret},
		{"telegram-token", []string{":AA"}, false, telegram},
		{"twilio-key", []string{"SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"}, false, twilio},
		{"mailchimp-key", []string{"-us"}, false, mailchimp},
		{"mailgun-key", []string{"key-"}, false, mailgun},
		{"terraform-token", []string{".atlasv1."}, false, terraform},
		{"airtable-token", []string{"pat"}, false, airtable},
		{"harness-token", []string{"pat.", "sat."}, false, harness},
		{"mapbox-token", []string{"sk.eyJ"}, false, mapbox},
		{"yandex-token", []string{"t1."}, false, yandex},
		{"slack-webhook", []string{"hooks.slack.com/"}, false, webhook},
		{"discord-webhook", []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}, false, webhook},
		{"teams-webhook", []string{"webhook.office.com/webhookb2/"}, false, webhook},
		{"sidekiq-key", []string{"CONTRIBSYS__COM"}, false, sidekiq},
	}
}

// privateKey takes a PEM block whole, also one inside a string with \n for its line ends. Its end must be in reach; a
// block that was cut off is taken as far as it looks like one.
func privateKey(w *window) (int, int, bool) {
	head := w.after()
	head = head[:min(len(head), 80)]
	i := bytes.Index(head, []byte("PRIVATE KEY"))
	if i < 0 || bytes.IndexByte(head[:i], '\n') >= 0 || bytes.Contains(head[:i], []byte("-----")) {
		return 0, 0, false
	}
	body := w.at + w.n + i + len("PRIVATE KEY")
	rest := w.b[body:]
	if len(rest) > 6 && bytes.HasPrefix(rest, []byte(" BLOCK")) {
		rest, body = rest[6:], body+6
	}
	if !bytes.HasPrefix(rest, []byte("-----")) {
		return 0, 0, false
	}
	rest, body = rest[5:], body+5
	end := bytes.Index(rest, []byte("-----"))
	if end < 0 || !bytes.HasPrefix(rest[end+5:], []byte("END")) {
		if end >= 0 {
			rest = rest[:end]
		}
		end = keyLines(rest)
		return w.at, body + end, keyMaterial(rest[:end])
	}
	stop := end + len("-----END")
	if tail := bytes.Index(rest[stop:min(len(rest), stop+60)], []byte("-----")); tail >= 0 {
		stop += tail + 5
	}
	return w.at, body + stop, keyMaterial(rest[:end])
}

// keyMaterial tells whether enough base64 stands in b for a key, and not one letter over and over.
func keyMaterial(b []byte) bool {
	n := 0
	for _, c := range b {
		if base64.has(c) {
			n++
		}
	}
	seen := bytesOf(b)
	return n >= 48 && seen.size() >= 16
}

// keyLines is the length of what looks like the lines of a key block.
func keyLines(b []byte) int {
	inKey := of("0-9a-zA-Z+/=: ,\\\r\n-")
	n := inKey.run(b, 16<<10)
	return min(n, len(b))
}

// puttyKey takes the lines of the private half: their number stands first.
func puttyKey(w *window) (int, int, bool) {
	b := w.after()
	i := digits.run(b, 3)
	i = skip(b, i, spaces, 2)
	n := base64Lines.run(b[i:], 16<<10)
	n = min(n, 16<<10)
	return w.at + w.n + i, w.at + w.n + i + n, i > 1 && keyMaterial(b[i:i+n])
}

var base64Lines = of("0-9a-zA-Z+/=\r\n")

// jwt takes header, payload and signature. An unsigned token proves nothing and the one of the standard's home page is
// known to everybody.
func jwt(w *window) (int, int, bool) {
	if c := w.before(w.at); alnum.has(c) && !w.begins(w.at) {
		return 0, 0, false
	}
	b := w.b[w.at:]
	n := 0
	for part := range 3 {
		l := jwtPart.run(b[n:], 8<<10)
		if l < 10 || part == 1 && !bytes.HasPrefix(b[n:], []byte("ey")) {
			return 0, 0, false
		}
		n += l
		if part == 2 {
			break
		}
		if n >= len(b) || b[n] != '.' {
			return 0, 0, false
		}
		n++
	}
	known := bytes.Contains(b[:n], []byte("eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l"))
	return w.at, w.at + n, !known && solid(b[:n])
}

var jwtPart = of("0-9a-zA-Z_=/+\\-")

// jwtInBase64 takes a token that was encoded once more, as Kubernetes does.
func jwtInBase64(w *window) (int, int, bool) {
	if c := w.before(w.at); c == '+' || c == '/' || !w.begins(w.at) {
		return 0, 0, false
	}
	body := of("0-9a-zA-Z+/_-")
	n := body.run(w.b[w.at:], 16<<10)
	if n < 60 || n > 16<<10 {
		return 0, 0, false
	}
	plain := decoded(w.b[w.at : w.at+n])
	n += min(base64Pad.run(w.b[w.at+n:], 2), 2)
	return w.at, w.at + n, bytes.HasPrefix(plain, []byte("eyJ")) && bytes.Contains(plain, []byte(".eyJ"))
}

var base64Pad = of("=")

// decoded reads base64 of either alphabet, padded or not; nil where it is none.
func decoded(b []byte) []byte {
	b = bytes.TrimRight(b, "=")
	for _, e := range []*stdbase64.Encoding{stdbase64.RawStdEncoding, stdbase64.RawURLEncoding} {
		if out, err := e.DecodeString(string(b)); err == nil {
			return out
		}
	}
	return nil
}

// urlPassword takes the password of scheme://user:password@host.
func urlPassword(w *window) (int, int, bool) {
	if !alnum.has(w.before(w.at)) { // s3:// ends in a digit
		return 0, 0, false
	}
	b := w.after()
	b = b[:min(len(b), 512)]
	at, colon := -1, -1
	for i, c := range b {
		if c == ':' && colon < 0 {
			colon = i
		}
		if c == '@' {
			at = i
		}
		if c <= ' ' || c >= 0x7f || urlEnd.has(c) {
			break
		}
	}
	if colon < 0 || at < colon+4 {
		return 0, 0, false
	}
	user, password, host := b[:colon], b[colon+1:at], b[at+1:]
	if !alnum.has(first(host)) && first(host) != '[' || bytes.EqualFold(user, password) || !ownPassword(password, host) ||
		anybody(user) && !strongPassword(password) {
		return 0, 0, false
	}
	base := w.at + w.n
	return base + colon + 1, base + at, true
}

// anybody: users of examples.
func anybody(user []byte) bool {
	switch string(bytes.ToLower(user)) {
	case "user", "username", "foo", "test", "name", "jane", "john", "alice", "bob":
		return true
	}
	return false
}

var urlEnd = of("/?#\"'<>`|\\(){}[,;")

func first(b []byte) byte {
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

// ownPassword: is this somebody's, or the one of every manual? Beside hosts that are examples everything is one, and on
// the own machine a weak one is.
func ownPassword(password, host []byte) bool {
	if placeholder(password) || bytes.ContainsAny(password, "$%{}*<>") && !percentEncoded(password) {
		return false
	}
	for _, h := range []string{"example.", "host", "hostname", "your", "my-", "server", "domain", "test.", "foo", "1.2.3.4"} {
		if hasFold(host, h) && !hasFold(host, "hosted") {
			return false
		}
	}
	for _, h := range []string{"localhost", "127.0.0.1", "[::1]", "0.0.0.0", "db", "postgres", "mysql", "redis", "mongo", "rabbitmq"} {
		if hasFold(host, h) && !bytes.ContainsRune(host[:min(len(host), 40)], '.') || hasFold(host, "127.0.0.1") {
			return strongPassword(password)
		}
	}
	return len(password) >= 5
}

func percentEncoded(b []byte) bool {
	for i, c := range b {
		if c == '%' && (i+2 >= len(b) || !hexAny.has(b[i+1]) || !hexAny.has(b[i+2])) || c != '%' && bytes.IndexByte([]byte("${}*<>"), c) >= 0 {
			return false
		}
	}
	return true
}

func hasFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && bytes.EqualFold(b[:len(prefix)], []byte(prefix))
}

// scheme takes the credentials after "Bearer " or "Basic ".
func scheme(w *window) (int, int, bool) {
	if word.has(w.before(w.at)) && !w.begins(w.at) {
		return 0, 0, false
	}
	return w.credentials(w.at+w.n, lower[w.b[w.at+1]] == 'a')
}

// credentials judges what begins at i: base64 of user:password, or a token.
func (w *window) credentials(i int, basic bool) (int, int, bool) {
	for i < len(w.b) && w.b[i] == ' ' {
		i++
	}
	n := bearer.run(w.b[i:], 4096)
	if n > 4096 {
		return 0, 0, false
	}
	value := bytes.TrimRight(w.b[i:i+n], ".,;:")
	if basic {
		return i, i + len(value), basicAuth(value)
	}
	if s, e, ok := w.inner(i, i+len(value)); ok {
		return s, e, true
	}
	return i, i + len(value), len(value) >= 16 && solid(value) && random(value, true)
}

var bearer = of("0-9a-zA-Z._~+/=:-")

// basicAuth: base64 of user:password with a password that is somebody's.
func basicAuth(b []byte) bool {
	if len(b) < 8 || len(b) > 1024 {
		return false
	}
	plain := decoded(b)
	user, password, ok := bytes.Cut(plain, []byte(":"))
	if !ok || len(password) < 4 || bytes.EqualFold(user, password) || placeholder(password) {
		return false
	}
	for _, c := range plain {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// authorization takes the value of an Authorization header or setting, with or without a scheme before it.
func authorization(w *window) (int, int, bool) {
	v, ok := w.value(w.at + w.n)
	if !ok {
		return 0, 0, false
	}
	i, basic := v.start, false
	name := letters.run(w.b[i:v.end], 20)
	if name > 0 && name <= 20 && i+name < v.end && w.b[i+name] == ' ' {
		basic = bytes.EqualFold(w.b[i:i+name], []byte("basic"))
		i += name + 1
	} else if !v.quoted && i+name < len(w.b) && w.b[i+name] == ' ' && name > 0 {
		basic = bytes.EqualFold(w.b[i:i+name], []byte("basic"))
		i += name + 1
	}
	return w.credentials(i, basic)
}

// curlUser takes the password of curl -u user:password.
func curlUser(w *window) (int, int, bool) {
	b := w.after()
	b = b[:min(len(b), 400)]
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	i := -1
	for _, flag := range []string{"-u ", "--user ", "--user="} {
		if k := bytes.Index(b, []byte(flag)); k >= 0 && (k == 0 || b[k-1] == ' ') {
			i = k + len(flag)
			break
		}
	}
	if i < 0 {
		return 0, 0, false
	}
	end := " "
	if q := first(b[i:]); q == '"' || q == '\'' {
		end = string(q)
		i++
	}
	arg := b[i:]
	if k := bytes.IndexAny(arg, end); k >= 0 {
		arg = arg[:k]
	}
	user, password, ok := bytes.Cut(arg, []byte(":"))
	if !ok || bytes.ContainsAny(arg, "$<>{}[]()%* ") || bytes.EqualFold(user, password) {
		return 0, 0, false
	}
	start := w.at + w.n + i + len(user) + 1
	if len(password) == 0 {
		start, password = start-1-len(user), user // a token in the place of the user's name
	}
	if len(password) < 5 || placeholder(password) {
		return 0, 0, false
	}
	return start, start + len(password), true
}

// dockerAuth takes the base64 of user:password in a docker config.
func dockerAuth(w *window) (int, int, bool) {
	v, ok := w.value(w.at + w.n)
	if !ok || !v.quoted {
		return 0, 0, false
	}
	return v.start, v.end, basicAuth(w.b[v.start:v.end])
}

// nugetPassword takes <add key="ClearTextPassword" value="…" />.
func nugetPassword(w *window) (int, int, bool) {
	b := w.after()
	b = b[:min(len(b), 300)]
	i := bytes.Index(b, []byte(`value="`))
	if i < 0 || i > 8 {
		return 0, 0, false
	}
	i += len(`value="`)
	n := bytes.IndexByte(b[i:], '"')
	if n < 4 || b[i] == '%' || placeholder(b[i:i+n]) {
		return 0, 0, false
	}
	return w.at + w.n + i, w.at + w.n + i + n, true
}
