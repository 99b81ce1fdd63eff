package blocker

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"session/blocker/rules"
	"session/internal/lazy"
)

// first types settle the matter whatever else failed: a person has to act before anything else can work.
var firstTypes = []Type{MergeConflict, DecisionRequired, ReviewBlocked}

// stageTypes are the types that a failing build or test run can have.
var stageTypes = []Type{Dependency, BuildError, TestFailure}

// lastTypes count when no stage explains the failure; DesignIssue and Other come from a project's own rules.
var lastTypes = []Type{CIFailure, DesignIssue, Other}

// finding is what was decided: a type and the hit that shows it best; hit is nil when nothing but the verdict is known.
type finding struct {
	t   Type
	hit *hit
}

// decide picks what stopped the run: in the first step that failed and says why, else in any step.
func (s *scan) decide(v Verdict) (finding, bool) {
	s.endStepAtEOF()
	var steps []*step
	steps = append(steps, s.failed...)
	steps = append(steps, s.cur)
	for _, st := range steps {
		if st.failed {
			if f, ok := st.decide(false); ok {
				return f, true
			}
		}
	}
	all := newStep()
	for _, st := range append(steps, s.quiet) {
		all.merge(st)
	}
	if f, ok := all.decide(false); ok && (v == Failed || s.strong(f)) {
		return f, true
	}
	if v != Failed {
		return finding{}, false
	}
	return all.decide(true)
}

// strong tells whether a finding counts without a failing verdict.
func (s *scan) strong(f finding) bool { return f.hit != nil && f.hit.counts() }

// endStepAtEOF lets the last lines go: a hit at the end of a log gets no more.
func (s *scan) endStepAtEOF() {
	for _, h := range s.open {
		h.follow = nil
	}
	s.open = nil
}

// decide picks among the hits of one step; weak hits count only when asked for.
func (s *step) decide(weak bool) (finding, bool) {
	for _, t := range firstTypes {
		if h := s.best(t); h != nil {
			return finding{t, h}, true
		}
	}
	if f, ok := s.machine(); ok {
		return f, true
	}
	if f, ok := s.byStage(); ok {
		return f, true
	}
	if f, ok := s.earliest((*hit).definite, stageTypes...); ok {
		return f, true
	}
	for _, t := range lastTypes {
		if h := s.definite[string(t)]; h != nil {
			return finding{t, h}, true
		}
	}
	if f, ok := s.earliest((*hit).counts, stageTypes...); ok {
		return f, true
	}
	if h := s.summary[string(CIFailure)]; h != nil && !generic(h) {
		return finding{CIFailure, h}, true
	}
	if weak {
		return s.weakest()
	}
	return finding{}, false
}

// best is the strongest hit of a type.
func (s *step) best(t Type) *hit {
	d, m := s.definite[string(t)], s.summary[string(t)]
	if m != nil && !m.counts() {
		m = nil
	}
	switch {
	case d == nil:
		return m
	case m != nil && m.definite() && m.seq < d.seq:
		return m
	}
	return d
}

// machine: the CI machinery failed (killed, out of disk, cancelled, timed out) before anything else did, or it says so
// itself and no tool names another reason.
func (s *step) machine() (finding, bool) {
	h := s.definite[string(CIFailure)]
	f, other := s.earliest((*hit).definite, stageTypes...)
	if !other {
		f.hit = s.stage
	}
	is := h != nil && (f.hit == nil || h.seq < f.hit.seq)
	return finding{CIFailure, h}, is
}

// byStage: a closing line names the stage that failed; the first hit of that stage's type is the reason.
func (s *step) byStage() (finding, bool) {
	if s.stage == nil || s.neutral() {
		return finding{}, false
	}
	t := Type(s.stage.m.Rule.Type)
	dep, build, test := s.best(Dependency), s.best(BuildError), s.best(TestFailure)
	switch {
	case t == BuildError && dep != nil && dep.definite() && (build == nil || build == s.stage || !build.definite() || dep.seq < build.seq):
		return finding{Dependency, dep}, true
	case t == TestFailure && s.buildBeforeTests(build, test):
		return finding{BuildError, build}, true
	}
	h := s.best(t)
	if h == nil {
		h = s.stage
	}
	return finding{t, h}, true
}

// buildBeforeTests: a tool says that the tests could not be built.
func (s *step) buildBeforeTests(build, test *hit) bool {
	return build != nil && s.told[string(BuildError)] != nil && (test == nil || build.seq < test.seq)
}

