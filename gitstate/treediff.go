package gitstate

import (
	"cmp"
	"fmt"
	"slices"
)

// diffHere is TreeDiff in process. An error: git has to do it, or to say what is wrong.
func (o *objects) diffHere(from, to string) ([]File, error) {
	a, err := o.treeOf(from)
	if err != nil {
		return nil, err
	}
	b, err := o.treeOf(to)
	if err != nil {
		return nil, err
	}
	d := &treeDiff{objects: o}
	err = d.folder(a, b, "", 0)
	return d.files, err
}

// treeOf is the tree of a commit, or the tree itself.
func (o *objects) treeOf(name string) (objectID, error) {
	id, ok := parseObjectID(name)
	if !ok {
		return id, fmt.Errorf("%q: %w", name, errBadObject)
	}
	kind, b, err := o.read(id, maxTree)
	if err != nil || kind == treeObject {
		return id, err
	}
	if kind != commitObject {
		return id, fmt.Errorf("%s is a %s: %w", id, kindNames[kind], errBadObject)
	}
	c, err := parseCommit(b)
	return c.tree, err
}

// treeDiff collects the files in which two trees differ, in git's order.
type treeDiff struct {
	*objects
	files []File
}

// folder compares two trees of one folder, whose path ends in a slash; the zero id is that of a folder that is not there.
// Trees that are equal are not looked into.
func (d *treeDiff) folder(from, to objectID, prefix string, depth int) error {
	if from == to {
		return nil
	}
	if depth > maxDepth {
		return fmt.Errorf("tree %s: %w", to, errBadObject)
	}
	was, err := d.entries(from)
	if err != nil {
		return err
	}
	is, err := d.entries(to)
	if err != nil {
		return err
	}
	for len(was) > 0 || len(is) > 0 {
		var a, b treeEntry
		order := 0
		switch {
		case len(is) == 0:
			order = -1
		case len(was) == 0:
			order = 1
		default:
			order = cmp.Compare(was[0].key(), is[0].key())
		}
		if order <= 0 {
			a, was = was[0], was[1:]
		}
		if order >= 0 {
			b, is = is[0], is[1:]
		}
		if err := d.entry(a, b, prefix, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry compares what stands under one name; the zero entry is nothing. Files and folders of one name are two entries.
func (d *treeDiff) entry(a, b treeEntry, prefix string, depth int) error {
	switch {
	case a == b:
	case a.mode == modeFolder || b.mode == modeFolder:
		return d.folder(a.id, b.id, prefix+max(a.name, b.name)+"/", depth+1)
	case b.mode == 0:
		d.files = append(d.files, File{Path: prefix + a.name})
	default:
		d.files = append(d.files, File{Path: prefix + b.name, Mode: fmt.Sprintf("%06o", b.mode), Blob: b.id.String()})
	}
	return nil
}

// entries reads a tree in the order that git keeps trees in; one that is in another order is damaged.
func (d *treeDiff) entries(id objectID) ([]treeEntry, error) {
	if id == (objectID{}) {
		return nil, nil
	}
	list, err := d.readTree(id)
	if err == nil && !slices.IsSortedFunc(list, func(a, b treeEntry) int { return cmp.Compare(a.key(), b.key()) }) {
		err = fmt.Errorf("tree %s: %w", id, errBadObject)
	}
	return list, err
}

// key is what the entries of a tree are sorted by (read-cache.c, base_name_compare): a folder's name ends in a slash.
func (e treeEntry) key() string {
	if e.mode == modeFolder {
		return e.name + "/"
	}
	return e.name
}
