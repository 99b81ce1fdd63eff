package app

import (
	"errors"
	"runtime/debug"

	"session/internal/capture"
	"session/validate"
)

// Schema is the JSON Schema of the state file.
func Schema() []byte { return validate.Schema() }

// VersionResult says which program this is.
type VersionResult struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

// Version reads what the build recorded.
func Version() VersionResult {
	v := VersionResult{Version: "devel"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	return v
}

// IsUsage reports whether an error comes from what was asked, not from the world.
func IsUsage(err error) bool {
	var change *capture.UnknownChangeError
	var elsewhere *capture.TasksElsewhereError
	return errors.As(err, &change) || errors.As(err, &elsewhere)
}

// Candidates are the changes that could have been named instead of one that there is not.
func Candidates(err error) ([]string, bool) {
	var change *capture.UnknownChangeError
	if errors.As(err, &change) {
		return change.Candidates, true
	}
	return nil, false
}