// neutral: make and ninja run tests as well as compilers, so their closing lines do not tell the stage. A target called
// test or check tells it only when nothing else does: the tests are built, and often linted, by it as well.
func (s *step) neutral() bool {
	if s.stage.m.Rule.ID == "make-test-failed" {
		return true
	}
	if s.stage.m.Rule.Type != string(BuildError) || s.definite[string(BuildError)] != nil {
		return false
	}
	return s.stage.m.Rule.ID == "make-failed" || s.stage.m.Rule.ID == "ninja-failed"
}

// earliest is the hit of the given types that comes first among those that want accepts.
func (s *step) earliest(want func(*hit) bool, types ...Type) (f finding, ok bool) {
	for _, t := range types {
		for _, h := range []*hit{s.definite[string(t)], s.summary[string(t)]} {
			if h != nil && want(h) && (!ok || h.seq < f.hit.seq) {
				f, ok = finding{t, h}, true
			}
		}
	}
	return f, ok
}

// generic closing lines say that something failed, not what; that a gate was not passed is what failed.
func generic(h *hit) bool { return h.m.Rule.Verdict != "" && h.m.Rule.ID != "coverage-gate" }

// weakest picks among hits that count only because the run failed: tests, then build, then the rest; a closing line
// last.
func (s *step) weakest() (finding, bool) {
	for _, t := range []Type{TestFailure, BuildError, Dependency, CIFailure} {
		if h := s.weak[string(t)]; h != nil {
			return finding{inWords(t, h), h}, true
		}
		if h := s.summary[string(t)]; h != nil && !h.counts() {
			return finding{t, h}, true
		}
	}
	if h := s.summary[string(CIFailure)]; h != nil {
		return finding{CIFailure, h}, true
	}
	return finding{}, false
}

// testCommand and buildCommand tell the stage from the command that was run, when the log is silent.
var (
	testCommand       = lazy.Regexp(`(?i)\b(?:c?test|tests|pytest|py\.test|tox|nox|jest|mocha|vitest|rspec|phpunit|prove|nextest|check|verify|spec)\b`)
	buildCommand      = lazy.Regexp(`(?i)\b(?:make|ninja|cmake|msbuild|gcc|g\+\+|clang|cl|cargo|go (?:build|vet)|mvn|gradlew?|ant|bazel|tsc|build|compile|javac|dotnet|xcodebuild|swift|meson|lint)\b`)
	dependencyCommand = lazy.Regexp(`(?i)\b(?:npm (?:i|ci|install)|pip3? install|yarn install|pnpm i(?:nstall)?|apt(?:-get)? install|vcpkg|conan|poetry (?:install|lock)|bundle install|composer install|go mod)\b`)
)

// dying are the rules whose line, when a log ends with it, was a program's end.
var dying = map[string]bool{"git-fatal": true, "level-error": true, "py-exception": true, "rustc-plain": true, "exit-status": true,
	"exit-words": true, "node-thrown": true}

// nodeEnded is the line that Node.js (17 and later) prints last, and only then, behind an error that nobody caught. A
// program that prints the same words for itself has no such error above them.
var nodeEnded = lazy.Regexp(`^Node\.js v\d+\.\d+\.\d+$`)

// afterwords matches what programs still say behind their last error: details further in, bars, hints, where to read on.
var afterwords = lazy.Regexp(`^(?:\s|\W*$|(?:[=*>#-]{1,3} )?(?i:hint|note|help|see|run|try|usage|for more|for help|caused by|abort|stop|exit|please|consider|did you mean|details|tip|and|node\.js)\b|info |\w[\w ]* +: )`)

// maxAfterwords is how many lines a program may still say behind its last error.
const maxAfterwords = 12

// dyingWords: nothing says how the run ended, but it ends with the error of a program that gave up.
func (s *scan) dyingWords() (finding, bool) {
	last := s.lastLines()
	if n := len(last); n > 0 && nodeEnded().MatchString(last[n-1]) {
		return s.cur.weakest()
	}
	for i := len(last) - 1; i >= max(0, len(last)-maxAfterwords); i-- {
		m, ok := s.table.MatchText(last[i], nil)
		if ok && dying[m.Rule.ID] && (i == len(last)-1 || !isLogged(&m, last[i])) {
			h := &hit{m: m, no: s.lastNo - len(last) + 1 + i, seq: s.seq, text: last[i], evidence: last}
			if kept := s.cur.weak[m.Rule.Type]; kept != nil && kept.text == h.text { // it knows its line and the place that frames named
				h = kept
			}
			s.raised(h, last[:i])
			return finding{inWords(Type(m.Rule.Type), h), h}, true
		}
		if !afterwords().MatchString(last[i]) {
			return finding{}, false
		}
	}
	return finding{}, false
}

