package gitstate

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// agree holds the two ways of a save and git itself against each other: the same status, the same tree, the same index.
// It publishes what was staged in process. fast is false where the gate refused; why says it.
func agree(t *testing.T, r *Repo, env []string) (fast bool, why string) {
	t.Helper()
	want, err := r.askStatus(t.Context(), Files)
	if err != nil {
		t.Fatal(err)
	}
	scan, u, err := r.Scan(t.Context(), ScanOptions{Untracked: Files, Config: r.Config, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if u != nil {
		return false, u.Error()
	}
	defer scan.Close()
	if !reflect.DeepEqual(scan.Status, want) {
		t.Errorf("status\n%+v\ngit says\n%+v", scan.Status, want)
	}
	var paths []string
	for _, e := range want.Entries {
		if e.Stageable() {
			paths = append(paths, e.Path)
		}
	}
	staged, err := scan.IndexTree(t.Context())
	if tree := shell(t, r.Root, env, oracle+"git write-tree"); err != nil || staged != tree {
		t.Errorf("the index as it stands: tree %s, git makes %s (%v)", staged, tree, err)
	}
	s, err := scan.Stage(t.Context(), StageOptions{Run: "fast", Paths: paths})
	if err != nil {
		return false, unfit(err).Error()
	}
	defer s.Drop()
	safe, skipped, err := r.Stage(t.Context(), StageOptions{Run: "safe", Paths: paths})
	if err != nil || len(skipped) > 0 {
		t.Fatal(skipped, err)
	}
	safe.Drop()
	git := shell(t, r.Root, env, oracle+"git add -A 2>/dev/null; git ls-files -s -z | od -An -v -tx1; git write-tree")
	if tree := lastLine(git); s.Tree != tree || safe.Tree != tree {
		t.Errorf("tree %s, staged by git %s, git add -A makes %s", s.Tree, safe.Tree, tree)
	}
	if own := shell(t, r.Root, env, "export GIT_INDEX_FILE='"+s.file+"'; git ls-files -s -z | od -An -v -tx1; git write-tree"); own != git {
		t.Errorf("the index that was written in process is not git's")
	}
	diff, err := s.Diff(t.Context(), want.Head.Commit)
	asked, err2 := r.TreeDiff(t.Context(), want.Head.Commit, s.Tree)
	if err != nil || err2 != nil || len(diff)+len(asked) > 0 && !reflect.DeepEqual(diff, asked) {
		t.Errorf("diff %+v %v\ngit says %+v %v", diff, err, asked, err2)
	}
	settle(t, r, env, s, want.Head)
	return true, ""
}

// oracle makes git work on a copy of the index.
const oracle = "cp -p \"$(git rev-parse --absolute-git-dir)/index\" ../oracle.$$; export GIT_INDEX_FILE=\"$PWD/../oracle.$$\"; trap 'rm -f \"$GIT_INDEX_FILE\"' EXIT; "

// settle commits and publishes, and sees git content with it.
func settle(t *testing.T, r *Repo, env []string, s *Staging, h Head) {
	t.Helper()
	id, err := s.Commit(t.Context(), CommitOptions{Tree: s.Tree, Parent: h.Commit, Subject: "wip: save", Body: SnapshotTrailer + ": abc1"})
	if err != nil {
		t.Fatal(err)
	}
	ref := h.Ref
	if ref == "" {
		ref = "HEAD"
	}
	if err := s.Publish(t.Context(), Target{Ref: ref, Old: h.Commit, Log: "save"}, id, time.Now); err != nil {
		t.Fatal(err)
	}
	got := shell(t, r.Root, env, "git status --porcelain -z | od -c | head; git fsck --strict --no-dangling 2>&1 | grep -v '^notice' || :; git rev-parse 'HEAD^{tree}' HEAD; git log -1 --format=%s; git rev-parse 'HEAD@{1}'; ls -A .git/session 2>/dev/null || :")
	if want := "0000000\n" + strings.Join([]string{s.Tree, id, "wip: save", h.Commit}, "\n"); got != want {
		t.Errorf("after the save\n%s\nwant\n%s", got, want)
	}
}

// TestWaysAgree tries what the shapes of repositories do not: odd moments of single files.
func TestWaysAgree(t *testing.T) {
	for name, tc := range map[string]struct {
		script string
		reason Reason // "" where it is done in process
	}{
		"nothing to do":                      {oneCommit, ""},
		"touched":                            {oneCommit + "touch -d '2001-01-01' a", ""},
		"same size, same second":             {oneCommit + "printf 'A\\n' >a", ""},
		"same size, old time":                {oneCommit + "printf 'A\\n' >a; touch -r .git/index a", ""},
		"smudged entry":                      {oneCommit + "printf 'A\\n' >a; touch -r .git/index a; echo x >x; git add x", ""},
		"index older than its files":         {oneCommit + "touch -d '2001-01-01' .git/index; printf 'A\\n' >a", ""},
		"index from the future":              {oneCommit + "touch -d '2101-01-01' .git/index; echo xx >a", ""},
		"file before 1970":                   {oneCommit + "touch -d '1960-01-01' a; echo b2 >d/b; touch -d '1960-01-01' d/b", ""},
		"another inode":                      {oneCommit + "cp -p a a2; mv a2 a", ""},
		"became empty":                       {oneCommit + ": >a", ""},
		"was empty":                          {"GIT_X=; : >e; : >f; git add e f; git commit -qm 1; echo x >e", ""},
		"CR without rules":                   {oneCommit + "printf 'x\\r\\n' >a; printf 'y\\r\\n' >n", ""},
		"CR under autocrlf":                  {oneCommit + "git config core.autocrlf input; printf 'x\\r\\n' >a", UnfitConverted},
		"CR new under autocrlf":              {oneCommit + "git config core.autocrlf input; printf 'x\\r\\n' >n", UnfitConverted},
		"no CR under autocrlf":               {oneCommit + "git config core.autocrlf true; echo x >a; echo n >n", ""},
		"rules for others":                   {oneCommit + "echo '*.bat eol=crlf' >.gitattributes; echo x >a", ""},
		"a filter for others":                {oneCommit + "echo '*.psd filter=lfs' >.gitattributes; echo x >a", ""},
		"a filter for one":                   {oneCommit + "git config filter.f.clean cat; echo 'a filter=f' >.gitattributes; echo x >a", UnfitConverted},
		"a filter below":                     {oneCommit + "git config filter.f.clean cat; echo 'b filter=f' >d/.gitattributes; echo x >d/b", UnfitConverted},
		"a filter unset":                     {oneCommit + "git config filter.f.clean cat; printf '* filter=f\\na -filter\\nd/b !filter\\n.g* !filter\\n' >.gitattributes; echo x >a; echo y >d/b", ""},
		"a filter by macro":                  {oneCommit + "git config filter.f.clean cat; printf '[attr]big filter=f\\na big\\n' >.gitattributes; echo x >a", UnfitConverted},
		"a filter in info":                   {oneCommit + "git config filter.f.clean cat; mkdir -p .git/info; echo 'a filter=f' >.git/info/attributes; echo x >a", UnfitConverted},
		"attributes are a link":              {oneCommit + "echo x >y; ln -s y .gitattributes; echo x >a", UnfitFile},
		"attributes deleted":                 {oneCommit + "echo '*.x text' >.gitattributes; git add -A; git commit -qm 2; rm .gitattributes; echo x >a", UnfitFile},
		"attributes elsewhere":               {oneCommit + "mkdir e; echo '* text' >e/.gitattributes; git add -A; git commit -qm 2; touch -d '2101-01-01' .git/index; printf 'x\\r\\n' >a", ""},
		"replaced by a FIFO":                 {oneCommit + "rm a; mkfifo a", UnfitSpecial},
		"a FIFO that is new":                 {oneCommit + "mkfifo f; echo x >a", ""},
		"embedded repository":                {oneCommit + "git init -q e; git -C e commit -q --allow-empty -m e; echo x >a", UnfitEmbedded},
		"file became an embedded repository": {oneCommit + "rm a; git init -q a; git -C a commit -q --allow-empty -m e", UnfitEmbedded},
		"a link named as git's file":         {oneCommit + "ln -s a .gitmodules", UnfitName},
		"large":                              {oneCommit + "git config core.bigFileThreshold 10; echo 0123456789 >a", UnfitLarge},
		"large and new":                      {oneCommit + "git config core.bigFileThreshold 10; echo 0123456789 >n", UnfitLarge},
		"larger than what is kept":           {oneCommit + "head -c 5000000 /dev/zero >a; head -c 5000000 /dev/zero >n; printf x >>n", ""},
		"many files":                         {oneCommit + "mkdir m; i=0; while [ $i -lt 1500 ]; do echo $i >m/$i; i=$((i+1)); done; git add -A; git commit -qm m; for i in 1 2 3 599 1499; do echo x >m/$i; done; rm m/7 m/800", ""},
		"staged only":                        {oneCommit + "echo x >a; echo n >n; git add -A", ""},
		"staged and taken back":              {oneCommit + "echo x >a; git add a; echo a >a", ""},
		"staged deletion, still there":       {oneCommit + "git rm -q --cached a", ""},
		"folder became link":                 {oneCommit + "rm -r d; ln -s . d", ""},
		"link became folder":                 {"mkdir x; ln -s x l; echo 1 >x/1; git add -A; git commit -qm 1; rm l; mkdir l; echo 2 >l/2", ""},
		"program":                            {oneCommit + "chmod +x a; echo n >n; chmod +x n; chmod go-rwx d/b", ""},
		"unborn":                             {"echo a >a", UnfitUnborn},
		"no index":                           {"git commit -q --allow-empty -m 1; rm -f .git/index; echo a >a", UnfitNoIndex},
		"damaged index":                      {oneCommit + "printf x >>.git/index", "-"},
		"detached":                           {oneCommit + "git checkout -q --detach; echo x >a", ""},
		"HEAD's tree in a pack":              {oneCommit + "git gc -q; echo x >d/b; echo y >y", ""},
		"tree of HEAD is missing in cache":   {oneCommit + "git read-tree --empty; git add a; echo x >n", ""},
		"sparse index":                       {oneCommit + "git sparse-checkout set --cone --sparse-index d; echo x >d/b", UnfitRepo},
		"upstream":                           {oneCommit + "git branch up; git branch -q -u up; echo x >a; git commit -qam 2; echo y >a", ""},
		"upstream gone":                      {oneCommit + "git branch up; git branch -q -u up; git branch -qD up; echo y >a", ""},
		"upstream of a remote":               {oneCommit + "git clone -q . ../up.$$; git remote add origin \"$PWD/../up.$$\"; git fetch -q; git branch -q -u origin/main; echo x >a; git commit -qam 2; echo y >a", ""},
		"upstream behind and ahead":          {oneCommit + "git checkout -q -b up; git commit -q --allow-empty -m u; git checkout -q main; git branch -q -u up; git commit -q --allow-empty -m m; echo y >a", ""},
		"upstream with an ambiguous name":    {oneCommit + "git branch up; git branch -q -u up; git tag up; echo y >a", ""},
		"upstream under other refs":          {oneCommit + "git clone -q . ../up.$$; git remote add -t main origin \"$PWD/../up.$$\"; git config remote.origin.fetch '+refs/heads/*:refs/remotes/o/*'; git fetch -q; git branch -q -u o/main; echo y >a", ""},
		"rename":                             {oneCommit + "git mv a z; mv d/b d/c", ""},
		"resolved conflict":                  {indexScripts["resolved"] + "; git commit -qm merged; echo x >>a", ""},
		"unmerged":                           {indexScripts["unmerged"], "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			dir, env := filepath.Join(top, "r"), testEnv(t)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			shell(t, dir, env, "git init -q -b main .\n"+tc.script)
			r, err := Open(t.Context(), dir, env)
			if err != nil {
				t.Fatal(err)
			}
			if tc.reason == "-" {
				if s, u, err := r.Scan(t.Context(), ScanOptions{Untracked: Files, Config: r.Config, Now: time.Now}); s != nil || u == nil || err != nil {
					t.Errorf("%v %v", u, err)
				}
				return
			}
			fast, why := agree(t, r, env)
			if fast != (tc.reason == "") || !strings.HasPrefix(why, string(tc.reason)) {
				t.Errorf("in process: %v, because %q, want %q", fast, why, tc.reason)
			}
		})
	}
}

// TestRandomRepositories makes repositories at random, changes them at random, and holds both ways against git. A few by
// default; SESSION_TEST_RANDOM says how many, SESSION_TEST_SEED where to begin.
func TestRandomRepositories(t *testing.T) {
	n, seed := 10, uint64(1)
	if v, err := strconv.Atoi(os.Getenv("SESSION_TEST_RANDOM")); err == nil {
		n = v
	}
	if v, err := strconv.ParseUint(os.Getenv("SESSION_TEST_SEED"), 10, 64); err == nil {
		seed = v
	}
	results := make([]string, n)
	t.Run("all", func(t *testing.T) {
		for i := range n {
			t.Run(strconv.FormatUint(seed+uint64(i), 10), func(t *testing.T) {
				t.Parallel()
				results[i] = randomRepository(t, seed+uint64(i))
			})
		}
	})
	reasons := map[string]int{}
	for _, why := range results {
		reason, _, _ := strings.Cut(why, ": ")
		reasons[reason]++
	}
	t.Logf("%d repositories; in process %d; left to git: %v", n, reasons[""], reasons)
	if n > 20 && reasons[""] < n/2 {
		t.Errorf("only %d of %d were done in process: %v", reasons[""], n, reasons)
	}
}

// randomTree changes files below a folder at random.
type randomTree struct {
	*rand.Rand
	t     *testing.T
	root  string
	rules bool // attributes and line ends too
}

func randomRepository(t *testing.T, seed uint64) string {
	top := t.TempDir()
	env := testEnv(t)
	w := &randomTree{Rand: rand.New(rand.NewPCG(seed, 4)), t: t, root: filepath.Join(top, "r")}
	w.rules = w.IntN(6) == 0
	if err := os.Mkdir(w.root, 0o700); err != nil {
		t.Fatal(err)
	}
	setup := "git init -q -b main .\n" + w.pick("", "", "", "git config index.version 4\n", "git config core.autocrlf input\n", "git config index.threads 2\n", "git config core.untrackedCache true\n")
	shell(t, w.root, env, setup)
	for range 1 + w.IntN(3) {
		w.write(2 + w.IntN(30))
		shell(t, w.root, env, "git add -A; git commit -q --allow-empty -m random"+w.pick("", "", "; git gc -q", "; git repack -q -d", "; git pack-refs --all"))
		w.change(w.IntN(6))
	}
	shell(t, w.root, env, w.pick("", "", "", "git add -A", "git add -u", "git checkout -q --detach", "git branch -f other; git branch -q -u other", "git commit -q --allow-empty -m x"))
	w.change(1 + w.IntN(25))
	w.write(w.IntN(6))
	r, err := Open(t.Context(), w.root, env)
	if err != nil {
		t.Fatal(err)
	}
	fast, why := agree(t, r, env)
	if fast {
		w.change(w.IntN(10))
		agree(t, r, env)
	}
	return why
}

func (w *randomTree) pick(of ...string) string { return of[w.IntN(len(of))] }

// name makes a path of one to four parts, from few words so that files and folders meet.
func (w *randomTree) name() string {
	words := []string{"a", "b", "c", "ab", "a.b", "a-b", "A", "sp ace", "new\nline", "ü", "한글", "q\"", "\xff\xfe", "-x", ":y", "#z", "*", "tmp", "x.log", "long" + strings.Repeat("g", 80)}
	parts := make([]string, 1+w.IntN(4))
	for i := range parts {
		parts[i] = w.pick(words...)
	}
	return filepath.Join(parts...)
}

func (w *randomTree) content() []byte {
	b := []byte(strings.Repeat(w.pick("x", "line\n", "y\n"), w.IntN(40)))
	switch {
	case w.rules && w.IntN(4) == 0:
		b = append(b, "windows\r\n"...)
	case w.IntN(50) == 0:
		b = append(b, make([]byte, 200_000)...)
	}
	return append(b, strconv.Itoa(w.IntN(50))...)
}

// write makes n files, links and rules, whatever stood there before.
func (w *randomTree) write(n int) {
	for range n {
		p := filepath.Join(w.root, w.name())
		switch w.IntN(14) {
		case 0:
			p = filepath.Join(filepath.Dir(p), ".gitignore")
			w.put(p, []byte(w.pick("*.log\n", "tmp\n!tmp/a\n", "/a\n", "*\n!*.b\n", "# none\n")))
		case 1:
			if w.rules {
				p = filepath.Join(filepath.Dir(p), ".gitattributes")
				w.put(p, []byte(w.pick("* text=auto\n", "*.b eol=crlf\n", "a -text\n", "*.log filter=none\n", "b ident\n", "* -diff\n")))
			}
		case 2:
			w.clear(p)
			to := w.pick("a", "../b", "/nowhere", "한글")
			if to == filepath.Base(p) {
				to = "b" // git status passes over what was tracked below a link to itself; git add -A and we do not
			}
			_ = os.Symlink(to, p)
		default:
			w.put(p, w.content())
			if w.IntN(5) == 0 {
				_ = os.Chmod(p, 0o755)
			}
		}
	}
}

func (w *randomTree) put(p string, b []byte) {
	w.clear(p)
	_ = os.WriteFile(p, b, 0o644)
}

// clear makes room for a file: folders on the way, nothing in its place.
func (w *randomTree) clear(p string) {
	rel, err := filepath.Rel(w.root, filepath.Dir(p))
	if err != nil {
		w.t.Fatal(err)
	}
	dir := w.root
	for _, part := range strings.Split(rel, string(filepath.Separator)) {
		dir = filepath.Join(dir, part)
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			_ = os.Remove(dir)
		}
		_ = os.Mkdir(dir, 0o755)
	}
	_ = os.RemoveAll(p)
}

