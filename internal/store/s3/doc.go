// Package s3 keeps snapshots in S3-compatible object storage: the store of a team.
//
// One prefix of one bucket is one store, named by one URL:
//
//	s3://[key:secret@]host[:port]/bucket[/prefix][?insecure=1&region=…]
//
//	store.json                       format version and the store's random id; its presence makes the prefix a store
//	snapshots/ tombstones/ blobs/    objects of package snapshot, under the keys that it makes; the same as in local files
//	paths/<id>.json                  one replaceable pointer a path
//	probe/<random>                   left by a Create that was killed while it tried the server
//
// # What decides
//
// An object is created by PUT with "If-None-Match: *": the server is the arbiter, and answers 412 to all but one. Nothing
// else decides: no lock, no listing, no clock (of the server's times only the age of what a sweep may take is used). A
// server that takes the header and ignores it would lose work silently, so Create tries it first, in order and in a race,
// and refuses it with ErrUnconditional.
//
// # Answers that get lost
//
// Every request is bounded in time and repeated a few times while the server does not answer. A PUT that is repeated may
// find its own first attempt there and get a 412 for it; each create therefore carries a random mark in the object's
// metadata, and a 412 whose holder has our mark is success. Where even that answer gets lost, the caller asks again with
// the same run id, and package snapshot recognises the run by what is stored.
//
// A DELETE that is repeated, or arrives late, may take away what was created under its key meanwhile. Package snapshot
// deletes only what can bear that: manifests under ids that are never used again, and blobs that the trash still has.
//
// # Secrets
//
// Neither the key nor the secret of a URL or of the environment is ever in an error or in what a Target prints, also not
// when a server sends them back.
package s3
