package file

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"session/internal/atomicfile"
	"session/internal/snapshot"
)

// pointerFile names a path's pointer by a hash: ref names are longer than file names may be, and differ in case.
func (s *Store) pointerFile(path snapshot.Path) string {
	return filepath.Join(s.dir, "paths", string(snapshot.FirstID(s.id, path))+".json")
}

// Point implements snapshot.Pointers. A pointer that a power cut took is found again, so nobody waits for the disk.
func (s *Store) Point(ctx context.Context, p snapshot.Pointer) error {
	raw, err := json.Marshal(p)
	if err == nil {
		err = context.Cause(ctx)
	}
	file := s.pointerFile(p.Path)
	if err == nil {
		err = s.folder(filepath.Dir(file))
	}
	if err == nil {
		err = atomicfile.Swap(file, append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("set the pointer of %q: %w", p.Path, classify(err))
	}
	return nil
}

// Pointer implements snapshot.Pointers.
func (s *Store) Pointer(ctx context.Context, path snapshot.Path) (snapshot.Pointer, error) {
	if err := context.Cause(ctx); err != nil {
		return snapshot.Pointer{}, err
	}
	p, err := readPointer(s.pointerFile(path))
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.present(); err == nil {
			err = snapshot.ErrNotFound
		}
	}
	if err != nil {
		return snapshot.Pointer{}, fmt.Errorf("pointer of %q: %w", path, err)
	}
	return p, nil
}

func readPointer(file string) (p snapshot.Pointer, err error) {
	raw, err := atomicfile.Read(file, smallFile)
	if err != nil {
		if err = classify(err); errors.Is(err, snapshot.ErrNoObject) {
			err = &snapshot.ErrCorrupt{What: "pointer " + filepath.Base(file), Why: err}
		}
		return p, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || p.Head == "" || p.Path == "" {
		return snapshot.Pointer{}, &snapshot.ErrCorrupt{What: "pointer " + filepath.Base(file), Why: errors.Join(errors.New("no pointer"), err)}
	}
	return p, nil
}

// Each implements snapshot.Pointers.
func (s *Store) Each(ctx context.Context, fn func(name string, p snapshot.Pointer, err error) error) error {
	all, err := os.ReadDir(filepath.Join(s.dir, "paths"))
	if errors.Is(err, fs.ErrNotExist) {
		err = s.present()
	}
	if err != nil {
		return fmt.Errorf("list pointers: %w", classify(err))
	}
	for _, e := range all {
		if hidden(e.Name()) {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		p, err := readPointer(filepath.Join(s.dir, "paths", e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && filepath.Base(s.pointerFile(p.Path)) != e.Name() {
			err = &snapshot.ErrCorrupt{What: "pointer " + e.Name(), Why: fmt.Errorf("is that of another path, %q", p.Path)}
		}
		if err := fn("paths/"+e.Name(), p, err); err != nil {
			return err
		}
	}
	return nil
}

// Unpoint implements snapshot.Pointers.
func (s *Store) Unpoint(_ context.Context, path snapshot.Path) error {
	if err := os.Remove(s.pointerFile(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the pointer of %q: %w", path, classify(err))
	}
	return nil
}
