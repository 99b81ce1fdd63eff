//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestServeKnowsThePolicy changes the policy under a running service: each change counts for the next session at once,
// whatever was accepted a moment ago.
func TestServeKnowsThePolicy(t *testing.T) {
	t.Parallel()
	dir, env := teamTree(t)
	s := serve(t, dir, env, "--workers", "0", "--limit", "100")
	policy := filepath.Join(dir, ".claude", "session", "policy")
	bundles := filepath.Join(policy, "bundles.yaml")
	first, err := os.ReadFile(bundles)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) func() {
		return func() {
			if err := os.WriteFile(filepath.Join(policy, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, c := range []struct {
		change func()
		want   int
	}{
		{func() {}, 201},
		{write("bundles.yaml", string(first)+"  more: {run: [/bin/true], input: stdin, output: text, limit: 5s}\n"), 409},
		{write("bundles.yaml", string(first)), 201},
		{write("modes.yaml", "mine:\n  for: save\n  steps:\n    - Look\n    - Describe\n"), 409},
		{write("modes.yaml", "mine:\n  for: sav"), 409},

		{func() { os.Remove(filepath.Join(policy, "modes.yaml")) }, 201},
		{write("bundles.yaml", string(first)+"  more: {run: [/bin/false], input: stdin, output: text, limit: 5s}\n"), 409},
		{func() { accept(t, dir, env) }, 201},
		{write("bundles.yaml", string(first)), 409},
	} {
		c.change()
		for again := range 2 { // the second answer comes from what the first has learnt
			code, body := s.does("POST", "/api/sessions", s.key, `{"user_input":"x","agent":"echo"}`)
			if code != c.want || code == 409 && body.Get("error.code").String() != "POLICY_NOT_ACCEPTED" {
				t.Errorf("%d, asked %d times: %d %s", i, again+1, code, body)
			}
		}
	}
	s.ends(t)
}
