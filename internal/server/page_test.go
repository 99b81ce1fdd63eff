package server

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestPageWords holds the page's sentences against the catalogue: what the page says is known, and what is known is said.
func TestPageWords(t *testing.T) {
	said := map[string]bool{}
	var families []string
	files, err := fs.Glob(assets, "page/*.js")
	if err != nil || len(files) < 5 {
		t.Fatalf("%v %v", files, err)
	}
	var source strings.Builder
	for _, f := range files {
		b, err := assets.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(b)
	}
	text := source.String()
	for _, m := range regexp.MustCompile(`(?:\bt\(|\btab\("[^"]*", |section\(|, )"([a-z]+(?:\.[a-z-]+)*\.?)"`).FindAllStringSubmatch(text, -1) {
		said["page."+m[1]] = true
		if strings.HasSuffix(m[1], ".") || strings.HasSuffix(m[1], "-") {
			families = append(families, "page."+m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\? "([a-z]+\.[a-z-]+)" : "([a-z]+\.[a-z-]+)"`).FindAllStringSubmatch(text, -1) {
		said["page."+m[1]], said["page."+m[2]] = true, true
	}
	known := pageWords()
	for _, key := range known {
		if !said[key] && !slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(key, f) }) {
			t.Errorf("%s: the page does not say it", key)
		}
	}
	for _, m := range regexp.MustCompile(`\bt\("([a-z]+(?:\.[a-z-]+)*)"`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(known, "page."+m[1]) && !strings.HasSuffix(m[1], "-") {
			t.Errorf("page.%s: said, and there is no such sentence", m[1])
		}
	}
}

// TestPageIsSelfContained looks for what the policy would refuse, or what reaches elsewhere.
func TestPageIsSelfContained(t *testing.T) {
	err := fs.WalkDir(assets, "page", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := assets.ReadFile(path)
		if err != nil {
			return err
		}
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "style=", "onclick=", "document.cookie"} {
			if strings.Contains(string(b), bad) {
				t.Errorf("%s has %s", path, bad)
			}
		}
		for _, m := range regexp.MustCompile(`https?://[^"'\x60 ]+`).FindAllString(string(b), -1) {
			if m != "http://www.w3.org/2000/svg" {
				t.Errorf("%s reaches %s", path, m)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPageIsServed(t *testing.T) {
	s := serving(t, options(t))
	for path, kind := range map[string]string{"/": "text/html", "/main.js": "text/javascript", "/style.css": "text/css", "/icon.svg": "image/svg+xml", "/words-en.json": "application/json", "/words-ko.json": "application/json"} {
		w := answer(s, asks("GET", path, "", ""))
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
	words := gjson.Parse(answer(s, asks("GET", "/words-ko.json", "", "")).Body.String())
	if got := words.Get(gjson.Escape("page.session.tokens")).String(); !strings.Contains(got, "{n}") {
		t.Errorf("a place was filled before its time: %q", got)
	}
	if words.Get(gjson.Escape("page.sessions.title")).String() != "세션" {
		t.Errorf("Korean: %s", words)
	}
}
