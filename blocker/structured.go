package blocker

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"

	"session/internal/lazy"
)

// outcome is what a structured report says.
type outcome struct {
	verdict Verdict
	failure *failure // the first failing test, build or check
	values  []Blocker
}

// failure is the first thing that failed in a structured report.
type failure struct {
	t       Type
	key     string // name of the test, package or check
	message string
	file    string
	line    int
	no      int    // line of the report
	output  []byte // what it printed, bounded
	lines   []int  // the report's line of each line of output, if known
}

// structured reads reports by their structure, not by what their lines look like. done tells that the input was one;
// else the returned reader gives the whole text again.
func structured(ctx context.Context, in *Input, o *Options, r *Report, head []byte, body io.Reader) (again io.Reader, done bool, err error) {
	text := bytes.TrimLeft(cleanText(nil, head, r.Encoding), " \t\r\n\ufeff")
	read := reader(in, text, r)
	if read == nil {
		return body, false, nil
	}
	var seen bytes.Buffer
	if r.Reader == "github-json" || r.Reader == "agent" { // bounded, and may turn out to be a log after all
		body = io.TeeReader(body, &seen)
	}
	out, err := read(ctx, in, o, body)
	if err != nil || out == nil {
		r.Reader = "log"
		return io.MultiReader(&seen, body), err != nil, err
	}
	r.Verdict, r.Blockers = out.verdict, out.values
	if out.failure != nil {
		r.Blockers = append(r.Blockers, out.failure.blocker(in, o, r.Reader))
	}
	if len(r.Blockers) > 0 {
		r.Verdict = Failed
	}
	if in.Exit != nil && *in.Exit != 0 && len(r.Blockers) == 0 {
		s := newScan(o.Rules, newPlaces(o.Root, o.Dir))
		s.conclude(in, o, r)
	}
	return nil, true, nil
}

type readFunc func(context.Context, *Input, *Options, io.Reader) (*outcome, error)

// reader chooses the reader of a report by its first bytes, and by its name where those say nothing.
func reader(in *Input, head []byte, r *Report) readFunc {
	switch {
	case bytes.HasPrefix(head, []byte("<")) && xmlRoot().Match(head):
		r.Reader = "junit"
		return readXML
	case goJSON().Match(head):
		r.Reader = "go-json"
		return readGoJSON
	case len(head) > 0 && (head[0] == '{' || head[0] == '[' && !bytes.HasPrefix(head, []byte("[I"))) && githubJSON().Match(head):
		r.Reader = "github-json"
		return readGitHub
	case strings.HasPrefix(path.Base(slashes(in.Name)), "LastTestsFailed"):
		r.Reader = "failed-list"
		return readFailedList
	case agentHead(head) != "":
		r.Reader = "agent"
		return readAgent
	}
	return nil
}

var (
	xmlRoot    = lazy.Regexp(`^(?s:<\?xml[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\])?\s*>|<\?[^>]*>|\s)*<(?:testsuites?|Site|TestRun|test-run|test-results|assemblies|assembly)[\s>]`)
	goJSON     = lazy.Regexp(`^(?:[^\n]*\n){0,20}\{(?:"Time":"[^"]*",)?(?:"ImportPath":"[^"]*",)?"Action":"(?:start|run|output|pass|fail|skip|bench|pause|cont|build-output|build-fail)"`)
	githubJSON = lazy.Regexp(`"(?:conclusion|reviewDecision|mergeable|mergeStateStatus|statusCheckRollup|workflow_runs|check_runs|reviewThreads|latestReviews|bucket)"\s*:`)
)

// blocker makes the blocker of a failure; its output is scanned like a log for the place and the first error line.
func (f *failure) blocker(in *Input, o *Options, reader string) Blocker {
	b := Blocker{Type: f.t, Source: in.Name, AutoDetected: true, DetectedAt: o.Now, Rule: reader, LogLine: f.no, Line: f.line}
	s := newScan(o.Rules, newPlaces(o.Root, o.Dir))
	b.File = s.resolve(f.file)
	if h := inner(s, f.output); h != nil {
		f.take(&b, s, h)
	}
	b.Message = or(f.message, or(b.Message, f.key))
	if f.key != "" && !mentions(b.Message, f.key) && f.t != BuildError {
		b.Message = f.key + ": " + b.Message
	}
	if f.t == TestFailure && f.key != "" {
		b.ErrorPattern = Pattern(f.key)
	}
	if len(b.Evidence) == 0 {
		b.Evidence = evidence(f.output)
	}
	b.Description = describe(&b, b.Message)
	return New(b)
}

// mentions tells whether a name stands in a message, not as part of a longer word.
func mentions(message, name string) bool {
	i := strings.Index(message, name)
	if i < 0 {
		return false
	}
	end := i + len(name)
	return !(i > 0 && isWord(message[i-1])) && !(end < len(message) && isWord(message[end]))
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_'
}

// take adds what a hit in the output says and the report itself does not.
func (f *failure) take(b *Blocker, s *scan, h *hit) {
	var d Blocker
	d.Type = f.t
	s.describe(&d, h)
	b.Message, b.Evidence = d.Message, d.Evidence
	if f.t == BuildError && h.m.Rule.Type == string(Dependency) && h.definite() { // as the same words outside a report
		b.Type = Dependency
	}
	if h.m.Rule.Type == string(b.Type) {
		b.Resolution = d.Resolution
	}
	if b.File == "" || b.Line == 0 {
		b.File, b.Line = or(d.File, b.File), d.Line
	}
	if h.no > 0 && h.no <= len(f.lines) {
		b.LogLine = f.lines[h.no-1]
	}
}

// inner scans a text that is known to be about a failure.
func inner(s *scan, text []byte) *hit {
	c := &chunk{raw: append(bytes.TrimRight(text, "\n"), '\n')}
	c.prepare(UTF8, s.table)
	s.chunk(c)
	f, ok := s.decide(Failed)
	if !ok {
		return nil
	}
	return f.hit
}

// evidence takes the last lines of a text.
func evidence(text []byte) (out []string) {
	for l := range strings.Lines(string(text)) {
		if l = strings.TrimRight(l, "\r\n \t"); l != "" {
			out = append(out, cut(l, maxLine))
		}
	}
	return out[max(0, len(out)-MaxEvidence):]
}

// maxList bounds a list of failed tests, in bytes.
const maxList = 1 << 20

// readFailedList reads CTest's LastTestsFailed.log: number:name a line. CTest writes it only when tests failed.
func readFailedList(_ context.Context, _ *Input, _ *Options, body io.Reader) (*outcome, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxList))
	if err != nil {
		return nil, err
	}
	no := 0
	for l := range strings.Lines(string(text)) {
		no++
		number, name, ok := strings.Cut(strings.TrimSpace(l), ":")
		if ok && strings.Trim(number, "0123456789") == "" && name != "" {
			return &outcome{verdict: Failed, failure: &failure{t: TestFailure, key: name, no: no, output: text}}, nil
		}
	}
	return &outcome{verdict: Succeeded}, nil
}
