package coordination_test

import (
	"testing"
	"time"

	"session/internal/coordination"
)

func TestQuiet(t *testing.T) {
	var q coordination.Quiet
	now := time.Unix(1e9, 0)
	if q.Away(now) {
		t.Error("away before anybody asked")
	}
	if !q.Fell(now) || q.Fell(now.Add(time.Second)) {
		t.Error("news once")
	}
	last := now.Add(time.Second + coordination.Pause)
	if !q.Away(last.Add(-1)) || q.Away(last) {
		t.Error("the pause begins with the last time that nobody answered")
	}
	if !q.Fell(last) {
		t.Error("after the pause it is news again")
	}
}
