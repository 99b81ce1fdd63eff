package app

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"session/internal/plan"
)

// TestStoredBuiltins holds the stored form of every built-in policy against its files, as plans and as bytes.
func TestStoredBuiltins(t *testing.T) {
	for _, name := range plan.Builtins() {
		full, err := plan.Builtin(name, catalogue())
		if err != nil {
			t.Fatal(err)
		}
		want, err := full.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join("..", "plan", name, "stored.json")
		if os.Getenv("SESSION_UPDATE") != "" {
			if err := os.WriteFile(at, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		onDisk, err := os.ReadFile(at)
		if err != nil || !bytes.Equal(onDisk, want) {
			t.Fatalf("%s is not what the files beside it say (%v): run SESSION_UPDATE=1 go test ./internal/app -run StoredBuiltins", at, err)
		}
		p, form, hash, err := plan.StoredBuiltin(name)
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.Canonical()
		if err != nil || !bytes.Equal(form, want) || !bytes.Equal(again, want) {
			t.Errorf("%s: the stored form reads back differently (%v)", name, err)
		}
		if h, err := full.Hash(); err != nil || h != hash {
			t.Errorf("%s: hash %s, want %s (%v)", name, hash, h, err)
		}
		for mode, a := range full.Plans() {
			b, ok := p.Plan(mode)
			for i := range a.Steps {
				a.Steps[i].At = plan.Place{}
			}
			if !ok || !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %s is\n%+v\nnot\n%+v", name, mode, b, a)
			}
		}
	}
}
