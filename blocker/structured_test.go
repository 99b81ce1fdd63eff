package blocker

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding/korean"
)

// report scans a text under a name and compares reader, verdict and first blocker.
func report(t *testing.T, name, file, text, reader string, verdict Verdict, w wanted) *Blocker {
	t.Helper()
	r := scanText(t, file, text, Options{})
	if r.Reader != reader || r.Verdict != verdict {
		t.Errorf("%s: reader %s, verdict %s, want %s and %s", name, r.Reader, r.Verdict, reader, verdict)
	}
	if fault := w.fault(r); fault != "" {
		t.Errorf("%s: %s", name, fault)
	}
	return r.First()
}

func w(typ Type, file string, line int, message string) wanted {
	return wanted{typ: string(typ), file: file, line: line, message: message}
}

var none = wanted{typ: "none"}

// TestJUnit reads what runners write in the name of JUnit.
func TestJUnit(t *testing.T) {
	for name, c := range map[string]struct {
		xml     string
		verdict Verdict
		want    wanted
	}{
		"surefire": {`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="a.b.FooTest" tests="2" failures="1" errors="0">
  <testcase name="ok" classname="a.b.FooTest" time="0.01"/>
  <testcase name="bar" classname="a.b.FooTest" time="0.02">
    <failure message="expected:&lt;1&gt; but was:&lt;2&gt;" type="java.lang.AssertionError">java.lang.AssertionError: expected:&lt;1&gt; but was:&lt;2&gt;
	at org.junit.Assert.fail(Assert.java:88)
	at a.b.FooTest.bar(FooTest.java:42)
</failure>
  </testcase>
</testsuite>`, Failed, w(TestFailure, "", 0, "bar: expected:<1> but was:<2>")},
		"pytest": {`<testsuites><testsuite name="pytest" errors="0" failures="1" tests="1">
<testcase classname="tests.test_a" name="test_add" time="0.001"><failure message="assert 4 == 5">def test_add():
&gt;       assert add(2, 2) == 5
E       assert 4 == 5

tests/test_a.py:9: AssertionError</failure></testcase></testsuite></testsuites>`, Failed, w(TestFailure, "", 0, "test_add: assert 4 == 5")},
		"file attribute": {`<testsuite tests="1"><testcase name="adds" file="spec/a_spec.rb" line="5"><failure message="boom"/></testcase></testsuite>`,
			Failed, w(TestFailure, "spec/a_spec.rb", 5, "adds: boom")},
		"error element": {`<testsuite><testcase name="x"><error message="No module named yaml">ModuleNotFoundError</error></testcase></testsuite>`,
			Failed, w(TestFailure, "", 0, "No module named yaml")},
		"gtest in system-out": {`<testsuite tests="1"><testcase name="math"><failure message=""/><system-out>[ RUN      ] Math.Add
/w/t.cpp:9: Failure
Expected equality of these values:
[  FAILED  ] Math.Add (0 ms)
</system-out></testcase></testsuite>`, Failed, w(TestFailure, "/w/t.cpp", 9, "math: ")},
		"all pass":          {`<testsuite tests="2" failures="0"><testcase name="a"/><testcase name="error_FAILED"><system-out>error: FAILED</system-out></testcase></testsuite>`, Succeeded, none},
		"skipped":           {`<testsuite tests="1" skipped="1"><testcase name="a"><skipped message="FAILED to find it"/></testcase></testsuite>`, Succeeded, none},
		"flaky":             {`<testsuite tests="1"><testcase name="a"><flakyFailure message="once"/></testcase></testsuite>`, Succeeded, none},
		"empty":             {`<testsuite tests="0"/>`, Unknown, none},
		"only counted":      {`<testsuite tests="3" failures="1"></testsuite>`, Failed, w(TestFailure, "", 0, "names no failing test")},
		"cut before":        {`<testsuite tests="2"><testcase name="a"/><testcase name="b"`, Unknown, none},
		"cut after failing": {`<testsuite tests="2"><testcase name="a"><failure message="boom"/></testcase><testcase name="b"`, Failed, w(TestFailure, "", 0, "a: boom")},
		"cut inside it":     {`<testsuite tests="2"><testcase name="a"><failure message="boom">text`, Failed, w(TestFailure, "", 0, "a: boom")},
		"nested suites":     {`<testsuites><testsuite><testsuite><testcase name="deep"><failure message="boom"/></testcase></testsuite></testsuite></testsuites>`, Failed, w(TestFailure, "", 0, "deep: boom")},
		"comment and doctype": {`<?xml version="1.0"?><!-- made by x --><!DOCTYPE testsuites>
<testsuites><testsuite><testcase name="a"><failure>boom</failure></testcase></testsuite></testsuites>`, Failed, w(TestFailure, "", 0, "a")},
		"latin-1": {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><testsuite><testcase name=\"a\"><failure message=\"Stra\xdfe\"/></testcase></testsuite>",
			Failed, w(TestFailure, "", 0, "a: Stra")},
		"korean": {"<?xml version=\"1.0\" encoding=\"EUC-KR\"?><testsuite><testcase name=\"" + string(encoded(t, korean.EUCKR, "로그인")) + "\"><failure message=\"x\"/></testcase></testsuite>",
			Failed, w(TestFailure, "", 0, "로그인: x")},
		"entities are not expanded": {`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><testsuite><testcase name="x"><failure message="&b;&lol;"/></testcase></testsuite>`,
			Failed, w(TestFailure, "", 0, "x")},
	} {
		report(t, name, "results.xml", c.xml, "junit", c.verdict, c.want)
	}
}

