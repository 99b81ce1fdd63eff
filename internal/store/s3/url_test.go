package s3_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"session/internal/store/s3"
)

func environment(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func TestURLs(t *testing.T) {
	for raw, want := range map[string]string{
		"s3://k:s@h/bucket":                           "s3://h/bucket",
		"s3://k:s@h:9000/bucket/":                     "s3://h:9000/bucket",
		"s3://k:s@h/bucket/team/store/":               "s3://h/bucket/team/store",
		"s3://k:a%2Fb%2B@h/bucket/p?insecure=1":       "s3://h/bucket/p",
		"s3://k:s@[::1]:9/bucket?region=eu-central-1": "s3://[::1]:9/bucket",
		"s3://k:s@h/bucket?style=virtual&timeout=5s":  "s3://h/bucket",
		"s3://k:s@h/bucket?ca=/etc/ca.pem&create=1":   "s3://h/bucket",
	} {
		at, err := s3.ParseURL(raw, noEnvironment)
		if err != nil || at.String() != want || s3.Safe(raw) != want || fmt.Sprintf("%v %+v %#v %s", at, at, at, at) != strings.Repeat(want+" ", 3)+want {
			t.Errorf("%s: %v %v", raw, at, err)
		}
	}
}

// What is wrong may be a secret in a wrong place: nothing of it is said.
func TestBadURLs(t *testing.T) {
	for _, bad := range []string{
		"", "h/bucket", "https://k:xyzzy@h/bucket", "s3:xyzzy", "s3://", "s3://k:xyzzy@h", "s3://k:xyzzy@h/", "s3://k:xyzzy@/bucket", "s3://k:xy/zzy@h/bucket",
		"s3://k:xy%zzy@h/bucket", "s3://k:xyzzy@h/UPPER", "s3://k:xyzzy@h/b", "s3://k:xyzzy@h/bucket/../x", "s3://k:xyzzy@h/bucket/a b", "s3://k:xyzzy@h/bucket//x",
		"s3://k:xyzzy@h/bucket?nonsense=xyzzy", "s3://k:xyzzy@h/bucket?insecure=maybe", "s3://k:xyzzy@h/bucket?insecure=1&insecure=0", "s3://k:xyzzy@h/bucket#xyzzy",
		"s3://k:xyzzy@h/bucket?ca=relative", "s3://k:xyzzy@h/bucket?style=odd", "s3://k:xyzzy@h/bucket?timeout=1", "s3://k:xyzzy@h/bucket?timeout=1h", "s3://k:xyzzy@h/bucket?region=",
		"s3://k@h/bucket", "s3://:xyzzy@h/bucket", "s3://h/bucket", "s3://k:xyzzy@h/bucket?%zz",
	} {
		_, err := s3.ParseURL(bad, noEnvironment)
		if !errors.Is(err, s3.ErrURL) || strings.Contains(err.Error()+s3.Safe(bad), "xyzzy") || strings.Contains(err.Error()+s3.Safe(bad), "zzy") {
			t.Errorf("%q: %v, %s", bad, err, s3.Safe(bad))
		}
	}
}

func TestCredentialsOfTheEnvironment(t *testing.T) {
	const raw = "s3://h/bucket"
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".aws"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".aws", "credentials")
	body := "# a comment\n[other]\naws_access_key_id = O\naws_secret_access_key=P\n\n[default]\naws_access_key_id=A\naws_secret_access_key = B\n"
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env func(string) string
		ok  bool
	}{
		"variables":        {environment("AWS_ACCESS_KEY_ID", "A", "AWS_SECRET_ACCESS_KEY", "B"), true},
		"half a pair":      {environment("AWS_ACCESS_KEY_ID", "A"), false},
		"the file":         {environment("HOME", home), true},
		"another profile":  {environment("HOME", home, "AWS_PROFILE", "other"), true},
		"no such profile":  {environment("HOME", home, "AWS_PROFILE", "none"), false},
		"another file":     {environment("AWS_SHARED_CREDENTIALS_FILE", file), true},
		"no such file":     {environment("AWS_SHARED_CREDENTIALS_FILE", file+"x"), false},
		"a relative home":  {environment("HOME", "."), false},
		"a folder as file": {environment("AWS_SHARED_CREDENTIALS_FILE", home), false},
	} {
		if _, err := s3.ParseURL(raw, c.env); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	f.Add("s3://k:s@h:1/bucket/p?insecure=1&region=r&timeout=1s&style=path&create=1&ca=/x")
	f.Add("s3://k:a%2Fb@[::1]/bucket")
	f.Fuzz(func(t *testing.T, raw string) {
		at, err := s3.ParseURL(raw, noEnvironment)
		if err == nil && (at.Host == "" || at.Bucket == "" || at.Timeout <= 0 || strings.HasPrefix(at.Prefix, "/")) {
			t.Errorf("%q: %+v", raw, at)
		}
		_ = s3.Safe(raw)
	})
}
