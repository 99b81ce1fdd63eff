package redact

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPrefilterMissesNothing: at every place where a literal stands, its rule is asked. Compared with looking at every
// byte for every literal.
func TestPrefilterMissesNothing(t *testing.T) {
	all := literals()
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		var in []byte
		for len(in) < 400 {
			switch l := all[r.IntN(len(all))]; r.IntN(4) {
			case 0:
				in = append(in, l.text...)
			case 1:
				in = append(in, l.text[:r.IntN(len(l.text))]...)
			case 2:
				in = append(in, strings.ToUpper(l.text)...)
			default:
				in = append(in, byte(r.IntN(256)))
			}
		}
		want := map[string]bool{}
		for i := range in {
			for k := range all {
				if all[k].is(in, i) {
					want[fmt.Sprint(i, " ", all[k].text)] = true
				}
			}
		}
		for key := range asked(in, all) {
			if !want[key] {
				t.Fatalf("%s was asked and does not stand there", key)
			}
			delete(want, key)
		}
		if len(want) > 0 {
			t.Fatalf("not asked: %v in %q", want, in)
		}
	}
}

// asked runs the scanner over b with rules that only write down that they were asked.
func asked(b []byte, all []literal) map[string]bool {
	got := map[string]bool{}
	p := &prefilter{}
	for i := range p.shift {
		p.shift[i] = 2
	}
	for _, l := range all { // b is shorter than maxBehind, so a window begins where b does
		p.add(literal{l.text, &rule{l.text, func(w *window) (int, int, bool) {
			got[fmt.Sprint(w.at, " ", l.text)] = true
			return 0, 0, false
		}}, l.fold})
	}
	s := scanner{b: b, table: p}
	for s.next(len(b)) {
	}
	return got
}

