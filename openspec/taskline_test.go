package openspec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// line is one line and what `openspec list` of 1.13.2 makes of it: "" for no task, else the box as done or open and the
// text.
type line struct{ in, want string }

func checkLines(t *testing.T, lines []line) {
	t.Helper()
	for _, l := range lines {
		got := ""
		if tasks := Parse(l.in, "tasks.md"); len(tasks) == 1 {
			got = map[bool]string{true: "done ", false: "open "}[tasks[0].Done] + tasks[0].Description
		} else if len(tasks) > 1 {
			got = fmt.Sprint(len(tasks), " tasks")
		}
		if got != l.want {
			t.Errorf("%q: %q, want %q", l.in, got, l.want)
		}
	}
}

func TestListMarkers(t *testing.T) {
	checkLines(t, []line{
		{"- [ ] a", "open a"},
		{"* [x] a", "done a"},
		{"+ [ ] a", "open a"},
		{"1. [ ] a", "open a"},
		{"1) [x] a", "done a"},
		{"007. [ ] a", "open a"},
		{"123456789. [x] nine digits", "done nine digits"},
		{"1234567890. [x] ten digits", ""},
		{"12345678901234567890. [x] a", ""},
		{"1.1. [ ] a", ""},
		{"1.1 [ ] a", ""},
		{"1 . [ ] a", ""},
		{"1: [ ] a", ""},
		{"1", ""},
		{"123456789", ""},
		{"a. [ ] a", ""},
		{"\u0661. [ ] arabic digit", ""},
		{"• [ ] a", ""},
		{"– [ ] a", ""},
		{"-\\[ ] a", ""},
		{"--[ ] a", ""},
		{"- - [ ] a", ""},
		{"> - [ ] quoted", ""},
		{"| - [ ] cell |", ""},
		{"TODO: - [ ] a", ""},
		{"**[x]** a", ""},
		{"~~- [ ] a~~", ""},
		{"[ ] a", ""},
		{"-", ""},
		{"", ""},
		{"   ", ""},
	})
}

func TestNoSpaceNeeded(t *testing.T) {
	checkLines(t, []line{
		{"-[ ] a", "open a"},
		{"*[x] a", "done a"},
		{"+[X]a", "done a"},
		{"1.[x] a", "done a"},
		{"1)[ ]a", "open a"},
		{"- [x]a", "done a"},
		{"*[x]* a", "done * a"},
		{"- [x]. a", "done . a"},
		{"- [ ]: a", "open : a"},
		{"-     [x] far", "done far"},
	})
}

func TestIndentation(t *testing.T) {
	checkLines(t, []line{
		{"  - [ ] a", "open a"},
		{"\t\t- [x] a", "done a"},
		{"            - [x] code by indentation", "done code by indentation"},
		{"\f- [x] a", "done a"},
		{"\v\v- [ ] a", "open a"},
		{"\uFEFF- [x] byte order mark", "done byte order mark"},
		{"\u00A0- [ ] a", "open a"},
		{"\u3000- [ ] a", "open a"},
		{"\u2028- [ ] a", "open a"},
		{"\u0085- [ ] a", ""},
		{"\u200B- [ ] a", ""},
		{"\u180E- [ ] a", ""},
		{"\x1C- [ ] a", ""},
	})
}

