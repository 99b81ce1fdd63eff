package gitstate

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"os"
)

// writeIndex writes an index file that must not exist yet, with the permissions that git would give it.
func writeIndex(file string, e *editedIndex, root *treeNode) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	err = e.write(f, root)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = os.Remove(file)
		return fmt.Errorf("write the index: %w", err)
	}
	return nil
}

// indexWriter counts and hashes what it writes.
type indexWriter struct {
	out     *bufio.Writer
	sum     hash.Hash
	written int64
	marks   hash.Hash // of the extensions' names and sizes, for EOIE
}

func (w *indexWriter) Write(b []byte) (int, error) {
	w.sum.Write(b)
	w.written += int64(len(b))
	return w.out.Write(b)
}

// write writes the index: entries, then the extensions in git's order, then the checksum.
func (e *editedIndex) write(out io.Writer, root *treeNode) error {
	w := &indexWriter{out: bufio.NewWriterSize(out, 64<<10), sum: sha1.New(), marks: sha1.New()}
	version := e.version
	if version == 3 {
		version = 2 // nothing that is written here needs the flags of version 3
	}
	head := binary.BigEndian.AppendUint32([]byte("DIRC"), version)
	if _, err := w.Write(binary.BigEndian.AppendUint32(head, uint32(e.len()))); err != nil {
		return err
	}
	offsets, err := e.writeEntries(w, version)
	if err != nil {
		return err
	}
	end := w.written
	for _, x := range e.extensions(offsets, root) {
		if err := w.extension(x.name, x.body); err != nil {
			return err
		}
	}
	if e.hasEnd {
		body := binary.BigEndian.AppendUint32(nil, uint32(end))
		if err := w.extension("EOIE", w.marks.Sum(body)); err != nil {
			return err
		}
	}
	if _, err := w.out.Write(w.sum.Sum(nil)); err != nil {
		return err
	}
	return w.out.Flush()
}

// writeEntries returns the offsets at which blocks of entries begin, where the index has a table of them.
func (e *editedIndex) writeEntries(w *indexWriter, version uint32) (offsets []uint32, err error) {
	var b, last []byte
	for k := range e.order {
		if e.blockLen > 0 && k%e.blockLen == 0 {
			offsets = append(offsets, uint32(w.written+int64(len(b))))
		}
		name := e.name(k)
		mode, id, stat := e.entry(k)
		b = stat.append(b, mode)
		b = append(b, id[:]...)
		b = binary.BigEndian.AppendUint16(b, uint16(min(len(name), flagLength)))
		if version == 4 {
			same := commonPrefix(last, name)
			if e.blockLen > 0 && k%e.blockLen == 0 {
				same = 0 // a block is read by itself
			}
			b = appendBack(b, uint64(len(last)-same))
			b = append(append(b, name[same:]...), 0)
			last = name
		} else {
			b = append(b, name...)
			b = append(b, make([]byte, 8-(entryHead+len(name))%8)...)
		}
		if len(b) > 64<<10 || k == len(e.order)-1 {
			if _, err := w.Write(b); err != nil {
				return nil, err
			}
			b = b[:0]
		}
	}
	return offsets, nil
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// appendBack writes a number as readBack reads it.
func appendBack(b []byte, n uint64) []byte {
	buf := [10]byte{9: byte(n & 0x7f)}
	i := 9
	for n >>= 7; n > 0; n >>= 7 {
		n--
		i--
		buf[i] = 0x80 | byte(n&0x7f)
	}
	return append(b, buf[i:]...)
}

type extension struct {
	name string
	body []byte
}

func (e *editedIndex) extensions(offsets []uint32, root *treeNode) (all []extension) {
	if e.blockLen > 0 && len(offsets) > 0 {
		body := binary.BigEndian.AppendUint32(nil, 1)
		for i, at := range offsets {
			body = binary.BigEndian.AppendUint32(body, at)
			body = binary.BigEndian.AppendUint32(body, uint32(min(e.blockLen, e.len()-i*e.blockLen)))
		}
		all = append(all, extension{"IEOT", body})
	}
	if root != nil {
		all = append(all, extension{"TREE", root.append(nil)})
	}
	if e.undo != nil {
		all = append(all, extension{"REUC", bytes.Clone(e.undo)})
	}
	return all
}

func (w *indexWriter) extension(name string, body []byte) error {
	head := binary.BigEndian.AppendUint32([]byte(name), uint32(len(body)))
	w.marks.Write(head)
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}