// TestJUnitLogLine: the line of the report in which the failure stands.
func TestJUnitLogLine(t *testing.T) {
	b := report(t, "line", "r.xml", "<testsuite>\n<testcase name=\"a\"/>\n<testcase name=\"b\">\n<failure message=\"boom\"/>\n</testcase>\n</testsuite>", "junit", Failed, w(TestFailure, "", 0, "b: boom"))
	if b.LogLine != 4 || b.ErrorPattern != "b" {
		t.Errorf("line %d, pattern %q", b.LogLine, b.ErrorPattern)
	}
}

// ctestXML writes CTest's Test.xml with a packed output.
func ctestXML(status, output string, pack func(string) string) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<Site BuildName="x" Generator="ctest-3.25.1">
	<Testing>
		<TestList><Test>./lexer</Test><Test>./parser</Test></TestList>
		<Test Status="passed"><Name>lexer</Name><Results><Measurement><Value>fine</Value></Measurement></Results></Test>
		<Test Status="%s">
			<Name>parser</Name>
			<Results>
				<NamedMeasurement type="text/string" name="Exit Code"><Value>Failed</Value></NamedMeasurement>
				<Measurement><Value encoding="base64" compression="gzip">%s</Value></Measurement>
			</Results>
		</Test>
	</Testing>
