package assistant

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
)

// ChangedError says that a file was changed between planning and applying. Everything is as it was.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s was changed by somebody else just now; nothing was written, try again", e.Path)
}

// UndoneError says that a plan could not be carried out. What it had done is taken back, unless Left names something.
type UndoneError struct {
	Cause error
	Left  error // what could not be taken back; nil: everything is as it was
}

func (e *UndoneError) Error() string {
	if e.Left != nil {
		return fmt.Sprintf("%v; and taking back what had been written failed: %v", e.Cause, e.Left)
	}
	return fmt.Sprintf("%v; nothing was changed", e.Cause)
}
func (e *UndoneError) Unwrap() []error { return []error{e.Cause, e.Left} }

// Applied is a plan that was carried out.
type Applied struct {
	Changes []Change
	Backups []string // files with the content of settings before they were first added to

	undo func() error
}

// Undo takes the plan back, for a caller whose next plan fails.
func (a *Applied) Undo() error { return a.undo() }

// Apply carries a plan out, all of it or nothing: every file is written whole, and when one fails the earlier ones get
// their old content back. Errors: *ChangedError, *UndoneError.
func (p Plan) Apply() (*Applied, error) {
	if p.Empty() && p.recordPath == "" {
		return &Applied{undo: func() error { return nil }}, nil
	}
	t, err := openTree(p.Root)
	if err != nil {
		return nil, err
	}
	defer t.close()
	for _, c := range p.Changes {
		if err := p.unchanged(t, c); err != nil {
			return nil, err
		}
	}
	w := &writing{tree: t, plan: p}
	if err := w.all(); err != nil {
		return nil, &UndoneError{Cause: err, Left: w.takeBack()}
	}
	root := p.Root
	return &Applied{Changes: p.Changes, Backups: w.backups, undo: func() error { return w.again(root) }}, nil
}

// unchanged makes sure that a file still is what the plan was made for.
func (p Plan) unchanged(t *tree, c Change) error {
	makesRoom := func(m Change) bool { return m.Act == Move && m.From == c.Path }
	if c.Act == Move || slices.ContainsFunc(p.Changes, makesRoom) {
		return nil // renaming refuses by itself what is not as expected
	}
	is, err := t.read(c.Path)
	switch {
	case err != nil:
		return err
	case (is == nil) != (c.Before == nil), is != nil && !bytes.Equal(is.data, c.Before):
		return &ChangedError{c.Path}
	}
	return nil
}

// writing is a plan under way: what it has done, and how to take each step back.
type writing struct {
	tree    *tree
	plan    Plan
	done    []Change
	folders []string // made
	backups []string
	old     *record // as it was; nil: not yet replaced
}

func (w *writing) all() error {
	for _, c := range w.plan.Changes {
		if err := w.backup(c); err != nil {
			return err
		}
		if err := w.one(c); err != nil {
			return err
		}
	}
	for _, dir := range w.plan.folders {
		w.tree.removeFolder(dir)
	}
	if err := w.remember(); err != nil {
		return err
	}
	return w.plan.keepSeal()
}

func (w *writing) one(c Change) error {
	var err error
	switch {
	case c.Act == Move:
		err = w.tree.rename(c.From, c.Path)
	case c.After == nil:
		err = w.tree.remove(c.Path)
	default:
		var made []string
		made, err = w.tree.write(c.Path, c.After, c.Mode)
		w.folders = append(w.folders, made...)
	}
	if err == nil {
		w.done = append(w.done, c)
	}
	return err
}

// backup keeps a settings file as it is before init adds to it for the first time.
func (w *writing) backup(c Change) error {
	if c.Act != Merge || w.plan.backups == "" {
		return nil
	}
	before, err := readRecord(w.plan.recordPath)
	if err != nil {
		return err
	}
	if _, known := before.find(c.Path); known {
		return nil
	}
	if err := makeFolder(w.plan.backups); err != nil {
		return fmt.Errorf("back up %s: %w", c.Path, err)
	}
	t, err := openTree(w.plan.backups)
	if err != nil {
		return fmt.Errorf("back up %s: %w", c.Path, err)
	}
	defer t.close()
	if _, err := t.write(c.Path, c.Before, 0o600); err != nil {
		return fmt.Errorf("back up %s: %w", c.Path, err)
	}
	w.backups = append(w.backups, filepath.Join(w.plan.backups, filepath.FromSlash(c.Path)))
	return nil
}

// remember writes the record, the last step: without it a file of ours would look like somebody else's.
func (w *writing) remember() error {
	if w.plan.recordPath == "" {
		return nil
	}
	old, err := readRecord(w.plan.recordPath)
	if err != nil {
		return err
	}
	next := w.plan.record
	next.Version = recordVersion
	next.Folders = slices.Clone(next.Folders)
	for _, dir := range w.folders {
		if !slices.Contains(next.Folders, dir) {
			next.Folders = append(next.Folders, dir)
		}
	}
	if err := writeRecord(w.plan.recordPath, next); err != nil {
		return err
	}
	w.old = &old
	return nil
}

// takeBack undoes what was done, last step first.
func (w *writing) takeBack() error {
	var failed error
	for _, c := range slices.Backward(w.done) {
		var err error
		switch {
		case c.Act == Move:
			err = w.tree.rename(c.Path, c.From)
		case c.Before == nil:
			err = w.tree.remove(c.Path)
		default:
			_, err = w.tree.write(c.Path, c.Before, c.Mode)
		}
		failed = errors.Join(failed, err)
	}
	for _, dir := range slices.Backward(w.folders) {
		w.tree.removeFolder(dir)
	}
	for _, dir := range slices.Backward(w.plan.folders) { // innermost first, so this is outermost first
		_, err := w.tree.folders(path.Clean(dir))
		failed = errors.Join(failed, err)
	}
	if w.old != nil {
		failed = errors.Join(failed, writeRecord(w.plan.recordPath, *w.old))
	}
	return failed
}

// again opens the tree once more to take everything back.
func (w *writing) again(root string) error {
	t, err := openTree(root)
	if err != nil {
		return err
	}
	defer t.close()
	w.tree = t
	return w.takeBack()
}
