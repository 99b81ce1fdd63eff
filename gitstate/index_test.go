package gitstate

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// indexScripts make indexes of every kind that is read in process.
var indexScripts = map[string]string{
	"version 2":         oneCommit,
	"version 4":         oneCommit + "echo x >d/bc; git add -A; git update-index --index-version 4",
	"version 3":         oneCommit + "echo i >i; git add -N i",
	"no tree cache":     "echo a >a; mkdir d; echo b >d/b; git add -A",
	"stale tree cache":  oneCommit + "echo c >d/c; git add d/c",
	"long names":        oneCommit + "n=$(printf '%0200d' 7); mkdir -p $n/$n/$n; for i in 1 2 3; do echo $i >$n/$n/$n/$n$i; done; for i in 1 2 3 4 5 6 7 8 9; do echo $i >$(printf '%0'$i'd' 0); done; git add -A",
	"unmerged":          oneCommit + "git checkout -q -b o; echo o >a; git commit -qam o; git checkout -q main; echo m >a; git commit -qam m; git merge -q o || :",
	"resolved":          oneCommit + "git checkout -q -b o; echo o >a; git commit -qam o; git checkout -q main; echo m >a; git commit -qam m; git merge -q o || :; echo r >a; git add a",
	"offset table":      oneCommit + "git config index.threads 3; i=0; while [ $i -lt 300 ]; do echo $i >d/$i; i=$((i+1)); done; GIT_TEST_INDEX_THREADS=3 git add -A",
	"offset table of 4": oneCommit + "git config index.threads 3; git config index.version 4; i=0; while [ $i -lt 300 ]; do echo $i >d/$i; i=$((i+1)); done; GIT_TEST_INDEX_THREADS=3 git add -A",
	"no hash":           oneCommit + "git config index.skipHash true; echo x >x; git add x",
	"modes":             oneCommit + "ln -s a l; echo x >x; chmod +x x; git add -A",
	"empty":             oneCommit + "git rm -q -r a d",
	"submodule":         oneCommit + "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub",
	"flags":             oneCommit + "git update-index --assume-unchanged a; git update-index --skip-worktree d/b",
}

// TestReadIndex holds what is read of an index against git ls-files, and writes it anew.
func TestReadIndex(t *testing.T) {
	for name, script := range indexScripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, env := repo(t, script)
			x, err := readIndex(r.indexFile())
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for i := range x.len() {
				fmt.Fprintf(&got, "%06o %s %d\t%s\x00", x.mode(i), x.id(i), x.flags(i)&flagStage>>12, x.name(i))
				if at, ok := x.search(string(x.name(i))); x.odd.unmerged == 0 && (!ok || at != i) {
					t.Errorf("%s is found at %d, stands at %d", x.name(i), at, i)
				}
			}
			cmd := shell(t, r.Root, env, "git ls-files -s -z | od -An -v -tx1 | tr -d ' \\n'")
			if want := fmt.Sprintf("%x", got.String()); want != cmd {
				t.Errorf("read %q", got.String())
			}
			if strings.HasPrefix(name, "offset") && (x.blockLen == 0 || !x.hasEnd) {
				t.Error("git wrote no table of offsets")
			}
			if u := x.gate(); u == nil {
				rewrite(t, r, env, x)
			} else if strings.Contains("version 2 version 4 no tree cache long names resolved no hash modes empty offset table of 4", name) {
				t.Errorf("the gate refuses it: %v", u)
			}
		})
	}
}

// rewrite writes the index without edits and lets git read it: entries, tree cache and checksum are sound.
func rewrite(t *testing.T, r *Repo, env []string, x *index) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "index")
	if err := writeIndex(file, x.edit(nil), x.tree); err != nil {
		t.Fatal(err)
	}
	again, err := readIndex(file)
	if err != nil {
		t.Fatal(err)
	}
	if again.hasEnd != x.hasEnd || again.blockLen != x.blockLen || (again.tree == nil) != (x.tree == nil) || !bytes.Equal(again.undo, x.undo) {
		t.Errorf("extensions: end %v, blocks %d, tree %v, undo %q", again.hasEnd, again.blockLen, again.tree != nil, again.undo)
	}
	script := "git fsck --no-dangling 2>&1; git ls-files -s --debug; git ls-files --resolve-undo; git write-tree"
	want := shell(t, r.Root, env, script)
	if got := shell(t, r.Root, env, "export GIT_INDEX_FILE='"+file+"'; "+script); got != want {
		t.Errorf("written anew:\n%s\nwas\n%s", got, want)
	}
	if err := writeIndex(file, x.edit(nil), x.tree); !errors.Is(err, fs.ErrExist) {
		t.Errorf("wrote over an index: %v", err)
	}
}

