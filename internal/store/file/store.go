package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"session/internal/atomicfile"
	"session/internal/snapshot"
)

// Format is the version of the layout that this program writes, and the latest that it reads.
const Format = 1

const (
	storeFile = "store.json"
	smallFile = 64 << 10 // bytes that store.json, a pointer or a Ref may have
	shards    = "0123456789abcdefghjkmnpqrstvwxyz"
)

var (
	// ErrNoStore: the folder holds no store.
	ErrNoStore = errors.New("no session store there")
	// ErrUnsafe: a link or a file stands where the store has a folder. Nothing was written through it.
	ErrUnsafe = errors.New("a link or file stands in the place of a folder of the store")
)

// ErrFormat says that a store was written by a later program, or that its store.json is damaged (Found 0).
type ErrFormat struct {
	Path  string // of store.json
	Found int
	Why   error // for a damaged file
}

func (e *ErrFormat) Error() string {
	if e.Found == 0 {
		return fmt.Sprintf("open store: %s is damaged: %v: restore it, or move the folder aside; nothing was changed", e.Path, e.Why)
	}
	return fmt.Sprintf("open store: %s has format %d, this program reads up to %d: use a newer one; nothing was changed", e.Path, e.Found, Format)
}

// Store is one folder. It holds no open files; any number of processes may use the folder at once.
type Store struct {
	dir string
	id  snapshot.StoreID
}

// header is store.json.
type header struct {
	Format int              `json:"format"`
	ID     snapshot.StoreID `json:"store_id"`
}

// Open opens a store. ErrNoStore, *ErrFormat, snapshot.ErrDenied.
func Open(dir string) (*Store, error) {
	path := filepath.Join(dir, storeFile)
	raw, err := atomicfile.Read(path, smallFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := empty(dir); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("open store: %s: %w", dir, ErrNoStore)
	case errors.Is(err, atomicfile.ErrNotRegular), errors.Is(err, atomicfile.ErrTooLarge):
		return nil, &ErrFormat{Path: path, Why: err}
	case err != nil:
		return nil, fmt.Errorf("open store: %w", classify(err))
	}
	var h header
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, &ErrFormat{Path: path, Why: err}
	}
	switch {
	case h.Format > Format:
		return nil, &ErrFormat{Path: path, Found: h.Format}
	case h.Format < 1 || h.ID == "":
		return nil, &ErrFormat{Path: path, Why: errors.New("format or store_id is missing")}
	}
	return &Store{dir: dir, id: h.ID}, nil
}

// Options are for a store that Create makes.
type Options struct {
	Random io.Reader // 16 bytes for the store's id: crypto/rand.Reader
	// Ignored puts a .gitignore with "*" into the folder, for a store that lies in a work tree.
	Ignored bool
}

// Create opens a store and makes it if it is not there, with the folders above it. Of several that create one store at
// once all open the same. store.json comes last: a Create that dies leaves no store, and the next one completes it.
func Create(dir string, o Options) (*Store, error) {
	s, err := Open(dir)
	if !errors.Is(err, ErrNoStore) {
		return s, err
	}
	if err := build(dir, o); err != nil {
		return nil, fmt.Errorf("create store %s: %w", dir, classify(err))
	}
	return Open(dir)
}

func build(dir string, o Options) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, sub := range []string{"snapshots", "tombstones", "blobs", "autosaves", "paths", "leases"} {
		if err := mkdir(filepath.Join(dir, sub)); err != nil {
			return err
		}
	}
	for i := range shards {
		if err := mkdir(filepath.Join(dir, "snapshots", shards[i:i+1])); err != nil {
			return err
		}
	}
	if err := atomicfile.SyncDir(filepath.Join(dir, "snapshots")); err != nil {
		return err
	}
	if o.Ignored {
		if err := createOnce(filepath.Join(dir, ".gitignore"), []byte("*\n")); err != nil {
			return err
		}
	}
	id, err := snapshot.NewStoreID(o.Random)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(header{Format, id})
	if err != nil {
		return err
	}
	if err := createOnce(filepath.Join(dir, storeFile), append(raw, '\n')); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(dir))
}

