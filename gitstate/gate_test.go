package gitstate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"
)

// TestGate holds every line of the gate against a repository that passes, with one thing changed.
func TestGate(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*facts)
		want   string // "" passes
	}{
		"nothing known":          {func(f *facts) { *f = facts{scannable: true, inProcess: true} }, ""},
		"plain":                  {func(*facts) {}, ""},
		"choice":                 {func(f *facts) { f.choice = SafePath }, string(UnfitChoice)},
		"an unknown choice":      {func(f *facts) { f.choice = "whatever" }, ""},
		"another system":         {func(f *facts) { f.scannable = false }, string(UnfitSystem)},
		"only git opens it":      {func(f *facts) { f.inProcess = false }, string(UnfitRepo)},
		"inside a commit hook":   {func(f *facts) { f.ownIndex = true }, string(UnfitOwnIndex)},
		"no commit":              {func(f *facts) { f.head.Commit = "" }, string(UnfitUnborn)},
		"replaced objects":       {func(f *facts) { f.replaced = true }, string(UnfitReplaced)},
		"GIT_ATTR_SOURCE":        {func(f *facts) { f.attrTree = true }, string(UnfitConfig) + ": GIT_ATTR_SOURCE"},
		"split index":            {func(f *facts) { f.index.others = []string{"link"} }, string(UnfitExtension) + ": link"},
		"sparse index":           {func(f *facts) { f.index.others = []string{"sdir"} }, string(UnfitExtension) + ": sdir"},
		"untracked cache":        {func(f *facts) { f.index.others = []string{"UNTR"} }, string(UnfitExtension) + ": UNTR"},
		"fsmonitor":              {func(f *facts) { f.index.others = []string{"FSMN"} }, string(UnfitExtension) + ": FSMN"},
		"an optional extension":  {func(f *facts) { f.index.others = []string{"XYZW"} }, ""},
		"unmerged":               {func(f *facts) { f.index.odd.unmerged = 2 }, string(UnfitUnmerged)},
		"assume-unchanged":       {func(f *facts) { f.index.odd.assumed = 1 }, string(UnfitFlags)},
		"skip-worktree":          {func(f *facts) { f.index.odd.skipped = 1 }, string(UnfitFlags)},
		"intent to add":          {func(f *facts) { f.index.odd.intended = 1 }, string(UnfitFlags)},
		"submodule":              {func(f *facts) { f.index.odd.submodules = 1 }, string(UnfitSubmodule)},
		"folder entry":           {func(f *facts) { f.index.odd.folders = 1 }, string(UnfitIndex) + ": a sparse index"},
		"a path out of the tree": {func(f *facts) { f.index.odd.path = "../x\n" }, string(UnfitIndex) + `: "../x\n"`},
		"a setting":              {func(f *facts) { f.config["core.filemode"] = "false" }, string(UnfitConfig) + ": core.filemode"},
	} {
		f := facts{scannable: true, inProcess: true, head: Head{"refs/heads/main", strings.Repeat("1", 40)}, headRead: true, index: &index{}, config: Config{}}
		tc.change(&f)
		if got := reason(f.gate()); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func reason(u *Unfit) string {
	if u == nil {
		return ""
	}
	return u.Error()
}

// TestGateOfSettings tries values of settings; the key is what is refused, "" passes.
func TestGateOfSettings(t *testing.T) {
	for _, tc := range []struct{ key, value, want string }{
		{"core.filemode", "true", ""}, {"core.filemode", "yes", ""}, {"core.filemode", "off", "core.filemode"}, {"core.filemode", "0", "core.filemode"},
		{"core.symlinks", "false", "core.symlinks"}, {"core.trustctime", "false", "core.trustctime"},
		{"core.ignorecase", "true", "core.ignorecase"}, {"core.ignorecase", "false", ""}, {"core.precomposeunicode", "true", "core.precomposeunicode"},
		{"core.protecthfs", "true", "core.protecthfs"}, {"core.splitindex", "true", "core.splitindex"},
		{"core.sparsecheckout", "true", "core.sparsecheckout"}, {"core.sparsecheckout", "false", ""}, {"index.sparse", "true", "index.sparse"},
		{"feature.manyfiles", "true", "feature.manyfiles"}, {"core.bare", "true", "core.bare"},
		{"core.fsmonitor", "true", "core.fsmonitor"}, {"core.fsmonitor", ".git/hooks/fsm", "core.fsmonitor"}, {"core.fsmonitor", "", ""}, {"core.fsmonitor", "false", ""},
		{"core.untrackedcache", "true", "core.untrackedCache"}, {"core.untrackedcache", "keep", ""}, {"core.untrackedcache", "false", ""},
		{"core.checkstat", "minimal", "core.checkStat"}, {"core.checkstat", "Default", ""},
		{"core.safecrlf", "true", "core.safecrlf"}, {"core.safecrlf", "warn", ""}, {"core.safecrlf", "false", ""},
		{"core.sharedrepository", "group", "core.sharedRepository"}, {"core.sharedrepository", "0660", "core.sharedRepository"},
		{"core.sharedrepository", "umask", ""}, {"core.sharedrepository", "false", ""}, {"core.sharedrepository", "0", ""},
		{"core.attributesfile", "~/attr", ""}, {"core.attributesfile", "/etc/x", ""}, {"core.attributesfile", "~ada/x", "core.attributesFile"},
		{"core.attributesfile", "%(prefix)/x", "core.attributesFile"},
		{"core.fsync", "none", "core.fsync"}, {"core.fsyncmethod", "batch", "core.fsyncmethod"}, {"core.fsyncobjectfiles", "true", "core.fsyncobjectfiles"},
		{"core.worktree", "/w", "core.worktree"}, {"attr.tree", "HEAD", "attr.tree"},
		{"extensions.noop", "true", ""}, {"extensions.objectformat", "sha256", "extensions.objectformat"}, {"extensions.refstorage", "reftable", "extensions.refstorage"},
		{"extensions.noop-v1", "x", "extensions.noop-v1"}, {"extensions.unheardof", "1", "extensions.unheardof"},
		{"user.name", "Ada", ""}, {"core.autocrlf", "true", ""}, {"core.quotepath", "false", ""},
	} {
		want := ""
		if tc.want != "" {
			want = string(UnfitConfig) + ": " + tc.want
		}
		if got := reason(Config{tc.key: tc.value}.gate()); got != want {
			t.Errorf("%s=%s: %q, want %q", tc.key, tc.value, got, want)
		}
	}
}

func TestGateOfContents(t *testing.T) {
	for _, tc := range []struct {
		rules        string
		cr, autocrlf bool
		want         Reason
	}{
		{"", false, false, ""},
		{"", true, false, ""},
		{"", true, true, UnfitConverted},
		{"", false, true, ""},
		{"*.txt text", true, false, UnfitConverted},
		{"*.txt text=auto", false, false, ""},
		{"*.bat eol=crlf", true, false, UnfitConverted},
		{"*.x -crlf", true, false, UnfitConverted},
		{"*.bin binary", true, false, UnfitConverted},
		{"*.go diff=golang", true, false, ""},
		{"[attr]mine diff\n* mine", true, false, UnfitConverted},
	} {
		var c conversions
		c.take("f", []byte(tc.rules), nil)
		u := c.gate("p", tc.cr, tc.autocrlf)
		if (u == nil) != (tc.want == "") || u != nil && u.Reason != tc.want {
			t.Errorf("%+v: %v", tc, u)
		}
	}
	for name, tc := range map[string]struct {
		body    string
		err     error
		filters bool
		unread  string
	}{
		"filter":            {"*.psd filter=lfs", nil, true, ""},
		"ident":             {"*.c ident", nil, true, ""},
		"encoding":          {"*.u working-tree-encoding=UTF-16", nil, true, ""},
		"macro":             {"[attr]big -delta", nil, true, ""},
		"nothing":           {"*.go diff=golang export-ignore", nil, false, ""},
		"not there":         {"", fs.ErrNotExist, false, ""},
		"cannot be read":    {"", fs.ErrPermission, false, "f"},
		"larger than bound": {strings.Repeat("#", maxAttributes+1), nil, false, "f"},
	} {
		var c conversions
		c.take("f", []byte(tc.body), tc.err)
		if c.filters != tc.filters || c.unread != tc.unread {
			t.Errorf("%s: %+v", name, c)
		}
		if u := c.gate("p", false, false); (u != nil) != (tc.unread != "") {
			t.Errorf("%s: %v", name, u)
		}
	}
}

func TestGateOfNames(t *testing.T) {
	for _, tc := range []struct {
		path string
		mode uint32
		ok   bool
	}{
		{"a/b", modeFile, true}, {".gitignore", modeFile, true}, {".github/x", modeFile, true}, {".gitmodules", modeFile, true}, {"git", modeFile, true},
		{"x.git", modeFile, true}, {".gitx/y", modeFile, true}, {"a~1", modeFile, true},
		{".git", modeFile, false}, {".GIT/x", modeFile, false}, {"a/.Git/x", modeFile, false}, {"git~1", modeFile, false}, {"a/GIT~1/x", modeFile, false},
		{".git ", modeFile, false}, {".git. .", modeFile, false}, {".git::$INDEX_ALLOCATION/x", modeFile, false}, {`a\.git\x`, modeFile, false},
		{".gitmodules", modeLink, false}, {".gitignore", modeLink, false}, {"gitmod~1", modeLink, false}, {"plain", modeLink, true},
	} {
		if u := nameGate(tc.path, tc.mode); (u == nil) != tc.ok {
			t.Errorf("%q %o: %v", tc.path, tc.mode, u)
		}
	}
}

func TestSizesAndLevels(t *testing.T) {
	const usual = 512 << 20
	for value, want := range map[string]int64{"": usual, "1": 1, "10k": 10 << 10, "10K": 10 << 10, "3m": 3 << 20, "2g": usual, "512m": usual,
		"-1": 0, "x": 0, "1t": 0, "99999999999999999999": 0, "9999999g": 0} {
		if got := (Config{"core.bigfilethreshold": value}).bigFile(); got != want {
			t.Errorf("bigFileThreshold %q: %d, want %d", value, got, want)
		}
	}
	for _, tc := range []struct {
		c    Config
		want int
	}{
		{nil, 1}, {Config{"core.compression": "9"}, 9}, {Config{"core.compression": "9", "core.loosecompression": "0"}, 0},
		{Config{"core.loosecompression": "-1"}, -1}, {Config{"core.loosecompression": "10"}, 1}, {Config{"core.compression": "fast"}, 1},
	} {
		if got := tc.c.compression(); got != tc.want {
			t.Errorf("%v: %d, want %d", tc.c, got, tc.want)
		}
	}
}

// TestUnfitOfErrors sees that what fails in process is left to git under a reason that says what it was.
func TestUnfitOfErrors(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&Unfit{UnfitSpecial, "x"}, string(UnfitSpecial) + ": x"},
		{fmt.Errorf("scan: %w", &Unfit{Reason: UnfitUnmerged}), string(UnfitUnmerged)},
		{&indexError{"cut"}, string(UnfitIndex) + ": cut"},
		{fmt.Errorf("tree 1: %w", errNoObject), string(UnfitObject) + ": tree 1: " + errNoObject.Error()},
		{fmt.Errorf("tree 1: %w", errBadObject), string(UnfitObject) + ": tree 1: " + errBadObject.Error()},
		{errCollision, string(UnfitObject) + ": " + errCollision.Error()},
		{fileError("read", "a\nb", ErrChanged), string(UnfitChanged) + `: "a\nb"`},
		{fileError("open", "a", fs.ErrPermission), string(UnfitFile) + `: "a": permission denied`},
		{errors.New("odd"), string(UnfitTrouble) + ": odd"},
	} {
		if got := unfit(tc.err).Error(); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.err, got, tc.want)
		}
	}
}

