package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// shape is a repository of some kind with changes to save. The script runs in an empty folder and makes the work tree
// "r" (or another: the last line that it prints is the folder to save in).
type shape struct {
	name   string
	script string
	// left are paths that a save names as left out, so they are missing from its tree; of git they are asked to be left
	// out as well.
	left []string
	// dirty is what git status shows after the save, where that is not nothing.
	dirty string
}

const (
	begin = `git init -q r; cd r
mkdir -p d/e; echo one >a; echo two >d/b; echo three >d/e/c; printf '#!/bin/sh\n' >run; chmod +x run; ln -s a link
git add -A; git commit -qm base
`
	change = `echo more >>a; rm d/b; echo new >n; mkdir -p u/v; echo u >u/v/w; git mv d/e/c moved; chmod -x run; rm link; ln -s d link
`
)

// shapes is the matrix of S1.3: what a save commits equals git add -A, whatever the repository is like.
var shapes = []shape{
	{name: "plain", script: begin + change},
	{name: "nothing staged or changed but new", script: begin + "echo n >n"},
	{name: "all staged by hand", script: begin + change + "git add -A"},
	{name: "staged then changed again", script: begin + "echo s >a; git add a; echo t >a; echo x >x; git add x; rm x"},
	{name: "staged then taken back", script: begin + "echo s >a; git add a; git show HEAD:a >a; echo y >y"},
	{name: "unborn HEAD", script: "git init -q r; cd r; mkdir d; echo a >a; echo b >d/b"},
	{name: "unborn HEAD, some staged", script: "git init -q r; cd r; mkdir d; echo a >a; git add a; echo b >d/b; rm a"},
	{name: "detached HEAD", script: begin + "git checkout -q --detach\n" + change},
	{name: "linked work tree", script: begin + "git worktree add -q -b side ../linked; cd ../linked\n" + change + "pwd"},
	{name: "linked work tree detached", script: begin + "git worktree add -q --detach ../linked; cd ../linked\n" + change + "pwd"},
	{name: "separate git dir", script: "mkdir r; cd r; git init -q --separate-git-dir=../g .; echo a >a; git add a; git commit -qm base; echo b >b"},
	{name: "bare .git file relative", script: "git init -q g; cd g; echo a >a; git add a; git commit -qm base; mkdir ../r; mv a ../r; mv .git ../r.git; cd ../r; echo 'gitdir: ../r.git' >.git; echo b >b"},
	{name: "submodule clean", script: sub + "git submodule --quiet add ../s sm; git commit -qm sub; echo x >>a"},
	{name: "submodule dirty", script: sub + "git submodule --quiet add ../s sm; git commit -qm sub; echo x >>sm/f; echo y >>a", dirty: " M sm"},
	{name: "submodule new commit", script: sub + "git submodule --quiet add ../s sm; git commit -qm sub; cd sm; echo x >>f; git commit -qam x; cd ..; echo y >y"},
	{name: "submodule added", script: sub + "git submodule --quiet add ../s sm; git reset -q"},
	{name: "submodule removed", script: sub + "git submodule --quiet add ../s sm; git commit -qm sub; rm -r sm"},
	{name: "submodule ignored by config", script: sub + "git submodule --quiet add ../s sm; git commit -qm sub; git config submodule.sm.ignore all; cd sm; echo x >>f; git commit -qam x; cd ..; echo y >y"},
	{name: "embedded repository", script: begin + "git init -q inner; cd inner; echo i >i; git add i; git commit -qm i; cd ..; echo y >y"},
	{name: "embedded repository without a commit", script: begin + "git init -q inner; echo i >inner/i; echo y >y", left: []string{"inner/"}, dirty: "?? inner/"},
	{name: "sparse checkout", script: begin + "git sparse-checkout set d; echo x >>d/b; echo n >d/n"},
	{name: "sparse checkout, new file outside", script: begin + "git sparse-checkout set d; mkdir -p out; echo n >out/n; echo x >>d/b", dirty: "?? out/"},
	{name: "sparse without cone", script: begin + "git sparse-checkout set --no-cone '/d/'; echo x >>d/b"},
	{name: "split index", script: begin + "git update-index --split-index\n" + change},
	{name: "split index by config", script: begin + "git config core.splitIndex true; git status >/dev/null\n" + change},
	{name: "sparse index", script: begin + "git sparse-checkout set --cone --sparse-index d; echo x >>d/b; echo n >d/n"},
	{name: "shared repository", script: begin + "git config core.sharedRepository group\n" + change},
	{name: "case folding asked for", script: begin + "git config core.ignoreCase true\n" + change},
	{name: "a merge that was resolved", script: begin + "git checkout -q -b o; echo o >a; git commit -qam o; git checkout -q -; echo m >a; git commit -qam m; git merge -q o || :; echo r >a; git add a; git commit -qm merged; echo s >>a"},
	{name: "offset table", script: begin + "git config index.threads 2; i=0; while [ $i -lt 200 ]; do echo $i >d/$i; i=$((i+1)); done; GIT_TEST_INDEX_THREADS=2 git add -A; GIT_TEST_INDEX_THREADS=2 git commit -qm many; rm d/7; echo x >>d/50; echo n >d/60b"},
	{name: "attributes deleted", script: begin + "echo '*.x text' >.gitattributes; git add -A; git commit -qm 2; rm .gitattributes; printf 'c\\r\\n' >c.x"},
	{name: "large files apart", script: begin + "git config core.bigFileThreshold 1k; head -c 3000 /dev/zero >big; echo x >>a"},
	{name: "index version 4", script: begin + "git update-index --index-version 4\n" + change},
	{name: "index version 2 with untracked cache", script: begin + "git update-index --untracked-cache; git status >/dev/null\n" + change},
	{name: "fsmonitor hook", script: begin + "printf '#!/bin/sh\\nprintf token\\\\0/\\\\0\\n' >../fsm; chmod +x ../fsm; git config core.fsmonitor \"$PWD/../fsm\"; git status >/dev/null\n" + change},
	{name: "SHA-256", script: strings.Replace(begin, "git init -q r", "git init -q --object-format=sha256 r", 1) + change},
	{name: "clone --shared", script: begin + "cd ..; git clone -q --shared r c; cd c\n" + change + "pwd"},
	{name: "shallow clone", script: begin + "git commit -q --allow-empty -m 2; cd ..; git clone -q --depth 1 \"file://$PWD/r\" c; cd c\n" + change + "pwd"},
	{name: "partial clone", script: begin + "git config uploadpack.allowFilter true; cd ..; git clone -q --filter=blob:none \"file://$PWD/r\" c; cd c\n" + change + "pwd"},
	{name: "treeless clone", script: begin + "git config uploadpack.allowFilter true; cd ..; git clone -q --filter=tree:0 \"file://$PWD/r\" c; cd c\n" + change + "pwd"},
	{name: "autocrlf true", script: begin + "git config core.autocrlf true; printf 'x\\r\\ny\\r\\n' >crlf; printf 'p\\r\\n' >>a"},
	{name: "autocrlf input", script: begin + "git config core.autocrlf input; printf 'x\\r\\ny\\n' >crlf; touch a"},
	{name: "safecrlf warns", script: begin + "git config core.autocrlf true; git config core.safecrlf warn; echo lf >lf"},
	{name: "eol attributes", script: begin + "printf '*.bat eol=crlf\\n*.sh eol=lf\\n*.bin -text\\n' >.gitattributes; printf 'a\\r\\n' >x.bat; printf 'a\\r\\n' >x.sh; printf 'a\\r\\n' >x.bin"},
	{name: "working-tree-encoding", script: begin + "echo '*.u working-tree-encoding=UTF-16LE' >.gitattributes; printf 'a\\000b\\000' >x.u"},
	{name: "clean filter", script: begin + "git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge cat; echo '*.up filter=up' >.gitattributes; echo low >x.up; git add -A; git commit -qm f; echo lower >x.up; echo more >y.up"},
	{name: "required filter fails", script: begin + "git config filter.no.clean false; git config filter.no.required true; echo '*.no filter=no' >.gitattributes; echo y >y; echo x >x.no", left: []string{"*refused*"}},
	{name: "ident attribute", script: begin + "echo '*.id ident' >.gitattributes; echo '$Id: zzz $' >x.id"},
	{name: "global excludes", script: begin + "printf '*.secret\\n' >\"$HOME/ex\"; git config --global core.excludesFile \"$HOME/ex\"; echo s >x.secret; echo y >y"},
	{name: "info/exclude and nested ignores", script: begin + "echo 'zz*' >.git/info/exclude; mkdir -p p/q; printf '*\\n!keep\\n' >p/.gitignore; echo 1 >p/keep; echo 2 >p/no; echo 3 >zz1; echo 4 >p/q/keep; git add -f p/no; git commit -qm n; echo 5 >p/no"},
	{name: "ignored but staged by force", script: begin + "echo '*.log' >.gitignore; echo 1 >x.log; git add -f x.log; echo 2 >x.log"},
	{name: "worktreeConfig", script: begin + "git config extensions.worktreeConfig true; git config --worktree core.autocrlf input; printf 'x\\r\\n' >crlf"},
	{name: "core.worktree", script: begin + "cd ..; mkdir w; cp r/a w/; git -C r config core.worktree \"$PWD/w\"; echo n >w/n; cd r; pwd"},
	{name: "symbolic links off", script: begin + "git config core.symlinks false; rm link; printf d >link"},
	{name: "fileMode off", script: begin + "git config core.fileMode false; chmod +x a; chmod -x run; echo z >>run; echo n >n; chmod +x n"},
	{name: "odd names", script: begin + `echo 1 >'sp ace'; echo 2 >'q"uo'\''te'; echo 3 >"$(printf 'new\nline')"; echo 4 >-dash; echo 5 >:colon; echo 6 >'*star'; echo 7 >"$(printf '\303\251')"; echo 8 >"$(printf 'e\314\201')"; echo 9 >"$(printf '\355\225\234\352\270\200')"; echo 10 >"$(printf '\341\204\222\341\205\241\341\206\253')"; echo 11 >"$(printf 'bad\377\376')"; mkdir "$(printf 'dir\n\377')"; echo 12 >"$(printf 'dir\n\377')/x"; echo 13 >"$(printf 'tab\there')"; echo 14 >'#hash'; echo 15 >'\back'`},
	{name: "odd names tracked", script: begin + `echo 1 >'sp ace'; echo 3 >"$(printf 'new\nline')"; echo 11 >"$(printf 'bad\377')"; git add -A; git commit -qm odd; rm 'sp ace'; echo x >>"$(printf 'new\nline')"; mkdir t; mv "$(printf 'bad\377')" t/`},
	{name: "assume-unchanged", script: begin + "git update-index --assume-unchanged a; echo x >>a; echo y >y"},
	{name: "skip-worktree", script: begin + "git update-index --skip-worktree a; rm a; echo y >y"},
	{name: "intent to add", script: begin + "echo i >i; git add -N i; echo y >y"},
	{name: "intent to add, then deleted", script: begin + "echo i >i; git add -N i; rm i; echo y >y"},
	{name: "file becomes folder", script: begin + "rm a; mkdir a; echo x >a/x; echo y >a/y"},
	{name: "folder becomes file", script: begin + "rm -r d; echo f >d"},
	{name: "folder becomes link", script: begin + "mkdir t; echo 1 >t/1; git add t; git commit -qm t; rm -r t; ln -s d t"},
	{name: "folder becomes ignored link", script: begin + "mkdir t; echo 1 >t/1; git add t; git commit -qm t; rm -r t; ln -s d t; echo t >.git/info/exclude"},
	{name: "file becomes submodule", script: sub + "rm a; git clone -q ../s a; echo z >z"},
	{name: "link to nowhere and to a folder", script: begin + "ln -s nowhere dead; ln -s / abs; ln -s d dir"},
	{name: "FIFO in the place of a file", script: begin + "rm a; mkfifo a; mkfifo f; echo y >y", left: []string{"a"}, dirty: " M a"},
	{name: "gpgsign on", script: begin + signing + "git config commit.gpgSign true\n" + change},
	{name: "case and prefix neighbours", script: begin + "echo 1 >d.x; echo 2 >d-x; echo 3 >D; mkdir dd; echo 4 >dd/x; rm -r d; echo 5 >d"},
	{name: "everything deleted", script: begin + "rm -r a d link run"},
	{name: "empty folders only", script: begin + "mkdir -p x/y/z"},
	{name: "packed refs and objects", script: begin + "git gc -q; git pack-refs --all\n" + change},
	{name: "replace objects", script: begin + "git replace \"$(git rev-parse HEAD:a)\" \"$(git rev-parse HEAD:d/b)\"\n" + change},
	{name: "index with an old mtime", script: begin + change + "touch -d '2001-01-01' .git/index"},
	{name: "files from the future", script: begin + "echo x >>a; touch -d '2099-01-01' a; echo y >y; touch -d '2099-01-01' y"},
	{name: "racily clean", script: begin + "echo abc >r1; git add r1; git commit -qm r; echo xyz >r1; touch -r .git/index r1"},
	{name: "untracked cache and showUntrackedFiles no", script: begin + "git config status.showUntrackedFiles no\n" + change},
	{name: "status.renames and relativePaths", script: begin + "git config status.renames copies; git config status.relativePaths true\n" + change},
	{name: "branch with an odd name", script: begin + "git checkout -q -b \"$(printf 'feature/\\377-\\360\\237\\230\\200')\"\n" + change},
	{name: "commit hooks that fail", script: begin + "for h in pre-commit commit-msg prepare-commit-msg post-commit; do printf '#!/bin/sh\\nexit 1\\n' >.git/hooks/$h; chmod +x .git/hooks/$h; done\n" + change},
	{name: "refs/heads prefix neighbour", script: begin + "git branch heads/main; git tag main\n" + change},
	{name: "i18n commit encoding", script: begin + "git config i18n.commitEncoding ISO-8859-1\n" + change},
	{name: "alternate index format skipHash", script: begin + "git config index.skipHash true\n" + change},
	{name: "many files", script: begin + "i=0; while [ $i -lt 700 ]; do mkdir -p m/$((i%17)); echo $i >m/$((i%17))/f$i; i=$((i+1)); done; git add -A; git commit -qm many; for f in m/3/*; do echo z >>$f; done; rm -r m/5; mkdir m/x; cp m/3/* m/x"},
}

