package survey

import (
	"os"
	"path/filepath"
	"strings"
)

// StampOf is the stamp of a file below root; ok is false when it is gone.
func StampOf(root, path string) (s Stamp, ok bool) {
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(strings.TrimSuffix(path, "/"))))
	if err != nil {
		return Stamp{}, false
	}
	return Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano()}, true
}

func stamps(root string, left []LeftOut) map[string]Stamp {
	now := make(map[string]Stamp, len(left))
	for _, f := range left {
		if s, ok := StampOf(root, f.Path); ok {
			now[f.Path] = s
		}
	}
	return now
}
