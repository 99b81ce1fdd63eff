// Package snapshot keeps work as a chain of immutable snapshots and knows the one rule by which a snapshot comes to be.
//
// # What a snapshot is
//
// A snapshot is three parts of JSON that only their owners read (environment, context, message history) and a Manifest
// that says where they belong: after which snapshot, on which path, made by which run. The manifest is canonical JSON,
// names its parent together with the parent's digest, and holds the parts themselves as long as they are small. So a
// usual save is one object, and altering any snapshot shows in its child.
//
// # The rule
//
// A snapshot exists from the instant its manifest does, and a manifest is created only if nothing has its key. Which key
// that is follows from the parent: the id of a continuation is a hash of the id that it continues, the id of a path's
// first snapshot a hash of the path. There is exactly one key to create, so of a hundred runs that continue one base one
// wins, whatever back end decides it, and no lock, no index and no clock has a say. A fork's id has the run in it too:
// there can be as many as anyone likes, and each opens a path of its own.
//
//	first     H(path)       a path begins; its parent, if any, is where the work tree stood
//	continue  H(base)       the one snapshot after base
//	fork      H(base, run)  a path of its own
//	auto      H(base, run)  a leaf beside the chain: what a hook saw; no snapshot follows it
//
// Every hash also holds the kind and the store's random id. Ids say nothing and are never used twice: what is deleted
// leaves a Tombstone, and a chain goes on behind it.
//
// # Lines and heads
//
// The snapshots of one path are a line, named after its first. The newest is the head; it is found by following the ids
// from a pointer, and a pointer that is lost or wrong only costs a longer way. Autosaves of a line are numbered in the
// order in which they were announced; the line's next save takes in their content and records up to which number
// (Origin.TookIn), because clocks of two processes cannot be compared and depth is the same for all of them.
//
// # Contracts
//
// Objects, Pointers and Leaser are what a back end provides; package snapshottest holds the suites that all of them run.
// A Store needs no lease to be right. Leases only let a second run wait, or fail before its work instead of after.
package snapshot
