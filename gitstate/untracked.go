package gitstate

import (
	"context"
	"fmt"
	"strings"
)

// UntrackedBelow lists the files that git neither tracks nor ignores below folders (which Status shows collapsed).
func (r *Repo) UntrackedBelow(ctx context.Context, dirs []string) ([]string, error) {
	args := []string{"ls-files", "-z", "--others", "--exclude-standard", "--"}
	for _, d := range dirs {
		args = append(args, ":(top,literal)"+d)
	}
	out, err := r.git.run(ctx, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("list new files: %w", err)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}
