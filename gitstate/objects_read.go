package gitstate

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// objectID names an object of a SHA-1 repository.
type objectID [20]byte

func (id objectID) String() string { return hex.EncodeToString(id[:]) }

// parseObjectID reads 40 hexadecimal digits.
func parseObjectID(s string) (id objectID, ok bool) {
	if len(s) != 2*len(id) {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(s))
	return id, err == nil
}

// objectKind is the type of an object as packs number it (gitformat-pack(5)).
type objectKind byte

const (
	commitObject objectKind = 1
	treeObject   objectKind = 2
	blobObject   objectKind = 3
)

var kindNames = map[objectKind]string{commitObject: "commit", treeObject: "tree", blobObject: "blob", 4: "tag"}

var (
	errNoObject  = errors.New("there is no such object")
	errBadObject = errors.New("the object is damaged")
)

// objects reads an object store: loose objects, packs, and the stores that it borrows from (alternates). It sees the
// packs that were there when it first needed one. Several goroutines may use it.
type objects struct {
	dirs []string // objects folders, the repository's own first

	listing sync.Once
	packs   []*pack
	listErr error
	last    atomic.Pointer[pack] // where the last object was found
}

// openObjects reads nothing but the list of alternates.
func openObjects(commonDir string) (*objects, error) {
	o := &objects{}
	err := o.borrow(filepath.Join(commonDir, "objects"), 0)
	return o, err
}

// maxAlternates is git's own limit of stores that borrow from stores (object-file.c).
const maxAlternates = 5

func (o *objects) borrow(dir string, depth int) error {
	if depth > maxAlternates {
		return nil
	}
	o.dirs = append(o.dirs, dir)
	b, err := os.ReadFile(filepath.Join(dir, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read alternates: %w", err)
	}
	for _, line := range strings.Split(string(b), "\n") {
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '"': // quoted like C: git writes it, nobody else does
			return fmt.Errorf("read alternates: %s: %q", dir, line)
		case !filepath.IsAbs(line):
			line = filepath.Join(dir, line)
		}
		if len(o.dirs) > 64 {
			return fmt.Errorf("read alternates: %s: too many", dir)
		}
		if err := o.borrow(line, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Close lets go of the packs.
func (o *objects) Close() {
	for _, p := range o.packs {
		p.close()
	}
}

// has reports whether an object is there, without reading it.
func (o *objects) has(id objectID) (bool, error) {
	for _, d := range o.dirs {
		if _, err := os.Lstat(loosePath(d, id)); err == nil {
			return true, nil
		}
	}
	p, _, err := o.find(id)
	return p != nil, err
}

// read returns an object's content. errNoObject: it is not there; errBadObject: it cannot be what it says, or it is
// larger than limit.
func (o *objects) read(id objectID, limit int64) (objectKind, []byte, error) {
	for _, d := range o.dirs {
		kind, b, err := readLoose(loosePath(d, id), limit)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return kind, b, err
		}
	}
	p, at, err := o.find(id)
	if err != nil {
		return 0, nil, err
	}
	if p == nil {
		return 0, nil, fmt.Errorf("%s: %w", id, errNoObject)
	}
	return o.unpack(p, at, limit)
}

// readAs reads an object that must be of a kind.
func (o *objects) readAs(id objectID, want objectKind, limit int64) ([]byte, error) {
	kind, b, err := o.read(id, limit)
	if err == nil && kind != want {
		err = fmt.Errorf("%s is a %s, not a %s: %w", id, kindNames[kind], kindNames[want], errBadObject)
	}
	return b, err
}

func loosePath(dir string, id objectID) string {
	s := id.String()
	return dir + "/" + s[:2] + "/" + s[2:]
}

func readLoose(file string, limit int64) (objectKind, []byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	b, err := inflate(f, limit+64, 0)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", file, err)
	}
	head, body, ok := bytes.Cut(b, []byte{0})
	name, size, ok2 := strings.Cut(string(head[:min(len(head), 40)]), " ")
	n, err := strconv.ParseInt(size, 10, 64)
	if !ok || !ok2 || err != nil || n != int64(len(body)) || n > limit {
		return 0, nil, fmt.Errorf("%s: %w", file, errBadObject)
	}
	for kind, k := range kindNames {
		if k == name {
			return kind, body, nil
		}
	}
	return 0, nil, fmt.Errorf("%s: %w", file, errBadObject)
}

// inflaters are kept: one costs more to make than most objects cost to read.
var inflaters sync.Pool // of io.ReadCloser that are zlib.Resetter

func newInflater(r io.Reader) (io.ReadCloser, error) {
	z, ok := inflaters.Get().(io.ReadCloser)
	if !ok {
		return zlib.NewReader(r)
	}
	if err := z.(zlib.Resetter).Reset(r, nil); err != nil {
		return nil, err
	}
	return z, nil
}

// inflate reads a zlib stream of at most limit bytes. hint is its expected length, 0 if unknown.
func inflate(r io.Reader, limit, hint int64) ([]byte, error) {
	z, err := newInflater(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBadObject, err)
	}
	defer inflaters.Put(z)
	var buf bytes.Buffer
	buf.Grow(int(min(max(hint, 512), limit)) + 1)
	if _, err := io.Copy(&buf, io.LimitReader(z, limit+1)); err != nil {
		return nil, fmt.Errorf("%w: %w", errBadObject, err)
	}
	if int64(buf.Len()) > limit {
		return nil, fmt.Errorf("%w: larger than %d bytes", errBadObject, limit)
	}
	return buf.Bytes(), nil
}