func TestWordsOfNames(t *testing.T) {
	for name, want := range map[string]string{
		"dbPassword":                "password db",
		"DB_PASSWORD_2":             "2 password db",
		"APIKey":                    "key api",
		"apiKEY":                    "key api",
		"aws.secret-access_key":     "key access secret aws",
		"HTTPServerToken":           "token server http",
		"token":                     "token",
		"TOKEN":                     "token",
		"sha256":                    "256 sha",
		"_authToken_":               "token auth",
		"":                          "",
		"--":                        "",
		strings.Repeat("a", 100):    strings.Repeat("a", mostName),
		"BUNDLE_GEMS__CONTRIBSYS_X": "x contribsys gems bundle",
	} {
		s := words{[]byte(name), len(name)}
		var all []string
		var buf [mostName]byte
		for range 20 {
			w := s.prev(&buf)
			if len(w) == 0 {
				break
			}
			all = append(all, string(w))
		}
		if got := strings.Join(all, " "); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestMeaningOfNames(t *testing.T) {
	for want, names := range map[degree][]string{
		password: {"password", "dbPassword", "DB_PASSWD", "passphrase", "pwd", "PWD", "mysql_root_password", "Passwort", "password1", "userPasswordValue"},
		telling: {"token", "accessToken", "client_secret", "apikey", "API_KEY", "x-api-key", "secretKey", "aws_secret_access_key", "credentials", "creds",
			"authToken_2", "encryption_key", "PRIVATE_KEY", "mySecretString", "jwtSecret", "webhookKey", "app.key"},
		hinting: {"cookieKey", "deploy_key", "HEROKU_KEY", "oktaKey"},
		silent: {"key", "KEY", "keyboard", "monkey", "turkey", "publicKey", "PUBLIC_TOKEN", "cacheKey", "primary_key", "tokenizer", "tokens", "token_url", "secretName",
			"passwordHash", "password_file", "passwordReset", "csrfToken", "nextPageToken", "kmsKeyId", "keyring", "secrets", "passwords", "tokenCount", "sshKey",
			"author", "accessor", "pwdLength", "credentialId", "fakeToken", "idempotency_key", "verifierKey"},
	} {
		for _, n := range names {
			if got := meaning([]byte(n)); got != want {
				t.Errorf("%s means %d, want %d", n, got, want)
			}
		}
	}
}

// TestValues: what is taken for the value beside a name that ends where the text has its first §.
func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		`token§="a b"`:                          "a b",
		`token§ = 'ab'`:                         "ab",
		"token§ := `ab`":                        "ab",
		`"token§": "ab"`:                        "ab",
		`'token§' => "ab"`:                      "ab",
		`token§: ab`:                            "ab",
		`token§=ab;`:                            "ab",
		`token§=ab cd`:                          "ab",
		`token§=ab&x=1`:                         "ab",
		`token§=ab&cd`:                          "ab&cd",
		`token§ string = "ab"`:                  "ab",
		`token§: string = "ab"`:                 "ab",
		`token§: Optional[str] = "ab"`:          "ab",
		`token§ *string = "ab"`:                 "ab",
		`<token§>ab</token>`:                    "ab",
		"<token§>\n  ab\n</token>":              "ab",
		`token§("ab")`:                          "ab",
		`setenv("TOKEN§", "ab")`:                "ab",
		`cfg["token§"] = "ab"`:                  "ab",
		`cfg.token§ || "ab"`:                    "ab",
		`token§ ?? 'ab'`:                        "ab",
		`token§ ?= ab`:                          "ab",
		`token§ .= "ab"`:                        "ab",
		`token§ += "ab"`:                        "ab",
		`token§ == "ab"`:                        "ab",
		`{\"token§\": \"ab\"}`:                  "ab",
		`token§ = b"ab"`:                        "ab",
		`token§ = @"ab"`:                        "ab",
		`token§ = """ab"""`:                     "ab",
		`token§ = "a\"b"`:                       `a\"b`,
		`token§ = "ab\ncd"`:                     "ab",
		`token§=ab\ncd`:                         "ab",
		`token§ = f(x)`:                         "",
		`token§(x)`:                             "",
		`token§, err := f()`:                    "",
		`token§ + "ab"`:                         "",
		`token§ - 1`:                            "",
		`token§. Then "ab"`:                     "",
		`token§!`:                               "",
		`token§`:                                "",
		`token§ =`:                              "",
		`token§ = ""`:                           "",
		"token§ = \"ab\ncd\"":                   "",
		`token§ = "ab`:                          "",
		`token§ || x`:                           "",
		"token§:\n  ab":                         "",
		`token§ = ` + strings.Repeat("x", 2000): "",
	} {
		i := strings.Index(text, "§")
		b := []byte(strings.Replace(text, "§", "", 1))
		w := window{b: b, searcher: table()}
		v, ok := w.value(i)
		got := ""
		if ok {
			got = string(b[v.start:v.end])
		}
		if got != want || ok != (want != "") {
			t.Errorf("%.80s has value %q %v, want %q", text, got, ok, want)
		}
	}
}

func TestRandomness(t *testing.T) {
	for i := range uint64(200) {
		for _, c := range []class{alnum, hexOrNum, upNum, hexLow, base64} {
			v := []byte(made(1000+i, c, 32))
			if !random(v, false) {
				t.Errorf("%s looks written", v)
			}
		}
	}
	for _, s := range []string{"my-secret-name-2", "getAccessTokenV2", "jjwt-jackson-0.11.2", "sha256sum", "application/vnd.api+json;v=2", "NEXUS-GPT4-API-KEY",
		"2024-01-02T03:04:05Z", "bert-base-uncased-v2", "us-east-1a.elb.amazonaws.com", "ThisIsATestOfTheEmergencySystem1", "v1.2.3-rc.4+build.5", "localhost:5432",
		"user@example2.com", "Access-Control-Allow-Origin", "org.springframework.boot:spring-boot:2.7.0", "scram-sha-256", "aes-256-cbc-hmac-sha256", "x86_64-linux-gnu",
		"kubernetes.io/service-account-token", "snake_case_identifier_42", "SCREAMING_SNAKE_CASE_42", "kebab-case-identifier-42", "camelCaseIdentifier42"} {
		if random([]byte(s), true) {
			t.Errorf("%s looks random", s)
		}
	}
}

