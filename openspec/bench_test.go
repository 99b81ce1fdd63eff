package openspec

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func longList(n int) string {
	var b strings.Builder
	for i := range n {
		if i%10 == 0 {
			fmt.Fprintf(&b, "\n## %d. Section\n", i/10)
		}
		fmt.Fprintf(&b, "- [%s] %d.%d A task of the usual length\n", []string{"x", " "}[i*2/n], i/10, i%10)
	}
	return b.String()
}

// BenchmarkCount counts a list of 10,000 tasks.
func BenchmarkCount(b *testing.B) {
	text := longList(10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, total := Count(text); total != 10_000 {
			b.Fatal(total)
		}
	}
}

// BenchmarkParse reads the same list with its texts.
func BenchmarkParse(b *testing.B) {
	text := longList(10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if n := len(Parse(text, "tasks.md")); n != 10_000 {
			b.Fatal(n)
		}
	}
}

// project makes n changes of 20 tasks, one in four in progress, with the metadata that the program writes.
func benchProject(b *testing.B, n int, schema string) string {
	var a strings.Builder
	a.WriteString("-- openspec/specs/a/spec.md --\n")
	if schema != "" {
		fmt.Fprintf(&a, "-- openspec/schemas/%s/schema.yaml --\n%s", schema, schemaText)
	}
	for i := range n {
		list := longList(20)
		if i%4 > 0 {
			list = strings.ReplaceAll(list, "[ ]", "[x]")
		}
		fmt.Fprintf(&a, "-- openspec/changes/change-%03d/.openspec.yaml --\nschema: spec-driven\ncreated: 2026-01-01\n",
			i)
		fmt.Fprintf(&a, "-- openspec/changes/change-%03d/proposal.md --\n# Why\n", i)
		fmt.Fprintf(&a, "-- openspec/changes/change-%03d/tasks.md --\n%s", i, list)
	}
	return tree(b, a.String())
}

func benchFind(b *testing.B, dir string, h Hints) {
	p := Place{Dir: dir, Top: dir}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if w, err := Find(context.Background(), p, h); err != nil || w.Next == nil {
			b.Fatal(w.Status, err)
		}
	}
}

func BenchmarkFind1(b *testing.B) { benchFind(b, benchProject(b, 1, ""), Hints{}) }

// BenchmarkFind204 chooses among the 204 changes of the largest project measured.
func BenchmarkFind204(b *testing.B) {
	benchFind(b, benchProject(b, 204, ""), Hints{Branch: "feat/change-008"})
}

// BenchmarkFind204Schemas does it where a schema of the project makes every change's metadata matter.
func BenchmarkFind204Schemas(b *testing.B) {
	benchFind(b, benchProject(b, 204, "own"), Hints{Branch: "feat/change-008"})
}

// BenchmarkFindNothing looks where there is nothing, in a tree of 400 folders.
func BenchmarkFindNothing(b *testing.B) {
	var a strings.Builder
	for i := range 400 {
		fmt.Fprintf(&a, "-- d%d/s%d/x --\n", i%20, i)
	}
	dir := tree(b, a.String())
	b.ReportAllocs()
	for b.Loop() {
		if w, err := Find(context.Background(), Place{Dir: dir, Top: dir}, Hints{}); err != nil || w.Source != "" {
			b.Fatal(w.Source, err)
		}
	}
}

// BenchmarkNested looks for a project in a work tree without any: 200 folders of 50 files.
func BenchmarkNested(b *testing.B) {
	var a strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&a, "-- folder%03d/file%02d --\n", i/50, i%50)
	}
	f, err := newFinder(Place{Top: tree(b, a.String())}, Hints{})
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if found := f.nestedRoots(nestedFolders); found != nil {
			b.Fatal(found)
		}
	}
}
