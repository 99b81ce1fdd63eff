package blocker

import (
	"bytes"
	"strings"
)

// maxPrefixes bounds how many prefixes are taken off one line (a CI timestamp, then a job name, then ant's task …).
const maxPrefixes = 6

// antTasks are the tasks whose output ant marks with their name.
var antTasks = []string{"javac", "exec", "junit", "java", "javadoc", "testng", "groovyc", "scalac", "apply", "antcall", "subant", "junitlauncher", "jar", "xslt", "kotlinc", "cc", "native2ascii"}

// stripPrefixes takes off what systems in between put before a tool's own line: time stamps of GitHub, GitLab, Azure,
// Jenkins and taskcluster, job and step of `gh run view --log`, MSBuild's 12>, ant's [javac], docker-compose's svc_1 |,
// ctest's 12:, BuildKit's #12 3.456, a script runner's pkg:build:, and what other services set before a line.
func stripPrefixes(b []byte) []byte {
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	for n, i := 1, 0; n > 0 && i < maxPrefixes; i++ {
		n = prefixLen(b)
		b = b[n:]
	}
	return bytes.TrimRight(b, " \t")
}

func prefixLen(b []byte) int {
	t := len(b) - len(bytes.TrimLeft(b, " \t"))
	if t == len(b) {
		return 0
	}
	c := b[t]
	switch {
	case c >= '0' && c <= '9':
		return numberPrefix(b, t)
	case c == '[':
		return bracketPrefix(b, t)
	case c == '#' && t == 0:
		return buildkitPrefix(b)
	case c == 'I' || c == 'E' || c == 'W':
		if n := levelPrefix(b[t:]); n > 0 {
			return t + n
		}
	}
	if t > 0 {
		if n := targetPrefix(b[t:]); n > 0 {
			return t + n
		}
		return 0
	}
	for _, prefix := range []func([]byte) int{jobPrefix, composePrefix, scriptPrefix, servicePrefix} {
		if n := prefix(b); n > 0 {
			return n
		}
	}
	return 0
}

// scripts are the names under which package scripts run; only these, since `file.c:9: ` looks the same.
var scripts = []string{"build", "test", "lint", "check", "compile", "typecheck", "type-check", "dev", "start", "e2e", "unit"}

// scriptPrefix: turbo's `@scope/pkg:build: `, pnpm's `packages/ui test: `.
func scriptPrefix(b []byte) int {
	end := bytes.Index(b[:min(len(b), 80)], []byte(": "))
	if end < 0 {
		return 0
	}
	sep := bytes.LastIndexAny(b[:end], ": ")
	if sep <= 0 || bytes.ContainsAny(b[:sep], " (") {
		return 0
	}
	for _, s := range scripts {
		if string(b[sep+1:end]) == s {
			return end + 2
		}
	}
	return 0
}

// servicePrefix: Cloud Build's `Step #1: `, the NDK's `C/C++: `, Packer's `==> name: `, Dagger's bar,
// and what a server says during a push, which stands far behind `remote:`.
func servicePrefix(b []byte) int {
	for _, p := range []string{"C/C++: ", "┃ ", "remote:     "} {
		if bytes.HasPrefix(b, []byte(p)) {
			return len(p)
		}
	}
	head := b[:min(len(b), 80)]
	colon := bytes.Index(head, []byte(": "))
	switch {
	case bytes.HasPrefix(b, []byte("Step #")) && colon > 0:
		return colon + 2
	case bytes.HasPrefix(b, []byte("==> ")) && colon > 4 && isLowerName(b[4:colon]):
		return colon + 2
	}
	return targetPrefix(b)
}

// targetPrefix: Earthly's `./dir+target | `.
func targetPrefix(b []byte) int {
	bar := bytes.Index(b[:min(len(b), 80)], []byte(" | "))
	if bar > 0 && bytes.IndexByte(b[:bar], '+') > 0 && bytes.IndexByte(b[:bar], ' ') < 0 {
		return bar + 3
	}
	return 0
}

