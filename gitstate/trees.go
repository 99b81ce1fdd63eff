package gitstate

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// treeMaker finds out which tree objects an index amounts to. It goes only into folders whose tree is not known, and
// makes those in memory.
type treeMaker struct {
	entries *editedIndex
	has     func(objectID) (bool, error)
	made    map[objectID]madeTree
}

// madeTree is a tree object that has to be written, after those below it.
type madeTree struct {
	body  []byte
	depth int // 0 for the top
	has   []objectID
}

// treesOf brings the cache-tree up to date with the entries. made takes up the trees that were made for it and have to be
// written; has answers for those that were known before: an index may name a tree that is not there.
func treesOf(e *editedIndex, root *treeNode, made map[objectID]madeTree, has func(objectID) (bool, error)) error {
	for _, d := range e.edits {
		if !d.stay {
			root.forget(d.path)
		}
	}
	m := &treeMaker{entries: e, has: has, made: made}
	end, err := m.folder(root, 0, nil, 0)
	if err == nil && end != e.len() {
		err = &indexError{"its entries are not in order"}
	}
	return err
}

// folder brings one folder up to date; its entries start at k and have the prefix. It returns where they end.
func (m *treeMaker) folder(t *treeNode, k int, prefix []byte, depth int) (end int, err error) {
	if t.count >= 0 {
		return m.known(t, k, prefix)
	}
	if depth > maxDepth {
		return 0, &indexError{"folders in folders without end"}
	}
	var body []byte
	var has []objectID
	var below []*treeNode
	start := k
	for k < m.entries.len() {
		rest, ok := bytes.CutPrefix(m.entries.name(k), prefix)
		if !ok {
			break
		}
		name, _, deeper := bytes.Cut(rest, []byte{'/'})
		if !deeper {
			mode, id, _ := m.entries.entry(k)
			body, has = appendTreeEntry(body, mode, name, id), append(has, id)
			k++
			continue
		}
		sub := t.find(string(name))
		if sub == nil {
			sub = &treeNode{name: string(name), count: -1}
		}
		if k, err = m.below(sub, k, prefix, depth); err != nil {
			return 0, err
		}
		body, has, below = appendTreeEntry(body, modeFolder, name, sub.id), append(has, sub.id), append(below, sub)
	}
	slices.SortFunc(below, func(a, b *treeNode) int { return compareFolders(a.name, b.name) })
	t.below, t.count = below, k-start
	t.id, err = m.keep(body, has, depth)
	return k, err
}

func (m *treeMaker) below(sub *treeNode, k int, prefix []byte, depth int) (int, error) {
	path := append(bytes.Clone(prefix), sub.name...)
	if _, file := m.entries.search(string(path)); file {
		return 0, &indexError{fmt.Sprintf("%q is a file and a folder", path)}
	}
	return m.folder(sub, k, append(path, '/'), depth+1)
}

// known steps over a folder whose tree is known, after making sure that it is about these entries and, like git
// write-tree, that the tree is there.
func (m *treeMaker) known(t *treeNode, k int, prefix []byte) (int, error) {
	end := k + t.count
	inside := func(k int) bool { return k < m.entries.len() && bytes.HasPrefix(m.entries.name(k), prefix) }
	if end > m.entries.len() || t.count > 0 && !inside(end-1) || inside(end) {
		return 0, errTreeCache
	}
	if _, ok := m.made[t.id]; ok {
		return end, nil
	}
	ok, err := m.has(t.id)
	if err == nil && !ok {
		err = fmt.Errorf("tree %s: %w", t.id, errNoObject)
	}
	return end, err
}

// keep names a tree and notes it down.
func (m *treeMaker) keep(body []byte, has []objectID, depth int) (objectID, error) {
	id, err := objectName(treeObject, body)
	if err == nil {
		m.made[id] = madeTree{body, max(depth, m.made[id].depth), has}
	}
	return id, err
}

func appendTreeEntry(b []byte, mode uint32, name []byte, id objectID) []byte {
	b = strconv.AppendUint(b, uint64(mode), 8)
	b = append(append(append(b, ' '), name...), 0)
	return append(b, id[:]...)
}

// treeEntry is one entry of a tree object.
type treeEntry struct {
	name string
	mode uint32
	id   objectID
}

// maxTree bounds a tree object that is read, in bytes.
const maxTree = 64 << 20

// readTree reads a tree object.
func (o *objects) readTree(id objectID) ([]treeEntry, error) {
	b, err := o.readAs(id, treeObject, maxTree)
	if err != nil {
		return nil, err
	}
	all, err := parseTree(b)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", id, err)
	}
	return all, nil
}

// parseTree reads the entries of a tree. Modes are returned as git's index would keep them.
func parseTree(b []byte) (all []treeEntry, err error) {
	for len(b) > 0 {
		head, rest, ok := bytes.Cut(b, []byte{0})
		mode, name, ok2 := bytes.Cut(head, []byte{' '})
		n, err := strconv.ParseUint(string(mode[:min(len(mode), 8)]), 8, 32)
		if !ok || !ok2 || err != nil || len(name) == 0 || len(rest) < len(objectID{}) {
			return nil, errBadObject
		}
		all = append(all, treeEntry{string(name), indexMode(uint32(n)), objectID(rest[:20])})
		b = rest[20:]
	}
	return all, nil
}

// indexMode is a mode of a tree as the index keeps it: old trees hold other permissions (git's canon_mode).
func indexMode(mode uint32) uint32 {
	switch mode & 0o170000 {
	case 0o100000:
		if mode&0o100 != 0 {
			return modeProgram
		}
		return modeFile
	case modeLink, modeFolder:
		return mode & 0o170000
	}
	return modeSubmodule
}