func TestEntropyAndClasses(t *testing.T) {
	for s, want := range map[string]float64{"aaaa": 0, "abab": 1, "abcd": 2, "abcdabcd": 2, "a": 0} {
		if got := entropy([]byte(s)); math.Abs(got-want) > 1e-9 {
			t.Errorf("entropy of %s is %f", s, got)
		}
	}
	for s, want := range map[string]int{"": 0, "abc": 1, "aB": 2, "aB1": 3, "aB1!": 4, "!é": 1, "12": 1} {
		if got := classes([]byte(s)); got != want {
			t.Errorf("%s has %d classes", s, got)
		}
	}
	for s, want := range map[string][2]int{"": {1, 1}, "aaab": {3, 2}, "12345": {1, 5}, "zyx": {1, 1}, "xxabcdyy": {2, 4}} {
		if same, row := runs([]byte(s)); same != want[0] || row != want[1] {
			t.Errorf("%s has runs %d %d", s, same, row)
		}
	}
}

func TestContainsFold(t *testing.T) {
	for _, c := range []struct {
		b, sub string
		want   bool
	}{{"xEXAMPLEx", "example", true}, {"exampl", "example", false}, {"", "a", false}, {"exaexample", "example", true}, {"****", "****", true}, {"a..b", "..", true},
		{"EXAMPL3", "example", false}, {"eexxample", "example", false}} {
		if got := containsFold([]byte(c.b), c.sub); got != c.want {
			t.Errorf("%q in %q: %v", c.sub, c.b, got)
		}
	}
}

func TestPasswords(t *testing.T) {
	for _, s := range []string{"Str0ng-Horse", "kX9#mPq2", "correct-Horse-7", "thisIsDog11", "9fK$2mVx!q", "Zt7uQw3e"} {
		if b := []byte(s); !strongPassword(b) || placeholder(b) {
			t.Errorf("%s is a password", s)
		}
	}
	for _, s := range []string{"", "short1!", "password", "Password1!", "changeme", "ChangeMe123!", "secret", "hunter2", "P@ssw0rd", "test1234", "Admin123!", "qwertyuiop",
		"12345678", "aaaaaaaa", "lowercaseonly", "UPPERCASEONLY", "hello-World1", "your-Password-1", "default-Pass1", "foobar-1A", "s3cr3t-Stuff"} {
		if b := []byte(s); strongPassword(b) && !placeholder(b) {
			t.Errorf("%s is no password that anybody has to hide", s)
		}
	}
}

func TestClass(t *testing.T) {
	c := of("a-c_x-")
	for b := range 256 {
		if want := strings.ContainsRune("abc_x-", rune(b)) && b < 128; c.has(byte(b)) != want {
			t.Errorf("%q: %v", rune(b), !want)
		}
	}
	if c.size() != 6 {
		t.Error(c.size())
	}
	if n := c.run([]byte("abcxyz"), 10); n != 4 {
		t.Error(n)
	}
	if n := c.run([]byte("abcabc"), 2); n != 3 {
		t.Error("one more than most says that there are more:", n)
	}
	if n := c.runBack([]byte("zzabc"), 10); n != 3 {
		t.Error(n)
	}
	if n := c.runBack(nil, 10); n != 0 {
		t.Error(n)
	}
	if got := bytesOf([]byte("hello")); got.size() != 4 {
		t.Error(got.size())
	}
}

