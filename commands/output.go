package commands

import (
	"errors"
	"io"
	"syscall"

	"session/internal/app"
)

// kept is where results go. It remembers the first write that failed: a result that nobody got is no success.
type kept struct {
	to  io.Writer
	err error
}

func (k *kept) Write(b []byte) (int, error) {
	n, err := k.to.Write(b)
	if err != nil && k.err == nil {
		k.err = err
	}
	return n, err
}

// lost reports why the result did not arrive. A reader who went away has read what it wanted.
func (k *kept) lost() error {
	if errors.Is(k.err, syscall.EPIPE) {
		return nil
	}
	return k.err
}

// delivered turns success into failure where the result could not be written. A hook never fails.
func (r *root) delivered(code int, to *kept) int {
	err := to.lost()
	if err == nil || code != app.OK || len(r.line) > 0 && r.line[0] == "hook" {
		return code
	}
	r.note("session: %s\n", r.words.Say("error.output", "why", err))
	return app.Failed
}
