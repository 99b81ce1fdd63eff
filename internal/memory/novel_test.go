package memory

import (
	"slices"
	"testing"
)

func TestNovel(t *testing.T) {
	at := func(summaries ...string) (all []Found) {
		for _, s := range summaries {
			all = append(all, Found{Summary: s})
		}
		return all
	}
	for _, c := range []struct {
		name     string
		said     []string
		in, want []string
	}{
		{"what the state says is no news", []string{"token refresh", "go on"}, []string{"doing: token refresh\nnext: go on\ngit: main@1234567", "doing: token refresh\nwhy: auditors"}, []string{"doing: token refresh\nwhy: auditors"}},
		{"the same twice", nil, []string{"did: a", "did: a\ngit: main", "did: b"}, []string{"did: a", "did: b"}},
		{"in other letters and blanks", []string{"Token  Refresh"}, []string{"doing: token refresh"}, []string{}},
		{"cut short of what was said", []string{"a long sentence about tokens"}, []string{"doing: a long sentence…", "doing: a longer…"}, []string{"doing: a longer…"}},
		{"a note is news", []string{"token refresh"}, []string{"tokens live 15 minutes", "the port: 6390"}, []string{"tokens live 15 minutes", "the port: 6390"}},
		{"nothing but where it stood", nil, []string{"task: add-login 1/2\ngit: main@1234567"}, []string{}},
		{"nothing", nil, nil, []string{}},
	} {
		got := Novel(at(c.in...), c.said...)
		if got == nil || !slices.EqualFunc(got, c.want, func(f Found, w string) bool { return f.Summary == w }) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
