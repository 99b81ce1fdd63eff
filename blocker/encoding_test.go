package blocker

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// utf16Bytes encodes a text, with or without a byte order mark.
func utf16Bytes(s string, big, bom bool) []byte {
	units := utf16.Encode([]rune(s))
	if bom {
		units = append([]uint16{0xFEFF}, units...)
	}
	var out []byte
	for _, u := range units {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

func encoded(t testing.TB, e encoding.Encoding, s string) []byte {
	t.Helper()
	b, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	koreanLog   = "1>main.cpp(7): error C2143: 구문 오류: ';'이(가) '}' 앞에 없습니다.\n빌드하지 못했습니다.\n    경고 0개\n    오류 1개\n"
	japaneseLog = "main.cpp(7): error C2065: 'R_row': 定義されていない識別子です。\nビルドに失敗しました。\n    1 エラー\n"
	chineseLog  = "main.cpp(7): error C2065: “foo”: 未声明的标识符\n生成失败。\n    1 个错误\n在函数中缺少分号\n"
)

// TestDetect tells encodings from the head of a file.
func TestDetect(t *testing.T) {
	english := "make: *** [all] Error 2\nplain text\n"
	for name, c := range map[string]struct {
		head []byte
		want Encoding
		bom  int
	}{
		"empty":             {nil, UTF8, 0},
		"ascii":             {[]byte(english), UTF8, 0},
		"utf-8":             {[]byte(koreanLog), UTF8, 0},
		"utf-8 with mark":   {[]byte("\xef\xbb\xbf" + english), UTF8, 3},
		"utf-8 cut":         {[]byte(koreanLog)[:len("1>main.cpp(7): error C2143: 구")-1], UTF8, 0},
		"utf-16le mark":     {utf16Bytes(english, false, true), UTF16LE, 2},
		"utf-16be mark":     {utf16Bytes(english, true, true), UTF16BE, 2},
		"utf-16le no mark":  {utf16Bytes(english, false, false), UTF16LE, 0},
		"utf-16be no mark":  {utf16Bytes(english, true, false), UTF16BE, 0},
		"utf-16le korean":   {utf16Bytes(koreanLog, false, false), UTF16LE, 0},
		"cp949":             {encoded(t, korean.EUCKR, koreanLog), CP949, 0},
		"shift_jis":         {encoded(t, japanese.ShiftJIS, japaneseLog), ShiftJIS, 0},
		"gbk":               {encoded(t, simplifiedchinese.GBK, chineseLog), GBK, 0},
		"elf":               {[]byte("\x7fELF\x02\x01\x01"), Binary, 0},
		"gzip":              {[]byte("\x1f\x8b\x08\x00"), Binary, 0},
		"zip":               {[]byte("PK\x03\x04rest"), Binary, 0},
		"noise":             {noise(4096), Binary, 0},
		"one stray zero":    {[]byte(strings.Repeat(english, 50) + "\x00" + english), UTF8, 0},
		"latin-1 is no cjk": {[]byte("Stra\xdfe: Fehler 3\nall else is plain\n"), UTF8, 0},
	} {
		got, bom := Detect(c.head)
		if got != c.want || bom != c.bom {
			t.Errorf("%s: %s with %d bytes of mark, want %s with %d", name, got, bom, c.want, c.bom)
		}
	}
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.IntN(256))
	}
	out[0], out[1] = 0, 0xC7
	return out
}

