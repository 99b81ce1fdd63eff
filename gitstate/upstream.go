package gitstate

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// refStore reads refs of the files backend (gitrepository-layout(5)): one file each, and packed-refs.
type refStore struct {
	common, own string // the git directory shared by all work trees, and this one's
	packed      []byte
}

func (r *Repo) refs() (*refStore, error) {
	b, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return &refStore{r.CommonDir, r.GitDir, b}, err
}

// has reports whether there is a ref of this full name.
func (s *refStore) has(name string) bool {
	_, ok := s.resolve(name)
	return ok || exists(filepath.Join(s.common, filepath.FromSlash(name)))
}

// resolve returns the object that a ref names. false: there is no such ref, or it is no plain one.
func (s *refStore) resolve(name string) (objectID, bool) {
	b, err := readBounded(filepath.Join(s.common, filepath.FromSlash(name)))
	if err == nil {
		return parseObjectID(strings.TrimRight(string(b), "\n"))
	}
	i := bytes.Index(s.packed, []byte(" "+name+"\n"))
	if i < 40 {
		return objectID{}, false
	}
	return parseObjectID(string(s.packed[i-40 : i]))
}

// replaced reports whether objects are shown in place of others (git-replace(1)).
func (s *refStore) replaced() bool {
	found, err := os.ReadDir(filepath.Join(s.common, "refs", "replace"))
	return err == nil && len(found) > 0 || bytes.Contains(s.packed, []byte(" refs/replace/"))
}

// ambiguous reports whether a short name of a ref could mean another one too (gitrevisions(7)).
func (s *refStore) ambiguous(short, full string) bool {
	if exists(filepath.Join(s.own, filepath.FromSlash(short))) {
		return true
	}
	for _, pattern := range []string{"refs/%", "refs/tags/%", "refs/heads/%", "refs/remotes/%", "refs/remotes/%/HEAD"} {
		if name := strings.Replace(pattern, "%", short, 1); name != full && s.has(name) {
			return true
		}
	}
	return false
}

// upstream is the branch that the current one follows.
type upstream struct {
	name string // as status shows it
	ref  string // full name of the remote-tracking branch; "" where it cannot be told in process
}

// upstreamOf reads the upstream from the configuration: of a branch of this repository, or of a remote whose branches are
// kept under refs/remotes as git clone sets it up. ok is false where only git can tell.
func upstreamOf(cfg Config, ref string) (u upstream, ok bool) {
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if !isBranch {
		return u, true
	}
	remote, merge := cfg["branch."+branch+".remote"], cfg["branch."+branch+".merge"]
	switch head, isHead := strings.CutPrefix(merge, "refs/heads/"); {
	case remote == "" || merge == "":
		return u, true
	case !isHead || cfg.several("branch."+branch+".merge"):
		return u, false
	case remote == ".":
		return upstream{head, merge}, true
	case cfg["remote."+remote+".fetch"] == "+refs/heads/*:refs/remotes/"+remote+"/*" && !cfg.several("remote."+remote+".fetch"):
		return upstream{remote + "/" + head, "refs/remotes/" + remote + "/" + head}, true
	}
	return u, false
}

// follow fills in how the branch stands to its upstream. false: only git can say.
func (o *objects) follow(refs *refStore, cfg Config, s *Status) bool {
	u, ok := upstreamOf(cfg, s.Head.Ref)
	if !ok || u.ref == "" {
		return ok
	}
	if refs.ambiguous(u.name, u.ref) {
		return false
	}
	s.Upstream = u.name
	tip, ok := refs.resolve(u.ref)
	if !ok {
		return !refs.has(u.ref) // gone: git names it and counts nothing
	}
	rel, ok := o.relate(tip.String(), s.Head.Commit)
	s.HasUpstream, s.Ahead, s.Behind = ok, rel.Ahead, rel.Behind
	return ok
}
