package capture

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"session/gitstate"
	"session/internal/engine"
	"session/internal/session"
	"session/internal/survey"
)

func TestDetect(t *testing.T) {
	for name, tc := range map[string]struct {
		files       map[string]string
		build, test string
	}{
		"nothing":                       {nil, "", ""},
		"go":                            {map[string]string{"go.mod": "", "Makefile": "test:\n"}, "go build ./...", "go test ./..."},
		"cmake":                         {map[string]string{"CMakeLists.txt": "", "Makefile": ""}, "cmake -S . -B build; cmake --build build", "ctest --test-dir build --output-on-failure"},
		"cmake with presets":            {map[string]string{"CMakeLists.txt": "", "CMakePresets.json": `{"configurePresets":[{"name":"base","hidden":true},{"name":"dev"}],"buildPresets":[{"name":"dev-build"}],"testPresets":[{"name":"dev-test"}]}`}, "cmake --preset dev; cmake --build --preset dev-build", "ctest --preset dev-test --output-on-failure"},
		"a person's presets come first": {map[string]string{"CMakeLists.txt": "", "CMakePresets.json": `{"configurePresets":[{"name":"dev"}]}`, "CMakeUserPresets.json": `{"configurePresets":[{"name":"mine"}]}`}, "cmake --preset mine", ""},
		"presets without a list file":   {map[string]string{"CMakePresets.json": `{}`, "Cargo.toml": ""}, "cargo build", "cargo test"},
		"damaged presets":               {map[string]string{"CMakeLists.txt": "", "CMakePresets.json": `{{`}, "cmake -S . -B build; cmake --build build", "ctest --test-dir build --output-on-failure"},
		"node":                          {map[string]string{"package.json": `{"scripts":{"build":"x","test":"y"}}`}, "npm run build", "npm run test"},
		"node with pnpm":                {map[string]string{"package.json": `{"scripts":{"test":"y"}}`, "pnpm-lock.yaml": ""}, "", "pnpm run test"},
		"npm's own test script":         {map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, "", ""},
		"a damaged package.json":        {map[string]string{"package.json": `{"scripts":`}, "npm run build", ""},
		"maven's wrapper":               {map[string]string{"mvnw": "", "pom.xml": ""}, "./mvnw -B -q compile", "./mvnw -B test"},
		"python":                        {map[string]string{"pyproject.toml": ""}, "", "python3 -m pytest"},
		"make":                          {map[string]string{"Makefile": "all:\n\ttrue\ncheck:\n\ttrue\n"}, "make", "make check"},
		"make, test before check":       {map[string]string{"Makefile": "check:\ntest:\n"}, "make", "make test"},
		"make without tests":            {map[string]string{"Makefile": "all: test.o\n"}, "make", ""},
	} {
		build, test := detect(func(f string) ([]byte, bool) { s, ok := tc.files[f]; return []byte(s), ok }, "build")
		if got := lined(build); got != tc.build {
			t.Errorf("%s: build %q, want %q", name, got, tc.build)
		}
		if got := lined(test); got != tc.test {
			t.Errorf("%s: test %q, want %q", name, got, tc.test)
		}
	}
}

func lined(commands []Command) string {
	var all []string
	for _, c := range commands {
		all = append(all, strings.Join(c.Args, " "))
	}
	return strings.Join(all, "; ")
}