// empty refuses a folder with snapshots whose store.json is lost: under another id, nobody would find them again.
func empty(dir string) error {
	for i := range shards {
		all, err := os.ReadDir(filepath.Join(dir, "snapshots", shards[i:i+1]))
		if keepUnknown(err) != nil {
			return err
		}
		if len(all) > 0 {
			return &ErrFormat{Path: filepath.Join(dir, storeFile), Why: errors.New("it is missing, and snapshots of its store are there")}
		}
	}
	return nil
}

func mkdir(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return isFolder(path)
}

func isFolder(path string) error {
	st, err := os.Lstat(path)
	if err == nil && !st.IsDir() {
		err = fmt.Errorf("%s: %w", path, ErrUnsafe)
	}
	return err
}

func createOnce(path string, data []byte) error {
	err := atomicfile.Create(path, data, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// ID is the store's own id.
func (s *Store) ID() snapshot.StoreID { return s.id }

// Dir is the store's folder.
func (s *Store) Dir() string { return s.dir }

// Snapshots gives the chain rule over this store.
func (s *Store) Snapshots() (*snapshot.Store, error) { return snapshot.New(s, s, s.id) }

// path is where a key's object lies. Keys are made by package snapshot, but a bug there must not write elsewhere.
func (s *Store) path(key string) (string, error) {
	if !isObject(key) || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789-_./") != "" || !filepath.IsLocal(filepath.FromSlash(key)) ||
		filepath.ToSlash(filepath.Clean(filepath.FromSlash(key))) != key || hidden(key) {
		return "", fmt.Errorf("%w: %q is no key of an object", snapshot.ErrInvalid, key)
	}
	return filepath.Join(s.dir, filepath.FromSlash(key)), nil
}

// hidden is what is no object by its name: leftovers of killed writers, and what a system put into the folder.
func hidden(key string) bool { return strings.HasPrefix(filepath.Base(key), ".") }

// folder makes sure of a folder below the store, durably. It looks at each level, so that no link leads elsewhere.
func (s *Store) folder(path string) error {
	if path == s.dir {
		return s.present()
	}
	if up := filepath.Dir(path); up != s.dir {
		if err := s.folder(up); err != nil {
			return err
		}
	}
	err := isFolder(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.present(); err != nil {
		return err
	}
	if err := mkdir(path); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(path))
}

// reachable is folder for what only takes away: nothing is made.
func (s *Store) reachable(path string) error {
	for ; path != s.dir; path = filepath.Dir(path) {
		if err := isFolder(path); err != nil {
			return err
		}
	}
	return nil
}

// present tells a missing object from a store that somebody took away under us.
func (s *Store) present() error {
	if _, err := os.Lstat(filepath.Join(s.dir, storeFile)); err != nil {
		return fmt.Errorf("%s: %w", s.dir, errors.Join(snapshot.ErrVanished, keepUnknown(err)))
	}
	return nil
}

func keepUnknown(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// classify adds what callers tell apart to what the file system said.
func classify(err error) error {
	for _, known := range []error{snapshot.ErrVanished, snapshot.ErrInvalid, snapshot.ErrNoObject, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return err
		}
	}
	switch {
	case err == nil:
		return nil
	case isFull(err):
		return fmt.Errorf("%w: %w", snapshot.ErrFull, err)
	case isReadOnly(err):
		return fmt.Errorf("%w: %w", snapshot.ErrReadOnly, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %w", snapshot.ErrDenied, err)
	case errors.Is(err, atomicfile.ErrNotRegular), errors.Is(err, atomicfile.ErrTooLarge):
		return fmt.Errorf("%w: %w", snapshot.ErrNoObject, err)
	}
	return err
}
