package blocker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// Bounds of what is kept of running tests while their end is not known.
const (
	maxTests   = 4096
	maxOutputs = 200      // lines a test
	maxEvent   = 64 << 10 // bytes of one event
)

// goEvent is one line of `go test -json` (cmd/test2json; build events since Go 1.24).
type goEvent struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

// eventHead begins an event; eventOutput stands before what a test or a build printed in it.
var (
	eventHead   = []byte(`{"`)
	eventOutput = []byte(`"Output":"`)
	eventAction = []byte(`output","`)
)

// plainLine is a line as the tool wrote it: without prefixes, and out of the event that `go test -json` put it in, where
// such events stand in the log of a CI system.
func plainLine(b []byte) []byte {
	b = stripPrefixes(b)
	if !bytes.HasPrefix(b, eventHead) || b[len(b)-1] != '}' || !bytes.Contains(b, eventAction) || !bytes.Contains(b, eventOutput) {
		return b
	}
	var e goEvent
	if json.Unmarshal(b, &e) != nil || e.Action != "output" && e.Action != "build-output" {
		return b
	}
	return bytes.TrimRight(cleanText(nil, []byte(e.Output), UTF8), " \t\r\n")
}

// goOutput is what one test, package or build printed, with the lines of the report.
type goOutput struct {
	text  []byte
	lines []int
}

func (o *goOutput) add(s string, no int) {
	if len(o.lines) < maxOutputs {
		o.text = append(append(o.text, strings.TrimRight(s, "\n")...), '\n')
		o.lines = append(o.lines, no)
	}
}

// goReader walks the events. Events of parallel tests are interleaved, so output is kept by test.
type goReader struct {
	outputs map[string]*goOutput
	plain   goOutput // lines that are no events: the compiler's, when go vet or go build fails
	first   *failure
	build   *failure
	passed  bool
	failed  bool
}

func readGoJSON(ctx context.Context, _ *Input, _ *Options, body io.Reader) (*outcome, error) {
	g := &goReader{outputs: map[string]*goOutput{}}
	r := bufio.NewReaderSize(body, maxEvent)
	for no := 1; ctx.Err() == nil; no++ {
		line, err := readLine(r)
		if len(line) > 0 {
			g.line(line, no)
		}
		if errors.Is(err, io.EOF) {
			return g.outcome(), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, ctx.Err()
}

// readLine reads one line, cut to the size of the buffer.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	line = bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	return line, err
}

func (g *goReader) line(line []byte, no int) {
	var e goEvent
	i := bytes.IndexByte(line, '{') // a CI system's prefix may stand before it
	if i < 0 || i > 200 || json.Unmarshal(line[i:], &e) != nil || e.Action == "" {
		if len(g.plain.lines) == 0 || !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
			g.plain.add(string(cleanText(nil, line, UTF8)), no)
		}
		return
	}
	key := or(e.Package, e.ImportPath) + "\x00" + e.Test
	switch e.Action {
	case "output", "build-output":
		g.output(key, no).add(string(cleanText(nil, []byte(e.Output), UTF8)), no)
	case "build-fail":
		g.failed = true
		g.build = or(g.build, g.failure(BuildError, key, e.ImportPath, no))
	case "fail":
		g.fail(key, e, no)
	case "pass", "skip":
		g.passed = g.passed || e.Test == ""
		delete(g.outputs, key)
	}
}

func (g *goReader) output(key string, no int) *goOutput {
	o := g.outputs[key]
	if o == nil {
		o = &goOutput{}
		if len(g.outputs) < maxTests {
			g.outputs[key] = o
		}
	}
	return o
}

// fail: subtests fail before the tests that hold them, so the first event names the innermost test.
func (g *goReader) fail(key string, e goEvent, no int) {
	g.failed = true
	switch {
	case e.FailedBuild != "":
		g.build = or(g.build, g.failure(BuildError, key, e.Package, no))
	case g.first == nil && (e.Test != "" || !g.buildFailed(key)):
		g.first = g.failure(TestFailure, key, or(e.Test, e.Package), no)
	case g.buildFailed(key):
		g.build = or(g.build, g.failure(BuildError, key, e.Package, no))
	}
	delete(g.outputs, key)
}

// buildFailed: older versions of go say so only in the package's output.
func (g *goReader) buildFailed(key string) bool {
	o := g.outputs[key]
	return o != nil && (bytes.Contains(o.text, []byte("[build failed]")) || bytes.Contains(o.text, []byte("[setup failed]")))
}

func (g *goReader) failure(t Type, key, name string, no int) *failure {
	f := &failure{t: t, key: name, no: no}
	if o := g.outputs[key]; o != nil {
		f.output, f.lines = o.text, o.lines
		f.no = o.lines[0]
	}
	if t == BuildError && len(g.plain.lines) > 0 {
		f.output, f.lines = append(bytes.Clone(g.plain.text), f.output...), append(append([]int(nil), g.plain.lines...), f.lines...)
	}
	return f
}

func (g *goReader) outcome() *outcome {
	switch f := or(g.build, g.first); {
	case f != nil:
		return &outcome{verdict: Failed, failure: f}
	case g.failed:
		return &outcome{verdict: Failed, failure: &failure{t: TestFailure, output: g.plain.text, lines: g.plain.lines}}
	case g.passed:
		return &outcome{verdict: Succeeded}
	}
	return &outcome{verdict: Unknown}
}
