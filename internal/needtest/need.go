// Package needtest is what tests need that not every machine has. A test whose need is missing is skipped, with a hint of
// where to get it, unless SESSION_TEST_REQUIRE names it (comma-separated): then the test fails.
package needtest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Required reports whether SESSION_TEST_REQUIRE names it.
func Required(what string) bool {
	return slices.Contains(strings.Split(os.Getenv("SESSION_TEST_REQUIRE"), ","), what)
}

// Missing ends a test whose need is missing.
func Missing(t testing.TB, what, hint string) {
	t.Helper()
	if Required(what) {
		t.Fatalf("%s is required: %s", what, hint)
	}
	t.Skipf("%s is not here: %s", what, hint)
}

// Program is the path of a program.
func Program(t testing.TB, name, hint string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name, hint)
	}
	return path
}

// Named is what an environment variable says.
func Named(t testing.TB, what, variable, hint string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		Missing(t, what, "set "+variable+": "+hint)
	}
	return value
}

// Servers are the variables that name a server of each kind by its URL.
var Servers = map[string]string{"postgres": "SESSION_TEST_POSTGRES", "redis": "SESSION_TEST_REDIS", "s3": "SESSION_TEST_S3"}

// Server is the URL of a server of this kind.
func Server(t testing.TB, kind string) string {
	t.Helper()
	return Named(t, kind, Servers[kind], `scripts/services.sh up; eval "$(scripts/services.sh env)"`)
}
