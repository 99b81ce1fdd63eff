package blocker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"session/blocker/rules"
)

func exit(n int) *int { return &n }

// TestExitCodeDecides: an exit code outweighs every word, in both directions.
func TestExitCodeDecides(t *testing.T) {
	failing := "a.c:3:5: error: x\nmake: *** [a.o] Error 1\n"
	for name, c := range map[string]struct {
		in   Input
		text string
		want Type
		msg  string
	}{
		"zero, whatever it says":            {Input{Exit: exit(0)}, failing, "", ""},
		"two, it says success":              {Input{Exit: exit(2)}, "BUILD SUCCESS\n", CIFailure, "BUILD SUCCESS"},
		"one, silent":                       {Input{Exit: exit(1), Command: "./x"}, "", CIFailure, "./x: exit code 1, and no output"},
		"one, build tool, silent":           {Input{Exit: exit(1), Command: "cmake --build b"}, "", BuildError, "exit code 1"},
		"one, test tool, only prose":        {Input{Exit: exit(1), Command: "ctest -j8"}, "first\nlast words\n", TestFailure, "last words"},
		"one, packages, only prose":         {Input{Exit: exit(1), Command: "npm ci"}, "hm\n", Dependency, "hm"},
		"three from npm run, silent":        {Input{Exit: exit(3), Command: "npm run build"}, "\n> app@1.0.0 build\n> node b.js\n", BuildError, "> node b.js"},
		"one, an exception out of a build":  {Input{Exit: exit(1), Command: "npm run build"}, "Error: boom\n    at f (/w/b.js:2:7)\n\nNode.js v20.20.2\n", BuildError, "Error: boom"},
		"one, an exception out of tests":    {Input{Exit: exit(1), Command: "python3 -m tests"}, "Traceback (most recent call last):\n  File \"/w/a.py\", line 2, in f\nRuntimeError: boom\n", TestFailure, "RuntimeError: boom"},
		"one, an exception out of anything": {Input{Exit: exit(1), Command: "./x"}, "Error: boom\n    at f (/w/b.js:2:7)\n\nNode.js v20.20.2\n", CIFailure, "Error: boom"},
		"137 without a reason":              {Input{Exit: exit(137), Command: "make"}, "cc -c a.c\n", CIFailure, "cc -c a.c"},
		"143 without a reason":              {Input{Exit: exit(143), Command: "ctest"}, "", CIFailure, "exit code 143"},
		"124 from timeout":                  {Input{Exit: exit(124), Command: "timeout 60 ctest"}, "running\n", CIFailure, "running"},
		"137 with a better reason":          {Input{Exit: exit(137), Command: "make"}, failing, BuildError, "x"},
		"one with a reason":                 {Input{Exit: exit(1)}, failing, BuildError, "x"},
		"one with a passing junit":          {Input{Exit: exit(1), Command: "ctest"}, `<testsuite tests="1"><testcase name="a"/></testsuite>`, TestFailure, ""},
		"zero with a failing junit":         {Input{Exit: exit(0)}, `<testsuite tests="1"><testcase name="a"><failure/></testcase></testsuite>`, "", ""},
		"one, the log says all is ok":       {Input{Exit: exit(1), Command: "go test ./..."}, "ok  \tex.com/a\t0.1s\n", TestFailure, "ok"},
	} {
		c.in.Name, c.in.Data, c.in.Size = "x.log", strings.NewReader(c.text), int64(len(c.text))
		r, err := Scan(context.Background(), c.in, Options{Now: now})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b := r.First()
		switch {
		case b == nil && c.want == "":
			if r.Verdict != Succeeded {
				t.Errorf("%s: verdict %s", name, r.Verdict)
			}
		case b == nil || b.Type != c.want || !strings.Contains(b.Message, c.msg):
			t.Errorf("%s: %+v, want %s %q", name, b, c.want, c.msg)
		case r.Verdict != Failed || !b.Valid() || !b.AutoDetected || b.Source != "x.log":
			t.Errorf("%s: verdict %s, %v, source %q", name, r.Verdict, b.Faults(), b.Source)
		}
	}
}

