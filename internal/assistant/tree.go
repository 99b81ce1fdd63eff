package assistant

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// tree is a folder below which files are read and written. Nothing outside of it is reached, whatever links a
// repository holds; a link that stays inside is followed, so that it stays a link.
type tree struct{ root *os.Root }

func openTree(dir string) (*tree, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return &tree{r}, nil
}

func (t *tree) close() { _ = t.root.Close() }

// content is what stands at a path.
type content struct {
	data []byte
	mode fs.FileMode
}

// LinkOutError says that a link on the way to a file leads out of the folder that is written in, or names a place in it
// from the root of the disk on, which is not followed either. Nothing is changed.
type LinkOutError struct {
	Path, To string
	Inside   bool
}

func (e *LinkOutError) Error() string {
	if e.Inside {
		return fmt.Sprintf("%s is a link to %s, an absolute path; only relative links are followed", e.Path, e.To)
	}
	return fmt.Sprintf("%s is a link to %s, which is outside of the project", e.Path, e.To)
}

// leads finds the link on the way to p that leaves the tree; nil: none does.
func (t *tree) leads(p string) error {
	at := ""
	for _, part := range strings.Split(p, "/") {
		at = path.Join(at, part)
		file := filepath.Join(t.root.Name(), filepath.FromSlash(at))
		to, err := os.Readlink(file)
		if err != nil {
			continue // no link
		}
		absolute := filepath.IsAbs(to)
		if !absolute {
			to = filepath.Join(filepath.Dir(file), to)
		}
		if _, inside := relative(t.root.Name(), to); !inside || absolute {
			return &LinkOutError{Path: at, To: to, Inside: inside}
		}
	}
	return nil
}

var errNotAFile = errors.New("it is not a regular file")

// read gives the file at p; nil when nothing is there. Errors: anything but a regular file, one that is larger than
// maxSettings, a link that leaves the tree.
func (t *tree) read(p string) (*content, error) {
	info, err := t.root.Stat(filepath.FromSlash(p))
	if err != nil {
		if out := t.leads(p); out != nil {
			return nil, out
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := t.root.Lstat(filepath.FromSlash(p)); err == nil {
			return nil, fmt.Errorf("read %s: it is a link to nothing", p)
		}
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", p, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: %w", p, errNotAFile)
	}
	f, err := t.root.Open(filepath.FromSlash(p))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err == nil && len(data) > maxSettings {
		err = fmt.Errorf("it is larger than %d bytes", maxSettings)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, err)
	}
	return &content{data: data, mode: info.Mode().Perm()}, nil
}

// readOwn is read for what is ours to replace: of a link nothing is read, since what it names is somebody's.
func (t *tree) readOwn(p string) (*content, error) {
	if info, err := t.root.Lstat(filepath.FromSlash(p)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return &content{}, nil
	}
	return t.read(p)
}

// there reports whether p names anything, be it a link to nothing.
func (t *tree) there(p string) bool {
	_, err := t.root.Lstat(filepath.FromSlash(p))
	return !errors.Is(err, fs.ErrNotExist)
}

// write puts data at p, whole or not at all, and reports the folders that it had to make, outermost first.
func (t *tree) write(p string, data []byte, mode fs.FileMode) (made []string, err error) {
	if p, err = t.behindLinks(p); err != nil {
		return nil, err
	}
	if made, err = t.folders(path.Dir(p)); err != nil {
		return made, err
	}
	temp := path.Join(path.Dir(p), ".tmp-"+rand.Text())
	if err = t.writeNew(temp, data, mode); err == nil {
		err = t.root.Rename(filepath.FromSlash(temp), filepath.FromSlash(p))
	}
	if err != nil {
		_ = t.root.Remove(filepath.FromSlash(temp))
		return made, fmt.Errorf("write %s: %w", p, err)
	}
	return made, nil
}

func (t *tree) writeNew(p string, data []byte, mode fs.FileMode) error {
	f, err := t.root.OpenFile(filepath.FromSlash(p), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode) // whatever the umask took
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// behindLinks is the path that p names when links at its end are followed, so that renaming over it keeps them.
func (t *tree) behindLinks(p string) (string, error) {
	for range 16 {
		info, err := t.root.Lstat(filepath.FromSlash(p))
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return p, nil // not there, or no link: what is wrong with it shows when it is written
		}
		target, err := t.root.Readlink(filepath.FromSlash(p))
		if err != nil {
			return "", fmt.Errorf("read the link %s: %w", p, err)
		}
		if filepath.IsAbs(target) {
			return "", fmt.Errorf("%s is a link to %s, which is outside of the project", p, target)
		}
		p = path.Join(path.Dir(p), filepath.ToSlash(target))
	}
	return "", fmt.Errorf("%s: too many links", p)
}

func (t *tree) folders(dir string) (made []string, err error) {
	if dir == "." {
		return nil, nil
	}
	at := ""
	for _, part := range strings.Split(dir, "/") {
		at = path.Join(at, part)
		switch err := t.root.Mkdir(filepath.FromSlash(at), 0o777); {
		case err == nil:
			made = append(made, at)
		case !errors.Is(err, fs.ErrExist):
			return made, fmt.Errorf("make the folder %s: %w", at, err)
		}
	}
	return made, nil
}

// remove takes away the file at p; a link goes, not what it names. It is no error if nothing is there.
func (t *tree) remove(p string) error {
	if err := t.root.Remove(filepath.FromSlash(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", p, err)
	}
	return nil
}

// removeFolder takes away a folder if it is empty, and reports whether it is gone.
func (t *tree) removeFolder(p string) bool {
	err := t.root.Remove(filepath.FromSlash(p))
	return err == nil || errors.Is(err, fs.ErrNotExist)
}

func (t *tree) rename(from, to string) error {
	if _, err := t.root.Lstat(filepath.FromSlash(to)); err == nil {
		return fmt.Errorf("rename %s to %s: %w", from, to, fs.ErrExist)
	}
	if err := t.root.Rename(filepath.FromSlash(from), filepath.FromSlash(to)); err != nil {
		return fmt.Errorf("rename %s to %s: %w", from, to, err)
	}
	return nil
}

// sum is the hash by which a file that was written is known again.
func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// makeFolder makes a folder that only its owner reads.
func makeFolder(dir string) error { return os.MkdirAll(dir, 0o700) }
