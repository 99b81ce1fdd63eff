// Command bench measures what session costs beside what a user would type instead.
//
//	go run ./scripts/bench [flags] SUBJECT…
//
// It builds the program, makes its own repositories and stores (nothing of the user's is touched), runs every command in
// rounds in which all of them take turns, in another order each time, and prints medians. A ratio is the median of the
// quotients of each round: on a shared machine that is steadier than the quotient of medians. Goals stand beside the
// figures; missing one changes nothing, because a busy machine is no bug.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// bench is one run: where it works and how long.
type bench struct {
	dir     string // scratch folder: the built program, repositories, stores
	program string
	env     []string
	rounds  int
	sizes   []int // tracked files
	chain   int   // snapshots in the large store
	out     io.Writer
}

// subject is one thing that is measured.
type subject struct {
	about string
	run   func(context.Context, *bench) error
}

func subjects() map[string]subject {
	return map[string]subject{
		"start":    {"start of the process, beside git's", start},
		"git":      {"a complete quick save, beside git add -A && git commit", saves},
		"history":  {"a complete quick save after a long history", histories},
		"tasks":    {"reading tasks, beside the OpenSpec program", taskLists},
		"load":     {"load, beside git status", loads},
		"hooks":    {"every hook of an assistant and of git, beside git status", hooks},
		"store":    {"recording, a store of 10 and of many snapshots, log, bytes a save", stores},
		"memory":   {"searching, adding and importing memory, in process and from outside", memories},
		"blockers": {"the scan of logs, beside grep", blockers},
	}
}

// order is in which subjects run when none is named.
var order = [...]string{"start", "git", "history", "load", "tasks", "hooks", "store", "memory", "blockers"}

func main() {
	if dir := os.Getenv(asGoGit); dir != "" {
		if err := goGit(dir); err != nil {
			fmt.Fprintln(os.Stderr, "go-git:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	b := &bench{out: os.Stdout}
	set := flag.NewFlagSet("bench", flag.ExitOnError)
	set.IntVar(&b.rounds, "n", 9, "timed rounds")
	set.IntVar(&b.chain, "chain", 100_000, "snapshots in the large store")
	sizes := set.String("sizes", "1000,10000,100000", "tracked files of the repositories")
	set.StringVar(&b.dir, "dir", "", "keep repositories and stores here for the next time (default: a temporary folder)")
	set.Usage = func() { usage(set) }
	_ = set.Parse(args) // it exits
	for _, s := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 25 {
			return fmt.Errorf("-sizes %q: want numbers of at least 25, separated by commas", *sizes)
		}
		b.sizes = append(b.sizes, n)
	}
	names := set.Args()
	if len(names) == 0 {
		names = order[:]
	}
	all := subjects()
	for _, n := range names {
		if _, ok := all[n]; !ok {
			usage(set)
			return fmt.Errorf("there is no subject %q", n)
		}
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	for _, n := range names {
		if err := all[n].run(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	return nil
}

func usage(set *flag.FlagSet) {
	w := tabwriter.NewWriter(set.Output(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "usage: go run ./scripts/bench [flags] [SUBJECT…]")
	all := subjects()
	for _, n := range order {
		fmt.Fprintf(w, "  %s\t%s\n", n, all[n].about)
	}
	w.Flush()
	set.PrintDefaults()
}

// prepare makes the scratch folder, builds the program and sets an environment in which git knows nobody's settings.
func (b *bench) prepare(ctx context.Context) (err error) {
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "session-bench-"); err != nil {
			return err
		}
		context.AfterFunc(ctx, func() { _ = os.RemoveAll(b.dir) })
	}
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return err
	}
	home := filepath.Join(b.dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	b.program = filepath.Join(b.dir, "session")
	b.env = slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "GIT_") || strings.HasPrefix(e, "SESSION_") || strings.HasPrefix(e, "XDG_")
	})
	build := command{name: "build", args: []string{"go", "build", "-trimpath", "-tags", "urfave_cli_no_docs", "-ldflags", "-s -w", "-o", b.program, "session"}, env: append(b.env[:len(b.env):len(b.env)], "CGO_ENABLED=0")}
	if _, err := build.time(ctx); err != nil {
		return err
	}
	b.env = append(b.env, "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "NO_COLOR=1")
	return nil
}
