// Package redact finds secrets in text and masks them.
//
// # Model
//
// One set of rules serves two needs: text is masked before anything of it is stored (memory, messages, logs, evidence),
// and a file's content is looked through before it is staged or pushed. A Hit says where a secret stands and which rule
// knows it; its span is the secret itself, not the name beside it, so a masked line can still be read.
//
// There are four kinds of rules. Tokens say by their first letters who made them (AKIA…, ghp_…, xoxb-…): prefix,
// alphabet and length decide (tokens.go). Shapes are forms with parts: private key blocks, JSON web tokens, passwords in
// URLs, authorization headers, webhooks (shapes.go). Assignments are names like dbPassword or API_KEY with a value
// beside them; there the value is judged: whether it can be a secret at all, or is a word, a placeholder, a variable,
// a path (assign.go, plausible.go). File names are the last kind: id_rsa, .env, *.p12 (filename.go).
//
// What is no secret by its own look is never a hit, however random: hashes, git ids, UUIDs, lock files, images. A random
// string is a hit where its name or its form says that it is secret.
//
// # Cost
//
// A table of three-letter beginnings passes over ordinary text at hundreds of megabytes a second; only where one of
// about two hundred literals stands is anything else looked at, in a window of bounded size. So time is linear in the
// input and memory is bounded, whatever the input. Nothing is built before the first call.
//
// An error is an error: where a reader fails, nothing is known about what it did not give, and Scan and Copy say so.
package redact

import (
	"bytes"
	"strings"
)

// Hit is one secret: b[Start:End] is masked, Line is where it begins, counted from 1. Start and End are byte offsets.
type Hit struct {
	Rule       string
	Start, End int
	Line       int
}

// Mask is what stands in the place of a secret that rule found.
func Mask(rule string) string { return "[redacted:" + rule + "]" }

// Find gives the secrets in b in order; they do not overlap. Masked text has no hits where its masks stand.
func Find(b []byte) []Hit {
	var all []Hit
	s := scanner{b: b, table: table()}
	line, counted := 1, 0
	for s.next(len(b)) {
		line += bytes.Count(b[counted:s.hit.Start], newline)
		counted = s.hit.Start
		s.hit.Line = line
		all = append(all, s.hit)
	}
	return all
}

// Text masks the secrets in s.
func Text(s string) string {
	hits := Find([]byte(s))
	if len(hits) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, h := range hits {
		b.WriteString(s[at:h.Start])
		b.WriteString(Mask(h.Rule))
		at = h.End
	}
	b.WriteString(s[at:])
	return b.String()
}

// Texts masks each of them.
func Texts(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Text(s)
	}
	return out
}

var newline = []byte("\n")
