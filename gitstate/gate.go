package gitstate

import (
	"strconv"
	"strings"
)

// Unfit says why a work tree was not, or cannot be, scanned and staged in process. Git does it then: same result, more
// programs started. It is an answer, not a failure.
type Unfit struct {
	Reason Reason
	What   string // the path, setting or extension that it is about; may be empty
}

func (u *Unfit) Error() string {
	if u.What == "" {
		return string(u.Reason)
	}
	return string(u.Reason) + ": " + u.What
}

// Reason is one line of the gate.
type Reason string

// The reasons, in the words that -v shows.
const (
	UnfitChoice    Reason = "the safe path was asked for"
	UnfitSystem    Reason = "this system's files are compared by git"
	UnfitRepo      Reason = "only git can open this repository"
	UnfitOwnIndex  Reason = "the caller runs inside git, with an index of its own"
	UnfitUnborn    Reason = "there is no commit yet"
	UnfitNoIndex   Reason = "there is no index yet"
	UnfitIndex     Reason = "the index is not one that is read in process"
	UnfitExtension Reason = "the index has an extension that only git keeps right"
	UnfitUnmerged  Reason = "the index holds unmerged entries"
	UnfitFlags     Reason = "the index holds assume-unchanged, skip-worktree or intent-to-add entries"
	UnfitSubmodule Reason = "the index holds submodules"
	UnfitReplaced  Reason = "objects are replaced or borrowed in a way that only git follows"
	UnfitConfig    Reason = "a setting asks for git"
	UnfitObject    Reason = "an object cannot be read in process"
	UnfitSpecial   Reason = "something other than a file or link stands in the place of one"
	UnfitEmbedded  Reason = "there is a repository inside the work tree"
	UnfitLarge     Reason = "a changed file is so large that git treats it apart"
	UnfitConverted Reason = "a changed file passes through a conversion"
	UnfitName      Reason = "git has rules for this name"
	UnfitChanged   Reason = "a file changed while it was being read"
	UnfitFile      Reason = "a file cannot be read"
	UnfitTrouble   Reason = "it did not work in process"
)

// facts are what the gate decides on. What is not known yet is left at its zero value, which holds nothing against the
// fast path; so the gate can be asked again whenever more is known.
type facts struct {
	choice    PathChoice
	scannable bool // the operating system
	inProcess bool // go-git opened the repository: SHA-1, files backend, no extensions, ours
	ownIndex  bool // GIT_INDEX_FILE
	attrTree  bool // GIT_ATTR_SOURCE: attributes come from a tree
	head      Head
	headRead  bool
	replaced  bool // refs/replace, info/grafts
	index     *index
	config    Config
}

// PathChoice says which way a save may take.
type PathChoice string

// The choices. Every other value counts as FastPath.
const (
	FastPath PathChoice = "fast" // in process where the gate allows it
	SafePath PathChoice = "safe" // always through git
)

// gate decides whether what is known so far allows the fast path; nil: it does.
func (f facts) gate() *Unfit {
	switch {
	case f.choice == SafePath:
		return &Unfit{Reason: UnfitChoice}
	case !f.scannable:
		return &Unfit{Reason: UnfitSystem}
	case !f.inProcess:
		return &Unfit{Reason: UnfitRepo}
	case f.ownIndex:
		return &Unfit{Reason: UnfitOwnIndex}
	case f.headRead && f.head.Commit == "":
		return &Unfit{Reason: UnfitUnborn}
	case f.replaced:
		return &Unfit{Reason: UnfitReplaced}
	case f.attrTree:
		return &Unfit{UnfitConfig, "GIT_ATTR_SOURCE"}
	}
	if u := f.index.gate(); u != nil {
		return u
	}
	return f.config.gate()
}

// gate judges an index; nil is one that was not read yet.
func (x *index) gate() *Unfit {
	if x == nil {
		return nil
	}
	for _, name := range x.others {
		switch c := name[0]; {
		case c < 'A' || c > 'Z': // git must understand it: link (split index), sdir (sparse index)
			return &Unfit{UnfitExtension, name}
		case name == "UNTR" || name == "FSMN":
			return &Unfit{UnfitExtension, name}
		}
	}
	switch o := x.odd; {
	case o.unmerged > 0:
		return &Unfit{Reason: UnfitUnmerged}
	case o.assumed+o.skipped+o.intended > 0:
		return &Unfit{Reason: UnfitFlags}
	case o.submodules > 0:
		return &Unfit{Reason: UnfitSubmodule}
	case o.folders > 0:
		return &Unfit{UnfitIndex, "a sparse index"}
	case o.path != "":
		return &Unfit{UnfitIndex, strconv.Quote(o.path)}
	}
	return nil
}