// TestKeyBlocks: where a block ends, and what is none.
func TestKeyBlocks(t *testing.T) {
	body := made(90, base64, 64)
	whole := pem("EC PRIVATE KEY", body)
	for text, want := range map[string]string{
		"x " + whole + " y":                                    whole,
		strings.ReplaceAll(whole, "\n", "\r\n"):                strings.ReplaceAll(whole, "\n", "\r\n"),
		whole + "\n" + whole:                                   whole + "|" + whole,
		pem("PUBLIC KEY", body) + "\n" + whole:                 whole,
		pem("ENCRYPTED PRIVATE KEY", body):                     pem("ENCRYPTED PRIVATE KEY", body),
		"-----BEGIN PRIVATE KEY-----" + body:                   "-----BEGIN PRIVATE KEY-----" + body,
		"-----BEGIN PRIVATE KEY-----\n" + body + "\n\"}, more": "-----BEGIN PRIVATE KEY-----\n" + body + "\n",
		"-----BEGIN PRIVATE\nKEY-----" + body:                  "",
		"-----BEGIN PRIVATE KEY----" + body:                    "",
		"-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("A", 200) + "\n-----END PRIVATE KEY-----": "",
		"-----BEGIN PRIVATE KEY-----": "",
		"-----BEGIN":                  "",
	} {
		var got []string
		for _, h := range Find([]byte(text)) {
			got = append(got, text[h.Start:h.End])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%.80q\n got %q\nwant %q", text, got, want)
		}
	}
	long := pem("RSA PRIVATE KEY", strings.Repeat(body+"\n", 200))
	only(t, long, "private-key", long)
}

// TestURLs: which passwords in URLs are somebody's.
func TestURLs(t *testing.T) {
	own := made(91, alnum, 14)
	for _, u := range []string{"https://me:%s@git.corp.net/", "mongodb+srv://u:%s@c0.mongodb.net/db?x=1", "amqp://u:%s@mq.corp.net:5671", "ftp://u:%s@10.1.2.3", "http://a%%40b:%s@h.corp.net",
		"smtp://u:%s@mail.corp.net:587", "redis://:%s@r.corp.net", "https://u:%s@[fe80::1]:8443/", "postgres://u:%s@localhost:5432/db", "postgres://u:%s@db/x"} {
		only(t, fmt.Sprintf(u, own), "url-password", own)
	}
	for _, u := range []string{"https://me:%s@example.com/", "https://me:%s@your-host/", "https://%s@git.corp.net/", "https://me@%s.net/", "://me:%s@git.corp.net", "https://a/b:%s@c",
		"https://me:%s", "https://me:%s @git.corp.net", "https://me:$%s@git.corp.net", "https://me:<%s>@git.corp.net"} {
		for _, h := range Find(fmt.Appendf(nil, u, own)) {
			if h.Rule == "url-password" {
				t.Errorf(u, own)
			}
		}
	}
}

// TestInsideBase64: long runs of base64 hold every short prefix sooner or later.
func TestInsideBase64(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	raw := make([]byte, 3<<20)
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	for _, wrap := range []int{64, 76, 1 << 30} {
		text := wrapped(raw, wrap)
		if hits := Find(text); len(hits) > 0 {
			t.Errorf("%d hits in %d MB of base64: %+v %q", len(hits), len(text)>>20, hits[0], text[hits[0].Start:hits[0].End])
		}
	}
	hexed := fmt.Appendf(nil, "%x", raw[:1<<20])
	if hits := Find(hexed); len(hits) > 0 {
		t.Errorf("%+v", hits)
	}
	if hits := Find(raw); len(hits) > 2 {
		t.Errorf("%d hits in random bytes: %+v", len(hits), hits)
	}
}

func wrapped(raw []byte, n int) []byte {
	text := encode(raw)
	var out bytes.Buffer
	for len(text) > n {
		out.Write(text[:n])
		out.WriteByte('\n')
		text = text[n:]
	}
	out.Write(text)
	return out.Bytes()
}
