package sql

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"session/internal/lifecycle"
)

// A process of this test binary changes a Session until it is killed, when this names a database.
const livesIn = "SESSION_TEST_SQL_LIVES_IN"

// liveIn pauses and resumes a Session, with a checkpoint each time, and says each version that was recorded.
func liveIn(address string) error {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	ctx := context.Background()
	d, err := Open(address, Patience{}, drivers())
	if err != nil {
		return err
	}
	r, err := d.Records(ctx, lifecycle.Options{Now: time.Now})
	if err != nil {
		return err
	}
	k := lifecycle.Key{Owner: "ann", ID: "s1"}
	for n := 0; ; n++ {
		s, err := r.Get(ctx, k)
		if err != nil {
			return err
		}
		cause := lifecycle.Pause
		if s.Status == lifecycle.Paused {
			cause = lifecycle.Resume
		}
		if _, err := r.Change(ctx, k, lifecycle.Change{Cause: cause, Tokens: 1}); err != nil {
			return err
		}
		c, err := r.Checkpoint(ctx, k, "", lifecycle.Snapshot(fmt.Sprint("n", n)), "")
		if err != nil {
			return err
		}
		if _, err := fmt.Println(c.Number); err != nil {
			return err
		}
	}
}

// TestKilledWhileItRecords: a process is killed in the middle of its changes, wherever that is. What it said to be recorded
// is recorded, and every change is whole: tokens, event and checkpoint agree.
func TestKilledWhileItRecords(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		o := lifecycle.Options{Now: time.Now}
		r := openRecords(t, address, o)
		if _, err := r.Create(t.Context(), lifecycle.Draft{ID: "s1", Owner: "ann"}); err != nil {
			t.Fatal(err)
		}
		k := lifecycle.Key{Owner: "ann", ID: "s1"}
		if _, err := r.Change(t.Context(), k, lifecycle.Change{Cause: lifecycle.Start}); err != nil {
			t.Fatal(err)
		}
		for round := range 8 {
			said := killAfter(t, address, round*3+1)
			s, err := r.Get(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			events, err := r.Events(t.Context(), k, 0, 100_000)
			checkpoints, err2 := r.Checkpoints(t.Context(), k)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if s.Checkpoints < said || int64(len(checkpoints)) != s.Checkpoints || int64(len(events)) != s.Events || s.TokensUsed != s.Events-2 ||
				s.Version != 2+s.TokensUsed+s.Checkpoints || (s.Status == lifecycle.Running) != (s.TokensUsed%2 == 0) {
				t.Errorf("round %d: it said %d; %+v, %d events, %d checkpoints", round, said, s, len(events), len(checkpoints))
			}
		}
	})
}

// killAfter kills a process after it has said n numbers, and returns the last one that it said.
func killAfter(t *testing.T, address string, n int) int64 {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), livesIn+"="+address)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if last, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
			t.Error(err)
		}
		if n--; n == 0 {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed
	return last
}