// TestZeroReadsNothing: exit code 0 ends the matter before the first read.
func TestZeroReadsNothing(t *testing.T) {
	r, err := Scan(context.Background(), Input{Exit: exit(0), Stream: iotest.ErrReader(io.ErrClosedPipe)}, Options{Now: now})
	if err != nil || r.Verdict != Succeeded || r.First() != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestVerdictAlwaysSpeaks: each closing line of failure, alone in a log, gives a blocker, and each of success gives none
// even below words of failure. No rule needs to know the words between.
func TestVerdictAlwaysSpeaks(t *testing.T) {
	list, err := rules.Source()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if r.Verdict != rules.Failure || r.Level == rules.LevelPart {
			continue
		}
		for _, fixture := range r.Match {
			rep := scanText(t, "x.log", "hm\n"+fixture+"\n", Options{})
			if rep.First() == nil && rep.Verdict != Succeeded {
				t.Errorf("%s: %q gives no blocker", r.ID, fixture)
			}
		}
	}
}

// TestVerdictTable: the outermost level that speaks decides, its last word counts.
func TestVerdictTable(t *testing.T) {
	line := func(level, verdict string, strength rules.Strength) *hit {
		return &hit{m: rules.Match{Rule: &rules.Rule{Level: level, Verdict: verdict, Strength: strength}}}
	}
	ci := func(v string) *hit { return line(rules.LevelCI, v, rules.Definite) }
	run := func(v string) *hit { return line(rules.LevelRun, v, rules.Definite) }
	part := func(v string) *hit { return line(rules.LevelPart, v, rules.Definite) }
	done := line(rules.LevelCI, rules.Success, rules.Weak)
	const ok, bad = rules.Success, rules.Failure
	for name, c := range map[string]struct {
		lines []*hit
		proof int // after which line a definite hit stands; 0 none
		exit  *int
		want  Verdict
	}{
		"nothing":                        {nil, 0, nil, Unknown},
		"only a hit":                     {nil, 1, nil, Unknown},
		"exit 0 against all":             {[]*hit{ci(bad)}, 9, exit(0), Succeeded},
		"exit 1 against all":             {[]*hit{ci(ok)}, 0, exit(1), Failed},
		"ci over run":                    {[]*hit{run(bad), ci(ok)}, 0, nil, Succeeded},
		"ci over a later run":            {[]*hit{ci(bad), run(ok)}, 0, nil, Failed},
		"last word of ci":                {[]*hit{ci(bad), ci(ok)}, 0, nil, Succeeded},
		"last word of run":               {[]*hit{run(bad), run(ok)}, 0, nil, Succeeded},
		"last word of run is bad":        {[]*hit{run(ok), run(bad)}, 0, nil, Failed},
		"run over part":                  {[]*hit{part(bad), run(ok)}, 0, nil, Succeeded},
		"a later part over run":          {[]*hit{run(ok), part(bad)}, 0, nil, Failed},
		"a later hit over run":           {[]*hit{run(ok)}, 5, nil, Failed},
		"an earlier hit under run":       {[]*hit{part(ok), part(ok), run(ok)}, 2, nil, Succeeded},
		"one bad part is enough":         {[]*hit{part(ok), part(bad), part(ok)}, 0, nil, Failed},
		"good parts after a hit":         {[]*hit{part(ok), part(ok)}, 1, nil, Succeeded},
		"a hit after good parts":         {[]*hit{part(ok)}, 5, nil, Unknown},
		"ci done, nothing bad":           {[]*hit{done}, 0, nil, Succeeded},
		"ci done, a bad part":            {[]*hit{part(bad), done}, 0, nil, Failed},
		"ci done, run failed":            {[]*hit{run(bad), done}, 0, nil, Failed},
		"ci done, run failed, then good": {[]*hit{run(bad), run(ok), done}, 0, nil, Succeeded},
		"ci bad, then done":              {[]*hit{ci(bad), done}, 0, nil, Failed},
	} {
		v := newVerdicts()
		for i, h := range c.lines {
			copied := *h
			copied.seq = i + 1
			v.add(&copied)
		}
		if got := v.judge(c.exit, c.proof); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// countingReader counts the bytes that are read of a file.
type countingReader struct {
	r    io.ReaderAt
	read int64
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	c.read += int64(n)
	return n, err
}

// TestTailFirst: a success verdict in the last 64 KiB ends the scan, whatever the size; a failing one reads all.
func TestTailFirst(t *testing.T) {
	body := strings.Repeat("a.c:3: error: words in a test of messages\n", 100_000)
	for name, c := range map[string]struct {
		tail string
		most int64
		want Verdict
	}{
		"success": {"Done. Your build exited with 0.\n", 3 * tailSize, Succeeded},
		"failure": {"Done. Your build exited with 1.\n", 1 << 30, Failed},
	} {
		text := body + c.tail
		r := &countingReader{r: strings.NewReader(text)}
		rep, err := Scan(context.Background(), Input{Name: "x", Data: r, Size: int64(len(text))}, Options{Now: now, Procs: 1})
		if err != nil || rep.Verdict != c.want || r.read > c.most {
			t.Errorf("%s: %s, %d of %d bytes read, %v", name, rep.Verdict, r.read, len(text), err)
		}
	}
}

// TestTailAgreesWithWhole: asking the end first never changes the answer.
func TestTailAgreesWithWhole(t *testing.T) {
	filler := strings.Repeat("nothing to see in this line\n", 8000)
	for _, end := range []string{"Post job cleanup.\nBUILD SUCCESS\n", "Done. Your build exited with 0.\n", "[INFO] BUILD FAILURE\n", "##[endgroup]\n100% tests passed, 0 tests failed out of 1\n", "ok  \tex.com/a\t0.1s\n",
		"Cleaning up orphan processes\n", "", "a.c:3:5: error: x\n", "Post job cleanup.\nBUILD SUCCESSFUL in 3s\na.c:3:5: error: x\n"} {
		for _, begin := range []string{"", "##[error]Process completed with exit code 1.\n", "a.c:1:5: error: early\n", "FAIL\tex.com/b\t0.1s\n"} {
			text := begin + filler + end
			with := scanText(t, "x", text, Options{})
			without, err := Scan(context.Background(), Input{Name: "x", Stream: strings.NewReader(text)}, Options{Now: now})
			if err != nil || !reflect.DeepEqual(with, without) {
				t.Errorf("%q … %q: %s %v with the tail, %s %v without, %v", begin, end, with.Verdict, types(with.Blockers), without.Verdict, types(without.Blockers), err)
			}
		}
	}
}

// TestChunkingDoesNotMatter: the answer is the same however the bytes arrive and however many goroutines help.
func TestChunkingDoesNotMatter(t *testing.T) {
	var log strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&log, "[%d/30000] Building CXX object dir/f%d.cpp.o\r\n", i, i)
		if i == 20_000 {
			log.WriteString("make[1]: Entering directory '/w/b'\n/w/src/a.cpp: In function 'f':\n/w/src/a.cpp:3:5: error: 'x' was not declared\n    3 | x;\n      | ^\n")
		}
	}
	log.WriteString("ninja: build stopped: subcommand failed.\n")
	text := log.String()
	want := scanText(t, "x", text, Options{Procs: 1, Root: "/w"})
	if b := want.First(); b == nil || b.File != "src/a.cpp" || b.Line != 3 || b.LogLine != 20_004 || len(b.Evidence) < 5 {
		t.Fatalf("%+v", b)
	}
	for procs := 2; procs <= 8; procs *= 2 {
		if got := scanText(t, "x", text, Options{Procs: procs, Root: "/w"}); !reflect.DeepEqual(got, want) {
			t.Errorf("%d goroutines: %+v", procs, got)
		}
	}
	for name, r := range map[string]io.Reader{"halves": iotest.HalfReader(strings.NewReader(text)), "with error": iotest.DataErrReader(strings.NewReader(text))} {
		got, err := Scan(context.Background(), Input{Name: "x", Stream: r}, Options{Now: now, Root: "/w"})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
}

// TestHitAtEveryChunkBoundary moves a failure byte by byte across the end of a chunk.
func TestHitAtEveryChunkBoundary(t *testing.T) {
	fail := "src/a.cpp:33:7: error: 'x' was not declared in this scope\n"
	line := strings.Repeat("x", 99) + "\n"
	for shift := -len(fail) - 2; shift <= 2; shift++ {
		n := chunkSize + shift
		text := strings.Repeat(line, n/100) + strings.Repeat("y", n%100) + "\n" + fail + strings.Repeat(line, 50)
		b := scanText(t, "x", text, Options{}).First()
		if b == nil || b.File != "src/a.cpp" || b.Line != 33 || b.LogLine != n/100+2 {
			t.Fatalf("shift %d: %+v, want log line %d", shift, b, n/100+2)
		}
	}
}

// TestFollowersCrossChunks: what the lines after a hit say is found when they stand in the next chunk.
func TestFollowersCrossChunks(t *testing.T) {
	head := "error[E0308]: mismatched types\n"
	rest := " --> src/main.rs:12:25\n  |\nerror: could not compile `a`\n"
	for shift := range 60 {
		pad := chunkSize - len(head) - 30 + shift
		text := strings.Repeat("y\n", pad/2) + head + rest + strings.Repeat("z\n", 1000)
		if b := scanText(t, "x", text, Options{}).First(); b == nil || b.File != "src/main.rs" || b.Line != 12 {
			t.Fatalf("shift %d: %+v", shift, b)
		}
	}
}

// repeat is a reader of n times the same bytes, so that a test can read more than the machine has memory for.
type repeat struct {
	unit []byte
	left int64
	off  int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && r.left > 0 {
		k := copy(p[n:], r.unit[r.off:])
		k = int(min(int64(k), r.left))
		r.off = (r.off + k) % len(r.unit)
		r.left -= int64(k)
		n += k
	}
	return n, nil
}

// TestOneLineOfAGigabyte: a line without end costs no memory, and the line after it is seen, with its right number.
func TestOneLineOfAGigabyte(t *testing.T) {
	size := int64(16 << 20)
	if os.Getenv("SESSION_TEST_LARGE") != "" { // a gigabyte takes seconds; any size shows whether memory grows
		size = 1 << 30
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	in := io.MultiReader(strings.NewReader("first\n"), &repeat{unit: []byte("all on one line, error: x "), left: size},
		strings.NewReader("\na.c:3:5: error: boom\n"))
	r, err := Scan(context.Background(), Input{Name: "x", Stream: in}, Options{Now: now, Procs: 2})
	runtime.ReadMemStats(&after)
	b := r.First()
	if err != nil || b == nil || b.File != "a.c" || b.LogLine != 3 {
		t.Fatalf("%+v, %v", b, err)
	}
	if grown := after.Sys - before.Sys; after.Sys > before.Sys && grown > 32<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}

// TestMemoryDoesNotGrow: a long failing log is read in a few megabytes.
func TestMemoryDoesNotGrow(t *testing.T) {
	unit := []byte("src/a.cpp:3:5: error: 'x' was not declared in this scope\n--- FAIL: TestA (0.00s)\n    a_test.go:3: boom\n##[group]Run x\n##[endgroup]\n" +
		"CONFLICT (content): Merge conflict in f.txt\n##[error]Process completed with exit code 1.\n")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, err := Scan(context.Background(), Input{Name: "x", Stream: &repeat{unit: unit, left: 4 << 20}}, Options{Now: now, Procs: 2})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if after.HeapAlloc > before.HeapAlloc+16<<20 {
		t.Errorf("%d MiB are still held", (after.HeapAlloc-before.HeapAlloc)>>20)
	}
}

// TestLoneCarriageReturns: what stood on the screen at the same place is several lines of one number.
func TestLoneCarriageReturns(t *testing.T) {
	b := scanText(t, "x", "one\n 10%\r 50%\r100%\ra.c:3:5: error: boom\rdone\nlast\n", Options{}).First()
	if b == nil || b.File != "a.c" || b.LogLine != 2 || b.Message != "a.c:3:5: error: boom" {
		t.Errorf("%+v", b)
	}
}

// TestLongLineIsCut: beyond 4 KiB a line says nothing, before it does.
func TestLongLineIsCut(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	if b := scanText(t, "x", "a.c:3:5: error: boom "+long+"\n", Options{}).First(); b == nil || b.File != "a.c" || len(b.Message) > maxText {
		t.Errorf("head: %+v", b)
	}
	if b := scanText(t, "x", long+" a.c:3:5: error: boom\n", Options{}).First(); b != nil {
		t.Errorf("tail: %+v", b)
	}
}

// TestEvidence: the lines around the failure, bounded in number and length, without escapes.
func TestEvidence(t *testing.T) {
	var log strings.Builder
	log.WriteString("before 1\nbefore 2\n\x1b[1ma.c:3:5: \x1b[31merror: \x1b[0mboom\n")
	for i := range 50 {
		fmt.Fprintf(&log, "after %d %s\n", i, strings.Repeat("z", 1000))
	}
	b := scanText(t, "x", log.String(), Options{}).First()
	if b == nil || len(b.Evidence) > MaxEvidence || len(b.Evidence) < 10 {
		t.Fatalf("%+v", b)
	}
	if b.Evidence[0] != "before 1" || b.Evidence[2] != "a.c:3:5: error: boom" || !strings.HasPrefix(b.Evidence[3], "after 0") {
		t.Errorf("%q", b.Evidence)
	}
	for _, l := range b.Evidence {
		if len(l) > maxLine+3 || strings.ContainsRune(l, 0x1b) {
			t.Errorf("%q", l)
		}
	}
}

// TestFollowingEnds: a hit lets go after its lines, also when its evidence was full before.
func TestFollowingEnds(t *testing.T) {
	for _, head := range []string{"##[error]Process completed with exit code 1.\n", "a.c:3:5: error: boom\n", "--- FAIL: TestA (0.00s)\n"} {
		s := newScan(rules.BuiltinTable(), newPlaces("", ""))
		text := strings.Repeat("before\n", 50) + head + strings.Repeat("after\n", 500)
		err := each(context.Background(), strings.NewReader(text), UTF8, s.table, 1, func(c *chunk) error {
			s.chunk(c)
			return nil
		})
		if err != nil || len(s.open) != 0 || s.spent == 0 || s.spent > 100 {
			t.Errorf("%q: %d hits still want lines after %d, %v", head, len(s.open), s.spent, err)
		}
	}
}

// TestStale: a log older than what it speaks of says so.
func TestStale(t *testing.T) {
	text := "a.c:3:5: error: boom\n"
	for name, c := range map[string]struct {
		written, newest time.Time
		want            bool
	}{
		"older":   {now, now.Add(time.Second), true},
		"newer":   {now.Add(time.Second), now, false},
		"unknown": {time.Time{}, now, false},
		"nothing": {now, time.Time{}, false},
	} {
		r, err := Scan(context.Background(), Input{Data: strings.NewReader(text), Size: int64(len(text)), ModTime: c.written}, Options{Now: now, Newest: c.newest})
		if err != nil || r.Stale != c.want || r.First().Stale != c.want {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

// TestGrowingFile: only the bytes that were there when the file was looked at are read.
func TestGrowingFile(t *testing.T) {
	text := "all well so far\na.c:3:5: error: written later\n"
	r, err := Scan(context.Background(), Input{Data: strings.NewReader(text), Size: int64(len("all well so far\n"))}, Options{Now: now})
	if err != nil || r.First() != nil {
		t.Errorf("%+v, %v", r.First(), err)
	}
	r, err = Scan(context.Background(), Input{Data: strings.NewReader("shrunk\n"), Size: 1 << 20}, Options{Now: now})
	if err != nil || r.First() != nil {
		t.Errorf("a file that shrank: %+v, %v", r.First(), err)
	}
}

// TestRefused: what is no log gets a clear answer, told apart by kind.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		in   Input
		want error
	}{
		"nothing": {Input{Name: "x"}, ErrNoInput},
		"binary":  {Input{Name: "a.out", Data: strings.NewReader("\x7fELF\x02"), Size: 5}, ErrBinary},
		"broken":  {Input{Name: "x", Stream: iotest.ErrReader(io.ErrClosedPipe)}, io.ErrClosedPipe},
		"broken later": {Input{Name: "x", Stream: io.MultiReader(&repeat{unit: []byte("line\n"), left: 1 << 20}, iotest.ErrReader(io.ErrClosedPipe))},
			io.ErrClosedPipe},
	} {
		_, err := Scan(context.Background(), c.in, Options{Now: now})
		var ie *InputError
		if !errors.Is(err, c.want) || !errors.As(err, &ie) || !strings.Contains(err.Error(), c.in.Name) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

type fakeInfo struct {
	fs.FileInfo
	mode fs.FileMode
}

func (f fakeInfo) Mode() fs.FileMode { return f.mode }

// TestCancel: a cancelled scan ends with the context's error, not with an answer.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in := &cancelling{repeat: repeat{unit: []byte("a line of a log\n"), left: 1 << 40}, cancel: cancel}
	_, err := Scan(ctx, Input{Name: "x", Stream: in}, Options{Now: now})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// cancelling cancels once a megabyte is read.
type cancelling struct {
	repeat
	read   int
	cancel func()
}

func (c *cancelling) Read(p []byte) (int, error) {
	n, err := c.repeat.Read(p)
	if c.read += n; c.read > 1<<20 {
		c.cancel()
	}
	return n, err
}

// TestOwnRules: a project's rules stand above the built-in ones.
func TestOwnRules(t *testing.T) {
	own, err := rules.Parse("triggers.yaml", []byte(`
- id: our-gate
  type: design_issue
  literals: ['ARCH VIOLATION']
  pattern: 'ARCH VIOLATION in (?P<file>\S+): (?P<msg>.*)'
  severity: critical
  agent: architect
  resolution: 'Ask about {msg} in {file}'
- id: our-noise
  strength: ignore
  literals: ['flaky-tool']
`))
	if err != nil {
		t.Fatal(err)
	}
	table, err := rules.WithBuiltin(own)
	if err != nil {
		t.Fatal(err)
	}
	b := scanText(t, "x", "ARCH VIOLATION in a/b.go: upward import\n", Options{Rules: table}).First()
	if b == nil || b.Type != DesignIssue || b.File != "a/b.go" || b.Severity != Critical || b.RecoveryAgent != "architect" || b.Resolution != "Ask about upward import in a/b.go" || b.Rule != "our-gate" {
		t.Errorf("%+v", b)
	}
	if b := scanText(t, "x", "flaky-tool a.c:3:5: error: boom\n", Options{Rules: table}).First(); b != nil {
		t.Errorf("ignored line: %+v", b)
	}
	if _, err := rules.WithBuiltin([]rules.Rule{{ID: "colon-error", Type: "other", Literals: []string{"xxxxx"}}}); err == nil {
		t.Error("an id of a built-in rule was taken")
	}
}

// TestPipelineEndsOnError: an error of the consumer stops reader and workers. The bubble does not end before they have
// all ended, and fails when one of them is blocked for ever.
func TestPipelineEndsOnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		err := each(t.Context(), &repeat{unit: []byte("line\n"), left: 1 << 40}, UTF8, rules.BuiltinTable(), 4, func(*chunk) error { return boom })
		if !errors.Is(err, boom) {
			t.Errorf("%v", err)
		}
	})
}

// TestChunker: chunks are whole lines and give back the text; lines beyond a chunk are marked.
func TestChunker(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "one": "x", "lines": strings.Repeat("line of text\n", 100_000), "no end": strings.Repeat("line\n", 100_000) + "rest",
		"long": strings.Repeat("y", 3*chunkSize) + "\nend\n", "returns": strings.Repeat("progress\r", 100_000),
	} {
		k := &chunker{r: iotest.HalfReader(strings.NewReader(text))}
		var got bytes.Buffer
		within := 0
		for {
			var c chunk
			if err := k.next(&c); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if last := c.raw[len(c.raw)-1]; last != '\n' && last != '\r' && !k.eof && !k.within {
				t.Errorf("%s: a chunk ends in %q", name, last)
			}
			within += boolInt(c.within)
			got.Write(c.raw)
		}
		if got.String() != text {
			t.Errorf("%s: %d bytes of %d came back", name, got.Len(), len(text))
		}
		if (within > 0) != (name == "long") {
			t.Errorf("%s: %d chunks within a line", name, within)
		}
	}
}

// TestEndOfRun: what tools write when all is well, and what stands there when a run was cut off.
func TestEndOfRun(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		want Verdict
	}{
		"ninja, all steps":          {"[1/2] Building CXX object a.o\n[2/2] Linking CXX executable a\n", Succeeded},
		"ninja, cut off":            {"[1/2] Building CXX object a.o\n", Unknown},
		"ninja after a configure":   {"-- Build files have been written to: /b\n[1/2] Building CXX object a.o\n", Unknown},
		"another tool's last step":  {"[4/4] Building fresh packages...\n", Unknown},
		"make, all targets":         {"[ 50%] Building C object a.o\n[100%] Built target a\n", Succeeded},
		"make, one target of two":   {"[ 50%] Built target a\n", Unknown},
		"make, linking":             {"[ 50%] Built target a\n[100%] Linking C executable b\n", Unknown},
		"a configure by itself":     {"-- Build files have been written to: /b\n", Succeeded},
		"CTest's log, the whole":    {"Test Passed.\n-----\n\nEnd testing: Nov 20 21:25 UTC\n", Succeeded},
		"CTest's log, cut off":      {"Test Passed.\n-----\n", Unknown},
		"an echo of the compiler":   {"gcc -c a.c\n", Unknown},
		"nothing":                   {"", Unknown},
		"a failure before the last": {"[1/2] Building CXX object a.o\na.c:1:2: error: x\n[2/2] Linking CXX executable a\n", Failed},
	} {
		r, err := Scan(context.Background(), Input{Name: "build.log", Data: strings.NewReader(c.log), Size: int64(len(c.log))}, Options{Now: now})
		if err != nil || r.Verdict != c.want {
			t.Errorf("%s: %v %v, want %v", name, r.Verdict, err, c.want)
		}
	}
}
