package assistant

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// record is what init has added to a work tree, so that it can take away exactly that. It is a file of its own, outside
// of what git sees.
type record struct {
	Version int      `json:"version"`
	Files   []entry  `json:"files"`
	Folders []string `json:"folders,omitempty"` // that init made, outermost first
}

// entry is one file that init wrote or added to.
type entry struct {
	Path   string `json:"path"`
	By     []Name `json:"by"`               // the assistants that it was written for
	After  string `json:"after"`            // hash of what init left there
	Before []byte `json:"before,omitempty"` // what stood there; nothing where init made the file
	Was    bool   `json:"was,omitempty"`    // something stood there
	// Left says that the file was edited, so that it stayed when the assistant was uninstalled: it is no sign of an
	// installation any more.
	Left bool `json:"left,omitempty"`
	// Pieces and Made are what was added to a settings file.
	Pieces []Piece    `json:"pieces,omitempty"`
	Made   [][]string `json:"made,omitempty"`
}

const recordVersion = 1

// RecordError says that the record of what init added cannot be used. Nothing is changed then.
type RecordError struct {
	Path string
	Err  error
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("the record of what session init added, %s, cannot be read: %v", e.Path, e.Err)
}
func (e *RecordError) Unwrap() error { return e.Err }

// readRecord reads a record; one that is not there is empty.
func readRecord(path string) (record, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return record{Version: recordVersion}, nil
	}
	r := record{}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err == nil && r.Version != recordVersion {
		err = fmt.Errorf("it has version %d, this program knows %d", r.Version, recordVersion)
	}
	for _, e := range r.Files {
		if err == nil && !filepath.IsLocal(filepath.FromSlash(e.Path)) {
			err = fmt.Errorf("it names %q, which is not below the project", e.Path)
		}
	}
	if err != nil {
		return record{}, &RecordError{path, err}
	}
	return r, nil
}

// writeRecord replaces the record; an empty one is taken away.
func writeRecord(path string, r record) error {
	if len(r.Files) == 0 && len(r.Folders) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the record: %w", err)
		}
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	t, err := openTree(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	defer t.close()
	_, err = t.write(filepath.Base(path), append(data, '\n'), 0o600)
	return err
}

func (r record) find(path string) (entry, bool) {
	if i := slices.IndexFunc(r.Files, func(e entry) bool { return e.Path == path }); i >= 0 {
		return r.Files[i], true
	}
	return entry{}, false
}

// put adds or replaces the entry of a file.
func (r *record) put(e entry) {
	r.drop(e.Path)
	r.Files = append(r.Files, e)
	slices.SortFunc(r.Files, func(a, b entry) int { return compare(a.Path, b.Path) })
}

func (r *record) drop(path string) {
	r.Files = slices.DeleteFunc(slices.Clone(r.Files), func(e entry) bool { return e.Path == path })
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// with is names with n, each once, in the order of Names.
func with(names []Name, n Name) []Name {
	if !slices.Contains(names, n) {
		names = append(slices.Clone(names), n)
	}
	return names
}

// without is names without those of gone.
func without(names, gone []Name) []Name {
	return slices.DeleteFunc(slices.Clone(names), func(n Name) bool { return slices.Contains(gone, n) })
}

// names are the assistants that something was installed for, in the order of Names.
func (r record) names() (all []Name) {
	for _, n := range Names() {
		if slices.ContainsFunc(r.Files, func(e entry) bool { return !e.Left && slices.Contains(e.By, n) }) {
			all = append(all, n)
		}
	}
	return all
}

// Dead reports whether a problem keeps the assistant's hooks from calling the program, or makes their calls come to
// nothing.
func (p Problem) Dead() bool {
	switch p.Kind {
	case SettingsBroken, HooksMissing, HooksOff, FolderUntrusted, HooksUntrusted, NoProgram:
		return true
	}
	return false
}