// raised gives a Python exception without a place that of the nearest frame above it, up to its traceback's head.
func (s *scan) raised(h *hit, above []string) {
	if h.m.Rule.ID != "py-exception" || h.m.File != "" {
		return
	}
	for _, l := range slices.Backward(above) {
		m, ok := s.table.MatchText(l, nil)
		switch {
		case ok && m.Rule.ID == "py-traceback":
			return
		case ok && m.Rule.ID == "py-frame" && !isForeign(m.File):
			h.m.File, h.m.Line = m.File, m.Line
			return
		}
	}
}

// isLogged: an exception of a package's, with frames behind it, is what a server wrote down and got over; an interpreter
// ends with the exception, or throws its own kinds, which have no package.
func isLogged(m *rules.Match, line string) bool {
	name, _, _ := strings.Cut(line, ":")
	return m.Rule.ID == "py-exception" && strings.Contains(name, ".")
}

// testWords and buildWords tell what failed when a line is no tool's that a rule knows.
var (
	testWords  = lazy.Regexp(`(?i)\btests? (?:run |suite )?fail|\bfail\w* (?:to run )?(?:the )?tests?\b`)
	buildWords = lazy.Regexp(`(?i)\b(?:build|compil\w+)(?:\(\))? (?:step |has )?fail|\bfail\w* (?:occurred )?(?:to |in )?(?:the )?(?:build|compil)`)
)

// inWords makes more of a type that only means that something failed, if the line itself says what.
func inWords(t Type, h *hit) Type {
	switch {
	case t != CIFailure || h.m.Rule.Strength != rules.Weak:
	case testWords().MatchString(h.text):
		return TestFailure
	case buildWords().MatchString(h.text):
		return BuildError
	}
	return t
}

// fallback gives a failing run without any hit its blocker: nothing that failed goes unseen.
func (s *scan) fallback(in *Input) finding {
	t := CIFailure
	switch c := commandType(in.Command); {
	case in.Exit != nil && killed(*in.Exit):
	case c != "":
		t = c
	case s.verdict.last != nil && s.verdict.last.m.Rule.Type != "":
		t = Type(s.verdict.last.m.Rule.Type)
	}
	return finding{t, s.verdict.last}
}

// commandType is what the failure of a command is when nothing else tells; "" where the command does not tell either.
func commandType(command string) Type {
	switch {
	case dependencyCommand().MatchString(command):
		return Dependency
	case testCommand().MatchString(command):
		return TestFailure
	case buildCommand().MatchString(command):
		return BuildError
	}
	return ""
}

// byCommand makes more of a finding that only means that something failed, if the command that was run here says what:
// an exception out of a build script is a failing build.
func byCommand(f finding, in *Input) Type {
	if f.t == CIFailure && f.hit != nil && f.hit.m.Rule.Strength == rules.Weak && in.Exit != nil {
		if t := commandType(in.Command); t != "" {
			return t
		}
	}
	return f.t
}

// killed: a signal or a time-out ended the command (128+9, 128+15, timeout(1)'s 124).
func killed(exit int) bool { return exit == 137 || exit == 143 || exit == 124 }

// blocker makes the blocker of a finding.
func (s *scan) blocker(f finding, in *Input, o *Options) Blocker {
	b := Blocker{Type: f.t, Source: in.Name, AutoDetected: true, DetectedAt: o.Now}
	if h := f.hit; h != nil {
		s.describe(&b, h)
	}
	if b.Message == "" {
		b.Message = s.lastWords(in)
		b.Rule = or(b.Rule, "exit")
	}
	if len(b.Evidence) == 0 {
		b.Evidence = s.lastLines()
	}
	b.Description = or(b.Description, describe(&b, b.Message))
	return New(b)
}

// describe fills a blocker from a hit.
func (s *scan) describe(b *Blocker, h *hit) {
	m := &h.m
	short := message(h)
	if words := h.lastWords(); words != "" && b.Type == CIFailure && generic(h) {
		short = words + " (" + short + ")"
	}
	b.Message, b.LogLine, b.Rule, b.Line = wholeLine(short, h), h.no, m.Rule.ID, m.Line
	if b.File = m.File; b.File != h.place {
		b.File = s.resolve(m.File)
	}
	b.Severity, b.RecoveryAgent = Severity(m.Rule.Severity), m.Rule.Agent
	b.ErrorPattern = patternOf(b, m, short)
	if placeless := m.File == "" && strings.Contains(m.Rule.Resolution, "{file}"); m.Rule.Resolution != "" && !placeless {
		fill := *m
		fill.File = b.File
		b.Resolution = cut(fill.Fill(m.Rule.Resolution), maxText)
	}
	b.Evidence = h.evidence
	b.Description = describe(b, short)
}

