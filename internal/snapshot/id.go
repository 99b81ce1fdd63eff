package snapshot

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// idLen is the length of an id: 128 bits in base32.
const idLen = 26

// alphabet is Crockford's: no i, l, o, u, so an id can be read out loud.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

var encoding = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// ID names a snapshot: 26 characters of lower-case base32. It means nothing by itself and is a hash, never a secret.
// The zero ID is "no snapshot".
type ID string

// StoreID is a store's own random id, in the notation of ID. It goes into the hash of every id that the store makes.
type StoreID string

// ParseID reads a whole id, not a prefix: Resolve does that.
func ParseID(s string) (ID, error) {
	if err := parse(s); err != nil {
		return "", fmt.Errorf("%q is no snapshot id: %w", cut(s), err)
	}
	return ID(s), nil
}

// ParseStoreID reads a store's id.
func ParseStoreID(s string) (StoreID, error) {
	if err := parse(s); err != nil {
		return "", fmt.Errorf("%q is no store id: %w", cut(s), err)
	}
	return StoreID(s), nil
}

// NewStoreID makes a store's id from 16 bytes of random.
func NewStoreID(random io.Reader) (StoreID, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("make a store id: %w", err)
	}
	return StoreID(encoding.EncodeToString(b[:])), nil
}

// String gives the id as it is.
func (id ID) String() string { return string(id) }

// String gives the id as it is.
func (id StoreID) String() string { return string(id) }

// UnmarshalText accepts a whole id, or nothing for "no snapshot".
func (id *ID) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*id = ""
		return nil
	}
	p, err := ParseID(string(b))
	*id = p
	return err
}

// UnmarshalText accepts a whole id.
func (id *StoreID) UnmarshalText(b []byte) error {
	p, err := ParseStoreID(string(b))
	*id = p
	return err
}

func parse(s string) error {
	if len(s) != idLen {
		return fmt.Errorf("%d characters instead of %d", len(s), idLen)
	}
	b, err := encoding.DecodeString(s)
	if err != nil {
		return fmt.Errorf("only the characters %s occur in one", alphabet)
	}
	if encoding.EncodeToString(b) != s { // the last character has two bits to spare
		return fmt.Errorf("it cannot end in %q", s[idLen-1:])
	}
	return nil
}

func cut(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// Path names what has one chain of snapshots: a branch by its full ref name, a detached work tree by a name that the
// caller chooses, a fork by ForkPath.
type Path string

const maxPath = 4096 // bytes; git's longest ref names are shorter

const forkPrefix = "fork:"

// ForkPath is the path that a fork opens.
func ForkPath(fork ID) Path { return forkPrefix + Path(fork) }

// fork gives the snapshot that opened p, if p is a fork's path.
func (p Path) fork() (ID, bool) {
	s, ok := strings.CutPrefix(string(p), forkPrefix)
	if !ok {
		return "", false
	}
	id, err := ParseID(s)
	return id, err == nil
}

func (p Path) check() error {
	switch {
	case p == "":
		return fmt.Errorf("%w: no path", ErrInvalid)
	case len(p) > maxPath:
		return fmt.Errorf("%w: path of %d bytes, at most %d", ErrInvalid, len(p), maxPath)
	case !utf8.ValidString(string(p)) || strings.ContainsFunc(string(p), func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("%w: path %q is not plain UTF-8 text", ErrInvalid, cut(string(p)))
	}
	return nil
}

// derive hashes what an id follows from. Each field goes in with its length, so that no two lists of fields look alike.
func derive(kind Kind, store StoreID, fields ...string) ID {
	h := sha256.New()
	for _, f := range append([]string{"session snapshot", string(kind), string(store)}, fields...) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(f)))
		h.Write(n[:])
		h.Write([]byte(f))
	}
	return ID(encoding.EncodeToString(h.Sum(nil)[:16]))
}

// FirstID is the id of a path's first snapshot.
func FirstID(store StoreID, path Path) ID { return derive(First, store, string(path)) }

// NextID is the id of what continues base.
func NextID(store StoreID, base ID) ID { return derive(Continue, store, string(base)) }

// ForkID is the id of the fork that a run makes of base.
func ForkID(store StoreID, base ID, run string) ID { return derive(Fork, store, string(base), run) }

// AutoID is the id of the autosave that a run makes below base. A path without any snapshot has none to be a base: the
// id that its first one will have stands in.
func AutoID(store StoreID, base ID, run string) ID { return derive(Auto, store, string(base), run) }
