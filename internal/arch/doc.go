// Package arch holds the project's rules about its own shape as tests: which package may import which (layers_test.go)
// and the style marks that the code is held to (marks_test.go). It has no code of its own.
package arch