const (
	sub     = "git config --global protocol.file.allow always; git init -q s; cd s; echo f >f; git add f; git commit -qm s; cd ..\n" + begin
	signing = `printf '#!/bin/sh\nexec >&2\necho "[GNUPG:] SIG_CREATED D" >&2\nprintf -- "-----BEGIN PGP SIGNATURE-----\\nx\\n-----END PGP SIGNATURE-----\\n" >&1\n' >../gpg
printf '#!/bin/sh\ncat >/dev/null\nprintf -- "-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n"\nprintf "\\n[GNUPG:] SIG_CREATED D\\n" >&2\n' >../gpg; chmod +x ../gpg; git config gpg.program "$PWD/../gpg"; git config user.signingKey k
`
)

// TestShapes saves every shape and holds the commit against git itself. What is scanned in process is saved once more the
// other way.
func TestShapes(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if way := saveShape(t, s, environ(t)); way == "fast" && !testing.Short() {
				saveShape(t, s, environ(t, "SESSION_GIT_PATH=safe"))
			}
		})
	}
}

// saveShape returns who scanned and staged: fast or safe.
func saveShape(t *testing.T, s shape, env []string) string {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "r")
	if last := lastLine(sh(t, top, env, s.script)); strings.HasPrefix(last, "/") {
		dir = last
	}
	if len(s.left) == 1 && s.left[0] == "*refused*" {
		refusedShape(t, dir, env)
		return ""
	}
	spec := ":/"
	for _, l := range s.left {
		spec += " ':(exclude,top,literal)" + strings.TrimSuffix(l, "/") + "'"
	}
	want := lastLine(sh(t, dir, env, `cp -p "$(git rev-parse --git-path index)" ../oracle 2>/dev/null || :
`+"GIT_INDEX_FILE=\"$PWD/../oracle\" git add -A -- "+spec+" 2>/dev/null || :; GIT_INDEX_FILE=\"$PWD/../oracle\" git write-tree"))
	out, errs, code := session(t, dir, env, "save", "--json")
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	way := gjson.Get(out, "commit.path").String()
	if reason := gjson.Get(out, "commit.path_reason").String(); way != "fast" && (way != "safe" || reason == "") {
		t.Errorf("path %q, reason %q", way, reason)
	}
	t.Log(way, gjson.Get(out, "commit.path_reason"))
	if got := sh(t, dir, env, "git rev-parse 'HEAD^{tree}'"); got != want {
		t.Errorf("tree %s, git add -A makes %s\n%s", got, want, sh(t, dir, env, "git diff-tree -r --no-renames "+want+" "+got))
	}
	if got := sh(t, dir, env, "git status --porcelain --untracked-files=normal --ignore-submodules=none"); got != strings.TrimSpace(s.dirty) {
		t.Errorf("status after the save: %q, want %q", got, s.dirty)
	}
	if got := sh(t, dir, env, "git fsck --no-dangling 2>&1 | grep -v '^notice' || :"); got != "" && !strings.Contains(s.name, "partial") && !strings.Contains(s.name, "treeless") {
		t.Errorf("git fsck: %s", got)
	}
	for _, l := range s.left {
		if !strings.Contains(out, fmt.Sprintf("%q", l)) {
			t.Errorf("%s is not named as left out in %s", l, out)
		}
	}
	if lock := sh(t, dir, env, `find "$(git rev-parse --git-dir)" -name '*.lock' ! -path '*/leases/*'; ls "$(git rev-parse --git-dir)/session" | grep '^index' || :`); lock != "" {
		t.Errorf("left behind: %s", lock)
	}
	commits := sh(t, dir, env, "git rev-list --count HEAD")
	if out, errs, code := session(t, dir, env, "save", "--json"); code != 0 || gjson.Get(out, "commit.created").Bool() {
		t.Errorf("second save: exit code %d %s%s", code, out, errs)
	}
	if again := sh(t, dir, env, "git rev-list --count HEAD"); again != commits {
		t.Errorf("the second save made an empty commit")
	}
	if out, errs, code := session(t, dir, env, "load", "--json"); code != 0 || gjson.Get(out, "validation.status.0").String() != "ALL_VALID" {
		t.Errorf("load: exit code %d %s %s", code, gjson.Get(out, "validation.findings.#.message").Raw, errs)
	}
	return way
}

// refusedShape is a work tree that git add refuses: nothing is committed, nothing changes, the state is written.
func refusedShape(t *testing.T, dir string, env []string) {
	before := sh(t, dir, env, "git status --porcelain; git ls-files -s; git rev-parse HEAD")
	out, errs, code := session(t, dir, env, "save", "--json")
	if code != 3 || !strings.Contains(out, "COMMIT_REFUSED") {
		t.Errorf("exit code %d %s%s", code, out, errs)
	}
	if after := sh(t, dir, env, "git status --porcelain; git ls-files -s; git rev-parse HEAD"); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if b, err := os.ReadFile(filepath.Join(dir, ".claude", "session-state.json")); err != nil || !gjson.ValidBytes(b) {
		t.Errorf("no state: %v", err)
	}
}

// sh runs a shell script and returns what it printed.
func sh(t testing.TB, dir string, env []string, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir, cmd.Env = dir, env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s\n%v\n%s%s", script, err, out, errs.String())
	}
	return strings.TrimSpace(string(out))
}

// session runs the program.
func session(t testing.TB, dir string, env []string, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := exec.Command("session", args...)
	cmd.Dir, cmd.Env = dir, env
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }
