package gitstate

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// indexEdit is one path as a save wants it in the index.
type indexEdit struct {
	path string
	gone bool // the path is taken out; the rest says nothing
	stay bool // mode and id are as they were: no tree changes
	mode uint32
	id   objectID
	stat fileStat
}

// editedIndex is an index with edits applied: the entries that stay are looked up where they were read.
type editedIndex struct {
	*index
	edits []indexEdit
	order []int32 // an entry of the index, or ^i for edits[i]
}

// edit applies edits, each path at most once. As with git update-index --replace, what stands in the way of an added
// path goes: a file where it needs a folder, and whatever is below it.
func (x *index) edit(edits []indexEdit) *editedIndex {
	edits = slices.Concat(edits, x.inTheWay(edits))
	slices.SortFunc(edits, func(a, b indexEdit) int {
		return cmp.Or(cmp.Compare(a.path, b.path), boolOrder(a.gone, b.gone)) // the one that adds comes first and counts
	})
	edits = slices.CompactFunc(edits, func(a, b indexEdit) bool { return a.path == b.path })
	e := &editedIndex{index: x, edits: edits, order: make([]int32, 0, x.len()+len(edits))}
	from := 0
	for i, d := range edits {
		at, found := x.search(d.path)
		e.keep(from, at)
		if !d.gone {
			e.order = append(e.order, ^int32(i))
		}
		if from = at; found {
			from++
		}
	}
	e.keep(from, x.len())
	return e
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (e *editedIndex) keep(from, to int) {
	for i := from; i < to; i++ {
		e.order = append(e.order, int32(i))
	}
}

// inTheWay lists entries that cannot stand beside the added paths.
func (x *index) inTheWay(edits []indexEdit) (out []indexEdit) {
	for _, d := range edits {
		if d.gone {
			continue
		}
		for dir, ok := parent(d.path); ok; dir, ok = parent(dir) {
			if _, found := x.search(dir); found {
				out = append(out, indexEdit{path: dir, gone: true})
			}
		}
		below := d.path + "/"
		for i, _ := x.search(below); i < x.len() && bytes.HasPrefix(x.name(i), []byte(below)); i++ {
			out = append(out, indexEdit{path: string(x.name(i)), gone: true})
		}
	}
	return out
}

// parent is the folder of a slash-separated path; ok is false at the top.
func parent(path string) (dir string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", false
	}
	return path[:i], true
}

func (e *editedIndex) len() int { return len(e.order) }

func (e *editedIndex) name(k int) []byte {
	if i := e.order[k]; i >= 0 {
		return e.index.name(int(i))
	}
	return []byte(e.edits[^e.order[k]].path)
}

// entry is the entry at a place of the edited index.
func (e *editedIndex) entry(k int) (mode uint32, id objectID, stat fileStat) {
	if i := int(e.order[k]); i >= 0 {
		return e.index.mode(i), e.index.id(i), e.index.stat(i)
	}
	d := e.edits[^e.order[k]]
	return d.mode, d.id, d.stat
}

// search finds a path in the edited index.
func (e *editedIndex) search(path string) (int, bool) {
	return slices.BinarySearchFunc(e.order, path, func(i int32, path string) int {
		if i >= 0 {
			return bytes.Compare(e.index.name(int(i)), []byte(path))
		}
		return cmp.Compare(e.edits[^i].path, path)
	})
}