// TestEdit applies edits to an index and lets git do the same.
func TestEdit(t *testing.T) {
	const script = "for f in a b/c b/d b.e b/f/g h; do mkdir -p $(dirname $f); echo $f >$f; done; git add -A; git commit -qm 1"
	for name, tc := range map[string]struct {
		edits []string // path, or -path
		git   string
	}{
		"none":                     {nil, ":"},
		"change":                   {[]string{"a", "b/f/g"}, "git update-index --cacheinfo 100644,$B,a --cacheinfo 100644,$B,b/f/g"},
		"add":                      {[]string{"0", "b/c0", "z/z"}, "git update-index --add --cacheinfo 100644,$B,0 --cacheinfo 100644,$B,b/c0 --cacheinfo 100644,$B,z/z"},
		"remove":                   {[]string{"-a", "-b/f/g"}, "git rm -q --cached a b/f/g"},
		"remove what is not there": {[]string{"-q"}, ":"},
		"folder becomes a file":    {[]string{"b"}, "git update-index --add --replace --cacheinfo 100644,$B,b"},
		"file becomes a folder":    {[]string{"a/x/y"}, "git update-index --add --replace --cacheinfo 100644,$B,a/x/y"},
		"both ways, and gone":      {[]string{"-a", "a/x", "-b/c", "-b/d", "-b/f/g", "b"}, "git update-index --add --replace --cacheinfo 100644,$B,a/x --cacheinfo 100644,$B,b"},
		"everything goes":          {[]string{"-a", "-b/c", "-b/d", "-b.e", "-b/f/g", "-h"}, "git rm -q -r --cached ."},
	} {
		t.Run(name, func(t *testing.T) {
			r, env := repo(t, script)
			blob, _ := parseObjectID(shell(t, r.Root, env, "echo new | git hash-object -w --stdin"))
			x, err := readIndex(r.indexFile())
			if err != nil {
				t.Fatal(err)
			}
			var edits []indexEdit
			for _, p := range tc.edits {
				path, gone := strings.CutPrefix(p, "-")
				edits = append(edits, indexEdit{path: path, gone: gone, mode: modeFile, id: blob})
			}
			e := x.edit(edits)
			o, err := openObjects(r.CommonDir)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			made := map[objectID]madeTree{}
			if err := treesOf(e, x.tree, made, o.has); err != nil {
				t.Fatal(err)
			}
			for id, m := range made {
				if got, _ := objectName(treeObject, m.body); got != id {
					t.Errorf("%s is %s", id, got)
				}
			}
			file := filepath.Join(t.TempDir(), "index")
			if err := writeIndex(file, e, x.tree); err != nil {
				t.Fatal(err)
			}
			want := shell(t, r.Root, env, "B="+blob.String()+"\n"+tc.git+"; git ls-files -s; git write-tree")
			if got := shell(t, r.Root, env, "export GIT_INDEX_FILE='"+file+"'; git ls-files -s; git write-tree"); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
			if id := lastLine(want); id != x.tree.id.String() {
				t.Errorf("tree %s, want %s", x.tree.id, id)
			}
		})
	}
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// sealed is an index file with the checksum that its bytes ask for.
func sealed(body []byte) []byte {
	sum := sha1.Sum(body)
	return append(bytes.Clone(body), sum[:]...)
}

// TestIndexRefused makes of a sound index what no git writes, checksum included.
func TestIndexRefused(t *testing.T) {
	r, env := repo(t, oneCommit)
	good, err := os.ReadFile(r.indexFile())
	if err != nil {
		t.Fatal(err)
	}
	shell(t, r.Root, env, "git update-index --index-version 4")
	four, err := os.ReadFile(r.indexFile())
	if err != nil {
		t.Fatal(err)
	}
	put := func(b []byte, at int, v uint32) []byte {
		b = bytes.Clone(b)
		binary.BigEndian.PutUint32(b[at:], v)
		return b
	}
	body, body4 := good[:len(good)-20], four[:len(four)-20]
	tree := bytes.Index(body, []byte("TREE"))
	for name, b := range map[string][]byte{
		"empty":                   nil,
		"not an index":            sealed(append([]byte("DIRX"), body[4:]...)),
		"version 1":               sealed(put(body, 4, 1)),
		"version 5":               sealed(put(body, 4, 5)),
		"too many entries":        sealed(put(body, 8, 1<<31)),
		"more than there are":     sealed(put(body, 8, 3)),
		"wrong checksum":          append(bytes.Clone(body), bytes.Repeat([]byte{1}, 20)...),
		"cut in an entry":         sealed(body[:50]),
		"cut in a name":           sealed(body[:12+entryHead+1]),
		"cut in an extension":     sealed(body[:len(body)-3]),
		"extension too long":      sealed(put(body, tree+4, 1<<31)),
		"tree cache of nothing":   sealed(append(put(body, tree+4, 0)[:tree+8], []byte{}...)),
		"name longer than said":   sealed(put(body, 12+60, 0x0009_6100)),
		"extended in version 2":   sealed(put(body, 12+60, 0x4001_6100)),
		"drops more than is":      sealed(put(body4, 12+62, 0x05_61_00_00)),
		"a number without an end": sealed(put(body4, 12+62, 0xffff_ffff)),
	} {
		if _, err := parseIndex(bytes.Clone(b)); err == nil {
			t.Errorf("%s: read", name)
		} else if u := unfit(err); u.Reason != UnfitIndex {
			t.Errorf("%s: %v", name, u)
		}
	}
	for name, change := range map[string]func(b []byte){
		"a mode of no file":       func(b []byte) { binary.BigEndian.PutUint32(b[12+24:], 0o100600) },
		"a folder":                func(b []byte) { binary.BigEndian.PutUint32(b[12+24:], modeFolder) },
		"a name that leaves":      func(b []byte) { b[12+62] = '.' },
		"a name that begins at /": func(b []byte) { b[12+62] = '/' },
	} {
		b := bytes.Clone(body)
		change(b)
		x, err := parseIndex(sealed(b))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if x.gate() == nil {
			t.Errorf("%s passes the gate", name)
		}
	}
	zeros := append(bytes.Clone(body), make([]byte, 20)...)
	if _, err := parseIndex(zeros); err != nil {
		t.Errorf("index.skipHash: %v", err)
	}
}

func TestPlainPath(t *testing.T) {
	for p, want := range map[string]bool{"a": true, "a/b": true, ".a": true, "...": true, "..a/b": true, ".gitx": true, "a/.gita": true, "한글": true, "a\nb": true,
		"": false, "/a": false, "a/": false, "a//b": false, ".": false, "a/./b": false, "../a": false, "a/..": false, ".git": false, "a/.GIT/b": false} {
		if got := plainPath([]byte(p)); got != want {
			t.Errorf("%q: %v", p, got)
		}
	}
}

// TestBackNumbers writes and reads the numbers of version 4.
func TestBackNumbers(t *testing.T) {
	for _, n := range []uint64{0, 1, 127, 128, 129, 16511, 16512, 1 << 20, 1<<31 + 7} {
		b := appendBack(nil, n)
		if got, used := readBack(append(b, 0xff)); uint64(got) != n || used != len(b) {
			t.Errorf("%d: %x reads %d (%d of %d bytes)", n, b, got, used, len(b))
		}
		if _, used := readBack(b[:len(b)-1]); used != 0 {
			t.Errorf("%d: read though cut off", n)
		}
	}
}

// FuzzIndex: whatever an index file holds, reading it ends; and what passes the gate is written so that it reads the same.
func FuzzIndex(f *testing.F) {
	for _, name := range []string{"version 2", "version 4", "offset table of 4", "resolved", "unmerged", "modes"} {
		r, _ := repo(f, indexScripts[name])
		b, err := os.ReadFile(r.indexFile())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:len(b)-20])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		x, err := parseIndex(sealed(body))
		if err != nil || x.gate() != nil {
			return
		}
		var out bytes.Buffer
		if err := x.edit(nil).write(&out, x.tree); err != nil {
			t.Fatal(err)
		}
		again, err := parseIndex(out.Bytes())
		if err != nil {
			t.Fatalf("written anew it is refused: %v", err)
		}
		if again.len() != x.len() {
			t.Fatalf("%d entries, were %d", again.len(), x.len())
		}
		for i := range x.len() {
			if !bytes.Equal(x.name(i), again.name(i)) || x.mode(i) != again.mode(i) || x.id(i) != again.id(i) || x.stat(i) != again.stat(i) {
				t.Fatalf("entry %d differs", i)
			}
		}
		if x.tree != nil {
			made := map[objectID]madeTree{}
			err := treesOf(x.edit(nil), x.tree, made, func(objectID) (bool, error) { return true, nil })
			if err == nil && x.tree.count != x.len() {
				t.Fatalf("a tree of %d entries over %d", x.tree.count, x.len())
			}
		}
	})
}

// TestFolderWay asks for the folders on the way in the order of an index.
func TestFolderWay(t *testing.T) {
	r, _ := repo(t, "mkdir -p a/b/c x; ln -s x l; echo f >f; mkdir m; ln -s ../x m/l")
	tree, err := openWorkTree(r.Root)
	if err != nil {
		t.Skip("files are compared by git here")
	}
	defer tree.close()
	way := folderWay{tree: tree}
	var bad []string
	for _, p := range []string{"a/b/c/1", "a/b/c/2", "a/b/3", "a/bc/4", "a/n/5", "f/6", "f/g/7", "g", "l/8", "l/y/9", "l2", "m/l/10", "m/x", "x/11"} {
		ok, err := way.real(p)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			bad = append(bad, p)
		}
	}
	if want := []string{"a/bc/4", "a/n/5", "f/6", "f/g/7", "l/8", "l/y/9", "m/l/10"}; !slices.Equal(bad, want) {
		t.Errorf("%q, want %q", bad, want)
	}
}
