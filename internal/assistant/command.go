package assistant

import (
	"path"
	"slices"
	"strings"

	"session/internal/lazy"
)

// builders are the programs that build or test, and the subcommands by which they do; no subcommands: always.
var builders = map[string][]string{
	"make": nil, "gmake": nil, "ninja": nil, "ctest": nil, "cmake": nil, "msbuild": nil, "xcodebuild": nil, "nmake": nil,
	"gcc": nil, "g++": nil, "cc": nil, "c++": nil, "clang": nil, "clang++": nil, "cl": nil, "ld": nil, "rustc": nil, "javac": nil, "tsc": nil,
	"pytest": nil, "py.test": nil, "tox": nil, "nox": nil, "jest": nil, "vitest": nil, "mocha": nil, "rspec": nil, "phpunit": nil, "ant": nil,
	"mvn": nil, "mvnw": nil, "gradle": nil, "gradlew": nil, "sbt": nil, "rake": nil, "bazel": nil, "bazelisk": nil, "buck2": nil, "scons": nil,
	"meson": {"compile", "test", "setup", "configure"}, "go": {"build", "test", "vet", "install", "generate", "mod"},
	"cargo": {"build", "b", "test", "t", "check", "clippy", "nextest", "doc", "fetch"}, "dotnet": {"build", "test", "restore", "publish", "msbuild"},
	"npm": {"run", "run-script", "test", "t", "ci", "install", "i"}, "pnpm": {"run", "test", "build", "install", "i"},
	"yarn": {"run", "test", "build", "install"}, "bun": {"run", "test", "build", "install"}, "deno": {"test", "check", "task"},
	"swift": {"build", "test"}, "zig": {"build", "test"}, "mix": {"compile", "test", "deps.get"}, "composer": {"install", "update", "test"},
	"bundle": {"install", "exec"}, "pip": {"install"}, "pip3": {"install"}, "uv": {"sync", "run", "pip"}, "poetry": {"install", "run", "lock"},
	"conan": {"install", "build"}, "vcpkg": {"install"}, "dart": {"test", "compile"}, "flutter": {"build", "test"}, "nx": {"build", "test"},
	"turbo": {"run", "build", "test"}, "stack": {"build", "test"}, "cabal": {"build", "test"}, "node": {"--test"}, "docker": {"build", "compose"},
}

// wrappers run the program that their arguments name.
var wrappers = []string{"sudo", "time", "nice", "env", "command", "exec", "timeout", "xvfb-run", "ccache", "npx", "bunx", "stdbuf", "nohup"}

var (
	script    = lazy.Regexp(`^(?:build|test|tests|check|ci|verify|lint|compile|run[-_]?tests?|all)(?:\.\w{1,4})?$`)
	separator = lazy.Regexp(`&&|\|\||[;|\n&]`)
	setting   = lazy.Regexp(`^\w+=`)
)

// printsEnvironment is a command line whose output holds environment variables as a whole: it is never kept.
var printsEnvironment = lazy.Regexp(`(?i)(?:^|[;&|(\n]|\$\()\s*(?:sudo\s+)?(?:(?:env|printenv|set|export(?:\s+-p)?|declare(?:\s+-\w+)?|typeset(?:\s+-\w+)?)\s*(?:$|[;&|>)\n])|printenv\b)|/proc/[\w*$]+/environ|os\.environ\b|process\.env\s*[),;]|(?:gci|get-childitem|dir|ls)\s+env:`)

// showsEnvironment reports whether what a shell line prints is, or may hold, the environment.
func showsEnvironment(line string) bool {
	return len(line) > maxCommand || printsEnvironment().MatchString(line)
}

// maxCommand bounds the shell line that is looked at, in bytes.
const maxCommand = 16 << 10

// BuildsOrTests reports whether a shell line runs a program that builds, tests or installs dependencies: what its failure
// says is about the project, while a search that finds nothing, or a file that is not there, blocks nobody. It reads no
// quotes: a line that only speaks of such a program in its arguments is not taken for one, since the first word of a part
// decides.
func BuildsOrTests(line string) bool {
	return slices.ContainsFunc(separator().Split(line[:min(len(line), maxCommand)], -1), builds)
}

// builds looks at one part of a line.
func builds(part string) bool {
	words := strings.Fields(strings.Trim(part, "(){} \t"))
	for len(words) > 0 && (setting().MatchString(words[0]) || slices.Contains(wrappers, words[0]) || wrapped(words)) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(words[0], `\`, "/")), ".exe")
	switch name {
	case "sh", "bash", "zsh":
		return len(words) > 1 && script().MatchString(path.Base(words[1]))
	case "python", "python3", "py":
		return len(words) > 2 && words[1] == "-m" && slices.Contains([]string{"pytest", "unittest", "build", "tox", "nox", "pip", "mypy"}, words[2])
	}
	with, known := builders[name]
	if !known {
		return strings.Contains(words[0], "/") && script().MatchString(name)
	}
	return with == nil || slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(with, w) })
}

// wrapped reports whether a word can only belong to the wrapper before it: an option, or the time of timeout.
func wrapped(words []string) bool {
	w := words[0]
	return strings.HasPrefix(w, "-") || strings.Trim(w, "0123456789.smhd") == ""
}
