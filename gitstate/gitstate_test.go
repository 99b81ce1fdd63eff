package gitstate

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// testEnv is an environment in which git knows nobody but the test's user.
func testEnv(t testing.TB) []string {
	t.Helper()
	home := t.TempDir()
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.invalid"}
}

// shell runs a script in dir and returns what it printed.
func shell(t testing.TB, dir string, env []string, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repo makes a repository by a script that runs inside it and opens it.
func repo(t testing.TB, script string) (*Repo, []string) {
	t.Helper()
	dir, env := t.TempDir(), testEnv(t)
	shell(t, dir, env, "git init -q -b main .\n"+script)
	r, err := Open(t.Context(), dir, env)
	if err != nil {
		t.Fatal(err)
	}
	return r, env
}

const oneCommit = "echo a >a; mkdir d; echo b >d/b; git add -A; git commit -qm first\n"

func TestOpen(t *testing.T) {
	r, env := repo(t, oneCommit+"mkdir -p x/y; ln -s x/y link; git worktree add -q ../linked 2>/dev/null || git worktree add -q -b linked ../linked-"+"$$\n")
	real, _ := filepath.EvalSymlinks(r.Root)
	for _, dir := range []string{"", "x/y", "link", "d"} {
		got, err := Open(t.Context(), filepath.Join(r.Root, dir), env)
		if err != nil || got.Root != real || got.GitDir != filepath.Join(real, ".git") || got.CommonDir != got.GitDir || got.Linked() {
			t.Errorf("%q: %+v %v", dir, got, err)
		}
	}
	if got, _ := Open(t.Context(), filepath.Join(r.Root, "link"), env); got.Prefix != "x/y" {
		t.Errorf("prefix %q", got.Prefix)
	}
}

// TestOpenAgreesWithGit opens every shape in both ways and compares them.
func TestOpenAgreesWithGit(t *testing.T) {
	shapes := map[string]string{
		"plain":          oneCommit,
		"unborn":         "",
		"detached":       oneCommit + "git checkout -q --detach",
		"odd branch":     oneCommit + "git checkout -q -b 'feature/ünï-'",
		"packed refs":    oneCommit + "git pack-refs --all",
		"worktreeConfig": oneCommit + "git config extensions.worktreeConfig true",
		"sparse":         oneCommit + "git sparse-checkout set d",
		"split index":    oneCommit + "git update-index --split-index",
		"separate dir":   oneCommit + "git init -q --separate-git-dir=../elsewhere.git .",
	}
	for name, script := range shapes {
		t.Run(name, func(t *testing.T) {
			r, env := repo(t, script)
			asked := &Repo{git: runner{program: "git", env: env}}
			if err := asked.openByGit(t.Context(), r.Root); err != nil {
				t.Fatal(err)
			}
			a, err1 := r.Head(t.Context())
			b, err2 := asked.Head(t.Context())
			if r.Root != asked.Root || r.GitDir != asked.GitDir || r.CommonDir != asked.CommonDir || a != b || err1 != nil || err2 != nil {
				t.Errorf("%+v %+v\n%+v %+v\n%v %v", r, a, asked, b, err1, err2)
			}
		})
	}
}

func TestOpenLinkedWorkTree(t *testing.T) {
	r, env := repo(t, oneCommit)
	linked := filepath.Join(t.TempDir(), "linked")
	shell(t, r.Root, env, "git worktree add -q -b other "+linked)
	got, err := Open(t.Context(), linked, env)
	if err != nil || !got.Linked() || got.CommonDir != r.GitDir || got.inner == nil {
		t.Fatalf("%+v %v", got, err)
	}
	if h, err := got.Head(t.Context()); err != nil || h.Branch() != "other" || h.Commit == "" {
		t.Errorf("%+v %v", h, err)
	}
}

func TestOpenInsideHook(t *testing.T) {
	r, env := repo(t, oneCommit)
	got, err := Open(t.Context(), r.Root, append(slices.Clone(env), "GIT_DIR="+r.GitDir, "GIT_INDEX_FILE="+r.GitDir+"/next-index-7"))
	if err != nil || got.Root != r.Root || got.IndexFile == "" {
		t.Fatalf("%+v %v", got, err)
	}
	if s, err := got.Status(t.Context(), Files); err != nil || len(s.Entries) != 0 {
		t.Errorf("the hook's index leaked into our child: %+v %v", s, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	env := testEnv(t)
	if _, err := Open(t.Context(), t.TempDir(), env); !errors.Is(err, ErrNoRepo) {
		t.Errorf("outside: %v", err)
	}
	bare := t.TempDir()
	shell(t, bare, env, "git init -q --bare .")
	var b *BareError
	if _, err := Open(t.Context(), bare, env); !errors.As(err, &b) {
		t.Errorf("bare: %v", err)
	}
	r, env := repo(t, oneCommit)
	var inside *InsideGitDirError
	if _, err := Open(t.Context(), r.GitDir, env); !errors.As(err, &inside) {
		t.Errorf("inside .git: %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(r.Root, "gone"), env); err == nil {
		t.Error("a folder that is not there")
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(r.Root, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(r.GitDir, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), r.Root, env); err == nil || !strings.Contains(err.Error(), "safe.directory") {
			t.Errorf("a repository of somebody else: %v", err)
		}
	}
}

func TestStatus(t *testing.T) {
	r, env := repo(t, oneCommit+`echo c >>a; rm d/b; echo n >new; mkdir -p u/v; echo 1 >u/v/1; printf x >'odd
"name	한글'; git add new; echo staged >s; git add s; chmod +x a`)
	s, err := r.Status(t.Context(), Files)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range s.Entries {
		got[e.Path] = string([]byte{byte(e.Kind), e.X, e.Y})
	}
	want := map[string]string{"a": "1.M", "d/b": "1.D", "new": "1A.", "s": "1A.", "u/v/1": "???", "odd\n\"name\t한글": "???"}
	for p, w := range want {
		if got[p] != w {
			t.Errorf("%q: %q, want %q", p, got[p], w)
		}
	}
	if len(got) != len(want) || !s.Staged() || s.Head.Ref != "refs/heads/main" || s.Head.Commit != shell(t, r.Root, env, "git rev-parse HEAD") {
		t.Errorf("%+v", s)
	}
	s, err = r.Status(t.Context(), Folders)
	if err != nil || !slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Path == "u/" }) {
		t.Errorf("%+v %v", s, err)
	}
	below, err := r.UntrackedBelow(t.Context(), []string{"u/"})
	if err != nil || !slices.Equal(below, []string{"u/v/1"}) {
		t.Errorf("%q %v", below, err)
	}
}

func TestStatusUpstream(t *testing.T) {
	r, env := repo(t, oneCommit+`git clone -q --bare . ../up.git; git remote add origin ../up.git; git fetch -q; git branch -q -u origin/main
echo 1 >1; git add -A; git commit -qm ours; git push -q origin HEAD~1:refs/heads/side`)
	s, err := r.Status(t.Context(), Folders)
	if err != nil || s.Upstream != "origin/main" || !s.HasUpstream || s.Ahead != 1 || s.Behind != 0 {
		t.Errorf("%+v %v", s, err)
	}
	shell(t, r.Root, env, "git update-ref -d refs/remotes/origin/main")
	if s, err = r.Status(t.Context(), Folders); err != nil || s.HasUpstream || s.Upstream != "origin/main" {
		t.Errorf("upstream gone: %+v %v", s, err)
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("# branch.oid (initial)\x00# branch.head main\x00? a\x00"))
	f.Add([]byte("?0\x00? \x00"))
	f.Add([]byte("1 .M N... 100644 100644 100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 a b\x00"))
	f.Add([]byte("u UU N... 100644 100644 100644 100644 1 2 3 a\x001 x\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parseStatus(b)
		if err != nil {
			return
		}
		for _, e := range s.Entries {
			if e.Path == "" || strings.Contains(e.Path, "\x00") {
				t.Errorf("%+v", e)
			}
			if e.Stageable() && e.Kind == Unmerged {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestInProgress(t *testing.T) {
	conflict := oneCommit + `git checkout -q -b other; echo o >a; git commit -qam o; git checkout -q main; echo m >a; git commit -qam m
`
	for op, begin := range map[Operation]string{
		Merge:      "git merge -q other >/dev/null || :",
		Rebase:     "git rebase -q other >/dev/null 2>&1 || :",
		CherryPick: "git cherry-pick other >/dev/null 2>&1 || :",
		Revert:     "git revert --no-edit HEAD~1 >/dev/null 2>&1 || :",
		Bisect:     "git bisect start >/dev/null",
	} {
		r, _ := repo(t, conflict+begin)
		if got := r.InProgress(); !slices.Equal(got, []Operation{op}) {
			t.Errorf("%s: %v", op, got)
		}
	}
	if r, _ := repo(t, oneCommit); len(r.InProgress()) != 0 {
		t.Error("nothing is in progress")
	}
}

func TestConfig(t *testing.T) {
	r, _ := repo(t, "git config commit.gpgSign yes; git config a.b ''; printf '[x]\n\tflag\n\tmulti = a\\\\nb\n' >>.git/config; git config core.sparseCheckout 0")
	c, err := r.Config(t.Context())
	if err != nil || !c.Bool("commit.gpgsign", false) || c.Bool("a.b", true) || !c.Bool("x.flag", false) || c["x.multi"] != "a\nb" ||
		c.Bool("core.sparsecheckout", true) || !c.Bool("not.there", true) {
		t.Errorf("%v %v", c, err)
	}
}

// stage stages what status lists, and returns the staging.
func stage(t *testing.T, r *Repo, run string) (*Staging, []Skipped) {
	t.Helper()
	st, err := r.Status(t.Context(), Files)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range st.Entries {
		if e.Stageable() {
			paths = append(paths, e.Path)
		}
	}
	s, skipped, err := r.Stage(t.Context(), StageOptions{Run: run, Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	return s, skipped
}

func TestStageCommitPublish(t *testing.T) {
	r, env := repo(t, oneCommit+"echo c >>a; rm d/b; echo n >new; ln -s a link")
	head, _ := r.Head(t.Context())
	before := shell(t, r.Root, env, "git ls-files -s")
	s, _ := stage(t, r, "r1")
	if got := shell(t, r.Root, env, "git ls-files -s"); got != before {
		t.Fatalf("staging changed the index:\n%s", got)
	}
	commit, err := s.Commit(t.Context(), CommitOptions{Tree: s.Tree, Parent: head.Commit, Subject: "wip: ä", Body: SnapshotTrailer + ": abc"})
	if err != nil {
		t.Fatal(err)
	}
	if got := shell(t, r.Root, env, "git rev-parse HEAD; git ls-files -s"); got != head.Commit+"\n"+before {
		t.Fatal("a commit object changed HEAD or the index")
	}
	err = s.Publish(t.Context(), Target{Ref: head.Ref, Old: head.Commit, Log: "session save"}, commit, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if got := shell(t, r.Root, env, "git status --porcelain; git fsck 2>&1; ls .git/session; git reflog -1 --format=%gs; git log -1 --format=%s"); got != "session save\nwip: ä" {
		t.Errorf("after: %q", got)
	}
	files, err := r.TreeDiff(t.Context(), head.Commit, commit)
	if err != nil || len(files) != 4 || files[1].Path != "d/b" || files[1].Mode != "" || files[2].Mode != "120000" {
		t.Errorf("%+v %v", files, err)
	}
	now, err := r.FilesNow(t.Context(), []string{"a", "d/b", "link", "new"})
	if err != nil || !slices.Equal(now, files) {
		t.Errorf("work tree %+v, commit %+v, %v", now, files, err)
	}
	log, err := r.Log(t.Context(), head.Commit+".."+commit, 10)
	if err != nil || len(log) != 1 || log[0].Trailer != "abc" || log[0].Subject != "wip: ä" {
		t.Errorf("%+v %v", log, err)
	}
}

// TestPublishOnlyStaged covers a save whose files were all staged by hand: the private index is still the real one's
// other name, and renaming a file to itself would leave the lock behind.
func TestPublishOnlyStaged(t *testing.T) {
	r, env := repo(t, oneCommit+"echo c >>a; git add a; git write-tree >/dev/null")
	head, _ := r.Head(t.Context())
	s, _ := stage(t, r, "r1")
	commit, err := s.Commit(t.Context(), CommitOptions{Tree: s.Tree, Parent: head.Commit, Subject: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Publish(t.Context(), Target{Ref: head.Ref, Old: head.Commit, Log: "l"}, commit, time.Now); err != nil {
		t.Fatal(err)
	}
	if got := shell(t, r.Root, env, "git status --porcelain; ls .git | grep lock || :"); got != "" {
		t.Errorf("left behind: %q", got)
	}
}

func TestPublishRefusals(t *testing.T) {
	start := func(t *testing.T) (*Repo, []string, *Staging, Target, string) {
		r, env := repo(t, oneCommit+"echo c >>a; echo n >n; git add n")
		head, _ := r.Head(t.Context())
		s, _ := stage(t, r, "r1")
		commit, err := s.Commit(t.Context(), CommitOptions{Tree: s.Tree, Parent: head.Commit, Subject: "s"})
		if err != nil {
			t.Fatal(err)
		}
		return r, env, s, Target{Ref: head.Ref, Old: head.Commit, Log: "l"}, commit
	}
	unchanged := func(t *testing.T, r *Repo, env []string, want string) {
		t.Helper()
		if got := shell(t, r.Root, env, "git status --porcelain"); got != want {
			t.Errorf("status %q, want %q", got, want)
		}
	}
	t.Run("index changed meanwhile", func(t *testing.T) {
		r, env, s, target, commit := start(t)
		shell(t, r.Root, env, "echo z >z; git add z")
		if err := s.Publish(t.Context(), target, commit, time.Now); !errors.Is(err, ErrIndexMoved) {
			t.Errorf("%v", err)
		}
		s.Drop()
		unchanged(t, r, env, "M a\nA  n\nA  z")
	})
	t.Run("branch moved meanwhile", func(t *testing.T) {
		r, env, s, target, commit := start(t)
		shell(t, r.Root, env, "git update-ref refs/heads/main $(git commit-tree -m x HEAD^{tree})")
		var moved *RefMovedError
		if err := s.Publish(t.Context(), target, commit, time.Now); !errors.As(err, &moved) || moved.Index != nil {
			t.Errorf("%v", err)
		}
		unchanged(t, r, env, "M a\nA  n")
	})
	t.Run("reference-transaction hook refuses", func(t *testing.T) {
		r, env, s, target, commit := start(t)
		shell(t, r.Root, env, `printf '#!/bin/sh\n[ "$1" = committed ] || exit 1\n' >.git/hooks/reference-transaction; chmod +x .git/hooks/reference-transaction`)
		var moved *RefMovedError
		if err := s.Publish(t.Context(), target, commit, time.Now); !errors.As(err, &moved) {
			t.Errorf("%v", err)
		}
		unchanged(t, r, env, "M a\nA  n")
	})
	t.Run("git killed when the branch had moved", func(t *testing.T) {
		r, env, s, target, commit := start(t)
		shell(t, r.Root, env, `printf '#!/bin/sh\n[ "$1" != committed ] || { : >.git/HEAD.lock; kill -9 $PPID; }\n' >.git/hooks/reference-transaction; chmod +x .git/hooks/reference-transaction`)
		if err := s.Publish(t.Context(), target, commit, time.Now); err != nil {
			t.Errorf("%v", err)
		}
		shell(t, r.Root, env, "rm .git/hooks/reference-transaction")
		unchanged(t, r, env, "")
		if got := shell(t, r.Root, env, "git rev-parse HEAD; ls .git | grep lock || :"); got != commit {
			t.Errorf("HEAD and locks: %q, want %s", got, commit)
		}
	})
	t.Run("a dead lock", func(t *testing.T) {
		r, env, s, target, commit := start(t)
		shell(t, r.Root, env, "touch -d '1 hour ago' .git/index.lock")
		var locked *LockedError
		err := s.Publish(t.Context(), target, commit, time.Now)
		if !errors.As(err, &locked) || !locked.Dead || locked.Age < 59*time.Minute {
			t.Errorf("%v", err)
		}
		if r.IndexLock(time.Now()) == nil {
			t.Error("git's lock was removed")
		}
	})
	t.Run("a living lock", func(t *testing.T) {
		r, env, s, target, commit := start(t)
		f, err := os.Create(filepath.Join(r.GitDir, "index.lock"))
		if err != nil {
			t.Fatal(err)
		}
		clock := time.Now()
		late := func() time.Time { clock = clock.Add(lockWait / 2); return clock }
		var locked *LockedError
		if err := s.Publish(t.Context(), target, commit, late); !errors.As(err, &locked) || locked.Dead {
			t.Errorf("%v", err)
		}
		f.Close()
		os.Remove(f.Name())
		unchanged(t, r, env, "M a\nA  n")
	})
}

func TestCommitRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		script string
		o      CommitOptions
		want   func(error) bool
	}{
		"no identity":      {"git config user.useConfigOnly true", CommitOptions{}, func(err error) bool { return errors.Is(err, ErrNoIdentity) }},
		"no key":           {"git config gpg.program false", CommitOptions{Sign: true}, func(err error) bool { var e *SignError; return errors.As(err, &e) }},
		"pre-commit":       {"printf '#!/bin/sh\necho no; exit 1\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", CommitOptions{Hooks: true}, func(err error) bool { var e *HookError; return errors.As(err, &e) && e.Hook == "pre-commit" }},
		"hook not run":     {"printf '#!/bin/sh\nexit 1\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", CommitOptions{}, func(err error) bool { return err == nil }},
		"message by hook":  {"printf '#!/bin/sh\necho hooked >$1\n' >.git/hooks/commit-msg; chmod +x .git/hooks/commit-msg", CommitOptions{Hooks: true}, func(err error) bool { return err == nil }},
		"commit-msg fails": {"printf '#!/bin/sh\nexit 3\n' >.git/hooks/commit-msg; chmod +x .git/hooks/commit-msg", CommitOptions{Hooks: true}, func(err error) bool { var e *HookError; return errors.As(err, &e) && e.Hook == "commit-msg" }},
	} {
		t.Run(name, func(t *testing.T) {
			r, env := repo(t, oneCommit+"echo c >>a\n"+tc.script)
			if name == "no identity" {
				env = slices.DeleteFunc(env, func(s string) bool {
					return strings.HasPrefix(s, "GIT_") && strings.Contains(s, "_NAME=") || strings.Contains(s, "_EMAIL=")
				})
				r, _ = Open(t.Context(), r.Root, env)
			}
			s, _ := stage(t, r, "r1")
			tc.o.Tree, tc.o.Subject = s.Tree, "s"
			id, err := s.Commit(t.Context(), tc.o)
			if !tc.want(err) {
				t.Errorf("%v", err)
			}
			if name == "message by hook" && shell(t, r.Root, env, "git log -1 --format=%s "+id) != "hooked" {
				t.Error("the hook's message was lost")
			}
			s.Drop()
			if got := shell(t, r.Root, env, "git status --porcelain; ls -A .git/session"); got != "M a" {
				t.Errorf("left behind: %q", got)
			}
		})
	}
}

func TestStageSkips(t *testing.T) {
	r, _ := repo(t, oneCommit+"git init -q empty; git init -q full; git -C full commit -q --allow-empty -m x; rm a; mkfifo a; mkdir t; echo t >t/f; git add t; rm -r t; ln -s d t; rm -r d; echo f >d")
	s, skipped := stage(t, r, "r1")
	defer s.Drop()
	got := map[string]string{}
	for _, k := range skipped {
		got[k.Path] = k.Reason
	}
	if len(got) != 2 || got["empty/"] != SkipEmptyRepo || got["a"] != SkipNotAFile {
		t.Errorf("%v", got)
	}
	files, err := r.TreeDiff(t.Context(), "", s.Tree)
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Mode[:2]+f.Path)
	}
	if err != nil || !slices.Equal(paths, []string{"10a", "10d", "16full", "12t"}) {
		t.Errorf("%v %v", paths, err)
	}
}

func TestFilesNowOddNames(t *testing.T) {
	r, env := repo(t, "printf 1 >'a\nb'; printf 2 >'q\"q'; printf 3 >'한글'; git add -A; git commit -qm x; git config core.autocrlf input; printf 'x\\r\\n' >crlf")
	now, err := r.FilesNow(t.Context(), []string{"a\nb", "q\"q", "한글", "crlf", "gone"})
	if err != nil {
		t.Fatal(err)
	}
	want := shell(t, r.Root, env, "git rev-parse 'HEAD:a\nb' 'HEAD:q\"q' 'HEAD:한글'; printf 'x\\n' | git hash-object --stdin")
	var got []string
	for _, f := range now[:4] {
		got = append(got, f.Blob)
	}
	if strings.Join(got, "\n") != want || now[4].Mode != "" {
		t.Errorf("%q %q", got, want)
	}
}

func TestRelate(t *testing.T) {
	r, env := repo(t, oneCommit+"git tag base; echo 1 >1; git add -A; git commit -qm 1; git tag one; git checkout -q -b side base; echo 2 >2; git add -A; git commit -qm 2")
	id := func(rev string) string { return shell(t, r.Root, env, "git rev-parse "+rev) }
	for _, tc := range []struct {
		saved, now string
		want       Relation
	}{
		{id("one"), id("one"), Relation{}},
		{id("base"), id("one"), Relation{Ahead: 1}},
		{id("one"), id("base"), Relation{Behind: 1}},
		{id("one"), id("side"), Relation{Ahead: 1, Behind: 1}},
		{strings.Repeat("1", 40), id("one"), Relation{Missing: true}},
	} {
		if got, err := r.Relate(t.Context(), tc.saved, tc.now); err != nil || got != tc.want {
			t.Errorf("%.7s..%.7s: %+v %v", tc.saved, tc.now, got, err)
		}
	}
	if tip, err := r.RefTip(t.Context(), "refs/heads/none"); err != nil || tip != "" {
		t.Errorf("%q %v", tip, err)
	}
	if b, ok, err := r.Show(t.Context(), "HEAD", "2"); err != nil || !ok || string(b) != "2\n" {
		t.Errorf("%q %v %v", b, ok, err)
	}
	if _, ok, err := r.Show(t.Context(), "HEAD", "none"); err != nil || ok {
		t.Errorf("%v %v", ok, err)
	}
	if c, err := r.LastTouching(t.Context(), "a"); err != nil || c != id("base") {
		t.Errorf("%q %v", c, err)
	}
}

func TestExclude(t *testing.T) {
	r, env := repo(t, oneCommit+"printf '# mine\\n*.tmp' >.git/info/exclude; mkdir .claude; echo x >.claude/session-state.json")
	for i, want := range []bool{true, false} {
		if added, err := r.Exclude(".claude/session-state.json"); err != nil || added != want {
			t.Errorf("%d: %v %v", i, added, err)
		}
	}
	if got := shell(t, r.Root, env, "git status --porcelain; cat .git/info/exclude"); got != "# mine\n*.tmp\n/.claude/session-state.json" {
		t.Errorf("%q", got)
	}
	if ok, err := r.Tracks(t.Context(), "a"); err != nil || !ok {
		t.Errorf("%v %v", ok, err)
	}
	if ok, err := r.Tracks(t.Context(), "d"); err != nil || ok {
		t.Errorf("a folder is no tracked file: %v %v", ok, err)
	}
}

// TestMend leaves what a killed save leaves and a lock of somebody else's.
func TestMend(t *testing.T) {
	r, env := repo(t, oneCommit+"echo c >>a; mkdir -p .git/session; echo {} >.git/session/journal.json")
	stage(t, r, "killed")
	shell(t, r.Root, env, "ln .git/session/index.killed .git/index.lock; printf 1234 >.git/refs/heads/main.lock; printf 99 >.git/HEAD.lock")
	journal, err := os.Stat(filepath.Join(r.GitDir, "session", "journal.json"))
	if err != nil {
		t.Fatal(err)
	}
	removed, err := r.Mend(Unfinished{Ref: "refs/heads/main", New: "1234567", Journal: journal})
	if err != nil || len(removed) != 3 {
		t.Errorf("%v %v", removed, err)
	}
	if got := shell(t, r.Root, env, "find .git -name '*.lock'; ls .git/session"); got != ".git/HEAD.lock\njournal.json" {
		t.Errorf("%q", got)
	}
	shell(t, r.Root, env, "rm .git/HEAD.lock; cp .git/index .git/index.lock")
	if removed, err := r.Mend(Unfinished{Ref: "refs/heads/main"}); err != nil || len(removed) != 0 {
		t.Errorf("took somebody else's lock: %v %v", removed, err)
	}
}

func TestCancelled(t *testing.T) {
	r, _ := repo(t, oneCommit+"echo c >>a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Status(ctx, Files); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, _, err := r.Stage(ctx, StageOptions{Run: "x", Paths: []string{"a"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if p := r.private(); len(p) != 0 {
		t.Errorf("left behind: %v", p)
	}
}