// settings that the fast path handles at one value only; everything else is git's. A key that is absent is well.
var settings = []struct {
	key  string
	want bool
}{
	{"core.filemode", true}, {"core.symlinks", true}, {"core.trustctime", true},
	{"core.ignorecase", false}, {"core.precomposeunicode", false}, {"core.protecthfs", false},
	{"core.splitindex", false}, {"core.sparsecheckout", false}, {"index.sparse", false},
	{"feature.manyfiles", false}, {"core.bare", false},
}

// gate judges the configuration; nil is one that was not read yet.
func (c Config) gate() *Unfit {
	for _, s := range settings {
		if c.Bool(s.key, s.want) != s.want {
			return &Unfit{UnfitConfig, s.key}
		}
	}
	switch {
	case c["core.fsmonitor"] != "" && c.Bool("core.fsmonitor", false): // a hook's path counts as true
		return &Unfit{UnfitConfig, "core.fsmonitor"}
	case c.Bool("core.untrackedcache", false) && c["core.untrackedcache"] != "keep":
		return &Unfit{UnfitConfig, "core.untrackedCache"}
	case c["core.checkstat"] != "" && !strings.EqualFold(c["core.checkstat"], "default"):
		return &Unfit{UnfitConfig, "core.checkStat"}
	case c["core.safecrlf"] != "" && c["core.safecrlf"] != "warn" && c.Bool("core.safecrlf", false):
		return &Unfit{UnfitConfig, "core.safecrlf"}
	case !privateUmask(c["core.sharedrepository"]):
		return &Unfit{UnfitConfig, "core.sharedRepository"}
	case !plainAttributes(c):
		return &Unfit{UnfitConfig, "core.attributesFile"}
	}
	for _, key := range []string{"core.fsync", "core.fsyncmethod", "core.fsyncobjectfiles", "core.worktree", "attr.tree"} {
		if _, set := c[key]; set {
			return &Unfit{UnfitConfig, key}
		}
	}
	return c.extensions()
}

// extensions refuses every extension of the repository format but the one that says nothing (gitrepository-layout(5)).
func (c Config) extensions() *Unfit {
	for key := range c {
		if strings.HasPrefix(key, "extensions.") && key != "extensions.noop" && !strings.HasSuffix(key, moreValues) {
			return &Unfit{UnfitConfig, key}
		}
	}
	return nil
}

// privateUmask reports whether files get the permissions that the umask leaves them, no others.
func privateUmask(shared string) bool {
	switch strings.ToLower(shared) {
	case "", "false", "no", "off", "umask", "0":
		return true
	}
	return false
}

// bigFile is the size from which git treats content apart (core.bigFileThreshold), in bytes.
func (c Config) bigFile() int64 {
	const usual = 512 << 20
	v := strings.ToLower(c["core.bigfilethreshold"])
	if v == "" {
		return usual
	}
	unit := int64(1)
	for suffix, n := range map[string]int64{"k": 1 << 10, "m": 1 << 20, "g": 1 << 30} {
		if s, ok := strings.CutSuffix(v, suffix); ok {
			v, unit = s, n
			break
		}
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 || n > 1<<40/unit {
		return 0 // git shall say what it makes of it
	}
	return min(n*unit, usual)
}

// compression is zlib's level for loose objects (core.looseCompression, core.compression; git's default is 1).
func (c Config) compression() int {
	for _, key := range []string{"core.loosecompression", "core.compression"} {
		if v, ok := c[key]; ok {
			if n, err := strconv.Atoi(v); err == nil && n >= -1 && n <= 9 {
				return n
			}
		}
	}
	return 1
}

// compresses reports whether somebody set how loose objects are compressed.
func (c Config) compresses() bool {
	_, loose := c["core.loosecompression"]
	_, all := c["core.compression"]
	return loose || all
}

// gate judges the content of a changed file: what it may pass through, and whether it holds a carriage return. Without
// one, neither attributes nor core.autocrlf change anything on the way into a blob.
func (c conversions) gate(path string, cr, autocrlf bool) *Unfit {
	switch {
	case c.unread != "":
		return &Unfit{UnfitFile, strconv.Quote(c.unread)}
	case cr && (c.endings || autocrlf):
		return &Unfit{UnfitConverted, strconv.Quote(path)}
	}
	return nil
}

// nameGate refuses names of new files that git refuses, or may refuse, to add (read-cache.c, verify_path): what could be
// a .git folder or one of git's own files on another system.
func nameGate(path string, mode uint32) *Unfit {
	for _, part := range strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return r == '/' || r == '\\' }) {
		rest, dot := strings.CutPrefix(part, ".git")
		short := strings.HasPrefix(part, "git~")
		if short || dot && (rest == "" || strings.ContainsAny(rest[:1], " .:~")) || mode == modeLink && (dot || strings.Contains(part, "~")) {
			return &Unfit{UnfitName, strconv.Quote(path)}
		}
	}
	return nil
}
