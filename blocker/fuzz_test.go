package blocker

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"session/blocker/rules"
)

// seeds are beginnings for all fuzz targets: every form that some reader takes for its own.
var seeds = []string{
	"", "\n", "\r\n\r", "a.c:3:5: error: boom\nmake: *** [a.o] Error 1\n", "x.cpp(12): error C2065: 'x'\n", "\xff\xfea\x00\n\x00", "\xfe\xff\x00a\x00\n",
	"\xb1\xb8\xb9\xae \xbf\xc0\xb7\xf9\n", "\x1b[31merror\x1b[0m: x\x1b]0;t", "2026-01-04T10:00:00.0Z ##[error]Process completed with exit code 1.\n",
	"##[group]Run x\n##[endgroup]\n", "=== RUN   TestA\n    a_test.go:3: x\n--- FAIL: TestA (0.0s)\nFAIL\tx\t0.1s\n", "___ a ___\nE   x\nt.py:3: E\n=== 1 failed in 0.1s ===\n",
	"<testsuite><testcase name=\"a\"><failure message=\"b\"/></testcase></testsuite>", "<Site><Testing><Test Status=\"failed\"><Name>a</Name></Test></Testing></Site>",
	`{"Action":"fail","Package":"p","Test":"T"}` + "\n", `[{"conclusion":"failure","status":"completed"}]`, `{"reviewDecision":"CHANGES_REQUESTED"}`,
	"[tester] STATUS: FAILED\n", "## Agent: a\n상태: 결정 필요\n", "CONFLICT (content): Merge conflict in f\n", "make[1]: Entering directory '/w'\n", "CMake Error at a:3 (b):\n  c\n",
	"error[E1]: x\n --> a:1:2\n", "Traceback (most recent call last):\n  File \"a\", line 1\nKeyError: x\n", "<<<<<<< a\n=======\n>>>>>>> b\n", "error[E0]: \x00\x01\n", "12>", "[", "1:", "a:1:", "a(1", "/:1:error:",
}

// FuzzScan: whatever the bytes, Scan gives an answer that is valid, the same from a file and from a stream, the same
// however many goroutines help; a failing exit code always gives a blocker and 0 never does.
func FuzzScan(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		file := Input{Name: "x", Data: bytes.NewReader(log), Size: int64(len(log))}
		a, errA := Scan(context.Background(), file, Options{Now: now, Root: "/w", Procs: 1})
		b, errB := Scan(context.Background(), Input{Name: "x", Stream: bytes.NewReader(log)}, Options{Now: now, Root: "/w", Procs: 3})
		if (errA == nil) != (errB == nil) || a.Verdict != b.Verdict || len(a.Blockers) != len(b.Blockers) {
			t.Fatalf("file %+v %v, stream %+v %v", a, errA, b, errB)
		}
		for i := range a.Blockers {
			checkBlocker(t, a.Blockers[i])
			if a.Blockers[i].ID != b.Blockers[i].ID || a.Blockers[i].LogLine != b.Blockers[i].LogLine {
				t.Fatalf("file %+v, stream %+v", a.Blockers[i], b.Blockers[i])
			}
		}
		if (a.Verdict == Failed) != (len(a.Blockers) > 0) && errA == nil {
			t.Fatalf("verdict %s with %d blockers", a.Verdict, len(a.Blockers))
		}
		one := 1
		file.Exit = &one
		if r, err := Scan(context.Background(), file, Options{Now: now}); err == nil && r.First() == nil {
			t.Fatal("exit code 1 without a blocker")
		}
	})
}

// checkBlocker holds what every blocker must be, whatever it was made of.
func checkBlocker(t *testing.T, b Blocker) {
	t.Helper()
	if !b.Valid() {
		t.Fatalf("%v: %+v", b.Faults(), b)
	}
	if len(b.Message) > maxText+3 || len(b.Description) > maxText+3 || len(b.ErrorPattern) > 300 || b.ErrorPattern == "" {
		t.Fatalf("unbounded or empty: %+v", b)
	}
	for _, s := range append([]string{b.Message, b.Description, b.ErrorPattern, b.Resolution}, b.Evidence...) {
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\x1b\n") {
			t.Fatalf("not fit to print: %q", s)
		}
	}
	if p := Pattern(b.ErrorPattern); p != b.ErrorPattern {
		t.Fatalf("pattern %q is not stable: %q", b.ErrorPattern, p)
	}
}

// FuzzClean: no line is lost and none is won by decoding and cleaning; the result is UTF-8 without escapes.
func FuzzClean(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		for _, e := range []Encoding{UTF8, CP949, ShiftJIS, GBK} {
			got := cleanText(nil, log, e)
			if bytes.Count(got, []byte("\n")) != bytes.Count(log, []byte("\n")) {
				t.Fatalf("%s: %d lines became %d: %q", e, bytes.Count(log, []byte("\n")), bytes.Count(got, []byte("\n")), got)
			}
			if !utf8.Valid(got) || bytes.IndexByte(got, 0x1b) >= 0 {
				t.Fatalf("%s: %q", e, got)
			}
		}
		enc, bom := Detect(log)
		if bom > len(log) || enc == "" {
			t.Fatalf("%s %d", enc, bom)
		}
	})
}

