// Package canon gives every JSON value one spelling and that spelling a name.
//
// Two values that mean the same have the same bytes here, on every machine and locale: member names sorted by UTF-16
// code units, no white space, shortest numbers, fewest escapes (RFC 8785, JSON Canonicalization Scheme). The name of a
// value is the SHA-256 of those bytes, in hex. Plan hashes, snapshot ids and digests of parts are such names.
//
// The other direction matters as much: two values that mean something else must not get the same bytes. RFC 8785 reads
// every number as an IEEE 754 double and so writes 9007199254740993 as …992. What does not survive is refused here
// before it is written: numbers beyond ±(2^53−1) in any spelling, non-zero numbers that a double holds as zero, members
// named twice, text that is not UTF-8 or has lone surrogates, and nesting deeper than MaxDepth. Fractions are doubles:
// 0.1 and 0.1000000000000000055 are one number.
package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gowebpki/jcs"
)

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 512

// Reasons why a value has no canonical form. Refused wraps one of them; compare with errors.Is.
var (
	ErrSyntax    = errors.New("not one JSON value")
	ErrNumber    = errors.New("number beyond what a double holds exactly (±9007199254740991)")
	ErrDuplicate = errors.New("member named twice")
	ErrUnicode   = errors.New("not valid Unicode text")
	ErrDepth     = errors.New("nested too deep")
)

// Refused says where in the input a value stops having a canonical form.
type Refused struct {
	Offset int    // byte offset in the input
	Detail string // what stood there, quoted and cut short; may be empty
	Reason error  // one of the Err… values
}

// Error names the reason, the offset and what stood there.
func (r *Refused) Error() string {
	if r.Detail == "" {
		return fmt.Sprintf("canonical JSON: %v, at byte %d", r.Reason, r.Offset)
	}
	return fmt.Sprintf("canonical JSON: %v: %s, at byte %d", r.Reason, r.Detail, r.Offset)
}

// Unwrap gives the reason.
func (r *Refused) Unwrap() error { return r.Reason }

// Transform writes one JSON value (RFC 8259, UTF-8, white space around it allowed) in its canonical form. Errors are
// *Refused. It takes linear time and never changes in.
func Transform(in []byte) ([]byte, error) {
	if err := guard(in); err != nil {
		return nil, err
	}
	out, err := jcs.Transform(in)
	if err != nil { // guard is stricter than jcs, so this is a difference between the two, not a kind of input
		return nil, &Refused{Detail: quote(err.Error()), Reason: ErrSyntax}
	}
	return out, nil
}

// Marshal is encoding/json's Marshal followed by Transform. Go strings that are not UTF-8 (a file name can be one) are
// refused with ErrUnicode; encoding/json alone would write all of them as U+FFFD.
func Marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	if bytes.Contains(b, []byte(`\ufffd`)) && !textOK(v) {
		return nil, &Refused{Detail: "a string of the Go value", Reason: ErrUnicode}
	}
	return Transform(b)
}

// Digest is the SHA-256 of b in lower-case hex, 64 characters. It hashes the bytes it is given: canonicalise first.
func Digest(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