func TestBoxes(t *testing.T) {
	checkLines(t, []line{
		{"- [x] a", "done a"},
		{"- [X] a", "done a"},
		{"- [ x ] a", "done a"},
		{"- [ X] a", "done a"},
		{"- [\tx\t] a", "done a"},
		{"- [\u00A0x\u3000] a", "done a"},
		{"- [ ] a", "open a"},
		{"- [] a", "open a"},
		{"- [    ] a", "open a"},
		{"- [\uFEFF] a", "open a"},
		{"- [~] a", "open a"},
		{"- [-] a", "open a"},
		{"- [*] a", "open a"},
		{"- [1] a", "open a"},
		{"- [?] a", "open a"},
		{"- [\\] a", "open a"},
		{"- [(] a", "open a"},
		{"- [[] a", "open a"},
		{"- [✓] a", "open a"},
		{"- [✅] a", "open a"},
		{"- [х] cyrillic", "open cyrillic"},
		{"- [ｘ] full width", "open full width"},
		{"- [\u200B] a", "open a"},
		{"- [\u0085] a", "open a"},
		{"- [🔥] two UTF-16 units", ""},
		{"- [✔\uFE0F] with a selector", ""},
		{"- [e\u0301] decomposed", ""},
		{"- [𐐀] a", ""},
		{"- [xx] a", ""},
		{"- [XX] a", ""},
		{"- [WIP] a", ""},
		{"- [x\u200B] a", ""},
		{"- []] a", "open ] a"},
		{"- [x]] a", "done ] a"},
		{"- [\\]] a", "open ] a"},
		{"- [x", ""},
		{"- [ ", ""},
		{"- [", ""},
		{"- [x ", ""},
		{"- ]x[ a", ""},
	})
}

func TestLinkGuard(t *testing.T) {
	checkLines(t, []line{
		{"- [A](url)", ""},
		{"- [x](url)", ""},
		{"- [x][ref]", ""},
		{"- [1][ref]", ""},
		{"- [~](url)", ""},
		{"- [ x ](url)", ""},
		{"- [](url)", ""},
		{"- [][ref]", ""},
		{"- [x](", ""},
		{"- [Doc](./x)", ""},
		{"- [ ](url)", "open (url)"},
		{"- [ ][ref]", "open [ref]"},
		{"- [  ](url)", "open (url)"},
		{"- [\u3000](url)", "open (url)"},
		{"- [x] (url)", "done (url)"},
		{"- [] (url)", "open (url)"},
		{"- [x]: definition", "done : definition"},
		{"- [x]", "done "},
		{"- []", "open "},
	})
}

func TestDescription(t *testing.T) {
	checkLines(t, []line{
		{"- [ ]   padded \t ", "open padded"},
		{"- [ ] \u00A0wide\u3000", "open wide"},
		{"- [ ] nel\u0085", "open nel\u0085"},
		{"- [ ] carriage return\r", "open carriage return"},
		{"- [ ] cut\rhere", "open cut"},
		{"- [ ] cut\u2028here", "open cut"},
		{"- [ ] cut \u2029here", "open cut"},
		{"- [ ]\r after", "open after"},
		{"- [ ]\u2028after", "open after"},
		{"- [ ] a - [x] b", "open a - [x] b"},
		{"- [ ] ~~struck~~", "open ~~struck~~"},
		{"- [ ] 1.1 numbers are text", "open 1.1 numbers are text"},
		{"- [x]   ", "done "},
		{"- [ ] \xFFbroken\xE2\x9C", "open \uFFFDbroken\uFFFD"},
		{"- [ ] trailing \xFF ", "open trailing \uFFFD"},
		{"- [ ] \x00nul", "open \x00nul"},
		{"- [x] 한국어 작업", "done 한국어 작업"},
	})
}

func TestInvalidUTF8InBox(t *testing.T) {
	checkLines(t, []line{
		{"- [\xE2\x9C] one unit", "open one unit"},
		{"- [\xF0\x9F\x94] one unit", "open one unit"},
		{"- [\xFF] one unit", "open one unit"},
		{"- [\xFF\xFE] two units", ""},
		{"- [\xED\xA0\x80] three units", ""},
		{"- [x\xFF] two units", ""},
		{"\xFF- [ ] before", ""},
		{"-\xFF[ ] between", ""},
	})
}

