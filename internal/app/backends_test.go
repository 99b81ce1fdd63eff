package app

import (
	"fmt"
	"strings"
	"testing"

	"session/internal/redact"
)

func TestSafeURL(t *testing.T) {
	for raw, want := range map[string]string{
		"": "local", "local": "local", "file:///srv/share": "file:///srv/share",
		"s3://KEY:hunter2@h/bucket/p?project=x&region=r": "s3://h/bucket/p",
		"s3://KEY:hun/ter2@h/bucket":                     "s3://(a URL that cannot be read)",
		"s3://KEY:hunter2@h/bucket?project=%zz":          "s3://h/bucket",
		"redis://:hunter2@h/1":                           "redis://h/1",
		"rediss://u:hunter2@h:x/1":                       "(a URL that cannot be read)",
		"postgres://u:hunter2@h/db?password=hunter2":     "postgres://u@h/db",
		"https://u:hunter2@h/x?token=hunter2":            "https://h/x",
		"%zzhunter2":                                     "(a URL that cannot be read)",
	} {
		got := SafeURL(raw)
		if strings.Contains(raw, "hun/ter2") && !strings.Contains(got, "ter2") {
			continue // whatever it says: no part of the secret
		}
		if got != want || strings.Contains(got, "ter2") {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

// What is kept of logs and reports has no secret of a back end either.
func TestRedactedURLs(t *testing.T) {
	for _, u := range []string{
		"s3://KEY:9f86d081884c7d659a2feaa0c55ad015@127.0.0.1:9000/bucket", "redis://default:9f86d081884c7d659a2feaa0c55ad015@h:6379/0", "redis://:9f86d081884c7d659a2feaa0c55ad015@h/0",
		"postgres://u:9f86d081884c7d659a2feaa0c55ad015@h/db",
	} {
		for _, form := range []string{"%s", "SESSION_STORE=%s", "export X='%s'", "dial %s: refused"} {
			if got := redact.Text(fmt.Sprintf(form, u)); strings.Contains(got, "9f86d081") {
				t.Errorf("%s", got)
			}
		}
	}
}
