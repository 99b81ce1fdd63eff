package openspec

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// WarningCode says what kind of thing was left out or done differently. Callers translate by it.
type WarningCode string

// The codes, with the fields of [Warning] that each fills.
const (
	// Path, Err: a task file that is there could not be read. It counts as empty, as for `openspec list`.
	WarnUnreadable WarningCode = "unreadable"
	// Path: a directory, FIFO or device stands where a task file is expected. It counts as empty.
	WarnNotRegular WarningCode = "not_regular"
	// Path, Size, Limit: a file has more bytes than are read. It counts as empty.
	WarnTooLarge WarningCode = "too_large"
	// Path, Size, Limit: a file has more boxes than are kept. It counts as empty.
	WarnTooManyTasks WarningCode = "too_many_tasks"
	// Path, Limit: a folder has more entries than are looked at. The rest was left out.
	WarnTooMany WarningCode = "too_many"
	// Path, Name, Err: the change Name was left out because a link leads out of it or it has too many files to look
	// through. For such a link `openspec list` fails as a whole.
	WarnOutside WarningCode = "outside"
	// Path, Name: the schema's pattern Name is beyond what is understood here. tasks.md was counted; the program may
	// count other files.
	WarnPattern WarningCode = "pattern"
	// Path, Err: a change's .openspec.yaml is not valid. tasks.md was counted, as the program does.
	WarnMetadata WarningCode = "metadata"
	// Path, Err: openspec/config.yaml could not be read. It was ignored, as the program does.
	WarnConfig WarningCode = "config"
	// Name, Err: the workflow schema Name cannot be used. tasks.md was counted, as the program does.
	WarnSchema WarningCode = "schema"
	// Path, Name: the folder wraps changes. OpenSpec has no nested changes, so none of them is seen.
	WarnNamespace WarningCode = "namespace"
	// Name: a change whose name starts with a dot was named. `openspec list` shows it, all other commands do not.
	WarnHidden WarningCode = "hidden"
	// Path, Name: a config names the store Name, but the folder is a project itself. The program ignores the store too.
	WarnStoreIgnored WarningCode = "store_ignored"
	// Path, Name: there is no project here and the program would go to its default store Name, which is not followed.
	WarnDefaultStore WarningCode = "default_store"
	// Path: a project below the top of the work tree was taken. The program, started at the top, would find none.
	WarnNested WarningCode = "nested_root"
	// Names: there are several projects below the top. None was taken.
	WarnNestedMany WarningCode = "nested_roots"
	// Path: the changes lie outside the work tree, above it or behind a link, so git knows nothing of their files.
	WarnOutsideTree WarningCode = "outside_tree"
	// Path, Name: Path (a file, or a variable) says that Name is current, which is not there or not inside the project.
	WarnPointer WarningCode = "pointer"
	// Path, Err: a source's file is not in its format. What could be read of it was.
	WarnFormat WarningCode = "format"
	// Path: beads' tasks are read from its last export. Its database may be ahead.
	WarnExport WarningCode = "export"
	// Name, Path, Err: the function Name of [Hints] failed. The choice was made without it.
	WarnHint WarningCode = "hint"
)

// Warning is one thing that a person should know about how the answer came about. Which fields are set depends on the
// code.
type Warning struct {
	Code        WarningCode
	Path        string // slash path relative to [Place].Top
	Name        string
	Names       []string
	Size, Limit int64
	Err         error
}

// String is the warning in plain English, for logs; names in it are quoted.
func (w Warning) String() string {
	var b strings.Builder
	b.WriteString(string(w.Code))
	if w.Path != "" {
		fmt.Fprintf(&b, " %q", w.Path)
	}
	if w.Name != "" {
		fmt.Fprintf(&b, " %q", w.Name)
	}
	if len(w.Names) > 0 {
		fmt.Fprintf(&b, " %q", w.Names)
	}
	if w.Size > 0 || w.Limit > 0 {
		fmt.Fprintf(&b, " (%d, limit %d)", w.Size, w.Limit)
	}
	if w.Err != nil {
		fmt.Fprintf(&b, ": %v", w.Err)
	}
	return b.String()
}

// Unread is an error about tasks that are there and were not read; nil if the warning is about something else.
func (w Warning) Unread() error {
	switch w.Code {
	case WarnTooLarge:
		return fmt.Errorf("%s: %w", w.Path, &sizeError{"bytes", w.Size, w.Limit})
	case WarnTooManyTasks:
		return fmt.Errorf("%s: %w", w.Path, &sizeError{"tasks", w.Size, w.Limit})
	case WarnNotRegular:
		return fmt.Errorf("%s: %w", w.Path, errNotRegular)
	case WarnUnreadable, WarnFormat:
		return fmt.Errorf("%s: %w", w.Path, w.Err)
	}
	return nil
}

// fileWarning turns what reading a task file ended in into a warning.
func fileWarning(path string, err error) Warning {
	var size *sizeError
	switch {
	case errors.As(err, &size) && size.what == "tasks":
		return Warning{Code: WarnTooManyTasks, Path: path, Size: size.size, Limit: size.limit}
	case errors.As(err, &size):
		return Warning{Code: WarnTooLarge, Path: path, Size: size.size, Limit: size.limit}
	case errors.Is(err, errNotRegular):
		return Warning{Code: WarnNotRegular, Path: path}
	}
	return Warning{Code: WarnUnreadable, Path: path, Err: bare(err)}
}

// bare drops the absolute path of this machine from an error; warnings carry their own.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// RootProblem says why a folder that declares OpenSpec cannot be used.
type RootProblem string

// What can be wrong with a root.
const (
	RootStore   RootProblem = "store"   // its tasks are in a registered store, outside the project
	RootPointer RootProblem = "pointer" // its config names a store in a way that cannot be read
)

// RootError is [Find]'s answer where the nearest openspec folder has no planning folders of its own and sends
// elsewhere. No other folder or source is read in its place: the work is where the declaration points.
type RootError struct {
	Problem RootProblem
	Store   string // name of the store; RootStore only
	File    string // slash path of the declaring file, relative to [Place].Top
	Err     error  // RootPointer only
}

// Error names the store or the unreadable declaration, the file, and the way out.
func (e *RootError) Error() string {
	if e.Problem == RootStore {
		return fmt.Sprintf("find OpenSpec project: unsupported store root: %q (declared in %s): "+
			"create openspec/changes here, or keep tasks by hand", e.Store, e.File)
	}
	return fmt.Sprintf("find OpenSpec project: store declaration in %s: %v: correct or remove it", e.File, e.Err)
}

// Unwrap gives the cause of an unreadable declaration.
func (e *RootError) Unwrap() error { return e.Err }
