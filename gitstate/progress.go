package gitstate

import "path/filepath"

// Operation is something that git has begun and a person has to end.
type Operation string

// The operations that leave marks in the git directory (gitrepository-layout, git's wt-status.c).
const (
	Merge      Operation = "merge"
	Rebase     Operation = "rebase"
	CherryPick Operation = "cherry-pick"
	Revert     Operation = "revert"
	Bisect     Operation = "bisect"
)

// InProgress lists what git has begun in this work tree. It costs a few stat calls.
func (r *Repo) InProgress() []Operation {
	marks := []struct {
		file string
		op   Operation
	}{
		{"rebase-merge", Rebase}, {"rebase-apply", Rebase}, {"MERGE_HEAD", Merge}, {"CHERRY_PICK_HEAD", CherryPick},
		{"REVERT_HEAD", Revert}, {"BISECT_LOG", Bisect},
	}
	var ops []Operation
	for _, m := range marks {
		if exists(filepath.Join(r.GitDir, m.file)) && (len(ops) == 0 || ops[len(ops)-1] != m.op) {
			ops = append(ops, m.op)
		}
	}
	return ops
}
