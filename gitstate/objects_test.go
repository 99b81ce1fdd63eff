package gitstate

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// objectScripts make object stores of every kind that is read in process.
var objectScripts = map[string]string{
	"loose":       oneCommit,
	"packed":      history + "git gc -q --aggressive",
	"ref deltas":  history + "git -c repack.useDeltaBaseOffset=false repack -q -a -d -f",
	"two packs":   history + "git repack -q -a -d; echo z >z; git add z; git commit -qm z; git repack -q -d; echo y >y; git add y",
	"alternates":  history + "cd ..; mkdir -p \"$OLDPWD/b\"; cd \"$OLDPWD\"; git clone -q --shared . b/c; mv .git .git-old; mv b/c/.git .git; printf '../../.git-old/objects\\n# a comment\\n\\n' >.git/objects/info/alternates",
	"multi packs": history + "git repack -q -d; git multi-pack-index write",
}

// history is a repository whose pack holds differences.
const history = oneCommit + "i=0; while [ $i -lt 12 ]; do seq 1 400 >big; echo $i >>big; echo $i >d/$((i%5)); git add -A; git commit -qm \"c $i\"; i=$((i+1)); done; git tag -a -m tagged t\n"

// TestReadObjects reads every object of a store and holds it against git cat-file.
func TestReadObjects(t *testing.T) {
	for name, script := range objectScripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, env := repo(t, script)
			o, err := openObjects(r.CommonDir)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			all := strings.Fields(shell(t, r.Root, env, "git cat-file --batch-all-objects --batch-check='%(objectname) %(objecttype)'"))
			if len(all) < 6 {
				t.Fatalf("only %v", all)
			}
			for i := 0; i < len(all); i += 2 {
				id, _ := parseObjectID(all[i])
				kind, b, err := o.read(id, 1<<20)
				if err != nil || kindNames[kind] != all[i+1] {
					t.Fatalf("%s %s: %s %v", all[i], all[i+1], kindNames[kind], err)
				}
				if is, _ := objectName(kind, b); is != id {
					t.Errorf("%s reads as %s", id, is)
				}
				if ok, err := o.has(id); !ok || err != nil {
					t.Errorf("%s: has %v %v", id, ok, err)
				}
				if _, _, err := o.read(id, int64(len(b))-1); len(b) > 64 && !errors.Is(err, errBadObject) {
					t.Errorf("%s: read beyond the limit: %v", id, err)
				}
			}
			none := objectID{1, 2, 3}
			if _, _, err := o.read(none, 1<<20); !errors.Is(err, errNoObject) {
				t.Errorf("%v", err)
			}
			if ok, err := o.has(none); ok || err != nil {
				t.Errorf("has %v %v", ok, err)
			}
		})
	}
}

// TestCommitsInProcess holds what is said of commits in process against git's own words.
func TestCommitsInProcess(t *testing.T) {
	script := history + "git commit -q --allow-empty -m 'two words' -m 'a body'; git commit -q --allow-empty -m 'wip: w' -m 'Session-Snapshot: abc123'; " +
		"printf 'line one\\nline two\\n\\nbody' | git commit -q --allow-empty -F -; git -c i18n.commitEncoding=ISO-8859-1 commit -q --allow-empty -m latin; " +
		"git checkout -q -b side HEAD~3; git commit -q --allow-empty -m side; git checkout -q main; git merge -q -m merged side; git commit -q --allow-empty -m top\n"
	r, env := repo(t, script)
	ids := strings.Fields(shell(t, r.Root, env, "git rev-list main"))
	known := 0
	for _, from := range append([]string{}, ids[:8]...) {
		for _, to := range ids[:8] {
			if all, ok := r.logInProcess(from+".."+to, 100); ok {
				known++
				want, err := r.log(t.Context(), from+".."+to, 100)
				if err != nil || fmt.Sprint(all) != fmt.Sprint(want) {
					t.Errorf("%s..%s: %v\nwant %v %v", from, to, all, want, err)
				}
			}
			rel, ok := r.relateInProcess(from, to)
			if !ok {
				continue
			}
			known++
			want := shell(t, r.Root, env, "git rev-list --left-right --count "+from+"..."+to)
			if got := fmt.Sprintf("%d\t%d", rel.Behind, rel.Ahead); got != want {
				t.Errorf("%s %s: %q, want %q", from, to, got, want)
			}
		}
	}
	for _, head := range ids {
		c, ok := r.realInProcess(head)
		if !ok {
			continue
		}
		known++
		want, err := r.log(t.Context(), head, 1, "--invert-grep", "--grep=^"+SnapshotTrailer+": [0-9a-z]")
		if err != nil || len(want) != 1 || fmt.Sprint(*c) != fmt.Sprint(want[0]) {
			t.Errorf("%s: %v, want %v %v", head, c, want, err)
		}
	}
	if known < 40 {
		t.Errorf("only %d answers were found in process", known)
	}
}

