package canon

import (
	"strconv"
	"strings"
)

// largest is 2^53−1, the largest integer such that it and its neighbours are doubles of their own (RFC 7493 §2.2).
const largest = "9007199254740991"

// exact tells whether a JSON number lies within ±(2^53−1) and, when it is not zero, is not zero as a double either. It
// looks at the decimal digits, so no rounding can hide what it looks for, and takes time linear in their number.
func exact(s string) bool {
	digits, point, ok := decimal(s)
	if digits == "" {
		return true // zero, in whatever spelling
	}
	if !ok || point > len(largest) {
		return false
	}
	if point == len(largest) && beyond(digits) {
		return false
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && f != 0
}

// decimal reads s as 0.digits × 10^point, with neither leading nor trailing zeros in digits. ok is false where the
// exponent has more than six digits.
func decimal(s string) (digits string, point int, ok bool) {
	s = strings.TrimPrefix(s, "-")
	exp, ok := 0, true
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exp, ok = exponent(s[i+1:])
		s = s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	all := whole + frac
	digits = strings.TrimLeft(all, "0")
	point = len(whole) - (len(all) - len(digits)) + exp
	return strings.TrimRight(digits, "0"), point, ok
}

func exponent(s string) (int, bool) {
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimLeft(strings.TrimLeft(s, "+-"), "0")
	if s == "" {
		return 0, true
	}
	if len(s) > 6 {
		return 0, false
	}
	e, err := strconv.Atoi(s)
	if neg {
		e = -e
	}
	return e, err == nil
}

// beyond compares 0.digits with 0.9007199254740991: both belong to a number with sixteen digits before the point.
func beyond(digits string) bool { return digits > largest }
