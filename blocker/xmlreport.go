package blocker

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"

	"session/internal/lazy"
)

// maxRun is how much of one text or attribute of an XML report is read: enough for a test's first errors. The rest is
// dropped before the XML reader, which would keep it whole in memory.
const maxRun = 64 << 10

// runLimiter passes XML through with every run of text between two tags, and every run between two quotes, cut to
// maxRun. Dropped lines are counted, so that line numbers stay right.
type runLimiter struct {
	r       io.Reader
	run     int
	in      byte // 0 in text, '<' in a tag, a quote in an attribute
	dropped int  // newlines
}

// Read implements io.Reader.
func (l *runLimiter) Read(p []byte) (int, error) {
	for {
		n, err := l.r.Read(p)
		kept := p[:0]
		for _, b := range p[:n] {
			if l.keep(b) {
				kept = append(kept, b)
			} else if b == '\n' {
				l.dropped++
			}
		}
		if len(kept) > 0 || err != nil || n == 0 {
			return len(kept), err
		}
	}
}

func (l *runLimiter) keep(b byte) bool {
	was := l.in
	switch {
	case l.in == 0 && b == '<':
		l.in = '<'
	case l.in == '<' && b == '>':
		l.in = 0
	case l.in == '<' && b == '"':
		l.in = b
	case l.in == '"' && b == '"':
		l.in = '<'
	}
	if l.in != was {
		l.run = 0
		return true
	}
	l.run++
	return l.run <= maxRun
}

// xmlTest is the test that is being read.
type xmlTest struct {
	failure
	failed bool
	depth  int
}

// xmlReader walks one report. It knows JUnit (and what imitates it), CTest's Test.xml, TRX, NUnit 2 and 3, xUnit.
type xmlReader struct {
	d       *xml.Decoder
	limit   *runLimiter
	path    []string
	test    *xmlTest
	first   *failure
	tests   int
	counted int // failures and errors that a suite's attributes count
	value   strings.Builder
	packed  bool
}

