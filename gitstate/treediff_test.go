package gitstate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTreeDiffHere holds the difference of two trees that is found in process against git's: the same files in the same
// order, over random trees in which files, folders, links and programs take each other's places.
func TestTreeDiffHere(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "a.b", "a-b", "a0", "한글", "b c", "z\nz"}
	var script strings.Builder
	for i := range 12 {
		script.WriteString("git rm -rfq --ignore-unmatch . ; rm -rf ./*\n")
		for range 8 {
			var path string
			for range 1 + rnd.IntN(3) {
				path += "/" + names[rnd.IntN(len(names))]
			}
			path = "'" + path[1:] + "'"
			fmt.Fprintf(&script, "mkdir -p \"$(dirname %[1]s)\" 2>/dev/null && [ ! -e %[1]s ] && ", path)
			switch rnd.IntN(4) {
			case 0:
				fmt.Fprintf(&script, "ln -s x%d %s", rnd.IntN(2), path)
			case 1:
				fmt.Fprintf(&script, "echo %d >%[2]s && chmod +x %[2]s", rnd.IntN(3), path)
			default:
				fmt.Fprintf(&script, "echo %d >%s", rnd.IntN(3), path)
			}
			script.WriteString(" || :\n")
		}
		fmt.Fprintf(&script, "git add -A; git commit -q --allow-empty -m %d; git tag t%d\n", i, i)
		if i == 5 {
			script.WriteString("git gc -q\n")
		}
	}
	r, env := repo(t, script.String())
	o := r.history()
	defer o.Close()
	ids := strings.Fields(shell(t, r.Root, env, "for i in $(seq 0 11); do git rev-parse t$i 't'$i'^{tree}'; done"))
	differ := 0
	for _, from := range ids {
		for _, to := range ids {
			out, err := r.git.run(t.Context(), nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", from, to)
			if err != nil {
				t.Fatal(err)
			}
			want, err := diffRecords(out)
			if err != nil {
				t.Fatal(err)
			}
			got, err := o.diffHere(from, to)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%.8s %.8s: %v\n%v\ngit:\n%v", from, to, err, got, want)
			}
			differ += len(want)
		}
	}
	if differ < 1000 {
		t.Errorf("only %d differences were compared", differ)
	}
	for _, bad := range []string{"", "HEAD", strings.Repeat("1", 40), shell(t, r.Root, env, "echo x | git hash-object -w --stdin")} {
		if _, err := o.diffHere(ids[0], bad); err == nil {
			t.Errorf("%q is a tree", bad)
		}
	}
}