</Site>`, status, pack(output))
}

func packWith(t *testing.T, zipped func(io.Writer) io.WriteCloser) func(string) string {
	return func(s string) string {
		var b bytes.Buffer
		z := zipped(&b)
		if _, err := io.WriteString(z, s); err != nil {
			t.Fatal(err)
		}
		z.Close()
		e := base64.StdEncoding.EncodeToString(b.Bytes())
		var lines []string
		for len(e) > 70 {
			lines, e = append(lines, e[:70]), e[70:]
		}
		return strings.Join(append(lines, e), "\n")
	}
}

// TestCTestXML: the output is packed, which a search for words would not see.
func TestCTestXML(t *testing.T) {
	out := "[ RUN      ] Parse.Empty\n/w/t.cpp:9: Failure\nExpected equality of these values:\n[  FAILED  ] Parse.Empty (0 ms)\n"
	zl := packWith(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	gz := packWith(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	report(t, "zlib", "Test.xml", ctestXML("failed", out, zl), "junit", Failed, w(TestFailure, "/w/t.cpp", 9, "parser: Parse.Empty"))
	report(t, "gzip", "Test.xml", ctestXML("failed", out, gz), "junit", Failed, w(TestFailure, "/w/t.cpp", 9, "parser"))
	report(t, "not run", "Test.xml", ctestXML("notrun", "", zl), "junit", Failed, w(TestFailure, "", 0, "parser"))
	report(t, "passed", "Test.xml", ctestXML("passed", out, zl), "junit", Succeeded, none)
	report(t, "damaged", "Test.xml", ctestXML("failed", out, func(s string) string { return zl(s)[:20] }), "junit", Failed, w(TestFailure, "", 0, "parser"))
	report(t, "no base64", "Test.xml", ctestXML("failed", out, func(string) string { return "%%%" }), "junit", Failed, w(TestFailure, "", 0, "parser"))
}

// TestBombs: small reports that unpack to much, and reports with texts without end, cost no memory.
func TestBombs(t *testing.T) {
	zl := packWith(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	report(t, "zlib bomb", "Test.xml", ctestXML("failed", strings.Repeat("\x00", 8<<20), zl), "junit", Failed, w(TestFailure, "", 0, "parser"))
	in := io.MultiReader(strings.NewReader("<testsuite>\n<testcase name=\"a\"><system-out>"), &repeat{unit: []byte("text without end \n"), left: 9 << 20},
		strings.NewReader("</system-out></testcase>\n<testcase name=\"b\"><failure message=\""), &repeat{unit: []byte("x"), left: 2 << 20},
		strings.NewReader("\"/></testcase></testsuite>"))
	r, err := Scan(context.Background(), Input{Name: "x.xml", Stream: in}, Options{Now: now})
	b := r.First()
	if err != nil || b == nil || !strings.HasPrefix(b.Message, "b: xxx") || len(b.Message) > 2*maxText {
		t.Fatalf("%v %+v", err, b)
	}
	if lines := 9 << 20 / 18; b.LogLine < lines || b.LogLine > lines+3 {
		t.Errorf("line %d, want about %d", b.LogLine, lines)
	}
}

// TestOtherXML: reports of .NET and NUnit, and XML that is no report.
func TestOtherXML(t *testing.T) {
	report(t, "trx", "a.trx", `<TestRun><Results><UnitTestResult testName="Adds" outcome="Passed"/><UnitTestResult testName="Subs" outcome="Failed"><Output><ErrorInfo><Message>Assert.Equal() Failure</Message><StackTrace>   at Foo.Subs() in /w/T.cs:line 5</StackTrace></ErrorInfo></Output></UnitTestResult></Results></TestRun>`,
		"junit", Failed, w(TestFailure, "", 0, "Subs: Assert.Equal() Failure"))
	report(t, "nunit", "a.xml", `<test-run result="Failed"><test-suite><test-case name="Adds" fullname="N.Adds" result="Failed"><failure><message>boom</message></failure></test-case></test-suite></test-run>`,
		"junit", Failed, w(TestFailure, "", 0, "N.Adds: boom"))
	report(t, "xunit", "a.xml", `<assemblies><assembly failed="1"><collection><test name="N.Adds" result="Fail"><failure><message>boom</message></failure></test></collection></assembly></assemblies>`,
		"junit", Failed, w(TestFailure, "", 0, "N.Adds: boom"))
	report(t, "other xml", "pom.xml", `<project><dependency>error: FAILED</dependency></project>`, "log", Unknown, none)
}

// TestFailedList: CTest's LastTestsFailed.log.
func TestFailedList(t *testing.T) {
	report(t, "two", "b/Testing/Temporary/LastTestsFailed.log", "3:parser\n7:lexer\n", "failed-list", Failed, w(TestFailure, "", 0, "parser"))
	report(t, "windows", `b\Testing\Temporary\LastTestsFailed_20260104-1030.log`, "3:parser\r\n", "failed-list", Failed, w(TestFailure, "", 0, "parser"))
	report(t, "none", "LastTestsFailed.log", "\n", "failed-list", Succeeded, none)
	report(t, "another name", "x.log", "3:parser\n", "log", Unknown, none)
}

// TestLastTestLog: the log of a whole ctest run, test by test, without a summary.
func TestLastTestLog(t *testing.T) {
	head := "Start testing: Jan 04 10:30 UTC\n----------------------------------------------------------\n1/2 Testing: parser\n1/2 Test: parser\nCommand: \"/w/b/t\"\nOutput:\n----------------------------------------------------------\n"
	end := "<end of output>\nTest time =   0.01 sec\n----------------------------------------------------------\n"
	failing := head + "/w/t.cpp:9: Failure\nExpected equality\n[  FAILED  ] Parse.Empty (0 ms)\n" + end + "Test Failed.\n\"parser\" end time: Jan 04 10:30 UTC\n"
	report(t, "failing", "LastTest.log", failing, "log", Failed, w(TestFailure, "/w/t.cpp", 9, "Parse.Empty"))
	report(t, "silent", "LastTest.log", head+end+"Test Failed.\n", "log", Failed, w(TestFailure, "", 0, ""))
	report(t, "passing", "LastTest.log", head+"error: FAILED words\n[  PASSED  ] 3 tests.\n"+end+"Test Passed.\n", "log", Succeeded, none)
}

// event writes one line of go test -json.
func event(action, pkg, test, output string) string {
	s := fmt.Sprintf(`{"Time":"2026-01-04T10:30:00Z","Action":%q,"Package":%q`, action, pkg)
	if test != "" {
		s += fmt.Sprintf(`,"Test":%q`, test)
	}
	if output != "" {
		s += fmt.Sprintf(`,"Output":%q`, output)
	}
	return s + "}\n"
}

// TestGoJSON reads events by test, since parallel tests interleave.
func TestGoJSON(t *testing.T) {
	p := "example.com/app"
	start := event("start", p, "", "") + event("run", p, "TestA", "") + event("run", p, "TestB", "")
	for name, c := range map[string]struct {
		text    string
		verdict Verdict
		want    wanted
	}{
		"interleaved": {start + event("output", p, "TestA", "=== RUN   TestA\n") + event("output", p, "TestB", "    b_test.go:3: from B, fine\n") +
			event("output", p, "TestA", "    a_test.go:9: got 4, want 5\n") + event("output", p, "TestB", "--- PASS: TestB (0.00s)\n") + event("pass", p, "TestB", "") +
			event("output", p, "TestA", "--- FAIL: TestA (0.00s)\n") + event("fail", p, "TestA", "") + event("output", p, "", "FAIL\n") + event("fail", p, "", ""),
			Failed, w(TestFailure, "a_test.go", 9, "TestA: got 4, want 5")},
		"subtest": {start + event("output", p, "TestA/zero", "        a_test.go:12: zero\n") + event("output", p, "TestA/zero", "    --- FAIL: TestA/zero (0.00s)\n") +
			event("fail", p, "TestA/zero", "") + event("fail", p, "TestA", "") + event("fail", p, "", ""), Failed, w(TestFailure, "a_test.go", 12, "TestA/zero")},
		"passes":      {start + event("output", p, "TestA", "error: FAILED panic: x\n") + event("pass", p, "TestA", "") + event("pass", p, "", ""), Succeeded, none},
		"skips":       {start + event("skip", p, "TestA", "") + event("skip", p, "", ""), Succeeded, none},
		"not over":    {start + event("output", p, "TestA", "=== RUN\n"), Unknown, none},
		"package":     {start + event("output", p, "", "panic: boom in init\n") + event("output", p, "", "FAIL\t"+p+"\t0.1s\n") + event("fail", p, "", ""), Failed, w(TestFailure, "", 0, "panic: boom in init")},
		"build event": {`{"ImportPath":"example.com/app","Action":"build-output","Output":"# example.com/app\n"}` + "\n" + `{"ImportPath":"example.com/app","Action":"build-output","Output":"./a.go:3:5: undefined: foo\n"}` + "\n" + `{"ImportPath":"example.com/app","Action":"build-fail"}` + "\n" + event("fail", p, "", ""), Failed, w(BuildError, "a.go", 3, "undefined: foo")},
		"build before the events": {"# example.com/app\n./a.go:3:5: undefined: foo\n" + event("start", p, "", "") + event("output", p, "", "FAIL\t"+p+" [build failed]\n") + event("fail", p, "", ""),
			Failed, w(BuildError, "a.go", 3, "undefined: foo")},
		"race": {start + event("output", p, "TestA", "WARNING: DATA RACE\n") + event("output", p, "TestA", "    testing.go:853: race detected during execution of test\n") +
			event("output", p, "TestA", "--- FAIL: TestA (0.00s)\n") + event("fail", p, "TestA", "") + event("fail", p, "", ""), Failed, w(TestFailure, "", 0, "TestA")},
		"a line that is no json": {start + "{broken\n" + event("fail", p, "TestA", "") + event("fail", p, "", ""), Failed, w(TestFailure, "", 0, "TestA")},
	} {
		report(t, name, "test.json", c.text, "go-json", c.verdict, c.want)
	}
}

// TestGoJSONLogLine: the event that holds the first error line.
func TestGoJSONLogLine(t *testing.T) {
	p := "ex.com/g"
	b := scanText(t, "x", event("start", p, "", "")+event("run", p, "TestA", "")+event("output", p, "TestA", "=== RUN   TestA\n")+event("output", p, "TestA", "    a_test.go:3: boom\n")+
		event("output", p, "TestA", "--- FAIL: TestA (0.00s)\n")+event("fail", p, "TestA", ""), Options{}).First()
	if b == nil || b.LogLine != 4 && b.LogLine != 5 {
		t.Errorf("%+v", b)
	}
}

// TestGoJSONIsBounded: tests that never end and outputs without end cost no memory.
func TestGoJSONIsBounded(t *testing.T) {
	g := &goReader{outputs: map[string]*goOutput{}}
	for i := range 3 * maxTests {
		g.line([]byte(event("output", "p", fmt.Sprint("Test", i), "x\n")), i+1)
	}
	if len(g.outputs) > maxTests {
		t.Errorf("%d tests are kept", len(g.outputs))
	}
	for i := range 10 * maxOutputs {
		g.line([]byte(event("output", "p", "Test1", "x\n")), i+1)
	}
	if n := len(g.outputs["p\x00Test1"].lines); n > maxOutputs {
		t.Errorf("%d lines of one test are kept", n)
	}
	long := event("start", "p", "", "") + event("output", "p", "TestA", strings.Repeat("y", 4*maxEvent)) + event("fail", "p", "TestA", "")
	report(t, "long event", "x.json", long, "go-json", Failed, w(TestFailure, "", 0, "TestA"))
}
