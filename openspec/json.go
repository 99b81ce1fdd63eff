package openspec

import (
	"encoding/json"
	"errors"
	"io/fs"
)

// jsonText reads one text of a JSON object in a file; "" if the file is not there or has none. A file that is there and
// cannot be read is named.
func (f *finder) jsonText(file, key string) string {
	text, err := readText(file, MaxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	var object map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal([]byte(text), &object)
	}
	if err != nil {
		f.warn(Warning{Code: WarnFormat, Path: f.rel(file), Err: bare(err)})
		return ""
	}
	var s string
	if json.Unmarshal(object[key], &s) != nil {
		return ""
	}
	return s
}

// formatWarning names a file that could not be read or is not in its format.
func formatWarning(rel string, err error) Warning {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fileWarning(rel, err)
	}
	return Warning{Code: WarnFormat, Path: rel, Err: err}
}
