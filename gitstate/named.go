package gitstate

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// Named lists the files of the work tree, tracked or not ignored, whose path ends in the given one: tools often name a
// file relative to a folder of their own. At most limit.
func (r *Repo) Named(ctx context.Context, tail string, limit int) ([]string, error) {
	if !tame(tail) {
		return nil, nil
	}
	out, err := r.git.run(ctx, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ":(top,glob)**/"+globbed(tail))
	if err != nil {
		return nil, fmt.Errorf("look for %s: %w", tail, err)
	}
	var all []string
	for _, p := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if p != "" && len(all) < limit && (len(all) == 0 || all[len(all)-1] != p) {
			all = append(all, p)
		}
	}
	return all, nil
}

// tame refuses what is no relative path of ordinary length.
func tame(p string) bool {
	return p != "" && len(p) < 1024 && !path.IsAbs(p) && !strings.HasPrefix(p, "../") && !strings.ContainsAny(p, "\x00\n")
}

// globbed makes git's glob pathspec take a name as it stands.
func globbed(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(p)
}
