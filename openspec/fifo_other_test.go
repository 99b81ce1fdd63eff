//go:build !unix

package openspec

import "testing"

func fifo(t *testing.T, _ string) {
	t.Helper()
	t.Skip("no FIFOs here")
}
