package gitstate

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pjbgf/sha1cd"
)

// errCollision says that content was made to have the object id of other content. Git refuses it too.
var errCollision = errors.New("the content is part of a SHA-1 collision attack")

// objectHash computes an object's id from its content as it comes.
type objectHash struct{ sha1cd.CollisionResistantHash }

func newObjectHash(kind objectKind, size int64) objectHash {
	h := objectHash{sha1cd.New().(sha1cd.CollisionResistantHash)}
	_, _ = h.Write(objectHead(kind, size)) // a hash never fails
	return h
}

func (h objectHash) id() (id objectID, err error) {
	sum, collision := h.CollisionResistantSum(nil)
	if collision {
		return id, errCollision
	}
	return objectID(sum), nil
}

func objectHead(kind objectKind, size int64) []byte {
	return append(strconv.AppendInt([]byte(kindNames[kind]+" "), size, 10), 0)
}

func objectName(kind objectKind, body []byte) (objectID, error) {
	h := newObjectHash(kind, int64(len(body)))
	_, _ = h.Write(body)
	return h.id()
}

// newObject is an object to be written.
type newObject struct {
	id   objectID
	kind objectKind
	size int64
	open func() (io.ReadCloser, error)
	has  []objectID // what it names: if any of it was made just now, the object itself cannot be there yet
}

func bytesObject(id objectID, kind objectKind, body []byte) newObject {
	return newObject{id: id, kind: kind, size: int64(len(body)), open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }}
}

// objectWriter writes loose objects as git does: into a temporary file in the object's folder, compressed, read-only,
// named when complete. Like git by default (core.fsync) it does not wait for the disk.
type objectWriter struct {
	store *objects
	level int  // of zlib
	plain bool // objects that fill no more than a block of the disk anyway are not compressed: git packs them later
	now   func() time.Time

	created sync.Map // objectID of each object that was not there

	mu    sync.Mutex
	small *deflater // a deflater costs a megabyte to make: small objects, which are most, share one
	tools sync.Pool // *deflater, for the others
}

// smallObject is compressed in microseconds, in bytes.
const smallObject = 64 << 10

// deflater is what one goroutine compresses with.
type deflater struct {
	out bytes.Buffer
	z   *zlib.Writer
	in  [32 << 10]byte
}

// writeAll writes objects on all cores.
func (w *objectWriter) writeAll(ctx context.Context, all []newObject) error {
	return inParallel(ctx, len(all), func(i int) error { return w.write(all[i]) })
}

// write writes one object, unless it is there: then its time is set, which keeps it from being collected as unused.
func (w *objectWriter) write(o newObject) error {
	if !slices.ContainsFunc(o.has, w.made) && w.freshen(o.id) {
		return nil
	}
	err := w.create(o)
	if err != nil {
		err = fmt.Errorf("write %s %s: %w", kindNames[o.kind], o.id, err)
	}
	return err
}

func (w *objectWriter) made(id objectID) bool {
	_, ok := w.created.Load(id)
	return ok
}

func (w *objectWriter) freshen(id objectID) bool {
	now := w.now()
	for _, d := range w.store.dirs {
		if os.Chtimes(loosePath(d, id), now, now) == nil {
			return true
		}
	}
	p, _, err := w.store.find(id)
	return err == nil && p != nil && os.Chtimes(p.file, now, now) == nil
}

func (w *objectWriter) create(o newObject) error {
	final := loosePath(w.store.dirs[0], o.id)
	f, name, err := createTemp(filepath.Dir(final))
	if err != nil {
		return err
	}
	if o.size <= smallObject {
		err = w.deflateSmall(f, o)
	} else {
		d, ok := w.tools.Get().(*deflater)
		if !ok {
			d = &deflater{}
		}
		err = d.deflate(f, o, w.level)
		w.tools.Put(d)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = renameFile(name, final)
	}
	if err != nil {
		_ = os.Remove(name)
		return err
	}
	w.created.Store(o.id, true)
	return nil
}