// FuzzUTF16: decoding in any pieces gives what decoding at once gives.
func FuzzUTF16(f *testing.F) {
	for _, s := range seeds {
		f.Add(utf16Bytes(s, false, false), 3)
		f.Add([]byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, raw []byte, size int) {
		size = max(1, size%97)
		for _, big := range []bool{false, true} {
			want := appendUTF16(nil, raw[:len(raw)&^1], big)
			u := &utf16Reader{r: &pieces{b: raw, size: size}, big: big}
			var got bytes.Buffer
			if _, err := got.ReadFrom(u); err != nil || !bytes.Equal(got.Bytes(), want) {
				t.Fatalf("big %v: %q, want %q (%v)", big, got.Bytes(), want, err)
			}
			if !utf8.Valid(want) {
				t.Fatalf("%q", want)
			}
		}
	})
}

// pieces reads a slice in pieces of one size.
type pieces struct {
	b    []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	n, err := bytes.NewReader(p.b).Read(b[:min(len(b), p.size)])
	p.b = p.b[n:]
	return n, err
}

// FuzzPrefix: taking prefixes off gives an end of the line, twice gives no more than once but for the bound.
func FuzzPrefix(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add([]byte("job\tstep\t2026-01-04T10:00:00.0Z [javac] 12>x"))
	f.Fuzz(func(t *testing.T, line []byte) {
		got := stripPrefixes(line)
		if !bytes.Contains(line, got) {
			t.Fatalf("%q is no part of %q", got, line)
		}
	})
}

// FuzzSelect: every line that holds a literal is selected, with that literal, and no other line is: the filter agrees
// with a plain search.
func FuzzSelect(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	table := rules.BuiltinTable()
	var literals []string
	for _, r := range rules.Builtin() {
		for _, l := range r.Literals {
			if !strings.HasSuffix(l, `\d`) {
				literals = append(literals, l)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var sel rules.Selection
		padded := append(bytes.Clone(text), make([]byte, rules.Padding)...)
		table.Select(padded, len(text), &sel)
		starts := map[int]bool{}
		last := -1
		for _, l := range sel.Lines {
			if l.Start <= last || l.End < l.Start || bytes.ContainsAny(text[l.Start:l.End], "\n\r") || l.Num == 0 {
				t.Fatalf("line %+v in %q", l, text)
			}
			last = l.Start
			starts[l.Start] = true
		}
		for at := 0; at <= len(text); {
			end := segmentEnd(text, at)
			for _, l := range literals {
				if bytes.Contains(text[at:end], []byte(l)) && !starts[at] {
					t.Fatalf("%q holds %q and was not selected", text[at:end], l)
				}
			}
			at = end + 1
		}
	})
}

// FuzzReport: an agent can write anything.
func FuzzReport(f *testing.F) {
	for _, s := range append(seeds, "**Status**: ❌ FAILED", "어느 방안으로 진행할까요?", "```\nSTATUS: FAILED\n```") {
		f.Add("tester", s)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if b := FromReport(name, text, Options{Now: now}); b != nil {
			checkBlocker(t, *b)
		}
	})
}

// FuzzXML: a report can be damaged anywhere.
func FuzzXML(f *testing.F) {
	f.Add([]byte(`<testsuite tests="1" failures="1"><testcase name="a"><failure message="b">c</failure></testcase></testsuite>`))
	f.Add([]byte(`<Site><Testing><Test Status="failed"><Name>a</Name><Results><Measurement><Value encoding="base64" compression="gzip">eJwDAAAAAAE=</Value></Measurement></Results></Test></Testing></Site>`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		out, err := readXML(context.Background(), &Input{}, &Options{}, bytes.NewReader(doc))
		if err != nil || out == nil {
			t.Fatal(err)
		}
		if (out.failure != nil) != (out.verdict == Failed) {
			t.Fatalf("%+v", out)
		}
	})
}

// FuzzMarkers: any file, any bytes.
func FuzzMarkers(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, ok, err := Markers(bytes.NewReader(text))
		if err != nil || ok != (m != Marker{}) || ok && !(0 < m.Begin && m.Begin < m.Middle && m.Middle < m.End) {
			t.Fatalf("%+v %v %v", m, ok, err)
		}
	})
}

// FuzzPattern: patterns are bounded, printable and stable.
func FuzzPattern(f *testing.F) {
	for _, s := range append(seeds, "/a/b/c 0x12 (3 ms) https://x 12:00:00") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := Pattern(s)
		if q := Pattern(p); q != p || len(p) > 300 || !utf8.ValidString(p) {
			t.Fatalf("%q → %q → %q", s, p, q)
		}
	})
}
