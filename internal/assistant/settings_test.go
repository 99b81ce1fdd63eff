package assistant

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// one is a short piece in the form of a hook.
func one(event, line string) Piece {
	return Piece{At: []string{"hooks", event}, Value: rawJSON(group{Hooks: []handler{{Type: "command", Command: line}}})}
}

const ourTestLine = hookGuard + "session hook turn-end --from claude || exit 0"

// edited adds pieces and gives the text.
func edited(t *testing.T, text string, pieces ...Piece) string {
	t.Helper()
	s, err := parseSettings([]byte(text))
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, text)
	}
	s.dropStale(pieces)
	for _, p := range pieces {
		if _, _, err := s.add(p); err != nil {
			t.Fatalf("add: %v\n%s", err, text)
		}
	}
	return string(s.bytes())
}

func TestAddToSettings(t *testing.T) {
	entry := func(indent, unit string) string {
		e := strings.Join([]string{"{", "U\"hooks\": [", "UU{", `UUU"type": "command",`, "UUU\"command\": \"LINE\"", "UU}", "U]", "}"}, "\n")
		e = strings.ReplaceAll(strings.ReplaceAll(e, "\n", "\n"+indent), "U", unit)
		return strings.ReplaceAll(e, "LINE", ourTestLine)
	}
	p := one("Stop", ourTestLine)
	cases := []struct{ name, in, want string }{
		{"nothing", "", "{\n  \"hooks\": {\n    \"Stop\": [\n      " + entry("      ", "  ") + "\n    ]\n  }\n}\n"},
		{"empty object", "{}", "{\n  \"hooks\": {\n    \"Stop\": [\n      " + entry("      ", "  ") + "\n    ]\n  }\n}"},
		{"only white space", " \n", "{\n  \"hooks\": {\n    \"Stop\": [\n      " + entry("      ", "  ") + "\n    ]\n  }\n}\n"},
		{"other keys keep their order", "{\n  \"z\": 1,\n  \"a\": {\"b\": [1,2]}\n}\n",
			"{\n  \"z\": 1,\n  \"a\": {\"b\": [1,2]},\n  \"hooks\": {\n    \"Stop\": [\n      " + entry("      ", "  ") + "\n    ]\n  }\n}\n"},
		{"four spaces", "{\n    \"z\": 1\n}\n", "{\n    \"z\": 1,\n    \"hooks\": {\n        \"Stop\": [\n            " + entry("            ", "    ") + "\n        ]\n    }\n}\n"},
		{"tabs", "{\n\t\"z\": 1\n}", "{\n\t\"z\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t" + entry("\t\t\t", "\t") + "\n\t\t]\n\t}\n}"},
		{"other hooks first", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}\n    ]\n  }\n}\n",
			"{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]},\n      " + entry("      ", "  ") + "\n    ]\n  }\n}\n"},
		{"comments stay where they are", "// top\n{\n  // before\n  \"z\": 1, // behind\n  \"hooks\": {\n    \"Stop\": [\n      1 // one\n      // last\n    ]\n  }\n  /* end */\n}\n// bottom\n",
			"// top\n{\n  // before\n  \"z\": 1, // behind\n  \"hooks\": {\n    \"Stop\": [\n      1, // one\n      // last\n      " + entry("      ", "  ") + "\n    ]\n  }\n  /* end */\n}\n// bottom\n"},
		{"trailing commas stay", "{\n  \"hooks\": {\n    \"Stop\": [\n      1,\n    ],\n  },\n}\n",
			"{\n  \"hooks\": {\n    \"Stop\": [\n      1,\n      " + entry("      ", "  ") + ",\n    ],\n  },\n}\n"},
		{"one line", `{"z":1}`, `{"z":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + ourTestLine + `"}]}]}}`},
		{"there already", "{ \"hooks\": { \"Stop\": [ { \"matcher\": \"x\", \"hooks\": [ {\"command\": \"" + ourTestLine + "\", \"timeout\": 99} ] } ] } }",
			"{ \"hooks\": { \"Stop\": [ { \"matcher\": \"x\", \"hooks\": [ {\"command\": \"" + ourTestLine + "\", \"timeout\": 99} ] } ] } }"},
		{"an earlier version of ours goes", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"command\": \"" + hookGuard + "session hook stop\"}, {\"command\": \"mine\"}]}\n    ]\n  }\n}\n",
			"{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [ {\"command\": \"mine\"}]},\n      " + entry("      ", "  ") + "\n    ]\n  }\n}\n"},
		{"byte order mark", "\xef\xbb\xbf{\"z\":1}", "\xef\xbb\xbf" + `{"z":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + ourTestLine + `"}]}]}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := edited(t, c.in, p)
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if again := edited(t, got, p); again != got {
				t.Errorf("a second time makes\n%s", again)
			}
			if crlf := edited(t, strings.ReplaceAll(c.in, "\n", "\r\n"), p); strings.Contains(c.in, "\n") && strings.TrimSpace(c.in) != "" && crlf != strings.ReplaceAll(c.want, "\n", "\r\n") {
				t.Errorf("with CRLF %q", crlf)
			}
		})
	}
}