// isLowerName: lower-case letters, digits and dashes, so no level like ERROR.
func isLowerName(b []byte) bool {
	return len(b) > 0 && len(bytes.Trim(b, "abcdefghijklmnopqrstuvwxyz0123456789.-_")) == 0
}

// levelPrefix: mozharness' "INFO - " before a tool's own line.
func levelPrefix(b []byte) int {
	for _, l := range []string{"INFO - ", "ERROR - ", "WARNING - "} {
		if bytes.HasPrefix(b, []byte(l)) {
			return len(b) - len(bytes.TrimLeft(b[len(l):], " "))
		}
	}
	return 0
}

// numberPrefix: a time stamp, `12>`, or ctest's `12: `.
func numberPrefix(b []byte, t int) int {
	if n := stampLen(b[t:]); n > 0 {
		return t + n
	}
	i := t
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	switch {
	case i-t <= 4 && i < len(b) && b[i] == '>':
		return i + 1
	case t == 0 && i <= 5 && bytes.HasPrefix(b[i:], []byte(": ")):
		return i + 2
	}
	return 0
}

// stampLen is the length of a time stamp and the blank behind it: 2026-01-02T03:04:05.678Z, 2026-01-02 03:04:05,678,
// 03:04:05.678, GitLab's stamp with its stream mark (00O, 01E+).
func stampLen(b []byte) int {
	i := 0
	if isDate(b) {
		i = 11
	}
	n := clockLen(b[i:])
	if n == 0 {
		return 0
	}
	i += n
	if i < len(b) && b[i] == 'Z' {
		i++
	}
	if half := b[i:]; bytes.HasPrefix(half, []byte(" AM:")) || bytes.HasPrefix(half, []byte(" PM:")) {
		i += 4
	}
	if i == len(b) {
		return i
	}
	if b[i] != ' ' && b[i] != '\t' {
		return 0
	}
	return i + 1 + streamMark(b[i+1:])
}

// isDate: 2026-01-02 and a T or blank.
func isDate(b []byte) bool {
	return len(b) > 11 && b[4] == '-' && b[7] == '-' && (b[10] == 'T' || b[10] == ' ') && isDigit(b[0]) && isDigit(b[3]) && isDigit(b[9])
}

