package gitstate

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// index is git's index as one file holds it (gitformat-index(5)), versions 2 to 4. Entries stay where they were read:
// 100,000 of them cost little more than the file.
type index struct {
	version  uint32
	data     []byte // the file
	names    []byte // holds the paths: data itself, or with version 4, which keeps only their ends, all of them written out
	slots    []slot
	tree     *treeNode // which folders have a known tree; nil: none
	undo     []byte    // REUC, as it was
	blockLen int       // entries in a block of the offset table (IEOT); 0: there is none
	hasEnd   bool      // the end of the entries is marked (EOIE)
	others   []string  // further extensions, by name
	odd      oddities
	info     os.FileInfo
}

// slot says where an entry stands.
type slot struct {
	at         uint32 // fixed part, in data
	name, size uint32 // path, in names
}

// oddities are what entries may be besides a plain file or link at stage 0.
type oddities struct {
	unmerged, assumed, skipped, intended, submodules, folders int
	path                                                      string // a path that no index of git's holds; "" if all are well
}

// Flags of entries (gitformat-index(5)).
const (
	flagAssumed  = 0x8000
	flagExtended = 0x4000
	flagStage    = 0x3000
	flagLength   = 0x0fff

	flagSkipped  = 0x4000 // of the extended ones
	flagIntended = 0x2000
)

// entryHead is the fixed part of an entry: ten numbers, the object id, the flags.
const entryHead = 10*4 + 20 + 2

// maxIndex is the largest index that is read, in bytes: offsets are kept in 32 bits.
const maxIndex = 1 << 31

// indexError says that the index is not as git writes it.
type indexError struct{ why string }

func (e *indexError) Error() string { return "the index: " + e.why }

