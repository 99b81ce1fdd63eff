package redact

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ordinary is about four megabytes of this module's own sources, over and over.
func ordinary(b *testing.B) []byte {
	b.Helper()
	var all bytes.Buffer
	files, err := filepath.Glob("../*/*.go")
	if err != nil || len(files) == 0 {
		b.Fatal("no sources", err)
	}
	for all.Len() < 4<<20 {
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				b.Fatal(err)
			}
			if !strings.Contains(f, "redact") {
				all.Write(src)
			}
		}
	}
	return all.Bytes()
}

func BenchmarkOrdinary(b *testing.B) {
	in := ordinary(b)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		Find(in)
	}
}

func BenchmarkStream(b *testing.B) {
	in := ordinary(b)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if err := Scan(bytes.NewReader(in), func(Hit) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirst is what the first call costs: building the table.
func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		p := newPrefilter()
		if p.shift[0] == 0 {
			b.Fatal("empty")
		}
	}
}

// BenchmarkHostile gives every rule as much to do as it can be given.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range hostile {
		in := bytes.Repeat([]byte(unit), 1<<20/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				Find(in)
			}
		})
	}
}

var hostile = map[string]string{
	"keyword":    "password",
	"assigned":   "token='",
	"long name":  "secret_" + strings.Repeat("x", 70),
	"value":      "password=\"" + strings.Repeat("aB3$", 20),
	"jwt":        "eyJ.",
	"jwt long":   "eyJ" + strings.Repeat("a", 50) + ".eyJ",
	"block":      "-----BEGIN RSA PRIVATE KEY-----\n",
	"base64 jwt": "ZXlK/",
	"url":        "a://b:c",
	"curl":       "curl -u ",
	"bearer":     "bearer " + strings.Repeat("a.", 40),
	"putty":      "Private-Lines: 9\n",
	"begin":      "-----BEGIN PRIVATE KEY-----",
	"no end":     "-----BEGIN PRIVATE KEY-----\nab",
	"tokens":     "ghp_glpat-xoxb-sk-ant-api03-",
	"telegram":   "1234567890:AA",
	"quotes":     "key\"\"\"\"\"=\"",
	"authorized": "authorization: ",
	"digits":     "12345678-us",
}
