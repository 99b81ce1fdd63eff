package gitstate

import (
	"slices"
	"testing"
)

func TestNamed(t *testing.T) {
	repo, _ := repo(t, `mkdir -p a/b c 's[1]' ignored; for f in a/b/x.go c/x.go top.go 's[1]/we ird*.c' ignored/x.go; do echo x >"$f"; done
		echo ignored/ >.gitignore; git add c`)
	for tail, want := range map[string][]string{
		"x.go": {"a/b/x.go", "c/x.go"}, "b/x.go": {"a/b/x.go"}, "top.go": {"top.go"}, "s[1]/we ird*.c": {"s[1]/we ird*.c"},
		"*.go": nil, "/etc/passwd": nil, "../x.go": nil, "": nil, "none": nil,
	} {
		got, err := repo.Named(t.Context(), tail, 10)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Named(%q) = %v, %v; want %v", tail, got, err, want)
		}
	}
	if got, err := repo.Named(t.Context(), "x.go", 1); err != nil || len(got) != 1 {
		t.Errorf("limited: %v, %v", got, err)
	}
}