// TestNoHistoryInProcess leaves histories that are not what the objects say to git.
func TestNoHistoryInProcess(t *testing.T) {
	for name, script := range map[string]string{
		"grafts":   history + "mkdir -p .git/info; git rev-parse HEAD >.git/info/grafts",
		"replaced": history + "git replace HEAD~1 HEAD~3",
		"packed":   history + "git replace HEAD~1 HEAD~3; git pack-refs --all",
		"shallow":  history + "git rev-parse HEAD >.git/shallow",
	} {
		r, _ := repo(t, script)
		if r.history() != nil {
			t.Errorf("%s: read in process", name)
		}
	}
}

// TestWriteObjects writes objects of all sizes, twice, at every level, and lets git read them.
func TestWriteObjects(t *testing.T) {
	r, env := repo(t, oneCommit)
	o, err := openObjects(r.CommonDir)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for _, level := range []int{-1, 0, 1, 9} {
		var all []newObject
		var names, want strings.Builder
		for _, size := range []int{0, 1, 100, diskBlock - 64, diskBlock - 63, smallObject, smallObject + 1, 3 << 20} {
			body := bytes.Repeat([]byte{byte(level + 7), 'x', byte(size)}, size/3+1)[:size]
			id, _ := objectName(blobObject, body)
			all = append(all, bytesObject(id, blobObject, body))
			fmt.Fprintln(&names, id)
			fmt.Fprintln(&want, id, "blob", size)
		}
		w := &objectWriter{store: o, level: level, plain: level == 1, now: time.Now}
		for range 2 {
			if err := w.writeAll(t.Context(), all); err != nil {
				t.Fatal(err)
			}
		}
		got := shell(t, r.Root, env, "git cat-file --batch-check <<'E'\n"+names.String()+"E\n")
		if got != strings.TrimSpace(want.String()) {
			t.Errorf("level %d: %s\nwant %s", level, got, want.String())
		}
	}
	if got := shell(t, r.Root, env, "git fsck --no-dangling --strict 2>&1; find .git/objects -name 'tmp_*'; find .git/objects -type f ! -perm 444"); got != "" {
		t.Errorf("%s", got)
	}
	body := []byte("not what its id says")
	w := &objectWriter{store: o, level: 1, now: time.Now}
	for range 2 {
		if err := w.writeAll(t.Context(), []newObject{bytesObject(objectID{9}, blobObject, body)}); !errors.Is(err, ErrChanged) {
			t.Errorf("%v", err)
		}
		w.plain = true
	}
	if left := shell(t, r.Root, env, "find .git/objects -name 'tmp_*'"); left != "" {
		t.Errorf("left behind: %s", left)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.writeAll(ctx, []newObject{bytesObject(objectID{8}, blobObject, body)}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestFreshen sets the time of an object that is there already, loose or packed: git collects what is old and unused.
func TestFreshen(t *testing.T) {
	r, env := repo(t, oneCommit+"git repack -q -a -d; echo loose >l; git add l; find .git/objects -type f | xargs touch -d '2001-01-01'")
	o, err := openObjects(r.CommonDir)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	var all []newObject
	for _, body := range []string{"loose\n", "a\n"} {
		id, _ := objectName(blobObject, []byte(body))
		all = append(all, bytesObject(id, blobObject, []byte(body)))
	}
	w := &objectWriter{store: o, level: 1, now: time.Now}
	if err := w.writeAll(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	got := shell(t, r.Root, env, "find .git/objects -type f -newermt 2020-01-01 | sed 's/.*pack-[0-9a-f]*/pack/' | sort; find .git/objects -type f | wc -l")
	if want := all[0].id.String(); !strings.Contains(got, want[:2]+"/"+want[2:]) || !strings.Contains(got, "pack.pack") || !strings.HasSuffix(got, "\n4") {
		t.Errorf("%s", got)
	}
}

func TestAlternates(t *testing.T) {
	for name, tc := range map[string]struct {
		line string
		dirs int // 0: refused
	}{
		"none": {"", 1}, "comment": {"# x\n\n", 1}, "absolute": {"/nowhere/objects\n", 2}, "relative": {"../other\n", 2},
		"quoted": {"\"/a\\tb\"\n", 0}, "itself": {"/proc/self/cwd\n", 2},
		"a hundred": {strings.Repeat("/nowhere/objects\n", 100), 0},
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "objects", "info"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "objects", "info", "alternates"), []byte(tc.line), 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := openObjects(dir)
		if (err == nil) != (tc.dirs > 0) || err == nil && len(o.dirs) != tc.dirs {
			t.Errorf("%s: %v %v", name, o.dirs, err)
		}
	}
	loop := t.TempDir()
	if err := os.MkdirAll(filepath.Join(loop, "objects", "info"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(loop, "objects", "info", "alternates"), []byte(filepath.Join(loop, "objects")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o, err := openObjects(loop); err != nil || len(o.dirs) > 10 {
		t.Errorf("a store that borrows from itself: %d %v", len(o.dirs), err)
	}
}

// compressed is a zlib stream.
func compressed(b []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, _ = z.Write(b)
	z.Close()
	return out.Bytes()
}

func TestLooseRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "object")
	for name, b := range map[string][]byte{
		"empty":          nil,
		"not compressed": []byte("blob 1\x00a"),
		"no head":        compressed([]byte("blob 1a")),
		"no size":        compressed([]byte("blob\x00a")),
		"wrong size":     compressed([]byte("blob 2\x00a")),
		"another kind":   compressed([]byte("blub 1\x00a")),
		"cut off":        compressed([]byte("blob 20\x00aaaaaaaaaaaaaaaaaaaa"))[:12],
		"a bomb":         compressed(append([]byte("blob 99999999\x00"), make([]byte, 99999999)...)),
	} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readLoose(file, 1<<16); !errors.Is(err, errBadObject) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDeltas(t *testing.T) {
	base := []byte("0123456789")
	for _, tc := range []struct {
		delta, want string // want "-": refused
	}{
		{"\x0a\x0a\x90\x0a", "0123456789"},
		{"\x0a\x04\x91\x03\x04", "3456"},
		{"\x0a\x03\x03abc", "abc"},
		{"\x0a\x05\x02ab\x91\x07\x03", "ab789"},
		{"\x0a\x00", ""},
		{"", "-"}, {"\x0a", "-"}, {"\x09\x03\x03abc", "-"}, {"\x0a\x04\x03abc", "-"}, {"\x0a\x02\x03abc", "-"},
		{"\x0a\x03\x03ab", "-"}, {"\x0a\x03\x00", "-"}, {"\x0a\x04\x91\x08\x04", "-"}, {"\x0a\x04\x91\x03", "-"}, {"\x0a\x04\xff", "-"},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x03\x03abc", "-"}, {"\x0a\xff\x7f\x90\x0a", "-"}, {"\x0a\x0a\x80", "-"},
	} {
		got, err := applyDelta(base, []byte(tc.delta), 1000)
		if bad := tc.want == "-"; bad != (err != nil) || !bad && string(got) != tc.want {
			t.Errorf("%q: %q %v, want %q", tc.delta, got, err, tc.want)
		}
	}
}

func TestParseTreeAndCommit(t *testing.T) {
	id := strings.Repeat("\x01", 20)
	for body, want := range map[string]string{
		"":                       "",
		"100644 a\x00" + id:      "100644 a",
		"100664 a\x00" + id:      "100644 a",
		"100775 a\x00" + id:      "100755 a",
		"40000 d\x00" + id:       "40000 d",
		"120000 l\x00" + id:      "120000 l",
		"160000 s\x00" + id:      "160000 s",
		"100644 \x00" + id:       "-",
		"100644 a" + id:          "-",
		"100644 a\x00" + id[:19]: "-",
		"10064x a\x00" + id:      "-",
		"a\x00" + id:             "-",
	} {
		list, err := parseTree([]byte(body))
		got := ""
		for _, e := range list {
			got = fmt.Sprintf("%o %s", e.mode, e.name)
		}
		if err != nil {
			got = "-"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
	tree := "tree " + strings.Repeat("1", 40) + "\n"
	for body, ok := range map[string]bool{
		tree + "author A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nm\n": true,
		tree + "\nm": true,
		"parent " + strings.Repeat("1", 40) + "\n\nm": false,
		"tree 123\n\nm":                false,
		tree + "parent x\n\nm":         false,
		tree + "author A\n\nm":         false,
		tree + "author A <a> x y\n\nm": false,
		"":                             false,
	} {
		if _, err := parseCommit([]byte(body)); (err == nil) != ok {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func FuzzDelta(f *testing.F) {
	f.Add([]byte("0123456789"), []byte("\x0a\x05\x02ab\x91\x07\x03"))
	f.Add([]byte("x"), []byte("\x01\x80\x80\x04\xb0\x00\x01"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		if b, err := applyDelta(base, delta, 1<<16); err == nil && len(b) > 1<<16 {
			t.Errorf("%d bytes", len(b))
		}
	})
}

func FuzzTreeAndCommit(f *testing.F) {
	f.Add([]byte("100644 a\x00" + strings.Repeat("\x01", 20)))
	f.Add([]byte("tree " + strings.Repeat("1", 40) + "\nparent " + strings.Repeat("2", 40) + "\nauthor A <a@x> 1 +0000\n\nwip: x\n\nSession-Snapshot: abc\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if list, err := parseTree(b); err == nil {
			for _, e := range list {
				if e.name == "" || strings.IndexByte(e.name, 0) >= 0 || e.mode == 0 {
					t.Errorf("%+v", e)
				}
			}
		}
		if c, err := parseCommit(b); err == nil {
			if out, ok := c.known(objectID{}); ok && (out.Subject == "" || strings.Contains(out.Trailer, "\n")) {
				t.Errorf("%+v", out)
			}
			_ = c.wip()
		}
		if root, err := parseTreeCache(b); err == nil && !bytes.Equal(mustCache(root.append(nil)).append(nil), root.append(nil)) {
			t.Errorf("tree cache %q does not read as it is written", b)
		}
	})
}

func mustCache(b []byte) *treeNode {
	t, err := parseTreeCache(b)
	if err != nil {
		return &treeNode{}
	}
	return t
}

// FuzzPack puts any bytes in the place of a pack and of a loose object.
func FuzzPack(f *testing.F) {
	r, _ := repo(f, history+"git gc -q")
	packs, err := filepath.Glob(filepath.Join(r.GitDir, "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		f.Fatal(packs, err)
	}
	sound, err := os.ReadFile(packs[0])
	if err != nil {
		f.Fatal(err)
	}
	idx := strings.TrimSuffix(packs[0], "pack") + "idx"
	table, err := os.ReadFile(idx)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sound, table, int64(12))
	f.Add(compressed([]byte("blob 1\x00a")), table[:packHead], int64(0))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b, table []byte, at int64) {
		file := filepath.Join(dir, fmt.Sprintf("pack-%d", os.Getpid()))
		if os.WriteFile(file+".pack", b, 0o600) != nil || os.WriteFile(file+".idx", table, 0o600) != nil {
			t.Skip()
		}
		if _, body, err := readLoose(file+".pack", 1<<16); err == nil && len(body) > 1<<16+64 {
			t.Errorf("%d bytes", len(body))
		}
		p, err := openPack(file + ".idx")
		if err != nil {
			return
		}
		defer p.close()
		o := &objects{}
		if at < 0 {
			at = 0
		}
		if _, body, err := o.unpack(p, at, 1<<16); err == nil && len(body) > 1<<16 {
			t.Errorf("%d bytes", len(body))
		}
		for _, id := range []objectID{{}, {0x7f}, {0xff, 0xff}} {
			_, _ = p.find(id)
		}
	})
}

// TestContents reads a file twice and sees whether it is still the same.
func TestContents(t *testing.T) {
	dir := t.TempDir()
	tree, err := openWorkTree(dir)
	if err != nil {
		t.Skip("files are compared by git here")
	}
	defer tree.close()
	c := &contents{tree: tree}
	large := bytes.Repeat([]byte("line\r\n"), keepFile/6+1)
	for name, b := range map[string][]byte{"small": []byte("small\n"), "large": large} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := c.of(name)
		want, _ := objectName(blobObject, b)
		if err != nil || f.id != want || f.length != int64(len(b)) || (f.bytes == nil) != (name == "large") || f.cr != (name == "large") {
			t.Fatalf("%s: %v %v", name, f, err)
		}
		r, err := c.open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		r.Close()
		if err := os.WriteFile(filepath.Join(dir, name), append(b, '!'), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err = c.open(name)
		if err != nil {
			t.Fatal(err)
		}
		switch got, err := io.ReadAll(r); name {
		case "small": // kept: what was judged is what is staged
			if err != nil || !bytes.Equal(got, b) {
				t.Errorf("%s: %q %v", name, got, err)
			}
		case "large":
			if !errors.Is(err, ErrChanged) {
				t.Errorf("%s: %v", name, err)
			}
		}
		r.Close()
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := c.of("folder"); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	if err := os.Symlink(strings.Repeat("x", 3000), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if f, err := c.of("link"); err != nil || len(f.bytes) != 3000 || f.info.mode != modeLink {
		t.Errorf("%v %v", f, err)
	}
	if _, _, err := tree.open("link"); !errors.Is(err, ErrChanged) {
		t.Errorf("followed a link: %v", err)
	}
}
