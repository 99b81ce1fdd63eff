package gitstate

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// stagedFile is a path in which the index differs from HEAD.
type stagedFile struct {
	path     string
	letter   byte     // A, M, D or T, as status shows it
	headMode uint32   // 0: HEAD does not have it
	head     objectID // likewise
	slot     int      // -1: the index does not have it
}

// stagedFiles compares an index whose cache-tree is up to date with HEAD's tree. Folders whose trees are equal are not
// looked into.
func (o *objects) stagedFiles(e *editedIndex, root *treeNode, head objectID) ([]stagedFile, error) {
	d := &treeComparison{objects: o, entries: e}
	if err := d.folder(root, 0, nil, head, 0); err != nil {
		return nil, err
	}
	slices.SortFunc(d.found, func(a, b stagedFile) int { return cmp.Compare(a.path, b.path) })
	return d.found, nil
}

type treeComparison struct {
	*objects
	entries *editedIndex
	found   []stagedFile
}

// folder compares one folder: its node, the place of its first entry, its path with a slash, its tree in HEAD.
func (d *treeComparison) folder(t *treeNode, k int, prefix []byte, head objectID, depth int) error {
	if t.id == head {
		return nil
	}
	if depth > maxDepth {
		return fmt.Errorf("tree %s: %w", head, errBadObject)
	}
	list, err := d.readTree(head)
	if err != nil {
		return err
	}
	had := make(map[string]treeEntry, len(list))
	for _, h := range list {
		had[h.name] = h
	}
	for end := k + t.count; k < end; {
		name, _, deeper := bytes.Cut(d.entries.name(k)[len(prefix):], []byte{'/'})
		h := had[string(name)]
		if !deeper {
			d.file(k, h)
			if h.mode != modeFolder {
				delete(had, string(name))
			}
			k++
			continue
		}
		sub := t.find(string(name))
		if sub == nil || sub.count <= 0 {
			return errTreeCache
		}
		if h.mode == modeFolder {
			delete(had, string(name))
			err = d.folder(sub, k, append(append(bytes.Clone(prefix), name...), '/'), h.id, depth+1)
		} else {
			d.added(k, k+sub.count)
		}
		if err != nil {
			return err
		}
		k += sub.count
	}
	return d.deleted(had, prefix, depth)
}

// file compares one entry with what HEAD has under its name; the zero value: nothing.
func (d *treeComparison) file(k int, h treeEntry) {
	mode, id, _ := d.entries.entry(k)
	s := stagedFile{path: string(d.entries.name(k)), letter: 'A', slot: k}
	if h.mode != 0 && h.mode != modeFolder {
		if mode == h.mode && id == h.id {
			return
		}
		s.letter, s.headMode, s.head = changeLetter(h.mode, mode), h.mode, h.id
	}
	d.found = append(d.found, s)
}

func (d *treeComparison) added(from, to int) {
	for k := from; k < to; k++ {
		d.file(k, treeEntry{})
	}
}

// deleted notes what only HEAD has.
func (d *treeComparison) deleted(had map[string]treeEntry, prefix []byte, depth int) error {
	for _, h := range had {
		path := string(prefix) + h.name
		if h.mode != modeFolder {
			d.found = append(d.found, stagedFile{path: path, letter: 'D', headMode: h.mode, head: h.id, slot: -1})
			continue
		}
		if depth > maxDepth {
			return fmt.Errorf("tree %s: %w", h.id, errBadObject)
		}
		list, err := d.readTree(h.id)
		if err != nil {
			return err
		}
		below := make(map[string]treeEntry, len(list))
		for _, b := range list {
			below[b.name] = b
		}
		if err := d.deleted(below, []byte(path+"/"), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// changeLetter is M, or T where a file became a link or the other way round.
func changeLetter(from, to uint32) byte {
	if from&0o170000 != to&0o170000 {
		return 'T'
	}
	return 'M'
}
