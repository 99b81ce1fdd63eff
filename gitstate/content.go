package gitstate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// fileContent is what stood in the work tree under a path when it was read: what is judged is what is staged.
type fileContent struct {
	path   string
	info   fileInfo // from before the first byte was read
	id     objectID // of the blob
	bytes  []byte   // nil: too much to be kept, it is read again and must still have the same id
	length int64
	cr     bool // holds a carriage return, so line endings may have to be converted
}

// Bounds of what is kept in memory, in bytes.
const (
	keepFile  = 4 << 20  // of one file
	keepFiles = 16 << 20 // of all files together
)

// contents reads files once and keeps what it read.
type contents struct {
	tree *workTree
	kept atomic.Int64

	mu   sync.Mutex
	read map[string]func() (*fileContent, error)
}

// of returns what stands under a path, as it was when it was first asked for.
func (c *contents) of(path string) (*fileContent, error) {
	c.mu.Lock()
	f, ok := c.read[path]
	if !ok {
		f = sync.OnceValues(func() (*fileContent, error) { return c.load(path) })
		if c.read == nil {
			c.read = map[string]func() (*fileContent, error){}
		}
		c.read[path] = f
	}
	c.mu.Unlock()
	return f()
}

// known returns what was read before.
func (c *contents) known(path string) (*fileContent, bool) {
	c.mu.Lock()
	f, ok := c.read[path]
	c.mu.Unlock()
	if !ok {
		return nil, false
	}
	fc, err := f()
	return fc, err == nil
}

func (c *contents) load(path string) (*fileContent, error) {
	f, info, err := c.tree.open(path)
	if err == nil {
		defer f.Close()
		return c.loadFile(path, f, info)
	}
	if !errors.Is(err, ErrChanged) {
		return nil, err
	}
	if info, err = c.tree.lstat(path); err != nil { // it is no regular file
		return nil, err
	}
	if info.mode == modeLink {
		return c.loadLink(path, info)
	}
	return nil, fileError("read", path, ErrChanged)
}

func (c *contents) loadLink(path string, info fileInfo) (*fileContent, error) {
	b, err := c.tree.readlink(path)
	if err != nil {
		return nil, err
	}
	id, err := objectName(blobObject, b)
	return &fileContent{path: path, info: info, id: id, bytes: b, length: int64(len(b))}, err
}

func (c *contents) loadFile(path string, f io.Reader, info fileInfo) (*fileContent, error) {
	var err error
	fc := &fileContent{path: path, info: info, length: info.length}
	h := newObjectHash(blobObject, fc.length)
	if fc.length <= keepFile && c.kept.Add(fc.length) <= keepFiles {
		fc.bytes = make([]byte, fc.length)
		_, err = io.ReadFull(f, fc.bytes)
		fc.cr = bytes.IndexByte(fc.bytes, '\r') >= 0
		_, _ = h.Write(fc.bytes)
	} else {
		err = fc.stream(f, h)
	}
	if err == nil && !ended(f) {
		err = ErrChanged
	}
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = ErrChanged
	}
	if err != nil {
		return nil, fileError("read", path, err)
	}
	fc.id, err = h.id()
	return fc, err
}

// ended reports whether nothing follows: the file did not grow meanwhile.
func ended(f io.Reader) bool {
	var b [1]byte
	n, err := f.Read(b[:])
	return n == 0 && err == io.EOF
}

func (fc *fileContent) stream(f io.Reader, h io.Writer) error {
	buf := make([]byte, 128<<10)
	for left := fc.length; left > 0; {
		n, err := io.ReadFull(f, buf[:min(left, int64(len(buf)))])
		if err != nil {
			return err
		}
		fc.cr = fc.cr || bytes.IndexByte(buf[:n], '\r') >= 0
		_, _ = h.Write(buf[:n])
		left -= int64(n)
	}
	return nil
}

// open reads the content again: from memory, or from the file, which must not have changed. ErrChanged: it has.
func (c *contents) open(path string) (io.ReadCloser, error) {
	fc, err := c.of(path)
	if err != nil {
		return nil, err
	}
	if fc.bytes != nil {
		return io.NopCloser(bytes.NewReader(fc.bytes)), nil
	}
	f, _, err := c.tree.open(path)
	if err != nil {
		return nil, err
	}
	return &checkedFile{file: f, want: fc, sum: newObjectHash(blobObject, fc.length)}, nil
}

// checkedFile reads a file that was read before and tells at its end whether it is still the same.
type checkedFile struct {
	file io.ReadCloser
	want *fileContent
	sum  objectHash
}

func (f *checkedFile) Read(b []byte) (int, error) {
	n, err := f.file.Read(b)
	_, _ = f.sum.Write(b[:n])
	if err == io.EOF {
		if id, e := f.sum.id(); e != nil || id != f.want.id {
			return n, fmt.Errorf("read %s: %w", f.want.path, ErrChanged)
		}
	}
	return n, err
}

func (f *checkedFile) Close() error { return f.file.Close() }
