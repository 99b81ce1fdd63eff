package assistant

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"strings"

	"session/internal/lazy"
)

// endWord ends the here-document through which arguments reach the program. Claude Code asks its user before a line that
// does anything else; OpenCode runs what it pastes. There the word is a secret of each installation: a line of a pasted text
// that ends the document would have to guess it.
const endWord = "END-OF-SESSION-ARGUMENTS"

var sealedWord = lazy.Regexp(endWord + `-[0-9a-f]{32}\b`)

// newSeal is a word for one installation.
func newSeal() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return endWord + "-" + hex.EncodeToString(b[:])
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
