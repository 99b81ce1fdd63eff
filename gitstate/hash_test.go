package gitstate

import (
	"slices"
	"strings"
	"testing"
)

// TestHashHere holds the ids that are found in process against git's: they are the same, or it is left to git.
func TestHashHere(t *testing.T) {
	const lfs = "git config filter.up.clean 'tr a-z A-Z'; "
	for name, tc := range map[string]struct {
		script string
		here   bool
	}{
		"plain":             {"echo b >>a", true},
		"empty, executable": {"chmod +x a; : >b", true},
		"binary":            {"printf 'x\\0y' >b", true},
		"CR, nothing asks":  {"printf 'x\\r\\n' >b", true},
		"CR, autocrlf":      {"git config core.autocrlf true; printf 'x\\r\\n' >b", false},
		"no CR, autocrlf":   {"git config core.autocrlf input; echo x >b", true},
		"CR, text":          {"echo '* text=auto' >.gitattributes; printf 'x\\r\\n' >b", false},
		"filter":            {lfs + "echo '*.up filter=up' >.gitattributes; echo x >b", false},
		"filter below":      {lfs + "echo 'b filter=up' >d/.gitattributes; echo x >d/b", false},
		"filter of git's":   {lfs + "mkdir -p .git/info; echo 'b filter=up' >.git/info/attributes; echo x >b", false},
		"filter of user's":  {lfs + "echo 'b filter=up' >../attributes; git config core.attributesFile \"$PWD/../attributes\"; echo x >b", false},
		"attributes gone":   {lfs + "echo 'b filter=up' >.gitattributes; git add -A; rm .gitattributes; echo x >b", false},
		"macro":             {"echo '[attr]x -text' >.gitattributes; echo x >b", false},
		"ident":             {"echo 'b ident' >.gitattributes; echo '$Id: 1 $' >b", false},
		"skipped":           {"git update-index --skip-worktree d/b; echo x >b", false},
		"unmerged":          {"git checkout -qb o; echo 1 >a; git commit -qam 1; git checkout -q -; echo 2 >a; git commit -qam 2; git merge -q o >/dev/null || :", false},
	} {
		t.Run(name, func(t *testing.T) {
			r, env := repo(t, "mkdir d; echo a >a; echo b >d/b; git add -A; git commit -qm 1;"+tc.script)
			paths := strings.Split(shell(t, r.Root, env, "ls -p | grep -v /; ls -d d/*"), "\n")
			got, here := r.hashHere(t.Context(), paths)
			if here != (tc.here && scannable) {
				t.Errorf("in process: %t", here)
			}
			want := strings.Split(shell(t, r.Root, env, "git hash-object -- "+strings.Join(paths, " ")), "\n")
			if here && !slices.Equal(got, want) {
				t.Errorf("%v: %v, git %v", paths, got, want)
			}
			if all, err := r.hashFiles(t.Context(), paths); err != nil || !slices.Equal(all, want) {
				t.Errorf("%v: %v %v, git %v", paths, all, err, want)
			}
		})
	}
	r, _ := repo(t, oneCommit)
	for _, p := range []string{"gone", ".", "../x"} {
		if _, here := r.hashHere(t.Context(), []string{p}); here {
			t.Errorf("%s was hashed", p)
		}
	}
}
