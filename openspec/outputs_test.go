package openspec

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const patternTree = `
-- tasks.md --
-- a/tasks.md --
-- a/b/tasks.md --
-- .h/tasks.md --
-- tasks/a.md --
-- tasks/.b.md --
-- tasks/c/d.md --
-- tasks/[z].md --
-- tasks/z.md --
-- tasks/1.md --
-- tasks/2.md --
-- tasks/10.md --
-- tasks/folder.md/x --
-- lnk --
-> tasks
-- same.md --
-> tasks.md
-- dangling.md --
-> nowhere
`

// TestOutputs has what resolveArtifactOutputs of 1.13.2 gave for this tree.
func TestOutputs(t *testing.T) {
	dir := tree(t, patternTree)
	all := "tasks/1.md tasks/10.md tasks/2.md tasks/[z].md tasks/a.md tasks/z.md"
	for pattern, want := range map[string]string{
		"tasks.md":             "tasks.md",
		"missing.md":           "",
		"tasks":                "",
		"tasks.md/":            "",
		"a/tasks.md":           "a/tasks.md",
		"same.md":              "tasks.md",
		"*.md":                 "tasks.md",
		"./*.md":               "tasks.md",
		"*":                    "tasks.md",
		"*/tasks.md":           "a/tasks.md",
		"**/tasks.md":          "a/b/tasks.md a/tasks.md tasks.md",
		"**/**/tasks.md":       "a/b/tasks.md a/tasks.md tasks.md",
		"a/**":                 "a/b/tasks.md a/tasks.md",
		"**":                   "a/b/tasks.md a/tasks.md tasks.md tasks/1.md tasks/10.md tasks/2.md tasks/[z].md tasks/a.md tasks/c/d.md tasks/folder.md/x tasks/z.md",
		"tasks/*.md":           all,
		"tasks//*.md":          all,
		`tasks\*.md`:           all,
		"lnk/*.md":             all,
		"l*/*.md":              all,
		"tasks/?.md":           "tasks/1.md tasks/2.md tasks/a.md tasks/z.md",
		"tasks/[a-c].md":       "tasks/a.md",
		"tasks/[!a].md":        "tasks/1.md tasks/2.md tasks/z.md",
		"tasks/[^a].md":        "tasks/1.md tasks/2.md tasks/z.md",
		"tasks/[z].md":         "tasks/[z].md tasks/z.md",
		"tasks/{1..2}.md":      "tasks/1.md tasks/2.md",
		"tasks/{1..10..9}.md":  "tasks/1.md tasks/10.md",
		"tasks/{01..10}.md":    "tasks/10.md",
		"tasks/@(a|1).md":      "tasks/1.md tasks/a.md",
		"tasks/1?(0).md":       "tasks/1.md tasks/10.md",
		"@(tasks)/a.md":        "tasks/a.md",
		"**.md":                "a/b/tasks.md a/tasks.md tasks.md tasks/1.md tasks/10.md tasks/2.md tasks/[z].md tasks/a.md tasks/c/d.md tasks/z.md",
		"tasks/**.md":          all,
		"tas**/*.md":           all,
		"***/a.md":             "tasks/a.md",
		"**tasks.md":           "tasks.md",
		"tasks/{a..c}.md":      "tasks/a.md",
		"tasks/{a,c/d}.md":     "tasks/a.md tasks/c/d.md",
		"{a,.h}/tasks.md":      ".h/tasks.md a/tasks.md",
		"{tasks,{a,lnk}}/*.md": "a/tasks.md " + all,
		"{,a/}tasks.md":        "a/tasks.md tasks.md",
		"*.{md,txt}":           "tasks.md",
		".h/*.md":              ".h/tasks.md",
		"tasks/.*.md":          "tasks/.b.md",
		".*/tasks.md":          ".h/tasks.md",
		"tasks/*.{md}":         "",
		"tasks/{*}.md":         "",
		"tasks/{}*.md":         "",
		"tasks/*.MD":           "",
		"tasks/*/":             "",
		"!*.md":                "",
		"#*":                   "",
		"nowhere/*.md":         "",
		"tasks.md/*":           "",
	} {
		got, err := outputs(dir, pattern)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v\nwant %q", pattern, strings.Join(got, " "), err, want)
		}
	}
}

// TestPatternsNotUnderstood: what is not read as the program reads it is refused, never guessed at.
func TestPatternsNotUnderstood(t *testing.T) {
	dir := tree(t, patternTree)
	for _, pattern := range []string{
		"tasks/@(a|+(1)).md", "tasks/@(*).md", "tasks/+(1|0).md", "tasks/!(a).md", "tasks/*(1).md", "tasks/(a|1)*.md", "*|tasks.md",
		"[[:alpha:]]*",
		"tasks/[]a].md", "?/*.md", "*/./a.md", "*/.", "tasks/[ab*", `"*".md`,
		strings.Repeat("{a,b}", 12) + "*",
		strings.Repeat("{", 1<<20), strings.Repeat("a", 1<<20),
	} {
		if got, err := outputs(dir, pattern); !errors.Is(err, errPattern) {
			t.Errorf("%q: %q, %v", pattern, got, err)
		}
	}
	for _, pattern := range []string{"{,a}/*.md", "{/x,y}/*"} {
		if got, err := outputs(dir, pattern); !errors.Is(err, errOutside) {
			t.Errorf("%q: %q, %v", pattern, got, err)
		}
	}
}

// TestUnits: a character beyond U+FFFF is two to the program.
func TestUnits(t *testing.T) {
	for segment, want := range map[string]bool{
		"?.md": false, "??.md": true, "[!a].md": false, "[🔥].md": false, "*.md": true, "🔥.*": true, "🔥?md": true,
		"🔥🔥*": false, "🚀.*": false,
	} {
		if got := matchSegment(segment, "🔥.md"); got != want {
			t.Errorf("%q: %v", segment, got)
		}
	}
}

func TestIsPattern(t *testing.T) {
	for p, want := range map[string]bool{
		"tasks.md": false, "a b.md": false, "tasks/{a": false, "{a}": false, "a}b{": false, "!a": false, "(a|b)": false,
		"a+b": false,
		"*":   true, "a?": true, "[a": true, "{a,b}": true, "{1..2}": true, "{a{b,c}}": true, "@(a)": true,
		"+(a|b)": true, "!(a)": true,
	} {
		if got := isPattern(p); got != want {
			t.Errorf("isPattern(%q) = %v", p, got)
		}
	}
}

func TestExpandBraces(t *testing.T) {
	for p, want := range map[string][]string{
		"a":            {"a"},
		"{a,b}":        {"a", "b"},
		"x{a,b}y":      {"xay", "xby"},
		"{a,{b,c}}":    {"a", "b", "c"},
		"{a,b}{c,d}":   {"ac", "ad", "bc", "bd"},
		"{3..1}":       {"3", "2", "1"},
		"{-1..1}":      {"-1", "0", "1"},
		"{a..c}":       {"a", "b", "c"},
		"{a}":          {"{a}"},
		"{}":           {"{}"},
		"{a,b":         {"{a,b"},
		"{a{b,c}}":     {"{ab}", "{ac}"},
		"{a,}":         {"a", ""},
		"{1..9999999}": nil,
		"{08..10}":     {"08", "09", "10"},
		"{1..003}":     {"001", "002", "003"},
		"{-1..01}":     {"-1", "00", "01"},
		"{5..1..2}":    {"5", "3", "1"},
		"{a..e..2}":    {"a", "c", "e"},
	} {
		got, err := expandBraces(p)
		if want == nil {
			if !errors.Is(err, errPattern) {
				t.Errorf("%q: %d results, %v", p, len(got), err)
			}
			continue
		}
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", p, got, err, want)
		}
	}
}

// TestLinksStayInside: a link may lead anywhere within the change; one that leads out ends the look, wherever it stands.
func TestLinksStayInside(t *testing.T) {
	dir := tree(t, `
-- outside/tasks.md --
-- change/sub/tasks.md --
-- change/in --
-> sub
-- change/out --
-> ../outside
-- change/file.md --
-> ../outside/tasks.md
-- change/lost.md --
-> nowhere
-- change/loop.md --
-> loop.md
-- change/lost --
-> nowhere
`) + "/change"
	for _, pattern := range []string{"out/tasks.md", "out/*.md", "*/tasks.md", "**/tasks.md", "file.md", "f*.md",
		"lost.md", "loop.md", "lost/x.md", "lost/*.md", "lost/x/*.md"} {
		if got, err := outputs(dir, pattern); !errors.Is(err, errOutside) {
			t.Errorf("%q: %q, %v", pattern, got, err)
		}
	}
	for pattern, want := range map[string]string{
		"in/tasks.md": "sub/tasks.md", "i*/*.md": "sub/tasks.md", "sub/**": "sub/tasks.md", "l*.md": "",
		"l*/*.md": "", "none/*.md": "", "none/x/*.md": "",
	} {
		if got, err := outputs(dir, pattern); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v; want %q", pattern, got, err, want)
		}
	}
}

// TestFileForFolder: a name that goes on below a file is an error for the program, unlike one that is not there.
func TestFileForFolder(t *testing.T) {
	dir := tree(t, "-- tasks --\n- [ ] a\n")
	for _, pattern := range []string{"tasks/main.md", "tasks/x/*.md"} {
		if got, err := outputs(dir, pattern); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%q: %q, %v", pattern, got, err)
		}
	}
	if got, err := outputs(dir, "tasks/*.md"); err != nil || got != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestCircles has what the program says of patterns in a tree with links that lead round.
func TestCircles(t *testing.T) {
	dir := tree(t, "-- a/tasks.md --\n-- a/b/up --\n-> ..\n-- a/self --\n-> ../a\n")
	for pattern, circle := range map[string]bool{
		"**/tasks.md": true, "a/**/tasks.md": true, "a/*/tasks.md": false, "a/self/tasks.md": false,
		"a/*/*/tasks.md": false, "a/b/up/*.md": false,
	} {
		got, err := outputs(dir, pattern)
		if errors.Is(err, errCycle) != circle || !circle && !slices.Equal(got, []string{"a/tasks.md"}) {
			t.Errorf("%q: %q, %v", pattern, got, err)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, p := range []string{"tasks/*.md", "**/tasks.md", "{a,b{1..3}}/[a-z]?", "{{{,}}}", "[!a]", "{1..99}{1..99}",
		"a/../b", "!x", `\*`} {
		f.Add(p)
	}
	dir := tree(f, patternTree)
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 200 || pattern == "" {
			return
		}
		files, err := outputs(dir, pattern)
		if err != nil && files != nil {
			t.Fatalf("%q: both %q and %v", pattern, files, err)
		}
		if !slices.IsSorted(files) || len(slices.Compact(slices.Clone(files))) != len(files) {
			t.Fatalf("%q: not sorted, or one file twice: %q", pattern, files)
		}
		for _, file := range files {
			if strings.HasPrefix(file, "..") || !isFile(dir+"/"+file) {
				t.Fatalf("%q: %q", pattern, file)
			}
		}
	})
}
