// Package gitstate reads and changes a git work tree on behalf of a save.
//
// Who does what (measured, docs/adr/0002-git-division.md): go-git opens the repository in process and answers where it
// is, what HEAD names and how a branch is configured; where it cannot open one (SHA-256, worktreeConfig, sparse
// checkouts, foreign owners, GIT_DIR in the environment) git itself is asked. Whatever depends on the user's filters,
// attributes, ignore rules, signing, hooks and credential helpers is done by the git program.
//
// A save can look at the work tree in two ways that come to the same tree. Status and Repo.Stage leave all to git. Scan
// and Scan.Stage read the index in process, look at each file once, hash only what changed, and write blobs, trees and the
// private index themselves; git only lists new files (its ignore rules are its own) and moves the branch. A gate (Unfit)
// lists what Scan does not handle; whatever is on it goes the other way, and the reason is told.
//
// A save never touches the real index until all is staged: it works on a private index (a hard link of the real one;
// git replaces index files by rename), builds tree and commit, then publishes the index and moves the branch, in this
// order. Whatever refuses on the way leaves index and work tree as they were.
package gitstate
