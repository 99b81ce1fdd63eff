package text

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONShowsNoEscape(t *testing.T) {
	in := map[string]string{"a": "한글 é \U0001f600", "b": "\u009b31m\x1b[2J\x7f", "c": "\u202egnp \U000e0041 \ue000\U000f0000", "\u2066k": "\n"}
	doc, err := json.MarshalIndent(in, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	out := JSON(string(doc))
	if strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && unsafe(r) }) || !strings.Contains(out, "한글 é \U0001f600") {
		t.Errorf("%q", out)
	}
	var back map[string]string
	if err := json.Unmarshal([]byte(out), &back); err != nil || len(back) != len(in) {
		t.Fatal(back, err)
	}
	for k, v := range in {
		if back[k] != v {
			t.Errorf("%q became %q", v, back[k])
		}
	}
}
