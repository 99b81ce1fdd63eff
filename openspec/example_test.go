package openspec_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"session/openspec"
)

// The grammar alone: what counts as a task, and what is done.
func ExampleCount() {
	completed,
		total := openspec.Count("## 1. Form\n- [x] 1.1 fields\n  - [~] 1.1.1 colours\n1. [ ] button\n- [Design](./design.md)\n")
	fmt.Println(completed, total, openspec.Percentage(completed, total))
	// Output: 1 3 33
}

func ExampleParse() {
	for _, t := range openspec.Parse("## 1. Form\n- [x] fields\n- [ ] button\n", "openspec/changes/add-login/tasks.md") {
		fmt.Println(t.Line, t.Heading, t.Description, t.Done)
	}
	// Output:
	// 2 1. Form fields true
	// 3 1. Form button false
}

// Where work goes on, and why there.
func ExampleFind() {
	top, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(top)
	for id, list := range map[string]string{"add-login": "- [x] fields\n- [ ] button\n", "add-logout": "- [ ] link\n"} {
		dir := filepath.Join(top, "openspec", "changes", id)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "tasks.md"), []byte(list), 0o644); err != nil {
			panic(err)
		}
	}
	w, err := openspec.Find(context.Background(), openspec.Place{Top: top}, openspec.Hints{Branch: "feat/add-login"})
	if err != nil {
		panic(err)
	}
	fmt.Println(w.Change, w.Why.Reason, w.Why.Match, w.Status, w.Percentage())
	fmt.Println(w.Next.File, w.Next.Line, w.Next.Description, w.Resume.Reason)
	// Output:
	// add-login branch same IN_PROGRESS 50
	// openspec/changes/add-login/tasks.md 2 button after_done
}
