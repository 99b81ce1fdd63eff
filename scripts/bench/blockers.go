package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// seedPattern is the seed's own (001, Auto-Detection): what a shell would look for.
const seedPattern = `(error:|error C[0-9]+|fatal error|LNK[0-9]+)`

// blockers times the scan of logs beside grep with the seed's pattern, which gives neither type, place nor verdict.
func blockers(ctx context.Context, b *bench) error {
	small, failing, passing := filepath.Join(b.dir, "small.log"), filepath.Join(b.dir, "failing.log"), filepath.Join(b.dir, "passing.log")
	for _, l := range []struct {
		file  string
		bytes int
		fails bool
	}{{small, 1 << 20, true}, {failing, 256 << 20, true}, {passing, 256 << 20, false}} {
		if err := writeLog(l.file, l.bytes, l.fails); err != nil {
			return err
		}
	}
	scan := func(f string) command {
		return command{name: "session blocker scan", args: []string{b.program, "blocker", "scan", f}, dir: b.dir}
	}
	grep := func(f string) command {
		return command{name: "grep -cE", args: []string{"sh", "-c", `grep -cE "$1" "$2" || :`, "sh", seedPattern, f}, dir: b.dir}
	}
	one := scan(small)
	one.goal = goal{above: 5}
	if _, err := b.compare(ctx, "a failing log of 1 MiB, beside a start that does nothing", command{name: "session version", args: []string{b.program, "version"}, dir: b.dir}, one); err != nil {
		return err
	}
	fails, passes := scan(failing), scan(passing)
	fails.goal = goal{ms: 1024, mb: 32} // 0.25 GB/s
	passes.goal = goal{ms: 15, mb: 32}  // one read of its end
	if _, err := b.compare(ctx, "a failing log of 256 MiB", grep(failing), fails); err != nil {
		return err
	}
	_, err := b.compare(ctx, "a log of 256 MiB that ends well", grep(passing), passes)
	return err
}

// writeLog writes a build's output as make and gcc give it; the error stands in its middle.
func writeLog(file string, size int, fails bool) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := bufio.NewWriter(f)
	written := 0
	for i := 0; written < size; i++ {
		n, err := fmt.Fprintf(w, "[%3d%%] Building CXX object src/CMakeFiles/core.dir/unit_%06d.cpp.o\n/usr/bin/c++ -O2 -Wall -Isrc/include -o CMakeFiles/core.dir/unit_%06d.cpp.o -c src/unit_%06d.cpp\n", i%100, i, i, i)
		if err != nil {
			return err
		}
		if fails && written < size/2 && written+n >= size/2 {
			fmt.Fprintln(w, "src/clock.cpp:42:7: error: 'Tick' was not declared in this scope")
		}
		written += n
	}
	if fails {
		fmt.Fprintln(w, "make[2]: *** [src/CMakeFiles/core.dir/build.make:76: src/CMakeFiles/core.dir/clock.cpp.o] Error 1\nmake: *** [Makefile:101: all] Error 2")
	} else {
		fmt.Fprintln(w, "\n100% tests passed, 0 tests failed out of 3\n\nTotal Test time (real) =   0.02 sec")
	}
	return w.Flush()
}
