package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{root(t)}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// required are the modules that go.mod requires directly, and those of its tools.
func required(mod string) []string {
	var all []string
	inside := false
	for line := range strings.Lines(mod) {
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[0] == "require" && f[1] == "(":
			inside = true
		case len(f) == 1 && f[0] == ")":
			inside = false
		case inside && len(f) >= 2 && !strings.HasSuffix(strings.TrimSpace(line), "// indirect"):
			all = append(all, f[0])
		case len(f) == 2 && f[0] == "tool":
			all = append(all, moduleOf(mod, f[1]))
		}
	}
	return all
}

// moduleOf is the required module that a package belongs to.
func moduleOf(mod, pkg string) string {
	best := pkg
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v`).FindAllStringSubmatch(mod, -1) {
		if strings.HasPrefix(pkg, m[1]+"/") {
			best = m[1]
		}
	}
	return best
}

// TestDependencies: each module that is required has its reason in docs/dependencies.md, once, and nothing stands there
// that go.mod does not know.
func TestDependencies(t *testing.T) {
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)`.* \\| (.+) \\| (.+) \\|$").FindAllStringSubmatch(read(t, "docs", "dependencies.md"), -1) {
		if host, _, _ := strings.Cut(m[1], "/"); !strings.Contains(host, ".") {
			m[1] = "github.com/" + m[1]
		}
		listed = append(listed, m[1])
	}
	mod := read(t, "go.mod")
	want := required(mod)
	if len(want) < 10 {
		t.Fatalf("go.mod requires only %q", want)
	}
	for _, m := range want {
		if !slices.Contains(listed, m) {
			t.Errorf("%s: why is it here? docs/dependencies.md does not say", m)
		}
	}
	for i, m := range listed {
		if !strings.Contains(mod, "\t"+m+" v") || slices.Contains(listed[:i], m) {
			t.Errorf("docs/dependencies.md: %s is not in go.mod, or stands there twice", m)
		}
	}
}

// TestDocsNameWhatIsThere: files, folders and decisions that a document names exist.
func TestDocsNameWhatIsThere(t *testing.T) {
	documents, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := filepath.Glob(filepath.Join(root(t), "docs", "adr", "*.md"))
	if err != nil || len(documents) < 3 || len(decisions) < 3 {
		t.Fatalf("%d documents, %d decisions, %v", len(documents), len(decisions), err)
	}
	for i, d := range decisions[1:] {
		if filepath.Base(d)[:4] == filepath.Base(decisions[i])[:4] {
			t.Errorf("%s and %s have one number", filepath.Base(decisions[i]), filepath.Base(d))
		}
	}
	ours := regexp.MustCompile("`((?:internal|commands|blocker|gitstate|openspec|validate|docs|scripts|testdata)/[A-Za-z0-9_./-]*|main\\.go|[a-z_]+_test\\.go)`")
	for _, d := range append(documents, decisions...) {
		text := read(t, strings.TrimPrefix(d, root(t)))
		for _, m := range ours.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root(t), m[1])); err != nil {
				t.Errorf("%s: %v", filepath.Base(d), err)
			}
		}
		for _, m := range regexp.MustCompile(`\]\(([^):]+)\)`).FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(d), m[1])); err != nil {
				t.Errorf("%s: %v", filepath.Base(d), err)
			}
		}
		for _, m := range regexp.MustCompile(`ADR (\d+)`).FindAllStringSubmatch(text, -1) {
			if found, _ := filepath.Glob(filepath.Join(root(t), "docs", "adr", strings.Repeat("0", 4-len(m[1]))+m[1]+"-*.md")); len(found) != 1 {
				t.Errorf("%s: there is no ADR %s", filepath.Base(d), m[1])
			}
		}
	}
}
