package sql

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"session/internal/memory"
	"session/internal/memory/memorytest"
)

// prose makes texts of about 140 characters, with words as unequally common as people's are.
type prose struct {
	rand *rand.Rand
	zipf *rand.Zipf
}

func newProse(seed uint64) prose {
	r := rand.New(rand.NewPCG(seed, 0))
	return prose{r, rand.NewZipf(r, 1.1, 20, 40_000)}
}

func (p prose) word() string {
	n := p.zipf.Uint64() + 50
	b := []byte{}
	for ; n > 0; n /= 70 {
		b = append(b, "bdfgklmnprstvz"[n%14], "aeiou"[n/14%5])
	}
	return string(b)
}

func (p prose) text(words int) string {
	var all []string
	for range words {
		all = append(all, p.word())
	}
	return strings.Join(all, " ")
}

const itemWords = 24

func (p prose) items(tb testing.TB, session memory.SessionRef, from, n int) []memory.Item {
	tb.Helper()
	var a memory.Analyser
	var all []memory.Item
	for i := from; i < from+n; i++ {
		it, err := a.NewItem(memorytest.ID(session, i), memorytest.At(i), session, p.text(itemWords))
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, it)
	}
	return all
}

// sized is a database with a session of n items, filled in batches of a thousand.
func sized(b *testing.B, n int) *DB {
	b.Helper()
	d := open(b, filepath.Join(b.TempDir(), "x.db"))
	p := newProse(1)
	for from := 0; from < n; from += 1000 {
		if err := d.Memory().Apply(b.Context(), memory.Batch{SessionRef: "s1", Snapshot: "a", Add: p.items(b, "s1", from, min(1000, n-from))}); err != nil {
			b.Fatal(err)
		}
	}
	return d
}

// BenchmarkSearch asks questions of six words, each a text's of the kind that was stored.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		d := sized(b, n)
		for _, by := range []memory.Ranking{memory.CountRecency, memory.CountBM25Recency} {
			b.Run(fmt.Sprintf("%d/%s", n, by), func(b *testing.B) {
				p := newProse(2)
				q := memory.Query{TopK: 10, Ranking: by, In: memory.InSession("s1"), At: "a"}
				var times []time.Duration
				for b.Loop() {
					q.Text = p.text(6)
					begin := time.Now()
					if _, err := d.Memory().Search(b.Context(), q); err != nil {
						b.Fatal(err)
					}
					times = append(times, time.Since(begin))
				}
				reportTimes(b, times)
			})
		}
	}
}

// BenchmarkSearchKorean asks whole sentences, which become many more keys than English ones do, of a session of a thousand.
func BenchmarkSearchKorean(b *testing.B) {
	d := open(b, filepath.Join(b.TempDir(), "x.db"))
	var notes, questions []string
	for file, into := range map[string]*[]string{"items": &notes, "queries": &questions} {
		text, err := os.ReadFile(filepath.Join("..", "..", "memory", "testdata", "korean", file+".jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var x struct{ Text, Query string }
			if err := json.Unmarshal([]byte(line), &x); err != nil {
				b.Fatal(err)
			}
			*into = append(*into, x.Text+x.Query)
		}
	}
	add := memory.Batch{SessionRef: "s1", Snapshot: "a"}
	for i := range 1000 {
		it, err := new(memory.Analyser).NewItem(memorytest.ID("s1", i), memorytest.At(i), "s1", notes[i%len(notes)])
		if err != nil {
			b.Fatal(err)
		}
		add.Add = append(add.Add, it)
	}
	if err := d.Memory().Apply(b.Context(), add); err != nil {
		b.Fatal(err)
	}
	for _, by := range []memory.Ranking{memory.CountRecency, memory.CountBM25Recency} {
		b.Run(string(by), func(b *testing.B) {
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				q := memory.Query{TopK: 10, Ranking: by, In: memory.InSession("s1"), At: "a", Text: questions[i%len(questions)]}
				begin := time.Now()
				if _, err := d.Memory().Search(b.Context(), q); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(begin))
			}
			reportTimes(b, times)
		})
	}
}

func reportTimes(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkAddOne is what a save pays: open, add an item of 24 or of 600 words, close.
func BenchmarkAddOne(b *testing.B) {
	for _, words := range []int{itemWords, 600} {
		for _, n := range []int{1000, 100_000} {
			b.Run(fmt.Sprintf("%d/words=%d", n, words), func(b *testing.B) {
				d := sized(b, n)
				path := d.pathOf(b)
				if err := d.Close(); err != nil {
					b.Fatal(err)
				}
				p := newProse(3)
				var times []time.Duration
				var spent time.Duration // of the CPU
				for i := n; b.Loop(); i++ {
					b.StopTimer()
					it, err := new(memory.Analyser).NewItem(memorytest.ID("s1", i), memorytest.At(i), "s1", p.text(words))
					if err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					begin, cpu := time.Now(), cpuTime(b)
					d, err := OpenSQLite(b.Context(), path)
					if err != nil {
						b.Fatal(err)
					}
					if err := d.Memory().Apply(b.Context(), memory.Batch{SessionRef: "s1", Snapshot: "a", Add: []memory.Item{it}}); err != nil {
						b.Fatal(err)
					}
					if err := d.Close(); err != nil {
						b.Fatal(err)
					}
					times, spent = append(times, time.Since(begin)), spent+cpuTime(b)-cpu
				}
				reportTimes(b, times)
				b.ReportMetric(float64(spent.Microseconds())/1000/float64(len(times)), "cpu-ms")
			})
		}
	}
}

// BenchmarkOpen opens a database that is there, and asks where it stands.
func BenchmarkOpen(b *testing.B) {
	d := sized(b, 1000)
	path := d.pathOf(b)
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		d, err := OpenSQLite(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		if at, err := d.Memory().Standing(b.Context(), "s1"); err != nil || at != "a" {
			b.Fatal(at, err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkImport makes items of texts and stores them, five thousand in a batch, into sessions that grow to 100,000.
func BenchmarkImport(b *testing.B) {
	const batch = 5000
	d := open(b, filepath.Join(b.TempDir(), "x.db"))
	p := newProse(4)
	var a memory.Analyser
	n := 0
	var spent time.Duration
	for b.Loop() {
		b.StopTimer()
		var texts []string
		for range batch {
			texts = append(texts, p.text(itemWords))
		}
		b.StartTimer()
		cpu := cpuTime(b)
		add := memory.Batch{SessionRef: memory.SessionRef(fmt.Sprint("s", n/100_000)), Snapshot: "a"}
		for _, text := range texts {
			it, err := a.NewItem(memorytest.ID("s", n), memorytest.At(n), add.SessionRef, text)
			if err != nil {
				b.Fatal(err)
			}
			add.Add = append(add.Add, it)
			n++
		}
		if err := d.Memory().Apply(b.Context(), add); err != nil {
			b.Fatal(err)
		}
		spent += cpuTime(b) - cpu
	}
	b.ReportMetric(float64(n)/max(spent.Seconds(), 1e-9), "items/cpu-s")
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "items/s")
	b.ReportMetric(float64(n), "items")
}
