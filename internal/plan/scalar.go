package plan

import (
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// meaning is what a scalar is for every YAML reader alike.
type meaning int

const (
	isText meaning = iota
	isBool
	isNull
	isInt
	isDecimal
	isDisputed // YAML 1.1, YAML 1.2 and their libraries take it for different things
)

// scalar decides by the characters alone, not by what the YAML library makes of them: 1e3, 0o17, 1_000, 12:30, yes,
// 2024-01-02 and their like are disputed, and a person has to say what is meant.
func scalar(n *yaml.Node) meaning {
	s := n.Value
	switch {
	case !plain(n):
		return isText
	case s == "true" || s == "false":
		return isBool
	case s == "null":
		return isNull
	case s == "" || s == "~" || s == "=" || disputedWord(s):
		return isDisputed
	case !strings.ContainsAny(s[:1], "0123456789+-."):
		return isText
	}
	p := numbers()
	switch {
	case p.int.MatchString(s):
		return isInt
	case p.decimal.MatchString(s):
		return isDecimal
	case p.disputed.MatchString(s):
		return isDisputed
	}
	return isText
}

func disputedWord(s string) bool {
	if len(s) > 5 {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}

type numberForms struct{ int, decimal, disputed *regexp.Regexp }

var numbers = sync.OnceValue(func() numberForms {
	return numberForms{
		int:     regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`),
		decimal: regexp.MustCompile(`^-?(0|[1-9][0-9]*)\.[0-9]+$`),
		disputed: regexp.MustCompile(`^(` +
			`[-+]?0[xX][0-9a-fA-F_]+|[-+]?0o[0-7_]+|[-+]?0b[01_]+` + // other bases
			`|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?` + // base 60, times
			`|[-+]?[0-9][0-9_,]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|[-+]?\.[0-9][0-9_]*([eE][-+]?[0-9]+)?` +
			`|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)` +
			`|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?` + // dates
			`)$`),
	}
})
