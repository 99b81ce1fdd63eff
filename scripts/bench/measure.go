package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// command is one contender.
type command struct {
	name string
	args []string
	dir  string
	env  []string
	prep func(context.Context) error // before each run, not timed
	goal goal

	stdin []byte
	exits int // the exit code, beside 0, that is no failure
}

// goal is what a row should reach; the zero value sets none.
type goal struct {
	ratio float64 // of the first row's wall time
	ms    float64 // wall time
	above float64 // wall time above the first row's, ms
	p99   float64 // wall time of the slowest of a hundred rounds, ms
	mb    float64 // peak memory
}

// sample is one run.
type sample struct {
	wall, cpu float64 // ms; cpu is user and system time of the process and its children
	mb        float64 // peak memory of the largest process
}

func (c command) time(ctx context.Context) (sample, error) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir, cmd.Env = c.dir, c.env
	if c.stdin != nil {
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	began := time.Now()
	err := cmd.Run()
	s := sample{wall: ms(time.Since(began))}
	if err != nil && (c.exits == 0 || cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.exits) {
		return s, fmt.Errorf("%s: %w\n%s", strings.Join(c.args, " "), err, errs.Bytes())
	}
	s.cpu = ms(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	s.mb = peak(cmd.ProcessState)
	return s, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// row is what all rounds of one contender came to.
type row struct {
	command
	all []sample
}

// compare runs all commands in turn, once for warmth and then b.rounds times, and prints them against the first.
func (b *bench) compare(ctx context.Context, title string, commands ...command) ([]row, error) {
	rows := make([]row, len(commands))
	for i, c := range commands {
		rows[i].command = c
		if rows[i].env == nil {
			rows[i].env = b.env
		}
	}
	for round := -1; round < b.rounds; round++ {
		for i := range rows {
			r := &rows[(i+max(round, 0))%len(rows)]
			if r.prep != nil {
				if err := r.prep(ctx); err != nil {
					return nil, err
				}
			}
			s, err := r.time(ctx)
			if err != nil {
				return nil, err
			}
			if round >= 0 {
				r.all = append(r.all, s)
			}
		}
	}
	b.print(title, rows)
	return rows, nil
}

func (b *bench) print(title string, rows []row) {
	fmt.Fprintf(b.out, "\n%s (medians of %d rounds)\n", title, b.rounds)
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tp50 ms\tp99 ms\tmin ms\tcpu ms\tpeak MB\tratio\tcpu ratio\tgoal\t\t")
	for i, r := range rows {
		ratio, cpu := "", ""
		if i > 0 {
			ratio, cpu = fmt.Sprintf("%.2f", r.against(rows[0], wall)), fmt.Sprintf("%.2f", r.against(rows[0], cpuTime))
		}
		goal, met := r.judge(rows[0])
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\t%s\t%s\t%s\t%s\t\n", r.name, r.median(wall), r.most(wall), r.least(wall), r.median(cpuTime), r.median(memory), ratio, cpu, goal, met)
	}
	w.Flush()
}

func wall(s sample) float64    { return s.wall }
func cpuTime(s sample) float64 { return s.cpu }
func memory(s sample) float64  { return s.mb }

func (r row) values(of func(sample) float64) []float64 {
	v := make([]float64, len(r.all))
	for i, s := range r.all {
		v[i] = of(s)
	}
	return v
}

func (r row) median(of func(sample) float64) float64 { return median(r.values(of)) }

func (r row) least(of func(sample) float64) float64 { return slices.Min(r.values(of)) }

// most is the 99th percentile, the largest where there are fewer than a hundred rounds.
func (r row) most(of func(sample) float64) float64 {
	v := slices.Sorted(slices.Values(r.values(of)))
	return v[(len(v)*99-1)/100]
}

// against is the median of the quotients of each round.
func (r row) against(base row, of func(sample) float64) float64 {
	q := r.values(of)
	for i, v := range base.values(of) {
		q[i] /= v
	}
	return median(q)
}

// above is the median of the differences of each round.
func (r row) above(base row, of func(sample) float64) float64 {
	d := r.values(of)
	for i, v := range base.values(of) {
		d[i] -= v
	}
	return median(d)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	if n%2 == 1 {
		return v[n/2]
	}
	return (v[n/2-1] + v[n/2]) / 2
}

// judge words the goals of a row and whether each was met.
func (r row) judge(base row) (goals, met string) {
	var words, marks []string
	add := func(is, limit float64, word string) {
		if limit == 0 {
			return
		}
		words = append(words, word)
		if is <= limit {
			marks = append(marks, "met")
			return
		}
		marks = append(marks, fmt.Sprintf("MISSED (%.2f)", is))
	}
	g := r.goal
	add(r.against(base, wall), g.ratio, fmt.Sprintf("ratio ≤ %.2f", g.ratio))
	add(r.median(wall), g.ms, fmt.Sprintf("≤ %.0f ms", g.ms))
	add(r.above(base, wall), g.above, fmt.Sprintf("≤ +%.0f ms", g.above))
	add(r.most(wall), g.p99, fmt.Sprintf("p99 ≤ %.0f ms", g.p99))
	add(r.median(memory), g.mb, fmt.Sprintf("≤ %.0f MB", g.mb))
	return strings.Join(words, ", "), strings.Join(marks, ", ")
}

// do runs git, or another program, where its time is of no interest.
func (b *bench) do(ctx context.Context, dir string, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, b.env
	cmd.Stdin = bytes.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	return out, nil
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}
