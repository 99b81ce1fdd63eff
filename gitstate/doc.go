// Package gitstate reads and changes a git work tree on behalf of a save.
//
// Who does what (measured, docs/adr/0002-git-division.md): go-git opens the repository in process and answers where it
// is, what HEAD names and how a branch is configured; where it cannot open one (SHA-256, worktreeConfig, sparse
// checkouts, foreign owners, GIT_DIR in the environment) git itself is asked. Everything that looks at files or
// changes anything is done by the git program, so that filters, attributes, ignore rules, signing, hooks and
// credential helpers are the user's own.
//
// A save never touches the real index until all is staged: it works on a private index (a hard link of the real one;
// git replaces index files by rename), builds tree and commit, then publishes the index and moves the branch, in this
// order. Whatever refuses on the way leaves index and work tree as they were.
package gitstate
