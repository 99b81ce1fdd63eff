package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"session/internal/atomicfile"
	"session/internal/snapshot"
)

// PutNew implements snapshot.Objects: temporary file, fsync, link(2), fsync of the folder.
func (s *Store) PutNew(ctx context.Context, key string, data []byte) error {
	if len(data) > snapshot.MaxObject {
		return fmt.Errorf("store %s: %w: %d bytes", key, snapshot.ErrTooLarge, len(data))
	}
	path, err := s.path(key)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = s.folder(filepath.Dir(path))
	}
	if err == nil {
		err = atomicfile.Create(path, data, 0o600)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("store %s: %w", key, snapshot.ErrExists)
	case errors.Is(err, fs.ErrNotExist): // the folder went between two calls
		err = errors.Join(s.present(), err)
	}
	if err != nil {
		return fmt.Errorf("store %s: %w", key, classify(err))
	}
	return nil
}

// Get implements snapshot.Objects.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	path, err := s.path(key)
	if err == nil {
		err = context.Cause(ctx)
	}
	var data []byte
	if err == nil {
		data, err = atomicfile.Read(path, snapshot.MaxObject)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.present(); err == nil {
			err = snapshot.ErrNotFound
		}
	}
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, classify(err))
	}
	return data, nil
}

// List implements snapshot.Objects. Leftovers of killed writers are not objects.
func (s *Store) List(ctx context.Context, prefix string, fn func(snapshot.Info) error) error {
	err := s.walk(ctx, prefix[:strings.LastIndexByte(prefix, '/')+1], func(i snapshot.Info) error {
		if !strings.HasPrefix(i.Key, prefix) || !isObject(i.Key) || hidden(i.Key) {
			return nil
		}
		return fn(i)
	})
	var own *callback
	if errors.As(err, &own) {
		return own.error
	}
	if err != nil {
		return fmt.Errorf("list %s: %w", prefix, classify(err))
	}
	return nil
}

// isObject keeps objects apart from the store's other files: an object lies in a folder, and these have their own.
func isObject(key string) bool {
	top, _, ok := strings.Cut(key, "/")
	return ok && top != "paths" && top != "leases"
}

// callback marks an error as the caller's own, which comes back as it is.
type callback struct{ error }

// walk visits every file below a folder of the store. Folders that vanish meanwhile are passed over.
func (s *Store) walk(ctx context.Context, dir string, fn func(snapshot.Info) error) error {
	if dir != "" && !filepath.IsLocal(filepath.FromSlash(dir)) {
		return fmt.Errorf("%w: %q is no folder of the store", snapshot.ErrInvalid, dir)
	}
	root := filepath.Join(s.dir, filepath.FromSlash(dir))
	if _, err := os.Lstat(root); errors.Is(err, fs.ErrNotExist) {
		return s.present()
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil || d.IsDir() {
			return keepUnknown(err)
		}
		st, err := d.Info()
		if err != nil {
			return keepUnknown(err)
		}
		key, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		if err := fn(snapshot.Info{Key: filepath.ToSlash(key), Size: st.Size(), ModTime: st.ModTime()}); err != nil {
			return &callback{err}
		}
		return nil
	})
}

// Delete implements snapshot.Objects.
func (s *Store) Delete(ctx context.Context, key string) error {
	path, err := s.path(key)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = s.reachable(filepath.Dir(path))
	}
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return s.present()
	}
	if err == nil {
		err = atomicfile.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", key, classify(err))
	}
	return nil
}

// Litter implements snapshot.Litterer: temporary files, which a writer that was killed left, or one that lives still has.
func (s *Store) Litter(ctx context.Context, fn func(snapshot.Info) error) error {
	err := s.walk(ctx, "", func(i snapshot.Info) error {
		if atomicfile.IsTemp(filepath.Base(i.Key)) {
			return fn(i)
		}
		return nil
	})
	var own *callback
	if errors.As(err, &own) {
		return own.error
	}
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", classify(err))
	}
	return nil
}

// Clear implements snapshot.Litterer.
func (s *Store) Clear(_ context.Context, key string) error {
	path := filepath.Join(s.dir, filepath.FromSlash(key))
	if !filepath.IsLocal(filepath.FromSlash(key)) || !atomicfile.IsTemp(filepath.Base(path)) {
		return fmt.Errorf("clear %q: %w: no temporary file of the store", key, snapshot.ErrInvalid)
	}
	err := s.reachable(filepath.Dir(path))
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear: %w", classify(err))
	}
	return nil
}
