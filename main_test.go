package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"session/commands"
	"session/internal/app"
	parts "session/internal/service"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets every script run the real program: the one in the folder that SESSION_TEST_PROGRAMS names, as it was
// installed, or else the test binary, which stands in for it and calls main.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SESSION_TEST_PROGRAMS"); dir != "" {
		if err := os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
			panic(err)
		}
		os.Exit(m.Run())
	}
	testscript.Main(m, map[string]func(){"session": main, app.ServiceProgram: func() { os.Exit(commands.Process(parts.Parts())) }})
}

// TestScripts runs testdata/script: one file a requirement or a bug.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, ".home")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			for k, v := range isolated(home) {
				env.Setenv(k, v)
			}
			for k, v := range toolchains() {
				env.Setenv(k, v)
			}
			return serviceURLs(env)
		},
		Condition: has,
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"json": jsonCmd, "code": codeCmd, "empty": emptyCmd, "database": databaseCmd},
	})
}

// isolated is the environment in which git and session know nobody but the test's user.
func isolated(home string) map[string]string {
	return map[string]string{
		"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_DATA_HOME": filepath.Join(home, ".local", "share"),
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "3",
		"GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Ada",
		"GIT_CONFIG_KEY_1": "user.email", "GIT_CONFIG_VALUE_1": "ada@example.invalid",
		"GIT_CONFIG_KEY_2": "init.defaultBranch", "GIT_CONFIG_VALUE_2": "main",
		"LC_ALL": "C", "TZ": "UTC", "NO_COLOR": "1",
		"SESSION_GIT_PATH": os.Getenv("SESSION_GIT_PATH"),
	}
}

// toolchains is what compilers need of the real home: a cache so that they need not build the world, and where rustup
// keeps them.
func toolchains() map[string]string {
	env := map[string]string{"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
	if cache, err := os.UserCacheDir(); err == nil {
		env["GOCACHE"] = cmp.Or(os.Getenv("GOCACHE"), filepath.Join(cache, "go-build"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		env["RUSTUP_HOME"] = cmp.Or(os.Getenv("RUSTUP_HOME"), filepath.Join(home, ".rustup"))
	}
	return env
}

// environ is isolated on top of what a program needs to start.
func environ(t testing.TB, more ...string) []string {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH")}
	for k, v := range isolated(t.TempDir()) {
		env = append(env, k+"="+v)
	}
	return append(env, more...)
}

// emptyCmd wants a file to be empty or absent: empty FILE.
func emptyCmd(ts *testscript.TestScript, neg bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	if is := err != nil || strings.TrimSpace(string(b)) == ""; is == neg {
		ts.Fatalf("empty is %v: %q", is, b)
	}
}