// clockLen: 03:04:05 with an optional fraction.
func clockLen(b []byte) int {
	if len(b) < 8 || b[2] != ':' || b[5] != ':' || !isDigit(b[0]) || !isDigit(b[1]) || !isDigit(b[3]) || !isDigit(b[4]) || !isDigit(b[6]) || !isDigit(b[7]) {
		return 0
	}
	i := 8
	for len(b) > i && (i == 8 && (b[i] == '.' || b[i] == ',') || i > 8 && isDigit(b[i])) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// streamMark: GitLab's 00O, 00E+ behind its time stamps.
func streamMark(b []byte) int {
	if len(b) < 4 || !isDigit(b[0]) || !isDigit(b[1]) || b[2] != 'O' && b[2] != 'E' {
		return 0
	}
	if b[3] == ' ' || b[3] == '+' {
		return 4
	}
	return 0
}

// bracketPrefix: [javac], [task 2026-…], [2026-…], [03:04:05], [0], Tekton's [task : step], Flutter's [  +12 ms], the
// level and the logger that Gradle writes when it says all.
func bracketPrefix(b []byte, t int) int {
	end := bytes.IndexByte(b[t:min(len(b), t+48)], ']')
	if end < 0 {
		return 0
	}
	in, after := b[t+1:t+end], t+end+1
	if after < len(b) && b[after] == ' ' {
		after++
	}
	in = bytes.TrimPrefix(in, []byte("task "))
	if len(in) > 0 && isDigit(in[0]) && (stampLen(in) > 0 || len(bytes.Trim(in, "0123456789")) == 0 && len(in) < 3) {
		return after
	}
	if bytes.Contains(in, []byte(" : ")) || bytes.HasSuffix(in, []byte(" ms")) && bytes.IndexByte(in, '+') >= 0 || len(in) > 4 && len(bytes.TrimLeft(in, " ")) == 0 {
		return after
	}
	if rest := b[after:]; bytes.HasPrefix(rest, []byte("[org.gradle.")) || bytes.HasPrefix(rest, []byte("[system.")) {
		if end := bytes.IndexByte(rest, ']'); end > 0 {
			return after + end + 1 + min(1, len(rest)-end-1)
		}
	}
	for _, task := range antTasks {
		if string(in) == task {
			return after
		}
	}
	return 0
}

// buildkitPrefix: `#12 3.456 `.
func buildkitPrefix(b []byte) int {
	i := 1
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == 1 || i == len(b) || b[i] != ' ' {
		return 0
	}
	j := i + 1
	for j < len(b) && (isDigit(b[j]) || b[j] == '.') {
		j++
	}
	if j > i+1 && j < len(b) && b[j] == ' ' && bytes.IndexByte(b[i+1:j], '.') > 0 {
		return j + 1
	}
	return 0
}

// jobPrefix: `job<TAB>step<TAB>time ` as `gh run view --log` prints it.
func jobPrefix(b []byte) int {
	first := bytes.IndexByte(b[:min(len(b), 160)], '\t')
	if first <= 0 {
		return 0
	}
	second := bytes.IndexByte(b[first+1:min(len(b), first+160)], '\t')
	if second < 0 {
		return 0
	}
	rest := bytes.TrimPrefix(b[first+second+2:], []byte("\uFEFF"))
	if !isDate(rest) {
		return 0
	}
	if n := stampLen(rest); n > 0 {
		return len(b) - len(rest) + n
	}
	return 0
}

// composePrefix: `svc_1  | `, `svc-1 | `.
func composePrefix(b []byte) int {
	i := 0
	for i < len(b) && i < 40 && (b[i] >= 'a' && b[i] <= 'z' || isDigit(b[i]) || b[i] == '_' || b[i] == '-' || b[i] == '.') {
		i++
	}
	if i < 3 || !isDigit(b[i-1]) || b[i-2] != '_' && b[i-2] != '-' {
		return 0
	}
	j := len(b) - len(bytes.TrimLeft(b[i:], " "))
	if j > i && bytes.HasPrefix(b[j:], []byte("| ")) {
		return j + 2
	}
	return 0
}

// levels are the words in brackets that rate a line and must stay before it.
var levels = map[string]bool{"info": true, "debug": true, "trace": true, "notice": true, "warn": true, "warning": true, "error": true, "fatal": true,
	"critical": true, "verbose": true, "success": true, "ok": true, "pass": true, "passed": true, "fail": true, "failed": true, "skip": true, "skipped": true}

// namePrefix: `[web] `, `[pod/x/y] ` or a system log's `host prog[12]: ` before a line, as those write who let several
// programs speak at once. It is asked only of lines that no rule knows as they stand.
func namePrefix(b []byte) int {
	if len(b) > 2 && b[0] == '[' {
		end := bytes.Index(b[:min(len(b), 60)], []byte("] "))
		if end < 2 || bytes.ContainsAny(b[1:end], " :=%[(") || levels[strings.ToLower(string(b[1:end]))] {
			return 0
		}
		return end + 2
	}
	return syslogPrefix(b)
}

// syslogPrefix: `Mar  2 10:00:01 host prog[12]: `.
func syslogPrefix(b []byte) int {
	if len(b) < 20 || b[3] != ' ' || b[6] != ' ' || clockLen(b[7:]) != 8 {
		return 0
	}
	if end := bytes.Index(b[:min(len(b), 100)], []byte("]: ")); end > 0 {
		return end + 3
	}
	return 0
}
