package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A copy of session in the place of session-service calls nobody, least of all itself.
func TestHandOverToItself(t *testing.T) {
	before := os.Args
	defer func() { os.Args = before }()
	for _, name := range []string{ServiceProgram, ServiceProgram + ".exe"} {
		os.Args = []string{filepath.Join(t.TempDir(), name), "mcp"}
		if _, err := HandOver(nil, []string{"mcp"}); err == nil || !strings.Contains(err.Error(), "is session itself") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