// readIndex reads an index file. fs.ErrNotExist (wrapped): there is none; *indexError: it cannot be understood.
func readIndex(file string) (*index, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	if info.Size() > maxIndex {
		return nil, &indexError{"larger than 2 GiB"}
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	x, err := parseIndex(data)
	if err != nil {
		return nil, err
	}
	x.info = info
	return x, nil
}

// parseIndex takes data over.
func parseIndex(data []byte) (*index, error) {
	if len(data) < 12+20 || string(data[:4]) != "DIRC" {
		return nil, &indexError{"it does not begin like one"}
	}
	x := &index{version: binary.BigEndian.Uint32(data[4:]), data: data[:len(data)-20]}
	if x.version < 2 || x.version > 4 {
		return nil, &indexError{fmt.Sprintf("version %d is unknown", x.version)}
	}
	sum := data[len(data)-20:]
	if is := sha1.Sum(x.data); !bytes.Equal(is[:], sum) && !bytes.Equal(sum, make([]byte, 20)) { // zeros: index.skipHash
		return nil, &indexError{"its checksum does not match"}
	}
	n := binary.BigEndian.Uint32(data[8:])
	if int64(n)*entryHead > int64(len(data)) {
		return nil, &indexError{"it holds fewer entries than it says"}
	}
	x.slots = make([]slot, 0, n)
	end, err := x.readEntries(n)
	if err != nil {
		return nil, err
	}
	return x, x.readExtensions(end)
}

func (x *index) readEntries(n uint32) (end int, err error) {
	at := 12
	if x.version < 4 {
		x.names = x.data
	}
	for range n {
		if at, err = x.readEntry(at); err != nil {
			return 0, err
		}
	}
	return at, nil
}

var errCut = &indexError{"an entry is cut off"}

// readEntry reads the entry at an offset and returns where the next one starts.
func (x *index) readEntry(at int) (next int, err error) {
	if len(x.data)-at < entryHead {
		return 0, errCut
	}
	flags := binary.BigEndian.Uint16(x.data[at+60:])
	head := entryHead
	var extended uint16
	if flags&flagExtended != 0 {
		head += 2
		if x.version < 3 || len(x.data)-at < head {
			return 0, &indexError{"an entry has flags that its version does not know"}
		}
		extended = binary.BigEndian.Uint16(x.data[at+62:])
	}
	s := slot{at: uint32(at)}
	if x.version == 4 {
		next, err = x.readShortName(at+head, &s)
	} else {
		next, err = x.readName(at, head, &s)
	}
	if err != nil {
		return 0, err
	}
	if s.size == 0 {
		return 0, &indexError{"an entry has no path: it is a split index"}
	}
	if n := int(flags & flagLength); n != int(min(s.size, flagLength)) {
		return 0, &indexError{"the length of a path is not what it says"}
	}
	x.slots = append(x.slots, s)
	if i := len(x.slots) - 1; i > 0 && !x.ordered(i, flags) {
		return 0, &indexError{"its entries are not in order"}
	}
	x.note(s, flags, extended)
	return next, nil
}

// readName finds a path that stands whole behind the fixed part, with one to eight NUL bytes after it.
func (x *index) readName(at, head int, s *slot) (next int, err error) {
	size := bytes.IndexByte(x.data[at+head:], 0)
	if size < 0 {
		return 0, errCut
	}
	s.name, s.size = uint32(at+head), uint32(size)
	if next = at + (head+size+8)&^7; next > len(x.data) {
		return 0, errCut
	}
	return next, nil
}

// readShortName finds a path of version 4: how many bytes of the one before are dropped, then what follows them.
func (x *index) readShortName(at int, s *slot) (next int, err error) {
	drop, used := readBack(x.data[at:])
	if used == 0 {
		return 0, errCut
	}
	at += used
	size := bytes.IndexByte(x.data[at:], 0)
	if size < 0 {
		return 0, errCut
	}
	var last []byte
	if n := len(x.slots); n > 0 {
		last = x.name(n - 1)
	}
	if drop > int64(len(last)) {
		return 0, &indexError{"a path drops more than there is"}
	}
	keep := last[:int64(len(last))-drop]
	if len(x.names)+len(keep)+size > maxIndex {
		return 0, &indexError{"its paths are larger than 2 GiB"}
	}
	s.name, s.size = uint32(len(x.names)), uint32(len(keep)+size)
	x.names = append(append(x.names, keep...), x.data[at:at+size]...)
	return at + size + 1, nil
}

// ordered compares an entry with the one before: by path, then stage.
func (x *index) ordered(i int, flags uint16) bool {
	c := bytes.Compare(x.name(i-1), x.name(i))
	if c != 0 {
		return c < 0
	}
	return x.flags(i-1)&flagStage < flags&flagStage
}

func (x *index) note(s slot, flags, extended uint16) {
	o := &x.odd
	o.unmerged += int(min(flags&flagStage, 1))
	o.assumed += int(flags & flagAssumed / flagAssumed)
	o.skipped += int(extended & flagSkipped / flagSkipped)
	o.intended += int(extended & flagIntended / flagIntended)
	switch mode := binary.BigEndian.Uint32(x.data[s.at+24:]); mode {
	case modeFile, modeProgram, modeLink:
	case modeSubmodule:
		o.submodules++
	default: // a folder of a sparse index, or nothing that git knows
		o.folders++
	}
	if name := x.names[s.name : s.name+s.size]; !plainPath(name) {
		o.path = string(name)
	}
}

// Modes of files as git keeps them.
const (
	modeFile      = 0o100644
	modeProgram   = 0o100755
	modeLink      = 0o120000
	modeSubmodule = 0o160000
	modeFolder    = 0o040000
)

// plainPath reports whether every part of a path can be the name of a file in a work tree: none is empty, ".", ".." or
// ".git".
func plainPath(p []byte) bool {
	if len(p) == 0 || p[0] == '/' || p[len(p)-1] == '/' {
		return false
	}
	for start, i := 0, 0; i <= len(p); i++ {
		if i < len(p) && p[i] != '/' {
			continue
		}
		part := p[start:i]
		if len(part) == 0 || part[0] == '.' && (len(part) == 1 || string(part) == ".." || bytes.EqualFold(part, []byte(".git"))) {
			return false
		}
		start = i + 1
	}
	return true
}

func (x *index) readExtensions(at int) error {
	for at < len(x.data) {
		if len(x.data)-at < 8 {
			return &indexError{"an extension is cut off"}
		}
		name, size := string(x.data[at:at+4]), int64(binary.BigEndian.Uint32(x.data[at+4:]))
		at += 8
		if size > int64(len(x.data)-at) {
			return &indexError{"the extension " + name + " is cut off"}
		}
		body := x.data[at : at+int(size)]
		if err := x.readExtension(name, body); err != nil {
			return err
		}
		at += int(size)
	}
	return nil
}

func (x *index) readExtension(name string, body []byte) (err error) {
	switch name {
	case "TREE":
		x.tree, err = parseTreeCache(body)
	case "REUC":
		x.undo = body
	case "EOIE":
		x.hasEnd = true
	case "IEOT":
		if len(body) >= 12 {
			x.blockLen = int(binary.BigEndian.Uint32(body[8:]))
		}
	default:
		x.others = append(x.others, name)
	}
	return err
}

func (x *index) len() int { return len(x.slots) }

func (x *index) name(i int) []byte {
	s := x.slots[i]
	return x.names[s.name : s.name+s.size]
}

func (x *index) flags(i int) uint16 { return binary.BigEndian.Uint16(x.data[x.slots[i].at+60:]) }

func (x *index) mode(i int) uint32 { return binary.BigEndian.Uint32(x.data[x.slots[i].at+24:]) }

func (x *index) id(i int) objectID { return objectID(x.data[x.slots[i].at+40:][:20]) }

func (x *index) stat(i int) fileStat { return parseStat(x.data[x.slots[i].at:]) }

// search finds a path: its place, or where it would stand.
func (x *index) search(path string) (int, bool) {
	lo, hi := 0, len(x.slots)
	for lo < hi {
		mid := (lo + hi) / 2
		switch c := bytes.Compare(x.name(mid), []byte(path)); {
		case c == 0:
			return mid, true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return lo, false
}

// fileStat is what an index entry remembers of a file, so that an unchanged file need not be read.
type fileStat struct {
	ctime, ctimeNano, mtime, mtimeNano uint32
	dev, ino                           uint32
	uid, gid                           uint32
	size                               uint32 // the low 32 bits; 0 also says "look at the content"
}

func parseStat(b []byte) fileStat {
	u := binary.BigEndian.Uint32
	return fileStat{u(b), u(b[4:]), u(b[8:]), u(b[12:]), u(b[16:]), u(b[20:]), u(b[28:]), u(b[32:]), u(b[36:])}
}

func (s fileStat) append(b []byte, mode uint32) []byte {
	for _, n := range [...]uint32{s.ctime, s.ctimeNano, s.mtime, s.mtimeNano, s.dev, s.ino, mode, s.uid, s.gid, s.size} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}