// TestNoMarkdown: fences, comments and headings are nothing to the program.
func TestNoMarkdown(t *testing.T) {
	text := strings.Join([]string{
		"- [x] real", "```md", "- [ ] in a fence", "```", "~~~", "- [ ] in another", "~~~", "    - [ ] indented code",
		"<!--", "- [ ] commented out", "-->", "<!-- - [x] one line -->", "## [ ] heading", "### - [x] heading",
		"`- [ ] code`", "- text [ ] no", "```", "- [ ] the fence is never closed",
	}, "\n")
	if done, total := Count(text); done != 1 || total != 6 {
		t.Errorf("%d/%d, want 1/6", done, total)
	}
}

func TestLineEnds(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		done, total int
	}{
		{"empty", "", 0, 0},
		{"no end of line", "- [x] a\n- [ ] b", 1, 2},
		{"CRLF", "- [x] a\r\n- [ ] b\r\n", 1, 2},
		{"mixed", "- [x] a\r\n- [ ] b\n- [ ] c", 1, 3},
		{"CR alone is no line end", "- [x] a\r- [ ] b\r- [ ] c\r", 1, 1},
		{"line separator is no line end", "- [ ] a\u2028- [ ] b", 0, 1},
		{"byte order mark", "\uFEFF- [x] a\n- [ ] b\n", 1, 2},
		{"blank lines", "\n\n- [ ] a\n\n\n", 0, 1},
		{"UTF-16", "\xFF\xFE-\x00 \x00[\x00 \x00]\x00 \x00a\x00\n\x00", 0, 0},
		{"parents and children count one each", "- [x] p\n  - [ ] c\n    - [ ] d\n", 1, 3},
	} {
		done, total := Count(c.text)
		if done != c.done || total != c.total {
			t.Errorf("%s: %d/%d, want %d/%d", c.name, done, total, c.done, c.total)
		}
		if n := len(Parse(c.text, "")); n != total {
			t.Errorf("%s: Parse has %d, Count %d", c.name, n, total)
		}
	}
}

