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
	return Stamp{Size: min(info.Size(), maxSize), ModTime: info.ModTime().UnixNano()}, true
}

// maxSize is the largest size that a snapshot can hold, RFC 8785 section 3.2.2.3; a sparse file may claim more.
const maxSize = 1<<53 - 1

func stamps(root string, left []LeftOut) map[string]Stamp {
	now := make(map[string]Stamp, len(left))
	for _, f := range left {
		if s, ok := StampOf(root, f.Path); ok {
			now[f.Path] = s
		}
	}
	return now
}
