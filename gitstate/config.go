package gitstate

import (
	"context"
	"fmt"
	"strings"
)

// Config is git's configuration as git sees it (all scopes, includes followed), keys in git's normal form. The last
// value of a key counts.
type Config map[string]string

func (r *Repo) askConfig(ctx context.Context) (Config, error) {
	out, err := r.git.run(ctx, nil, "config", "--null", "--list")
	if err != nil {
		return nil, fmt.Errorf("read git's configuration: %w", err)
	}
	c := Config{}
	for _, e := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		key, value, ok := strings.Cut(e, "\n")
		if !ok {
			value = "true" // a key without "=" is a boolean
		}
		if first, ok := c[key]; ok {
			c[key+moreValues] = first
		}
		c[key] = value
	}
	return c, nil
}

// moreValues ends the name under which an earlier value of a key is kept; no key of git's can hold it.
const moreValues = "\x00"

// several reports whether a key was set more than once.
func (c Config) several(key string) bool {
	_, ok := c[key+moreValues]
	return ok
}

// Bool reads a boolean the way git does (git-config(1), "Values").
func (c Config) Bool(key string, absent bool) bool {
	v, ok := c[key]
	if !ok {
		return absent
	}
	switch strings.ToLower(v) {
	case "true", "yes", "on":
		return true
	case "", "false", "no", "off":
		return false
	}
	return strings.TrimLeft(v, "0") != ""
}
