package commands

import (
	"context"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

// Process runs the command line of this process with these parts, and gives its exit code.
func Process(parts Parts) int {
	postponeCollection()
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	sys := FromOS()
	sys.Parts = parts
	defer stop()
	return Main(ctx, os.Args, sys)
}

// firstCollection is how much memory a command may use before anything is collected, in bytes.
const firstCollection = 32 << 20

// postponeCollection lets the first collection wait: most commands end within milliseconds, and a fifth of their time went
// into collecting what dies with them. From the first collection on the usual rules hold. GOGC and GOMEMLIMIT count.
func postponeCollection() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	usual := debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	first := new([64]byte) // large enough to be collected by itself
	runtime.AddCleanup(first, func(percent int) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(math.MaxInt64)
	}, usual)
}