// TestEncodingsEndToEnd: the same log in every encoding says the same.
func TestEncodingsEndToEnd(t *testing.T) {
	for name, log := range map[string][]byte{
		"utf-8":        []byte(koreanLog),
		"utf-8 bom":    []byte("\xef\xbb\xbf" + koreanLog),
		"utf-16le bom": utf16Bytes(koreanLog, false, true),
		"utf-16be bom": utf16Bytes(koreanLog, true, true),
		"utf-16le":     utf16Bytes(koreanLog, false, false),
		"cp949":        encoded(t, korean.EUCKR, koreanLog),
		"crlf":         []byte(strings.ReplaceAll(koreanLog, "\n", "\r\n")),
	} {
		r, err := Scan(context.Background(), Input{Name: "x.log", Data: bytes.NewReader(log), Size: int64(len(log))}, Options{Now: now})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b := r.First()
		if b == nil || b.Type != BuildError || b.File != "main.cpp" || b.Line != 7 || b.LogLine != 1 || !strings.Contains(b.Message, "C2143: 구문 오류") {
			t.Errorf("%s: %+v", name, b)
		}
	}
	for name, c := range map[string]struct {
		log  []byte
		want string
	}{
		"shift_jis": {encoded(t, japanese.ShiftJIS, japaneseLog), "定義されていない識別子です"},
		"gbk":       {encoded(t, simplifiedchinese.GBK, chineseLog), "未声明的标识符"},
	} {
		if b := scanBytes(t, c.log).First(); b == nil || !strings.Contains(b.Message, c.want) {
			t.Errorf("%s: %+v, want %s", name, b, c.want)
		}
	}
}

func scanBytes(t testing.TB, log []byte) Report {
	t.Helper()
	r, err := Scan(context.Background(), Input{Name: "x.log", Data: bytes.NewReader(log), Size: int64(len(log))}, Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMixedEncodings: some lines UTF-8, some of an old code page, as when two tools write into one log.
func TestMixedEncodings(t *testing.T) {
	log := append([]byte("-- 구성 완료 ✓\n"), encoded(t, korean.EUCKR, "main.cpp(7): error C2065: 'x': 선언되지 않은 식별자입니다\n")...)
	b := scanBytes(t, log).First()
	if b == nil || b.LogLine != 2 || !strings.Contains(b.Message, "선언되지 않은 식별자입니다") {
		t.Errorf("%+v", b)
	}
}

// TestStripEscapes: ECMA-48 sequences go, text stays, and no line is lost to a sequence that does not end.
func TestStripEscapes(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"\x1b[31mred\x1b[0m", "red"},
		{"\x1b[1;38;5;196mred\x1b[m", "red"},
		{"a\x1b[Kb", "ab"},
		{"a\x1b[?25lb", "ab"},
		{"\x1b]0;title\x07text", "text"},
		{"\x1b]8;;https://x.y\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"\x1b_bk;t=1234\x07line", "line"},
		{"\x1bPq\x1b\\x", "x"},
		{"\x1b(Bx", "x"},
		{"\x1b=x", "x"},
		{"\x1b", ""},
		{"a\x1b", "a"},
		{"\x1b[31", ""},
		{"\x1b[31\nnext", "\nnext"},
		{"\x1b]never ends\nnext", "\nnext"},
		{"\x1b\nnext", "\nnext"},
		{"\x1b\x1b[31mx", "x"},
		{"err\x1b[0mor: x", "error: x"},
		{"한\x1b[1m국", "한국"},
	} {
		if got := string(stripEscapes(nil, []byte(c.in))); got != c.want {
			t.Errorf("%q → %q, want %q", c.in, got, c.want)
		}
	}
}

// TestEscapesInsideWords: tools colour parts of what a rule looks for.
func TestEscapesInsideWords(t *testing.T) {
	b := scanBytes(t, []byte("\x1b[1ma.c:3:5: \x1b[0m\x1b[1;31merror: \x1b[0m\x1b[1muse of undeclared identifier 'x'\x1b[0m\n")).First()
	if b == nil || b.File != "a.c" || b.Line != 3 || b.Message != "a.c:3:5: error: use of undeclared identifier 'x'" {
		t.Errorf("%+v", b)
	}
}

// TestUTF16Reader decodes whatever sizes the reads come in, pairs and odd ends included.
func TestUTF16Reader(t *testing.T) {
	text := strings.Repeat("한글 and 😀 and ascii\n", 5000)
	for _, big := range []bool{false, true} {
		raw := utf16Bytes(text, big, false)
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(raw), "one byte": iotest.OneByteReader(bytes.NewReader(raw[:2000])), "half": iotest.HalfReader(bytes.NewReader(raw)),
			"data with error": iotest.DataErrReader(bytes.NewReader(raw)),
		} {
			got, err := io.ReadAll(&utf16Reader{r: r, big: big})
			want := text
			if name == "one byte" {
				want = string(appendUTF16(nil, raw[:2000], big))
			}
			if err != nil || string(got) != want {
				t.Errorf("big %v, %s: %d bytes, %v, want %d", big, name, len(got), err, len(want))
			}
		}
	}
	odd, err := io.ReadAll(&utf16Reader{r: strings.NewReader("a\x00b")})
	if err != nil || string(odd) != "a" {
		t.Errorf("odd end: %q, %v", odd, err)
	}
	lone := string(appendUTF16(nil, []byte{0x00, 0xD8, 'a', 0}, false))
	if lone != "\uFFFDa" {
		t.Errorf("lone surrogate: %q", lone)
	}
}

