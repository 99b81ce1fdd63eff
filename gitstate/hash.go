package gitstate

import (
	"context"

	"session/internal/proc"
)

// maxHashed bounds a file that is hashed in process, in bytes.
const maxHashed = 32 << 20

// hashHere is hashFiles in process, where what stands in the files is what a blob of them would hold: no conversion is
// asked for by any attribute, and no line ending may have to be changed. It answers for all of them or for none: ok is
// false where only git knows, or where anything at all stands in the way; git says then what it is.
func (r *Repo) hashHere(ctx context.Context, paths []string) (ids []string, ok bool) {
	f := facts{scannable: scannable, inProcess: r.inner != nil, ownIndex: r.IndexFile != "", attrTree: proc.Getenv(r.git.env, "GIT_ATTR_SOURCE") != ""}
	if len(paths) == 0 || f.gate() != nil {
		return nil, false
	}
	s := &Scan{repo: r}
	defer s.Close()
	var err error
	if s.Config, err = r.Config(ctx); err != nil || s.Config.gate() != nil {
		return nil, false
	}
	if s.index, err = r.readIndex(); err != nil || s.index.gate() != nil {
		return nil, false
	}
	if s.tree, err = openWorkTree(r.Root); err != nil {
		return nil, false
	}
	convert := s.conversions(paths)
	if convert.filters {
		return nil, false
	}
	ids = make([]string, len(paths))
	err = inParallel(ctx, len(paths), func(i int) error {
		id, err := s.plainID(paths[i], convert)
		ids[i] = id
		return err
	})
	return ids, err == nil
}

// plainID is the id of what stands in a regular file.
func (s *Scan) plainID(path string, convert conversions) (string, error) {
	c := contents{tree: s.tree} // one for each file: nothing of it has to be kept
	if info, err := s.tree.lstat(path); err != nil || !info.regular() || info.length > maxHashed {
		return "", fileError("hash", path, ErrChanged)
	}
	content, err := c.load(path)
	if err != nil {
		return "", err
	}
	if u := convert.gate(path, content.cr, s.Config.Bool("core.autocrlf", false)); u != nil {
		return "", u
	}
	return content.id.String(), nil
}