func readXML(ctx context.Context, _ *Input, _ *Options, body io.Reader) (*outcome, error) {
	x := &xmlReader{limit: &runLimiter{r: valid(body)}}
	x.d = xml.NewDecoder(x.limit)
	x.d.Strict = false
	x.d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // valid has decoded it
	for x.first == nil && ctx.Err() == nil {
		tok, err := x.d.RawToken()
		if errors.Is(err, io.EOF) {
			x.close()
			break
		}
		if err != nil { // cut off or damaged: what was read so far counts, and success is not known
			x.close()
			return x.outcome(Unknown), nil
		}
		x.token(tok)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return x.outcome(Succeeded), nil
}

// declared finds the encoding that an XML declaration names.
var declared = lazy.Regexp(`^\s*<\?xml[^>]*encoding=["']([\w-]+)["']`)

// names are the code pages as XML declares them.
var names = map[string]Encoding{"euc-kr": CP949, "cp949": CP949, "ks_c_5601-1987": CP949, "shift_jis": ShiftJIS, "windows-31j": ShiftJIS,
	"gbk": GBK, "gb2312": GBK, "gb18030": GBK}

// valid gives UTF-8: decoded from the East Asian encoding that the report declares, else with U+FFFD for what is not
// UTF-8, since the XML reader stops at the first such byte.
func valid(body io.Reader) io.Reader {
	r := bufio.NewReader(body)
	head, _ := r.Peek(200)
	if m := declared().FindSubmatch(head); m != nil && legacy(names[strings.ToLower(string(m[1]))]) != nil {
		return legacy(names[strings.ToLower(string(m[1]))]).NewDecoder().Reader(r)
	}
	return transform.NewReader(r, runes.ReplaceIllFormed())
}

func (x *xmlReader) outcome(clean Verdict) *outcome {
	switch {
	case x.first != nil:
		return &outcome{verdict: Failed, failure: x.first}
	case x.counted > 0:
		return &outcome{verdict: Failed, failure: &failure{t: TestFailure, message: "the report counts failures but names no failing test", no: 1}}
	case len(x.path) > 0 || x.tests == 0:
		clean = Unknown
	}
	return &outcome{verdict: clean}
}

func (x *xmlReader) token(tok xml.Token) {
	switch t := tok.(type) {
	case xml.StartElement:
		x.path = append(x.path, t.Name.Local)
		x.start(t.Name.Local, attrs(t))
	case xml.EndElement:
		x.end(t.Name.Local)
		if n := len(x.path); n > 0 {
			x.path = x.path[:n-1]
		}
	case xml.CharData:
		x.text(t)
	}
	if len(x.path) > 256 {
		x.path = x.path[:256]
	}
}

func attrs(t xml.StartElement) map[string]string {
	m := map[string]string{}
	for _, a := range t.Attr {
		m[a.Name.Local] = a.Value
	}
	return m
}

// caseElements are the elements that hold one test, and the attributes that name it.
var caseElements = map[string][]string{
	"testcase": {"name"}, "test-case": {"fullname", "name"}, "UnitTestResult": {"testName"}, "test": {"name"}, "Test": {},
}

// badResults are the values of result, outcome, Status that mean failure.
var badResults = map[string]bool{"failed": true, "fail": true, "failure": true, "error": true, "timeout": true, "aborted": true,
	"notrun": true, "broken": true}

func (x *xmlReader) start(name string, a map[string]string) {
	x.value.Reset()
	keys, is := caseElements[name]
	switch {
	case is && x.test == nil && (name != "Test" || a["Status"] != ""):
		x.begin(name, keys, a)
	case name == "testsuite" || name == "testsuites":
		x.counted = max(x.counted, count(a["failures"]), count(a["errors"]))
	case x.test == nil:
	case name == "failure" || name == "error":
		x.fail(a["message"])
	case name == "Value":
		x.packed = a["compression"] != "" || a["encoding"] == "base64"
	}
}

func (x *xmlReader) begin(name string, keys []string, a map[string]string) {
	x.tests++
	x.test = &xmlTest{depth: len(x.path)}
	x.test.t, x.test.no = TestFailure, x.lineNumber()
	for _, k := range keys {
		x.test.key = or(x.test.key, a[k])
	}
	x.test.file, x.test.line = a["file"], count(a["line"])
	status := strings.ToLower(or(a["result"], or(a["outcome"], or(a["Status"], a["executed"]))))
	if name == "Test" && status == "notrun" && a["Status"] == "notrun" {
		x.test.message = "not run"
	}
	if badResults[status] {
		x.test.failed = true
	}
}

func (x *xmlReader) fail(message string) {
	x.test.failed = true
	x.test.no = x.lineNumber()
	x.test.message = or(x.test.message, firstLine(message))
}

func (x *xmlReader) text(t xml.CharData) {
	if x.test != nil && x.value.Len() < maxRun {
		x.value.Write(t)
	}
}

// end takes in what an element held.
func (x *xmlReader) end(name string) {
	if x.test == nil {
		return
	}
	v := x.value.String()
	switch name {
	case "Name":
		x.test.key = or(x.test.key, strings.TrimSpace(v))
	case "message", "Message":
		x.test.message = or(x.test.message, firstLine(v))
		x.print(v)
	case "Value":
		x.measured(v)
	case "failure", "error", "system-out", "system-err", "stack-trace", "StackTrace", "StdOut", "output":
		x.print(v)
	}
	x.value.Reset()
	if len(x.path) == x.test.depth {
		x.close()
	}
}

// measured: CTest's <Value>: the output under Measurement, how the test ended under NamedMeasurement.
func (x *xmlReader) measured(v string) {
	if n := len(x.path); n >= 2 && x.path[n-2] == "Measurement" {
		if x.packed {
			v = unpack(v)
		}
		x.print(v)
	}
	x.packed = false
}

func (x *xmlReader) print(v string) {
	if len(x.test.output)+len(v) < 4*maxRun && strings.TrimSpace(v) != "" {
		x.test.output = append(append(x.test.output, v...), '\n')
	}
}

// close ends a test; the first that failed is kept.
func (x *xmlReader) close() {
	if x.test != nil && x.test.failed && x.first == nil {
		f := x.test.failure
		x.first = &f
	}
	x.test = nil
}

func (x *xmlReader) lineNumber() int {
	line, _ := x.d.InputPos()
	return line + x.limit.dropped
}

func count(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1<<30 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// firstLine of a message, which may be a whole stack.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(s)
}

// unpack decodes base64 and gzip (CTest says gzip and writes zlib); at most 4 × maxRun bytes come out, and what was cut
// off is left out.
func unpack(v string) string {
	v = strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, v)
	raw, _ := base64.StdEncoding.DecodeString(v[:len(v)/4*4])
	var r io.Reader
	var err error
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		r, err = gzip.NewReader(bytes.NewReader(raw))
	} else {
		r, err = zlib.NewReader(bytes.NewReader(raw))
	}
	if err != nil {
		return string(raw)
	}
	out, _ := io.ReadAll(io.LimitReader(r, 4*maxRun)) // a cut stream still tells its beginning
	return string(out)
}