func TestUTF16ReaderError(t *testing.T) {
	_, err := io.ReadAll(&utf16Reader{r: iotest.ErrReader(io.ErrClosedPipe)})
	if err != io.ErrClosedPipe {
		t.Errorf("error of the reader below: %v", err)
	}
}

// TestRepairKeepsLines: whatever stands in a line, its newline stays.
func TestRepairKeepsLines(t *testing.T) {
	src := []byte("a\xff\n\x81\n\xc7\nb\n\x81\x30\n")
	for _, e := range []Encoding{UTF8, CP949, ShiftJIS, GBK} {
		got := repair(src, e)
		if bytes.Count(got, []byte("\n")) != bytes.Count(src, []byte("\n")) || !utf8.Valid(got) {
			t.Errorf("%s: %q", e, got)
		}
	}
}

// TestPrefixes: what CI systems and wrappers put before a line goes, what a tool says stays.
func TestPrefixes(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a.c:3: error: x", "a.c:3: error: x"},
		{"2026-01-04T10:00:00.1234567Z a.c:3: error: x", "a.c:3: error: x"},
		{"\uFEFF2026-01-04T10:00:00.1234567Z x", "x"},
		{"2026-01-04 10:00:00,123 x", "x"},
		{"2026-01-04T10:00:00.000000Z 01O x", "x"},
		{"2026-01-04T10:00:00.000000Z 01E+x", "x"},
		{"10:00:00 x", "x"},
		{"10:00:00.123 x", "x"},
		{"[2026-01-04T10:00:00.123Z] x", "x"},
		{"[10:00:00] x", "x"},
		{"[task 2026-01-04T10:00:00.000Z] 10:00:01     INFO - x", "x"},
		{"10:00:01    ERROR -  a.c:3: error: x", "a.c:3: error: x"},
		{"INFO: x", "INFO: x"},
		{"build\tRun make\t2026-01-04T10:00:00.0000000Z x", "x"},
		{"build\tRun make\tx", "build\tRun make\tx"},
		{"    [javac] x", "x"},
		{"   [junit] \tCaused an ERROR", "\tCaused an ERROR"},
		{"[INFO] x", "[INFO] x"},
		{"[ERROR] x", "[ERROR] x"},
		{"[error] x", "[error] x"},
		{"12>a.cpp(3): error C1: x", "a.cpp(3): error C1: x"},
		{"10:00:00     11>cl : x", "cl : x"},
		{"web_1  | x", "x"},
		{"app-db-1 | x", "x"},
		{"#12 3.456 x", "x"},
		{"#12 [3/8] RUN x", "#12 [3/8] RUN x"},
		{"12: x", "x"},
		{"[0] x", "x"},
		{"[12/90] Building x", "[12/90] Building x"},
		{"[  FAILED  ] x", "[  FAILED  ] x"},
		{"2026-01-04T10:00:00Z", ""},
		{"2026 was a year", "2026 was a year"},
		{"12 | x", "12 | x"},
		{"  3 | code", "  3 | code"},
		{"x  \t", "x"},
		{"", ""},
		{"   ", ""},
	} {
		if got := string(stripPrefixes([]byte(c.in))); got != c.want {
			t.Errorf("%q → %q, want %q", c.in, got, c.want)
		}
	}
}

// TestPrefixesAreBounded: a line that is nothing but prefixes costs no more than a few steps.
func TestPrefixesAreBounded(t *testing.T) {
	in := []byte(strings.Repeat("10:00:00 ", 1000) + "x")
	got := stripPrefixes(in)
	if len(got) != len(in)-maxPrefixes*len("10:00:00 ") {
		t.Errorf("%d bytes left of %d", len(got), len(in))
	}
}