// diskBlock is what the smallest file takes of a disk, in bytes.
const diskBlock = 4096

func (w *objectWriter) deflateSmall(f io.Writer, o newObject) error {
	var out bytes.Buffer
	if w.plain && o.size+64 <= diskBlock {
		if err := storePlain(&out, o); err != nil {
			return err
		}
		_, err := f.Write(out.Bytes())
		return err
	}
	if err := w.deflateShared(&out, o); err != nil {
		return err
	}
	_, err := f.Write(out.Bytes())
	return err
}

// storePlain writes a zlib stream (RFC 1950) of one block that is stored as it is (RFC 1951, 3.2.4).
func storePlain(out *bytes.Buffer, o newObject) error {
	r, err := o.open()
	if err != nil {
		return err
	}
	defer r.Close()
	body := make([]byte, 0, diskBlock)
	body = append(body, objectHead(o.kind, o.size)...)
	at := len(body)
	body = body[:at+int(o.size)]
	if _, err := io.ReadFull(r, body[at:]); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = ErrChanged
		}
		return err
	}
	if id, err := objectName(o.kind, body[at:]); err != nil || id != o.id {
		return errors.Join(err, ErrChanged)
	}
	n := uint16(len(body))
	out.Write([]byte{0x78, 0x01, 1, byte(n), byte(n >> 8), byte(^n), byte(^n >> 8)})
	out.Write(body)
	out.Write(binary.BigEndian.AppendUint32(nil, adler32.Checksum(body)))
	return nil
}

func (w *objectWriter) deflateShared(out io.Writer, o newObject) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.small == nil {
		w.small = &deflater{}
	}
	return w.small.deflate(out, o, w.level)
}

// createTemp makes a file that git prune knows to be a killed writer's, and the folder if need be.
func createTemp(dir string) (f io.WriteCloser, name string, err error) {
	for range 100 {
		name = filepath.Join(dir, "tmp_obj_"+strconv.FormatUint(rand.Uint64(), 36))
		f, err = createFile(name)
		switch {
		case err == nil:
			return f, name, nil
		case errors.Is(err, fs.ErrNotExist):
			if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, "", err
			}
		case !errors.Is(err, fs.ErrExist):
			return nil, "", err
		}
	}
	return nil, "", fs.ErrExist
}

// ErrChanged says that a file changed between being looked at and being staged. Nothing was staged.
var ErrChanged = errors.New("a file changed while it was being saved")

// flushAt is how many compressed bytes are gathered before they are written.
const flushAt = 1 << 20

// deflate writes the object's file, and makes sure that the content is what its id says.
func (d *deflater) deflate(f io.Writer, o newObject, level int) error {
	r, err := o.open()
	if err != nil {
		return err
	}
	defer r.Close()
	d.out.Reset()
	if d.z == nil {
		if d.z, err = zlib.NewWriterLevel(&d.out, level); err != nil {
			return err
		}
	}
	d.z.Reset(&d.out)
	h := newObjectHash(o.kind, o.size)
	if _, err := d.z.Write(objectHead(o.kind, o.size)); err != nil {
		return err
	}
	if err := d.copy(f, h, r); err != nil {
		return err
	}
	if err := d.z.Close(); err != nil {
		return err
	}
	if id, err := h.id(); err != nil || id != o.id {
		return errors.Join(err, ErrChanged)
	}
	_, err = f.Write(d.out.Bytes())
	return err
}

func (d *deflater) copy(f io.Writer, h io.Writer, r io.Reader) error {
	for {
		n, err := r.Read(d.in[:])
		_, _ = h.Write(d.in[:n])
		if _, err := d.z.Write(d.in[:n]); err != nil {
			return err
		}
		if d.out.Len() > flushAt {
			if _, err := d.out.WriteTo(f); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
