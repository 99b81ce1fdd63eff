// Package file keeps snapshots in local files: the store that is always there.
//
// One folder is one store:
//
//	store.json                       format version and the store's random id; its presence makes the folder a store
//	snapshots/<i>/<id>.json          manifests, <i> being the first character of the id
//	tombstones/<i>/<id>.json         what is left of removed ones
//	blobs/<ss>/<sha>                 large parts by the SHA-256 of their content
//	autosaves/<line>/<number>.json   announcements of autosaves
//	paths/<id>.json                  one replaceable pointer a path
//	leases/<id>.lock                 held with flock by the run that works on a line
//
// Every object is created whole or not at all (package atomicfile). Nothing on the way of a save lists a folder, so a
// save into a store of 100,000 snapshots costs what one into an empty store costs; the 32 folders of snapshots are made
// with the store, so a save makes none. Folders have mode 0700, files 0600. Nothing is written through a link below
// the store's own folder: a repository from somewhere else may bring a store along.
package file