func TestSetInSettings(t *testing.T) {
	p := Piece{At: []string{"version"}, Value: rawJSON(1), Set: true}
	if got := edited(t, "{\n  \"a\": true\n}\n", p); got != "{\n  \"a\": true,\n  \"version\": 1\n}\n" {
		t.Error(got)
	}
	if got := edited(t, `{"version": 2}`, p); got != `{"version": 2}` {
		t.Errorf("what a person has set is changed: %s", got)
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	for in, why := range map[string]string{
		"{":                                    "not valid JSON",
		"{\"a\": 1,\n \"b\" 2}":                "line 2",
		"[]":                                   "no JSON object",
		"null":                                 "no JSON object",
		"{'a': 1}":                             "not valid JSON",
		strings.Repeat(`{"a":`, 300) + "1":     "nested deeper",
		strings.Repeat(" ", maxSettings+1):     "larger than",
		"\xff\xfe{\x00}\x00":                   "not valid JSON",
		"hooks: yaml":                          "not valid JSON",
		"{\"a\": 1} {\"b\": 2}":                "not valid JSON",
		"<<<<<<< HEAD\n{}\n=======\n{\"a\":1}": "not valid JSON",
	} {
		if _, err := parseSettings([]byte(in)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.40q: %v, want %q", in, err, why)
		}
	}
	for in, why := range map[string]string{
		`{"hooks": []}`:                          "hooks is no object",
		`{"hooks": null}`:                        "hooks is no object",
		`{"hooks": {"Stop": {}}}`:                "hooks.Stop is no list",
		`{"hooks": {"Stop": "x"}}`:               "hooks.Stop is no list",
		`{"hooks": {}, "hooks": {}}`:             "hooks: the key is there twice",
		`{"hooks": {"Stop": [], "Stop": []}}`:    "hooks.Stop: the key is there twice",
		`{"hooks": {}, "\u0068ooks": {"a": []}}`: "twice",
	} {
		s, err := parseSettings([]byte(in))
		if err != nil {
			t.Fatal(in, err)
		}
		if _, _, err := s.add(one("Stop", ourTestLine)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", in, err, why)
		}
	}
}

// added adds pieces and says what is to be removed again.
func added(t *testing.T, text string, pieces []Piece) (string, []Piece, [][]string) {
	t.Helper()
	s, err := parseSettings([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var in []Piece
	var made [][]string
	for _, p := range pieces {
		ok, m, err := s.add(p)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, m...)
		if ok {
			in = append(in, p)
		}
	}
	return string(s.bytes()), in, made
}

func removed(t *testing.T, text string, pieces []Piece, made [][]string) string {
	t.Helper()
	s, err := stripped([]byte(text), entry{Pieces: pieces, Made: made})
	if err != nil {
		t.Fatal(err)
	}
	return string(s.bytes())
}

func TestRemoveFromEditedSettings(t *testing.T) {
	pieces := hookPieces(Claude)
	before := "{\n  // mine\n  \"z\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]} // stays\n    ]\n  }\n}\n"
	after, in, made := added(t, before, pieces)
	if got := removed(t, after, in, made); got != before {
		t.Errorf("unedited:\n%s", got)
	}
	// A person adds a handler to our group, a hook of their own after ours, and a key at the end.
	line := string(rawJSON(hookLine(Claude, SessionEnd)))
	edit := strings.Replace(after, line+",\n            \"timeout\": 10\n          }", line+",\n            \"timeout\": 10\n          },\n          {\"command\": \"theirs\"}", 1)
	edit = strings.Replace(edit, "\n  }\n}\n", "\n  },\n  \"last\": [true] // new\n}\n", 1)
	if edit == after || !strings.Contains(edit, "theirs") || !strings.Contains(edit, "last") {
		t.Fatal("the edit did not take")
	}
	got := removed(t, edit, in, made)
	if strings.Contains(got, "session hook") {
		t.Errorf("something of ours is left:\n%s", got)
	}
	for _, keep := range []string{"// mine", `"command": "mine"`, "// stays", "theirs", `"last": [true] // new`, `"SessionEnd"`} {
		if !strings.Contains(got, keep) {
			t.Errorf("%s is gone:\n%s", keep, got)
		}
	}
	if strings.Contains(got, "PreCompact") {
		t.Errorf("an empty list that was made is left:\n%s", got)
	}
}

func TestRemoveKeepsComments(t *testing.T) {
	text := "{\n  \"hooks\": {\n    \"Stop\": [\n      // why\n      {\"hooks\": [{\"command\": \"" + ourTestLine + "\"}]},\n      // because\n      {\"hooks\": [{\"command\": \"b\"}]}\n    ]\n  }\n}\n"
	got := removed(t, text, []Piece{one("Stop", ourTestLine)}, nil)
	for _, c := range []string{"// why", "// because"} {
		if !strings.Contains(got, c) {
			t.Errorf("the comment %s is gone:\n%s", c, got)
		}
	}
	if _, err := hujson.Parse([]byte(got)); err != nil {
		t.Errorf("%v:\n%s", err, got)
	}
}

// FuzzSettings: whatever the file, nothing panics; where something is added, the rest keeps its meaning, a second time
// changes nothing, and taking it out again leaves the meaning of the file as it was.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{"", "{}", "{\"a\":1,}", "// c\n{\"hooks\":{\"Stop\":[1,/*x*/2]}} // d", "{\r\n\t\"a\" : [ ]\r\n}", "{\"hooks\":{}}", "{ }", "[]", "\xef\xbb\xbf{}",
		"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"" + ourTestLine + "\"}]},],},}", "{\"hooks\"//\n:{\"Stop\"/**/:[\n]}}"} {
		f.Add([]byte(s))
	}
	pieces := []Piece{one("Stop", ourTestLine), {At: []string{"tools", "allowed"}, Value: rawJSON("x")}, {At: []string{"version"}, Value: rawJSON(1), Set: true}}
	f.Fuzz(func(t *testing.T, text []byte) {
		before, err := parseSettings(text)
		if err != nil {
			return
		}
		if len(bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))) > 0 && !bytes.Equal(before.bytes(), text) {
			t.Fatalf("reading changes %q to %q", text, before.bytes())
		}
		was := plain(before.doc.Value)
		var in []Piece
		var made [][]string
		for _, p := range pieces {
			ok, m, err := before.add(p)
			if err != nil {
				return
			}
			made = append(made, m...)
			if ok {
				in = append(in, p)
			}
		}
		after := before.bytes()
		again, err := parseSettings(after)
		if err != nil {
			t.Fatalf("%q became %q, which is refused: %v", text, after, err)
		}
		for _, p := range pieces {
			if ok, _, err := again.add(p); ok || err != nil {
				t.Fatalf("%q: a second time adds %s (%v)", after, p.Value, err)
			}
		}
		back, err := stripped(after, entry{Pieces: in, Made: made})
		if err != nil {
			t.Fatal(err)
		}
		if out := back.bytes(); !reflect.DeepEqual(plain(back.doc.Value), was) || !parses(out) {
			t.Fatalf("%q\nbecame %q\nand then %q", text, after, out)
		}
	})
}

func parses(text []byte) bool {
	_, err := parseSettings(text)
	return err == nil
}

func TestRawJSON(t *testing.T) {
	if got := string(rawJSON("a && b > c")); got != `"a && b > c"` || !json.Valid([]byte(got)) {
		t.Error(got)
	}
}
