package sql

import (
	"testing"

	"session/internal/memory"
	"session/internal/memory/memorytest"
)

// TestMemoryPostgres runs the suite of memory stores against a server: one database a test. What damages a server's
// files is out of reach.
func TestMemoryPostgres(t *testing.T) {
	demand(t)
	memorytest.Run(t, func(t *testing.T) memorytest.Subject {
		address := postgresAddress(t)
		again := func(t *testing.T) memory.Store {
			d, err := Open(address, Patience{}, drivers())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			m, err := d.OpenMemory(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		return memorytest.Subject{Store: again(t), Again: again}
	})
}
