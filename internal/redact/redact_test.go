package redact

import (
	"bytes"
	stdbase64 "encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// made makes up n letters of a class, the same ones each time. No secret is written out in this file: other people's
// scanners read it too.
func made(seed uint64, c class, n int) string {
	var from []byte
	for b := range 256 {
		if c.has(byte(b)) {
			from = append(from, byte(b))
		}
	}
	r := rand.New(rand.NewPCG(seed, 42))
	for try := 0; ; try++ {
		out := make([]byte, n)
		for i := range out {
			out[i] = from[r.IntN(len(from))]
		}
		if n < 16 || try == 10000 {
			return string(out)
		}
		edge := alnum.has(out[0]) && alnum.has(out[n-1])
		if odd, all := oddness(out); edge && solid(out) && solidValue(out) && odd*2 > all && bytes.ContainsAny(out, "123456789") == (c.has('1')) {
			return string(out)
		}
	}
}

// only: text has exactly one secret, of this rule.
func only(t *testing.T, text, rule, secret string) {
	t.Helper()
	hits := Find([]byte(text))
	if len(hits) != 1 || hits[0].Rule != rule || text[hits[0].Start:hits[0].End] != secret {
		t.Errorf("%.200q\n got %+v\nwant %s: %.100q", text, hits, rule, secret)
	}
}

func none(t *testing.T, text string) {
	t.Helper()
	for _, h := range Find([]byte(text)) {
		t.Errorf("%.200q has %s: %.100q", text, h.Rule, text[h.Start:h.End])
	}
}

func TestEveryTokenRow(t *testing.T) {
	for i, row := range tokenRows {
		for _, n := range []int{row.min, row.max} {
			tok := row.prefix + made(uint64(i), *row.class, n)
			for _, form := range []string{"%s", "see %s.", "export TOKEN=%s\n", `{"token": "%s"}`, "x: '%s',", `a\n%s\n`, "https://h/?t=%s&q=1", "(%s)", "Bearer %s", "a%%3D%s"} {
				only(t, fmt.Sprintf(form, tok), row.rule, tok)
			}
			for _, form := range []string{"x%s", "_%s", "7%s", "%sx7", "%s_"} {
				text := fmt.Sprintf(form, tok)
				for _, h := range Find([]byte(text)) {
					if h.Rule == row.rule && text[h.Start:h.End] == tok {
						t.Errorf("%q is part of a longer word", text)
					}
				}
			}
		}
		if row.min > 5 {
			short := row.prefix + made(uint64(i), *row.class, row.min-1)
			for _, h := range Find([]byte(short)) {
				if h.Rule == row.rule && h.End == len(short) && h.Start == 0 {
					t.Errorf("%s is too short and is taken for one", short)
				}
			}
		}
		none(t, row.prefix+strings.Repeat("x", row.min))
		none(t, row.prefix+strings.Repeat("EXAMPLE", row.min)[:row.min])
	}
}

func pem(kind, body string) string {
	return "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----"
}

// shapeRows: a text with %s for the secret, and the secret.
func shapeRows() []struct{ rule, text, secret string } {
	b64 := func(s string) string { return stdbase64.StdEncoding.EncodeToString([]byte(s)) }
	pass := made(1, alnum, 16)
	token := b64(`{"alg":"HS256"}`) + "." + strings.TrimRight(b64(`{"sub":"`+made(2, alnum, 20)+`"}`), "=") + "." + made(3, slug, 43)
	key := made(4, base64, 64) + "\n" + made(5, base64, 64)
	return []struct{ rule, text, secret string }{
		{"private-key", "a\n%s\nb", pem("RSA PRIVATE KEY", key)},
		{"private-key", "%s", pem("PRIVATE KEY", key)},
		{"private-key", "%s", pem("OPENSSH PRIVATE KEY", key)},
		{"private-key", "%s", pem("PGP PRIVATE KEY BLOCK", key)},
		{"private-key", `{"private_key": "%s\n"}`, strings.ReplaceAll(pem("PRIVATE KEY", key), "\n", `\n`)},
		{"private-key", "%s", "-----BEGIN PRIVATE KEY-----\n" + key},
		{"private-key", "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n%s", key},
		{"jwt", "Authorization: Bearer %s\n", token},
		{"jwt", "token=%s&x=1", token},
		{"jwt", "%s", token},
		{"jwt", "data: %s\n", b64(token)},
		{"url-password", "postgres://app:%s@db.prod.internal:5432/x", pass},
		{"url-password", "redis://:%s@cache.corp.net/0", pass},
		{"url-password", "git clone https://bot:%s@git.corp.net/r.git", pass},
		{"url-password", "postgres://app:%s@localhost/x", pass + "!"},
		{"authorization", "Authorization: Bearer %s", made(6, slug, 40)},
		{"authorization", `-H "authorization: token %s"`, made(7, hexLow, 40)},
		{"authorization", `"Authorization": "%s",`, made(8, slug, 40)},
		{"authorization", "Authorization: Basic %s", b64("deploy:" + pass)},
		{"authorization", `headers["Authorization"] = "Basic %s"`, b64("deploy:" + pass)},
		{"authorization", "curl -s -u deploy:%s https://corp.net", pass},
		{"authorization", "curl --user 'deploy:%s' https://corp.net", pass},
		{"authorization", `curl -u "%s:" https://corp.net`, pass},
		{"docker-auth", `{"auths": {"r.io": {"auth": "%s"}}}`, b64("deploy:" + pass)},
		{"nuget-password", `<add key="ClearTextPassword" value="%s" />`, pass},
		{"azure-key", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%s;", made(9, alnum, 86) + "=="},
		{"azure-key", "Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=%s", made(10, alnum, 43) + "="},
		{"azure-key", "https://x.blob.core.windows.net/c?sv=1&sig=%s", made(11, alnum, 43) + "%3D"},
		{"azure-key", "client = %s", made(12, alnum, 3) + "8Q~" + made(13, alnum, 34)},
		{"telegram-token", "https://api.telegram.org/bot%s/getMe", "123987456:AA" + made(14, alnum, 33)},
		{"twilio-key", "sid %s", "SK" + made(15, hexLow, 32)},
		{"mailchimp-key", "key: %s", made(16, hexLow, 32) + "-us12"},
		{"mailgun-key", "use %s", "key-" + made(17, hexLow, 32)},
		{"terraform-token", "t %s", made(18, alnum, 14) + ".atlasv1." + made(19, alnum, 67)},
		{"airtable-token", "t %s", "pat" + made(20, alnum, 14) + "." + made(21, hexLow, 64)},
		{"harness-token", "t %s", "pat." + made(22, alnum, 22) + "." + made(23, hexLow, 24) + "." + made(24, alnum, 20)},
		{"mapbox-token", "t %s", "sk.eyJ" + made(25, alnum, 60) + "." + made(26, alnum, 22)},
		{"yandex-token", "t %s", "t1." + made(27, alnum, 30) + "." + made(28, alnum, 86)},
		{"slack-webhook", "https://hooks.slack.com/%s", "services/T" + made(29, upNum, 9) + "/B" + made(30, upNum, 9) + "/" + made(31, alnum, 24)},
		{"discord-webhook", "https://discord.com/api/webhooks/%s", "123456789098765432/" + made(32, slug, 68)},
		{"teams-webhook", "https://x.webhook.office.com/webhookb2/%s", made(33, hexLow, 36) + "@" + made(34, hexLow, 36) + "/IncomingWebhook/" + made(35, hexLow, 32)},
		{"sidekiq-key", "BUNDLE_GEMS__CONTRIBSYS__COM: %s\n", made(36, hexLow, 8) + ":" + made(37, hexLow, 8)},
	}
}

func TestShapes(t *testing.T) {
	known := map[string]bool{}
	for _, row := range shapeRows() {
		only(t, strings.Replace(row.text, "%s", row.secret, 1), row.rule, row.secret)
		known[row.rule] = true
	}
	for _, s := range shapes() {
		if !known[s.rule] {
			t.Errorf("the shape %s has no row in this test", s.rule)
		}
	}
}

func TestAssignments(t *testing.T) {
	random, weak, hex, uuid := made(40, alnum, 32), "Str0ng-Horse", made(41, hexLow, 40), "6f1c8a52-90d3-4b7e-8f2a-5c0d9e7b1a34"
	for _, form := range []string{
		`api_key = "%s"`, `API_KEY=%s`, `apiKey: '%s'`, `"apiKey": "%s"`, `const apiKey = "%s";`, "key := `%s` // token", `<token>%s</token>`,
		"<token>\n  %s\n</token>", `"token" => "%s"`, `string Token = "%s";`, `var token string = "%s"`, `token: string = "%s"`, `token ?= %s`,
		`os.Setenv("TOKEN", "%s")`, `setToken('%s')`, `--token=%s`, `https://x/?access_token=%s&y=1`, `process.env.TOKEN || "%s"`, `{\"token\": \"%s\"}`,
		`AWS_SECRET_ACCESS_KEY=%s`, `aws.secretAccessKey: %s`, `client_secret => '%s'`, `creds = %s`, `my_token_2: "%s"`, `tokenValue = "%s"`,
		`config["secret"] = "%s"`, `//registry.npmjs.org/:_authToken=%s`, `Token = b"%s"`, `private-key: %s`, `secret = """%s"""`,
	} {
		if strings.HasPrefix(form, "key := ") {
			continue // a bare key: below
		}
		only(t, fmt.Sprintf(form, random), assigned, random)
	}
	for _, form := range []string{`password = "%s"`, `DB_PASSWORD: '%s'`, `<password>%s</password>`, `"passwd": "%s",`, `passphrase="%s"`, `pwd='%s'`} {
		if form != `<password>%s</password>` {
			only(t, fmt.Sprintf(form, weak), assigned, weak)
		}
		only(t, fmt.Sprintf(form, random), assigned, random)
	}
	only(t, "api_key: "+hex, assigned, hex)
	only(t, "api_token = \""+uuid+"\"", assigned, uuid)
	only(t, "cookieKey = \""+random+"\"", assigned, random)
	only(t, "DB_PASSWORD="+"Tr0ub4dor&3x", assigned, "Tr0ub4dor&3x")
	only(t, `{"config": "A_TOKEN=`+random+`\nB=1"}`, assigned, random)
}

// TestNoSecrets: what looks random or is called a key or a password, and is no secret.
func TestNoSecrets(t *testing.T) {
	hex, b64 := made(50, hexLow, 40), made(51, base64, 44)
	for _, text := range []string{
		"golang.org/x/text v0.43.0 h1:" + b64 + "=", `"integrity": "sha512-` + made(52, base64, 86) + `=="`, "commit " + hex, "resolved: https://r/x-1.0.0.tgz#" + hex,
		"6f1c8a52-90d3-4b7e-8f2a-5c0d9e7b1a34", "sha256:" + made(53, hexLow, 64), "data:image/png;base64,iVBORw0KGgo" + made(54, base64, 4000),
		"key: " + hex, `cacheKey: "` + hex + `"`, `primaryKey = "` + made(55, alnum, 30) + `"`, `public_key = "` + b64 + `"`, `PublicToken = "` + b64 + `"`,
		`csrf_token: "` + b64 + `"`, `next_page_token = "` + b64 + `"`, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + made(56, base64, 43) + " me@host",
		`password = "changeme"`, `password: "<your-password>"`, `PASSWORD=${PASSWORD}`, `password = $1`, `password: "{{ .Values.password }}"`, `password: ""`,
		`password="********"`, `password = os.environ["PASSWORD"]`, `password = getpass.getpass()`, `password = config.database.password`, `PASSWORD=%PASSWORD%`,
		`password: "password123"`, `password = "Test1234!"`, `"password": "Passwort vergessen?"`, `password: string`, `password_file: /run/secrets/db-4a5b`,
		`passwordHash: "` + hex + `"`, `password_reset_url = "https://x/3f9a"`, `tokenizer = "bert-base-uncased-4x"`, `token_count: 1234567890`,
		`max_tokens=4096`, `secretName: my-app-tls-7f9c`, `secret_length = X25519.secret_length`, `token = <token>`, `TOKEN=xxxxxxxxxxxxxxxxxxxx`,
		`token: "abcdefghijklmnopqrstuvwxyz"`, `api_key: 0123456789abcdef0123456789abcdef`, `token = "deadbeefdeadbeefdeadbeef"`, `token := r.next()`,
		`token = parser.NextToken2`, `API_KEY="your-api-key-goes-here-4u"`, `apiKey: process.env.API_KEY_2`, `key, token := splitTokenV2(s)`, `monkey: "` + b64 + `"`,
		`keyboard = "` + b64 + `"`, `kms_key_id: "6f1c8a52-90d3-4b7e-8f2a-5c0d9e7b1a34"`, `token=sha256sum-of-the-file`, `Token: "urn:uuid:6f1c8a52-90d3-4b7e-8f2a-5c0d9e7b1a34"`,
		"AKIA" + "IOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", `aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCY` + `EXAMPLEKEY"`,
		"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "xoxb-your-bot-token-goes-here-please", "sk-ant-api03-...", "task-" + made(57, alnum, 40),
		"http://user:pass@example.com/", "https://user:password@host/", "postgres://postgres:postgres@localhost/x", "redis://:pw@h/0", "http://x:y@z",
		"https://${USER}:${PASS}@git.corp.net", "amqp://guest:guest@rabbit:5672", "ftp://me@host/a:b", "see https://a.b/c:d@e", "urn://a",
		"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", `Authorization: "Bearer " + token`, "Authorization: Basic dXNlcjpwYXNz", "Bearer tokens are fine",
		"basic authentication scheme", "curl -u user:password https://x", `curl -u "$U:$P" https://x`, "curl -u user https://x",
		"-----BEGIN PUBLIC KEY-----\n" + made(58, base64, 200) + "\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\n" + made(59, base64, 400),
		pem("PRIVATE KEY", "anything"), "-----BEGIN RSA PRIVATE KEY-----", "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.e30.", "the key is under the mat", "",
		`"auth": "token"`, "sig=" + b64, "https://hooks.slack.com/services/XXX/YYY", "import { token_Key, chain_Key2 } from './keys'",
		"https://h/video_box.ico-" + made(60, alnum, 32) + ".png", `app_secret = "my-long-secret-name-for-the-service-7f9c2b4d1e0a"`,
		"[redacted:github-token]", `password = "[redacted:assigned-secret]"`, "Authorization: Bearer [redacted:jwt]",
	} {
		none(t, text)
	}
}

func TestTextMasksTheSecretAndNothingElse(t *testing.T) {
	random := made(60, alnum, 30)
	in := "line one\n  DB_PASSWORD: '" + random + "' # keep\ngit clone https://bot:" + random + "@git.corp.net/r\n" + pem("PRIVATE KEY", made(61, base64, 99)) + "\nend"
	want := "line one\n  DB_PASSWORD: '[redacted:assigned-secret]' # keep\ngit clone https://bot:[redacted:url-password]@git.corp.net/r\n[redacted:private-key]\nend"
	if got := Text(in); got != want {
		t.Errorf("%s", got)
	}
	if Text(want) != want {
		t.Error("a mask was masked")
	}
	if lines := Find([]byte(in)); len(lines) != 3 || lines[0].Line != 2 || lines[1].Line != 3 || lines[2].Line != 4 {
		t.Errorf("%+v", lines)
	}
}

func TestHitsDoNotOverlap(t *testing.T) {
	mail, hex := "key-"+made(62, hexLow, 32), made(63, hexLow, 32)
	for _, text := range []string{mail + "-us12", "token=" + mail + "-us12", hex + "-us12-us13", "ghp_" + made(64, alnum, 36) + ":AA" + made(65, alnum, 33)} {
		end := 0
		hits := Find([]byte(text))
		for _, h := range hits {
			if h.Start < end {
				t.Errorf("%q: %+v", text, hits)
			}
			end = h.End
		}
		if len(hits) == 0 {
			t.Errorf("%q has a secret", text)
		}
	}
}

func TestRulesHaveNames(t *testing.T) {
	all := Rules()
	for _, r := range all {
		if strings.Trim(r, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || r == "" {
			t.Errorf("%q is no name for a mask", r)
		}
	}
	if len(all) < 20 || !slices.Contains(all, assigned) || !slices.Contains(all, "ssh-key") {
		t.Error(all)
	}
	for _, l := range literals() {
		if len(l.text) < 3 || l.fold && l.text != strings.ToLower(l.text) || len(l.text) > 40 {
			t.Errorf("literal %q", l.text)
		}
	}
}

// TestStream puts secrets at every place around the border of what is read at once.
func TestStream(t *testing.T) {
	secret := "github_token=ghp_" + made(70, alnum, 36) + "\n" + made(73, hexLow, 32) + "-us12 123987456:AA" + made(74, alnum, 33) + "\n" + pem("PRIVATE KEY", made(71, base64, 3000)) + "\npassword='" + made(72, alnum, 20) + "'\n"
	border := chunk + maxAhead + 2*maxBehind
	filler := strings.Repeat("nothing to see here, move along\n", border/16)
	for _, at := range []int{0, chunk - 3100, border - maxAhead - 600, border - maxAhead - 100, border - maxAhead, border - 3300, border - 40, border, border + 7} {
		for shift := range 24 {
			in := filler[:at+shift*5] + "\n" + secret + filler[:maxAhead+shift] + secret
			same(t, in)
		}
	}
	same(t, "")
	same(t, secret)
}

// same: a stream finds and masks what the whole does.
func same(t *testing.T, in string) {
	t.Helper()
	want := Find([]byte(in))
	var got []Hit
	if err := Scan(strings.NewReader(in), func(h Hit) error { got = append(got, h); return nil }); err != nil || !slices.Equal(got, want) {
		t.Fatalf("%d bytes: %v\n got %+v\nwant %+v", len(in), err, got, want)
	}
	var out strings.Builder
	n, err := Copy(&out, iotest.HalfReader(strings.NewReader(in)))
	if err != nil || n != len(want) || out.String() != Text(in) {
		t.Fatalf("%d bytes: %v, %d hits, %d bytes written, want %d", len(in), err, n, out.Len(), len(Text(in)))
	}
}

func TestErrorsAreErrors(t *testing.T) {
	broken := errors.New("disk")
	in := "ghp_" + made(80, alnum, 36) + " "
	for _, r := range []io.Reader{iotest.ErrReader(broken), io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), iotest.TimeoutReader(strings.NewReader(in))} {
		if err := Scan(r, func(Hit) error { return nil }); err == nil {
			t.Error("a reader failed and nobody was told")
		}
	}
	if _, err := Copy(io.Discard, io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Error(err)
	}
	if err := Scan(stuck{}, nil); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
	if err := Scan(strings.NewReader(in), func(Hit) error { return broken }); err != broken {
		t.Error(err)
	}
	if _, err := Copy(failing{}, strings.NewReader(in)); err == nil {
		t.Error("a writer failed and nobody was told")
	}
	if _, err := Copy(failing{}, strings.NewReader("plain")); err == nil {
		t.Error("a writer failed and nobody was told")
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestOwnSourcesHaveNoSecrets(t *testing.T) {
	for _, dir := range []string{".", "../canon", "../plan", "../plan/builtin/1", "../engine"} {
		files, _ := filepath.Glob(dir + "/*.*")
		if len(files) == 0 {
			t.Fatal("no files in", dir)
		}
		for _, f := range files {
			if f == "documents_test.go" { // marks stand there in the place of secrets
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range Find(b) {
				t.Errorf("%s:%d: %s: %.60q", f, h.Line, h.Rule, b[h.Start:h.End])
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, row := range shapeRows() {
		f.Add([]byte(strings.Replace(row.text, "%s", row.secret, 1)))
	}
	for _, s := range []string{"password='", `"token":"\`, "key\\", "a://b:c@", "curl -u ", "-----BEGIN PRIVATE KEY-----", "eyJ.ey.", "ZXlK", "secret=&=", "authorization:", "SG.", "1234567:AA"} {
		f.Add([]byte(s))
	}
	for _, s := range hostile {
		f.Add([]byte(strings.Repeat(s, 20)))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		kept := bytes.Clone(in)
		end := 0
		for _, h := range Find(in) {
			if h.Start < end || h.End <= h.Start || h.End > len(in) || h.Rule == "" || h.Line != 1+bytes.Count(in[:h.Start], newline) {
				t.Fatalf("%+v in %d bytes", h, len(in))
			}
			end = h.End
		}
		if !bytes.Equal(in, kept) {
			t.Fatal("the input was changed")
		}
		same(t, string(in))
		FileName(string(in))
	})
}

func encode(b []byte) []byte { return []byte(stdbase64.StdEncoding.EncodeToString(b)) }
