package blocker

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 1, 4, 10, 30, 0, 0, time.UTC)

// scanText scans a text as a file of that name.
func scanText(t testing.TB, name, text string, o Options) Report {
	t.Helper()
	o.Now = now
	r, err := Scan(context.Background(), Input{Name: name, Data: bytes.NewReader([]byte(text)), Size: int64(len(text))}, o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// wanted is what a case says about its log: "name | type | file:line | part of the message". Type none is a success or
// a log without a failure; an empty place or message is not compared.
type wanted struct {
	name, typ, file string
	line            int
	message         string
}

func parseWanted(head string) (w wanted, err error) {
	parts := strings.SplitN(head, "|", 4)
	for len(parts) < 4 {
		parts = append(parts, "")
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	w = wanted{name: parts[0], typ: parts[1], message: parts[3]}
	if i := strings.LastIndexByte(parts[2], ':'); i >= 0 {
		w.line, err = strconv.Atoi(parts[2][i+1:])
		w.file = parts[2][:i]
	} else {
		w.file = parts[2]
	}
	return w, err
}

// runCases splits a file of cases at lines that begin with "=== case " and runs each as a whole log. § stands for the
// back quote, which a raw string cannot hold, and ␛ for the escape character.
func runCases(t *testing.T, cases string) {
	t.Helper()
	text := strings.NewReplacer("§", "`", "␛", "\x1b").Replace(cases)
	for c := range strings.SplitSeq(text, "\n=== case ") {
		head, log, ok := strings.Cut(c, "\n")
		if !ok || strings.TrimSpace(head) == "" {
			continue
		}
		w, err := parseWanted(strings.TrimPrefix(head, "=== case "))
		if err != nil {
			t.Fatalf("%s: %v", head, err)
		}
		t.Run(w.name, func(t *testing.T) {
			if fault := w.fault(scanText(t, "build.log", log+"\n", Options{})); fault != "" {
				t.Error(fault)
			}
		})
	}
}

// fault tells in what a report differs from what is wanted.
func (w wanted) fault(r Report) string {
	b := r.First()
	switch {
	case b == nil && w.typ == "none":
		return ""
	case b == nil:
		return fmt.Sprintf("no blocker (verdict %s), want %s", r.Verdict, w.typ)
	case w.typ == "none" || string(b.Type) != w.typ:
		return fmt.Sprintf("%s by rule %s: %q, want %s", b.Type, b.Rule, b.Message, w.typ)
	case w.file != "" && (!strings.HasSuffix(b.File, w.file) || b.Line != w.line):
		return fmt.Sprintf("place %s:%d by rule %s (%q), want %s:%d", b.File, b.Line, b.Rule, b.Message, w.file, w.line)
	case w.message != "" && !strings.Contains(b.Message, w.message):
		return fmt.Sprintf("message %q by rule %s, want %q in it", b.Message, b.Rule, w.message)
	case !b.Valid():
		return fmt.Sprintf("not valid: %v", b.Faults())
	}
	return ""
}
