package gitstate

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// conclude reads the suspects and makes the status.
func (s *Scan) conclude(ctx context.Context, untracked []string) error {
	untracked = slices.DeleteFunc(untracked, func(p string) bool { _, tracked := s.index.search(p); return tracked })
	g, look := errgroup.WithContext(ctx)
	g.Go(func() error { return s.follow(look) })
	g.Go(func() error { return s.attributes(look, untracked) })
	g.Go(func() error { return s.judge(look) })
	if err := g.Wait(); err != nil {
		return err
	}
	for _, c := range s.changes {
		if c.content != nil {
			if u := s.convert.gate(c.content.path, c.content.cr, s.Config.Bool("core.autocrlf", false)); u != nil {
				return u
			}
		}
	}
	s.writer.level, s.writer.plain = s.Config.compression(), !s.Config.compresses()
	s.Entries = s.entries(untracked)
	return nil
}

// attributes finds out what the contents of changed and new files may pass through.
func (s *Scan) attributes(ctx context.Context, untracked []string) error {
	paths := slices.Clone(untracked)
	for _, x := range s.suspects {
		if !x.gone {
			paths = append(paths, string(s.index.name(x.slot)))
		}
	}
	for _, p := range untracked {
		if strings.HasSuffix(p, "/") {
			return &Unfit{UnfitEmbedded, strconv.Quote(p)}
		}
	}
	s.convert = s.conversions(paths)
	if !s.convert.filters || len(paths) == 0 {
		return nil
	}
	path, err := s.repo.filtered(ctx, paths)
	if path != "" {
		return &Unfit{UnfitConverted, strconv.Quote(path)}
	}
	return err
}

// judge reads the files that may have changed, on all cores, and tells those that have from those that have not.
func (s *Scan) judge(ctx context.Context) error {
	found := make([]change, len(s.suspects))
	err := inParallel(ctx, len(found), func(i int) (err error) { found[i], err = s.judgeOne(s.suspects[i]); return err })
	if err != nil {
		return err
	}
	for _, c := range found {
		path := string(s.index.name(c.slot))
		switch {
		case c.letter != 0:
			s.changes[path] = c
		case !c.same: // the content is the index's: git add brings its entry up to date, and so do we
			s.settled = append(s.settled, indexEdit{path: path, stay: true, mode: s.index.mode(c.slot), id: s.index.id(c.slot), stat: c.content.info.stat})
		}
	}
	return nil
}

func (s *Scan) judgeOne(x suspect) (change, error) {
	c := change{slot: x.slot, same: x.same}
	path := string(s.index.name(x.slot))
	if x.gone {
		c.letter = 'D'
		return c, nil
	}
	if u := s.judgeFile(path, x.info); u != nil {
		return c, u
	}
	if x.info.mode == modeFolder { // a folder stands where a file was
		c.letter = 'D'
		return c, nil
	}
	var err error
	if c.content, err = s.contents.of(path); err != nil {
		return c, err
	}
	mode := s.index.mode(x.slot)
	if c.content.id != s.index.id(x.slot) || c.content.info.mode != mode {
		c.letter = changeLetter(mode, c.content.info.mode)
	}
	return c, nil
}

// judgeFile refuses what only git can stage.
func (s *Scan) judgeFile(path string, i fileInfo) *Unfit {
	switch {
	case i.mode == 0:
		return &Unfit{UnfitSpecial, strconv.Quote(path)}
	case i.regular() && i.length >= s.Config.bigFile():
		return &Unfit{UnfitLarge, strconv.Quote(path)}
	case i.mode == modeFolder:
		if _, err := s.tree.lstat(path + "/.git"); err == nil {
			return &Unfit{UnfitEmbedded, strconv.Quote(path)}
		}
	}
	return nil
}

// entries puts together what status shows: tracked files by path, then new ones.
func (s *Scan) entries(untracked []string) []Entry {
	var all []Entry
	for path, x := range s.staged {
		e := Entry{Path: path, Kind: Tracked, X: x.letter, Y: '.', Sub: "N...", Index: objectID{}.String()}
		if x.slot >= 0 {
			e.Mode, e.Index = s.index.mode(x.slot), s.index.id(x.slot).String()
		}
		if c, ok := s.changes[path]; ok {
			e.Y = c.letter
		}
		all = append(all, e)
	}
	for path, c := range s.changes {
		if _, done := s.staged[path]; !done {
			all = append(all, Entry{Path: path, Kind: Tracked, X: '.', Y: c.letter, Sub: "N...",
				Mode: s.index.mode(c.slot), Index: s.index.id(c.slot).String()})
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	for _, p := range untracked {
		all = append(all, Entry{Path: p, Kind: Untracked, X: '?', Y: '?'})
	}
	return all
}

// follow says how the branch stands to its upstream; git is asked where it is far away.
func (s *Scan) follow(ctx context.Context) error {
	if s.Head.Ref == "" || s.objects.follow(s.refs, s.Config, &s.Status) {
		return nil
	}
	out, err := s.repo.git.run(ctx, nil, "for-each-ref", "--format=%(upstream:short)%00%(upstream:track,nobracket)", "--", s.Head.Ref)
	if err != nil {
		return err
	}
	s.Upstream, s.HasUpstream, s.Ahead, s.Behind = "", false, 0, 0
	name, track, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\x00")
	s.Upstream = name
	return s.track(track)
}

// track reads "ahead 1, behind 2", "gone", or nothing (git-for-each-ref(1), "upstream:track").
func (s *Status) track(words string) error {
	if s.Upstream == "" || words == "gone" {
		return nil
	}
	s.HasUpstream = true
	for _, part := range strings.Split(words, ", ") {
		what, count, _ := strings.Cut(part, " ")
		n, err := strconv.Atoi(count)
		switch {
		case part == "":
		case err == nil && what == "ahead":
			s.Ahead = n
		case err == nil && what == "behind":
			s.Behind = n
		default:
			return &Unfit{UnfitTrouble, words}
		}
	}
	return nil
}
