package gitstate

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// treeNode is a folder of the cache-tree, the index extension TREE (gitformat-index(5)): which tree object its entries
// amount to, where that is known.
type treeNode struct {
	name  string
	count int // entries of the index below this folder; -1: the tree is not known
	id    objectID
	below []*treeNode // in git's order: by length of the name, then by its bytes
}

var errTreeCache = &indexError{"its tree cache is damaged"}

// parseTreeCache reads the extension: name NUL count SPACE folders LF [id], then the folders below.
func parseTreeCache(b []byte) (*treeNode, error) {
	root, rest, err := parseTreeNode(b, 0)
	if err == nil && (len(rest) > 0 || root.name != "") {
		err = errTreeCache
	}
	return root, err
}

// maxDepth bounds folders in folders: a path has at most 4096 bytes on the systems that we know.
const maxDepth = 2048

func parseTreeNode(b []byte, depth int) (*treeNode, []byte, error) {
	name, b, ok := bytes.Cut(b, []byte{0})
	line, b, ok2 := bytes.Cut(b, []byte{'\n'})
	count, folders, ok3 := strings.Cut(string(line[:min(len(line), 24)]), " ")
	n, err1 := strconv.Atoi(count)
	below, err2 := strconv.Atoi(folders)
	if !ok || !ok2 || !ok3 || err1 != nil || err2 != nil || below < 0 || below > len(b)/5 || depth > maxDepth || (depth == 0) != (len(name) == 0) {
		return nil, nil, errTreeCache
	}
	t := &treeNode{name: string(name), count: max(n, -1)}
	if t.count >= 0 {
		if len(b) < len(t.id) {
			return nil, nil, errTreeCache
		}
		copy(t.id[:], b)
		b = b[len(t.id):]
	}
	for range below {
		var sub *treeNode
		var err error
		if sub, b, err = parseTreeNode(b, depth+1); err != nil {
			return nil, nil, err
		}
		t.below = append(t.below, sub)
	}
	slices.SortFunc(t.below, func(a, b *treeNode) int { return compareFolders(a.name, b.name) })
	return t, b, nil
}

func compareFolders(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func (t *treeNode) append(b []byte) []byte {
	b = append(append(b, t.name...), 0)
	b = strconv.AppendInt(b, int64(t.count), 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(len(t.below)), 10)
	b = append(b, '\n')
	if t.count >= 0 {
		b = append(b, t.id[:]...)
	}
	for _, sub := range t.below {
		b = sub.append(b)
	}
	return b
}

func (t *treeNode) find(name string) *treeNode {
	i, ok := slices.BinarySearchFunc(t.below, name, func(n *treeNode, name string) int { return compareFolders(n.name, name) })
	if !ok {
		return nil
	}
	return t.below[i]
}

// forget marks the folders on the way to a path: their trees are no longer known.
func (t *treeNode) forget(path string) {
	for t != nil {
		t.count = -1
		dir, rest, ok := strings.Cut(path, "/")
		if !ok {
			return
		}
		t, path = t.find(dir), rest
	}
}