// TestPerson compares who commits with git's own answer, wherever it is found in process.
func TestPerson(t *testing.T) {
	r, env := repo(t, oneCommit)
	var bare []string
	for _, e := range env {
		if !strings.HasPrefix(e, "GIT_AUTHOR") && !strings.HasPrefix(e, "GIT_COMMITTER") {
			bare = append(bare, e)
		}
	}
	known := 0
	for _, tc := range []struct {
		cfg Config
		env []string
	}{
		{Config{"user.name": "Ada Lovelace", "user.email": "ada@example.invalid"}, nil},
		{Config{"user.name": "A", "user.email": "a@x", "author.name": "B", "author.email": "b@x", "committer.name": "C"}, nil},
		{Config{"user.name": "A", "user.email": "a@x"}, []string{"GIT_AUTHOR_NAME=E", "GIT_COMMITTER_EMAIL=e@x"}},
		{Config{"user.name": "A"}, []string{"EMAIL=mail@x"}},
		{Config{"user.name": "Dr. A.", "user.email": "a@x"}, nil},
		{Config{"user.name": " spaced ", "user.email": "<a@x>"}, nil},
		{Config{"user.name": "a <b> c", "user.email": "a@x"}, nil},
		{Config{"user.name": "아다", "user.email": "a@x"}, nil},
		{Config{"user.name": "A", "user.email": "a@x"}, []string{"GIT_AUTHOR_DATE=2001-02-03T04:05:06Z"}},
		{Config{"user.name": "A", "user.email": "a@x"}, []string{"GIT_AUTHOR_NAME="}},
	} {
		vars := append(append([]string{}, bare...), tc.env...)
		i := 0
		for k, v := range maps.All(tc.cfg) {
			vars = append(vars, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, k), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, v))
			i++
		}
		vars = append(vars, fmt.Sprintf("GIT_CONFIG_COUNT=%d", i))
		r.git.env = vars
		for _, role := range []string{"author", "committer"} {
			who, ok := r.person(role, tc.cfg)
			if !ok {
				continue
			}
			known++
			git := shell(t, r.Root, vars, "git var GIT_"+strings.ToUpper(role)+"_IDENT")
			if !strings.HasPrefix(git, who+" ") {
				t.Errorf("%v %v: %s %q, git says %q", tc.cfg, tc.env, role, who, git)
			}
		}
	}
	if known < 10 {
		t.Errorf("only %d were found in process", known)
	}
}