// TestVerify: each check is recorded as it ended; none runs on a broken build; nothing to run is no failure.
func TestVerify(t *testing.T) {
	list := [][]string{{"build"}, {"test"}}
	for name, tc := range map[string]struct {
		checks Checks
		ran    map[string]Ran
		want   string // name=status
		ended  string // "", failed, skipped
	}{
		"all well":          {Checks{Build: list[:1], Test: list[1:]}, nil, "build=passed test=passed", ""},
		"the build fails":   {Checks{Build: list[:1], Test: list[1:]}, map[string]Ran{"build": {ExitCode: 2}}, "build=failed", "failed"},
		"a test fails":      {Checks{Build: list[:1], Test: list[1:]}, map[string]Ran{"test": {ExitCode: 1}}, "build=passed test=failed", "failed"},
		"not installed":     {Checks{Build: list[:1]}, map[string]Ran{"build": {ExitCode: NotStarted, Err: errors.New("no such program")}}, "build=missing", "failed"},
		"a shell's 127":     {Checks{Build: list[:1]}, map[string]Ran{"build": {ExitCode: NotStarted}}, "build=failed", "failed"},
		"ended by a signal": {Checks{Build: list[:1]}, map[string]Ran{"build": {ExitCode: -1, Err: errors.New("killed")}}, "build=failed", "failed"},
		"out of time":       {Checks{Build: list[:1]}, map[string]Ran{"build": {ExitCode: -1, Err: fmt.Errorf("after 1s: %w", context.DeadlineExceeded)}}, "build=timeout", "failed"},
		"nothing to run":    {Checks{DetectBuild: true, DetectTest: true}, nil, "build=skipped", "skipped"},
	} {
		w := english()
		w.Root, w.Now = t.TempDir(), time.Now
		w.Checks = map[string]Checks{"b": tc.checks}
		w.Run = func(_ context.Context, args []string, name string, _ func(string)) Ran { return tc.ran[args[0]] }
		d := &Draft{}
		err := w.verify(t.Context(), d, VerifySettings{Bundle: "b"})
		var got []string
		for _, c := range d.Checks {
			got = append(got, c.Name+"="+c.Status)
		}
		var skip engine.Skip
		ended := map[bool]string{true: "failed", false: ""}[err != nil]
		if errors.As(err, &skip) {
			ended = "skipped"
		}
		if strings.Join(got, " ") != tc.want || ended != tc.ended {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if err := english().verify(t.Context(), &Draft{}, VerifySettings{Bundle: "none"}); err == nil {
		t.Error("a bundle that is not there was run")
	}
}

func TestNoPush(t *testing.T) {
	for name, tc := range map[string]struct {
		ref       string
		stage     Stage
		protected []string
		want      string
	}{
		"fine":                      {"refs/heads/feat", Stage{Commit: "c"}, []string{"main", "release/*"}, ""},
		"no commit yet":             {"refs/heads/feat", Stage{}, nil, "push.nothing"},
		"the commit was refused":    {"refs/heads/feat", Stage{Commit: "c", Refused: true}, nil, "push.refused"},
		"on no branch":              {"", Stage{Commit: "c"}, nil, "push.detached"},
		"protected":                 {"refs/heads/main", Stage{Commit: "c"}, []string{"main"}, "push.protected"},
		"protected by a pattern":    {"refs/heads/release/1.2", Stage{Commit: "c"}, []string{"release/*"}, "push.protected"},
		"a pattern stops at a /":    {"refs/heads/release/1/2", Stage{Commit: "c"}, []string{"release/*"}, ""},
		"a name is not a beginning": {"refs/heads/mainline", Stage{Commit: "c"}, []string{"main"}, ""},
	} {
		g := &survey.Git{}
		g.Head.Ref = tc.ref
		f, no := english().noPush(&Draft{Scene: survey.Scene{Git: g}, Stage: tc.stage}, PushSettings{Protected: tc.protected})
		if no != (tc.want != "") || f.Key != tc.want || no && f.Status != session.PushRejected {
			t.Errorf("%s: %v %s", name, no, f.Key)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for name, err := range map[string]error{
		"guard: a pattern":      GuardSettings{Allow: []string{"[a"}}.Check(),
		"guard: a size":         GuardSettings{MaxFileSize: -1}.Check(),
		"push: a pattern":       PushSettings{Protected: []string{"[a"}}.Check(),
		"verify: no bundle":     VerifySettings{}.Check(),
		"documents: none named": DocsSettings{}.Check(),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, err := range map[string]error{
		"guard": GuardSettings{Allow: []string{"**/*.env"}, MaxFileSize: 0}.Check(), "push": PushSettings{Protected: []string{"main"}}.Check(),
		"verify": VerifySettings{Bundle: "b"}.Check(), "documents": DocsSettings{Files: []string{"a"}}.Check(),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAllowedMatchesAnyDepth(t *testing.T) {
	for _, tc := range []struct {
		patterns, path string
		want           bool
	}{
		{"", ".env", false}, {".env", ".env", true}, {".env", "a/.env", false}, {"**/.env", "a/b/.env", true}, {"**/.env", ".env", true},
		{"test/**", "test/a/key.pem", true}, {"test/*", "test/a/key.pem", false}, {"a,b", "b", true},
	} {
		if got := allowed(list(tc.patterns), tc.path); got != tc.want {
			t.Errorf("%s %s: %v", tc.patterns, tc.path, got)
		}
	}
}

func TestExplainPush(t *testing.T) {
	g := &survey.Git{}
	g.Head.Ref = "refs/heads/feat"
	d := &Draft{Scene: survey.Scene{Git: g}}
	for cause, want := range map[gitstate.PushCause]string{
		gitstate.NonFastForward: "git pull --rebase origin feat", gitstate.NoAccess: "git push origin feat", gitstate.RemoteRefused: "session save --sync",
		gitstate.HookRefused: "session save --sync", gitstate.Unreachable: "session save --sync", gitstate.NotThere: "session save --sync", gitstate.PushFailed: "session save --sync",
	} {
		f := explainPush(&gitstate.PushError{Cause: cause, Remote: "origin", Detail: "https://ada:" + "kX9pQ2vL7mR4tW8z@git.corp.net/r.git"}, d)
		if got := strings.Join(f.Actions[0].Command, " "); got != want {
			t.Errorf("%s: %s, want %s", cause, got, want)
		}
		if said := english().Say(f.Key, f.Args...); strings.Contains(said, "kX9pQ2") || strings.Contains(said, "{") || said == f.Key {
			t.Errorf("%s: %s", cause, said)
		}
	}
}
