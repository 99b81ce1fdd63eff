package openspec

import (
	"context"
	"time"
)

// Place says where to look. All paths are absolute; the caller has read the environment.
type Place struct {
	// Dir is where the person stands; Top if empty.
	Dir string
	// Top is the root of the work tree, to which every path of the answer is relative. Empty outside git: then they
	// are relative to Dir, and no function of [Hints] is called.
	Top string
	// DataHome is $XDG_DATA_HOME or ~/.local/share; openspec/schemas below it has the user's schemas. Empty: none.
	DataHome string
	// ConfigHome is $XDG_CONFIG_HOME or ~/.config; openspec/config.json below it may name a default store. Empty: none.
	ConfigHome string
	// FeatureDir is $SPECIFY_FEATURE_DIRECTORY of Spec Kit, absolute or relative to its root. Usually empty.
	FeatureDir string
	// Shallow keeps from looking for a project below Top; for hooks, which must be quick.
	Shallow bool
}

// Hints is what others know and the choice may depend on. Every function may be nil and is called only when the choice
// needs it. File names are slash paths relative to [Place].Top. A function that does not know a file answers
// fs.ErrNotExist; any other error is reported ([WarnHint]) and the choice goes on without it.
type Hints struct {
	Change string // the change that somebody named; empty: choose
	Branch string // short name of the branch; empty on a detached HEAD
	Saved  Saved  // what the last save recorded

	// Changed lists files that differ from HEAD, untracked ones included; an untracked folder may stand for its files
	// with a slash at its end, as git status writes it.
	Changed func(ctx context.Context) ([]string, error)
	// AtHead gives a file's bytes at HEAD.
	AtHead func(ctx context.Context, file string) ([]byte, error)
	// Before gives a file's bytes before the last commit that touched it; fs.ErrNotExist if that commit created it.
	Before func(ctx context.Context, file string) ([]byte, error)
	// Touched gives the time of the last commit that touched each file or folder; what no commit touched is left out.
	Touched func(ctx context.Context, files []string) (map[string]time.Time, error)
}

// Saved is what the last save recorded.
type Saved struct {
	Change string   // id of its change; empty if there was none
	Done   []string // descriptions of the tasks that were done then; nil if not recorded
}