// lastWords is the line above one that only says that something failed, unless a CI system wrote that one too.
func (h *hit) lastWords() string {
	if h.above == 0 || h.above > len(h.evidence) {
		return ""
	}
	l := strings.TrimSpace(h.evidence[h.above-1])
	if strings.HasPrefix(l, "##[") || strings.HasPrefix(l, "travis_") || strings.HasPrefix(l, "shell: ") {
		return ""
	}
	return l
}

// patternOf: a test is known by its name, everything else by its message, or the part of it that a rule calls pattern.
func patternOf(b *Blocker, m *rules.Match, short string) string {
	if p := m.Vars["pattern"]; p != "" {
		return Pattern(p)
	}
	if key := or(m.Vars["test"], m.Key); b.Type == TestFailure && key != "" {
		if strings.HasPrefix(key, "/") {
			key = path.Base(key)
		}
		return Pattern(key)
	}
	return Pattern(short)
}

// wholeLine puts the line as the tool wrote it in place of the message that a rule took out of it: it is what a person
// sees in the log and searches for.
func wholeLine(short string, h *hit) string {
	line := strings.TrimSpace(h.text)
	if h.m.Msg == "" || !strings.Contains(line, h.m.Msg) {
		return short
	}
	return strings.Replace(short, h.m.Msg, line, 1)
}

// message is the first error line: what the rule took for it, else the line itself. A message that the next line told
// (CMake, Rust panics, pytest) stands after what introduces it, and after a test's name why it failed.
func message(h *hit) string {
	s := headMessage(h)
	for _, v := range []struct{ name, sep string }{{"more", ": "}, {"why", ": "}, {"and", ", "}} {
		if more := h.m.Vars[v.name]; more != "" && !strings.Contains(s, more) {
			s = strings.TrimRight(s, ":. ") + v.sep + more
		}
	}
	return s
}

// codeOnly is a message that is nothing but a code in brackets, as GHC writes it before the words.
var codeOnly = lazy.Regexp(`^\[[\w-]+\]$`)

func headMessage(h *hit) string {
	m := &h.m
	if t := m.Vars["test"]; t != "" && !strings.Contains(m.Msg, t) {
		return t + ": " + or(m.Vars["exception"], "failed") + " (" + m.Msg + ")"
	}
	if d := m.Vars["detail"]; d != "" && (strings.HasSuffix(m.Msg, ":") || codeOnly().MatchString(m.Msg)) {
		return m.Msg + " " + d
	}
	switch detail := or(m.Vars["first"], or(m.Vars["exception"], or(m.Vars["e"], m.Vars["detail"]))); {
	case m.Msg == "" && detail != "":
		return strings.TrimPrefix(m.Key+": "+detail, ": ")
	case m.Msg == "":
		return strings.TrimSpace(h.text)
	case m.Key != "" && !strings.Contains(m.Msg, m.Key) && m.Rule.Type == string(TestFailure):
		return m.Key + ": " + m.Msg
	case m.Vars["exception"] != "" && !strings.Contains(m.Msg, m.Vars["exception"]):
		return m.Msg + ": " + m.Vars["exception"]
	}
	return m.Msg
}

var headlines = map[Type]string{
	BuildError: "The build fails", TestFailure: "A test fails", Dependency: "A dependency is missing or does not fit",
	ReviewBlocked: "The review asks for changes", CIFailure: "The run fails", MergeConflict: "There is a merge conflict",
	DecisionRequired: "A decision is needed", DesignIssue: "There is a design issue", Other: "Something stops the work",
}

// describe puts a blocker in words for people.
func describe(b *Blocker, what string) string {
	where := ""
	switch {
	case b.File != "" && b.Line > 0:
		where = fmt.Sprintf(" at %s:%d", b.File, b.Line)
	case b.File != "":
		where = " in " + b.File
	}
	return cut(headlines[b.Type]+where+": "+what, maxText)
}

// lastWords is the message of a failure that no rule knows: the last line that says anything, or the exit code.
func (s *scan) lastWords(in *Input) string {
	if l := s.lastLines(); len(l) > 0 {
		return l[len(l)-1]
	}
	if in.Exit != nil {
		return fmt.Sprintf("%s: exit code %d, and no output", or(in.Command, "the command"), *in.Exit)
	}
	return "the run failed and says nothing"
}

// lastLines are the last lines of the log that are not blank.
func (s *scan) lastLines() (out []string) {
	for l := range strings.FieldsFuncSeq(string(s.end), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if l = string(plainLine([]byte(l))); strings.TrimSpace(l) != "" {
			out = append(out, cut(l, maxLine))
		}
	}
	return out[max(0, len(out)-MaxEvidence):]
}
