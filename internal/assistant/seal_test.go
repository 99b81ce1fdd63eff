package assistant

import (
	"bytes"
	"strings"
	"testing"
)

// Each installation has an end of its own for the here-document that takes arguments; a second init keeps it.
func TestSeal(t *testing.T) {
	all, err := shipped(OpenCode, false)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range all {
		if !bytes.Contains(f.data, []byte(endWord)) {
			continue
		}
		n++
		one, two := f.sealed(nil, sealOf("")), f.sealed(nil, sealOf(""))
		if bytes.Equal(one.data, two.data) || strings.Contains(string(one.data), endWord+"'") || strings.Contains(string(one.data), "\n"+endWord+"\n") {
			t.Errorf("%s can be guessed:\n%s", f.path, one.data)
		}
		if again := f.sealed(&content{data: one.data}, sealOf("")); !bytes.Equal(again.data, one.data) {
			t.Errorf("%s changes with each init", f.path)
		}
		if !bytes.Equal(unsealed(one.data), f.data) {
			t.Errorf("%s is not known again", f.path)
		}
	}
	if n == 0 {
		t.Error("no file takes arguments")
	}
}