func TestTaskPlaces(t *testing.T) {
	text := "# T\n- [ ] before\n\n## 1. First ##\n- [x] a\n  - [ ] b\n\t- [ ] c\n### Sub\n- [~] d\n ## C#\n1. [X] e\n##\tTab\r\n- [ ] f\r\n"
	want := []Task{
		{Line: 2, Description: "before"},
		{Line: 5, Heading: "1. First", Description: "a", Mark: "x", Done: true},
		{Line: 6, Heading: "1. First", Indent: 2, Description: "b"},
		{Line: 7, Heading: "1. First", Indent: 4, Description: "c"},
		{Line: 9, Heading: "1. First", Description: "d", Mark: "~"},
		{Line: 11, Heading: "C#", Description: "e", Mark: "X", Done: true},
		{Line: 13, Heading: "Tab", Description: "f"},
	}
	got := Parse(text, "openspec/changes/x/tasks.md")
	for i := range want {
		want[i].File = "openspec/changes/x/tasks.md"
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestSectionHeading(t *testing.T) {
	for in, want := range map[string]string{
		"## a": "a", "   ## a": "a", "##\ta": "a", "## a ##": "a", "## a#": "a#", "## a # b": "a # b", "## ": "",
		"## 한글\r": "한글", "## ##": "",
	} {
		if got, ok := sectionHeading(in); !ok || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "##", "##a", "# a", "### a", "    ## a", "\t## a", "text ## a"} {
		if got, ok := sectionHeading(in); ok {
			t.Errorf("%q is taken for the heading %q", in, got)
		}
	}
}

func TestIndentColumns(t *testing.T) {
	for in, want := range map[string]int{"": 0, "a": 0, "  a": 2, "\ta": 4, "  \ta": 4, "\t a": 5, "\u3000a": 1,
		"   ": 3} {
		if got := indent(in); got != want {
			t.Errorf("indent(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestCountDoesNotAllocate(t *testing.T) {
	text := strings.Repeat("- [x] a task\n  1. [✓] 한글 \xFF\n", 100)
	if n := testing.AllocsPerRun(10, func() { Count(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestLongLines: time is linear in the length of a line, whatever it is made of.
func TestLongLines(t *testing.T) {
	const n = 1 << 20
	for _, c := range []struct {
		line  string
		total int
	}{
		{"- [ ] " + strings.Repeat("a", n), 1},
		{strings.Repeat(" ", n) + "- [x] a", 1},
		{"- [" + strings.Repeat(" ", n) + "] a", 1},
		{"-" + strings.Repeat("\u3000", n) + "[ ] a", 1},
		{strings.Repeat("-", n), 0},
		{strings.Repeat("- [", n), 0},
		{strings.Repeat("1", n) + ". [ ] a", 0},
		{"- [ ] " + strings.Repeat("\xFF", n), 1},
	} {
		if _, total := Count(c.line); total != c.total {
			t.Errorf("%.20q…: %d tasks, want %d", c.line, total, c.total)
		}
	}
}

// The reference: the program's own pattern, with \s written out and the negative look-ahead turned into a class, over
// text in which each character beyond U+FFFF stands as two, as in UTF-16.
const jsSpace = `\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

var reference = regexp.MustCompile(`^[` + jsSpace + `]*(?:[-*+]|[0-9]{1,9}[.)])[` + jsSpace + `]*\[(?:[` + jsSpace +
	`]*([^\]` + jsSpace + `]?)[` + jsSpace + `]*\](?:$|([^(\[]))|[` + jsSpace + `]+\])`)

const pair = "\uE000\uE001" // stands for a surrogate pair; the fuzz target skips texts that have it

func referenceTasks(text string) (tasks []line) {
	for _, l := range strings.Split(text, "\n") {
		var b strings.Builder
		for _, r := range wellFormed(l) {
			if r > 0xFFFF {
				b.WriteString(pair)
			} else {
				b.WriteRune(r)
			}
		}
		s := b.String()
		m := reference.FindStringSubmatchIndex(s)
		if m == nil {
			continue
		}
		end := m[1]
		if m[4] >= 0 { // the character that the look-ahead looked at is text
			end = m[4]
		}
		mark := ""
		if m[2] >= 0 {
			mark = s[m[2]:m[3]]
		}
		rest := strings.TrimLeftFunc(s[end:], isSpace)
		if i := strings.IndexAny(rest, "\r\u2028\u2029"); i >= 0 {
			rest = rest[:i]
		}
		tasks = append(tasks, line{fmt.Sprint(strings.ToLower(mark) == "x"), strings.TrimFunc(rest, isSpace)})
	}
	return tasks
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"- [x] a\n 1) [~] b\n", "-[](u)\n- [ ](u)", "\uFEFF* [ x ]\u2028c\r\n", "- [🔥] a\n- [\xE2\x9C] b",
		"123456789.[X]",
		"- [ ]\r\n+ []", "- [x][y]\n- [[] z", "\u3000-\u00A0[\u00A0]\u0085",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tasks := Parse(text, "f")
		done, total := Count(text)
		if total != len(tasks) {
			t.Fatalf("Count has %d, Parse %d", total, len(tasks))
		}
		lines := strings.Split(text, "\n")
		for _, task := range tasks {
			if task.Done {
				done--
			}
			if task.Line < 1 || task.Line > len(lines) || !utf8.ValidString(task.Description) {
				t.Fatalf("%+v", task)
			}
		}
		if done != 0 {
			t.Fatalf("Count and Parse differ by %d done", done)
		}
		if strings.ContainsAny(text, pair) {
			return
		}
		want := referenceTasks(text)
		if len(want) != len(tasks) {
			t.Fatalf("%q: %d tasks, the program's pattern has %d", text, len(tasks), len(want))
		}
		for i, task := range tasks {
			plain := task.Description
			for _, r := range plain {
				if r > 0xFFFF {
					plain = strings.ReplaceAll(plain, string(r), pair)
				}
			}
			if want[i] != (line{fmt.Sprint(task.Done), plain}) {
				t.Fatalf("%q: task %d is %v %q, the program's pattern says %v", text, i, task.Done, task.Description,
					want[i])
			}
		}
	})
}
