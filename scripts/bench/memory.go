package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
)

// inProcess are the figures that the memory store's own benchmarks print, with what they should reach: benchmark, unit,
// limit (a floor where it is negative).
var inProcess = [...]struct {
	name, unit string
	limit      float64
}{
	{"Search/1000/count-recency", "p95-ms", 5}, {"Search/1000/count-bm25-recency", "p95-ms", 5},
	{"SearchKorean/count-recency", "p95-ms", 5}, {"SearchKorean/count-bm25-recency", "p95-ms", 5},
	{"Search/100000/count-recency", "p50-ms", 10}, {"Search/100000/count-bm25-recency", "p50-ms", 10},
	{"AddOne/1000/words=24", "p50-ms", 3}, {"AddOne/1000/words=24", "cpu-ms", 3},
	{"Import", "items/s", -5000}, {"Import", "items/cpu-s", -5000},
}

const (
	fewNotes  = 1_000
	manyNotes = 20_000
)

// memories times memory: the store in process, by its own benchmarks, and the program from outside.
func memories(ctx context.Context, b *bench) error {
	if err := b.memoryStore(ctx); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.dir, "memory-")
	if err != nil {
		return err
	}
	for name, n := range map[string]int{"few": fewNotes, "many": manyNotes} {
		if err := os.WriteFile(filepath.Join(dir, name), notes(n), 0o600); err != nil {
			return err
		}
	}
	searched, filled := filepath.Join(dir, "searched"), filepath.Join(dir, "filled")
	if err := os.Mkdir(searched, 0o700); err != nil {
		return err
	}
	if _, err := b.do(ctx, searched, notes(fewNotes), b.program, "memory", "add", "--session", "bench"); err != nil {
		return err
	}
	add := func(file string) []string {
		return []string{"sh", "-c", `"$1" memory add --session bench <"$2"`, "sh", b.program, filepath.Join(dir, file)}
	}
	fresh := func(context.Context) error {
		if err := os.RemoveAll(filled); err != nil {
			return err
		}
		return os.Mkdir(filled, 0o700)
	}
	_, err = b.compare(ctx, "memory from outside",
		command{name: "session version", args: []string{b.program, "version"}, dir: searched},
		command{name: fmt.Sprintf("search among %d", fewNotes), dir: searched,
			args: []string{b.program, "memory", "search", "--session", "bench", "--top-k", "10", "why was bafomo moved behind dolaku?"}},
		command{name: "add one", dir: searched, args: []string{b.program, "memory", "add", "--session", "bench", "bafomo is behind dolaku now"}},
		command{name: fmt.Sprintf("add %d at once", manyNotes), args: add("many"), dir: filled, prep: fresh, goal: goal{ms: manyNotes / 5}})
	return err
}

// notes are JSON lines of about 140 characters each, the same every time.
func notes(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(r, 1.1, 20, 40_000)
	var out bytes.Buffer
	for range n {
		out.WriteString(`{"summary":"`)
		for range 24 {
			for w := words.Uint64() + 50; w > 0; w /= 70 {
				out.WriteByte("bdfgklmnprstvz"[w%14])
				out.WriteByte("aeiou"[w/14%5])
			}
			out.WriteByte(' ')
		}
		out.WriteString("\"}\n")
	}
	return out.Bytes()
}

// memoryStore runs the benchmarks of the store, which measure what a process pays once it runs.
func (b *bench) memoryStore(ctx context.Context) error {
	figures := map[string]float64{}
	for pattern, times := range map[string]int{"^BenchmarkSearch$|^BenchmarkSearchKorean$|^BenchmarkAddOne$/^1000$/^words=24$": 30 * b.rounds, "^BenchmarkImport$": 4} {
		out, err := b.do(ctx, ".", nil, "go", "test", "session/internal/store/sql", "-run", "^$", "-bench", pattern, "-benchtime", strconv.Itoa(times)+"x")
		if err != nil {
			return err
		}
		benchmarks(string(out), figures)
	}
	fmt.Fprintf(b.out, "\nmemory in process\n")
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\t\tgoal\t\t")
	for _, g := range inProcess {
		v, ok := figures[g.name+" "+g.unit]
		if !ok {
			return fmt.Errorf("the benchmarks have no %s of %s", g.unit, g.name)
		}
		goal, met := fmt.Sprintf("≤ %.0f", g.limit), v <= g.limit
		if g.limit < 0 {
			goal, met = fmt.Sprintf("≥ %.0f", -g.limit), v >= -g.limit
		}
		fmt.Fprintf(w, "%s\t%.2f %s\t%s\t%s\t\n", g.name, v, g.unit, goal, map[bool]string{true: "met", false: "MISSED"}[met])
	}
	return w.Flush()
}

// benchmarks reads what go test prints: a name, and pairs of a figure and its unit.
func benchmarks(out string, figures map[string]float64) {
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(f[0][:max(strings.LastIndexByte(f[0], '-'), 0)], "Benchmark")
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			switch {
			case err != nil:
			case f[i+1] == "ns/op":
				figures[name+" ms/op"] = v / 1e6
			default:
				figures[name+" "+f[i+1]] = v
			}
		}
	}
}
