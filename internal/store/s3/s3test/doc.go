// Package s3test is an S3 server in memory, with the faults that servers and networks have, and a proxy that puts faults
// before a real one.
//
// The server does what package s3 asks of one: objects, HEAD, deletion, listing in pages, conditional creation, signatures
// (verified, so a client that signs wrongly is told so) and their clock. It is our own reading of the protocol and thus
// proves our half only; the same tests run against a real server where SESSION_TEST_S3 names one.
package s3test
