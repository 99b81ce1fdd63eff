package assistant

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"session/internal/atomicfile"
	"session/internal/lazy"
)

// endWord ends the here-document through which arguments reach the program. Claude Code asks its user before a line that
// does anything else; OpenCode runs what it pastes. There the word is a secret of each installation: a line of a pasted text
// that ends the document would have to guess it.
const endWord = "END-OF-SESSION-ARGUMENTS"

var sealedWord = lazy.Regexp(endWord + `-[0-9a-f]{32}\b`)

// sealFile keeps the word beside the record, so that an init after an uninstall writes the same files again.
const sealFile = "arguments-word"

// sealOf is the word of a work tree: the one that an init has left, or a new one.
func sealOf(record string) string {
	if record != "" {
		if b, err := os.ReadFile(filepath.Join(filepath.Dir(record), sealFile)); err == nil && sealedWord().Match(b) {
			return string(sealedWord().Find(b))
		}
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return endWord + "-" + hex.EncodeToString(b[:])
}

// keepSeal writes the word down where a plan uses it.
func (p Plan) keepSeal() error {
	uses := func(c Change) bool { return p.seal != "" && bytes.Contains(c.After, []byte(p.seal)) }
	if p.recordPath == "" || !slices.ContainsFunc(p.Changes, uses) {
		return nil
	}
	dir := filepath.Dir(p.recordPath)
	if err := makeFolder(dir); err != nil {
		return fmt.Errorf("keep the word that ends arguments: %w", err)
	}
	err := atomicfile.Create(filepath.Join(dir, sealFile), []byte(p.seal+"\n"), 0o600)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keep the word that ends arguments: %w", err)
	}
	return nil
}

// sealed is the file with the word of the one that is there, or with a new one where that has none.
func (f file) sealed(is *content, word string) file {
	if !strings.HasPrefix(f.path, ".opencode/") || !bytes.Contains(f.data, []byte(endWord)) {
		return f
	}
	if is != nil {
		if old := sealedWord().Find(is.data); old != nil {
			word = string(old)
		}
	}
	if word != "" {
		f.data = bytes.ReplaceAll(f.data, []byte(endWord), []byte(word))
	}
	return f
}

// unsealed is a file's text as it was released.
func unsealed(data []byte) []byte {
	return sealedWord().ReplaceAllFunc(data, func([]byte) []byte { return []byte(endWord) })
}