// files lists what stands in the work tree, folders included.
func (w *randomTree) files() (all []string) {
	_ = filepath.WalkDir(w.root, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && p != w.root {
			all = append(all, p)
		}
		return nil
	})
	slices.Sort(all)
	return all
}

// change changes n of the files that are there.
func (w *randomTree) change(n int) {
	for range n {
		all := w.files()
		if len(all) == 0 {
			return
		}
		p := all[w.IntN(len(all))]
		info, err := os.Lstat(p)
		if err != nil {
			w.t.Fatal(err)
		}
		switch w.IntN(8) {
		case 0:
			_ = os.RemoveAll(p)
		case 1:
			to := filepath.Join(w.root, w.name())
			if rel, err := filepath.Rel(p, to); err == nil && !strings.HasPrefix(rel, "..") {
				break // into itself
			}
			w.clear(to)
			_ = os.Rename(p, to)
		case 2:
			_ = os.Chmod(p, info.Mode().Perm()^0o100|0o600|os.FileMode(map[bool]int{true: 0o100}[info.IsDir()]))
		case 3: // the same size, at once
			if b, err := os.ReadFile(p); err == nil && info.Mode().IsRegular() && len(b) > 0 {
				b[0] ^= 1
				_ = os.WriteFile(p, b, 0o644)
			}
		case 4:
			at := time.Unix(int64(1e9+w.IntN(1e6)), 0)
			_ = os.Chtimes(p, at, at)
		default:
			w.put(p, w.content())
		}
	}
}
