package canon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// A second writer of canonical JSON, straight from the text of RFC 8785 and as slow as it likes, to hold the first
// against: §3.2.2.2 strings, §3.2.2.3 numbers (ECMAScript's Number::toString), §3.2.3 order of members.

func oracle(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return oracleNumber(v)
	case string:
		return oracleString(v)
	case []any:
		var all []string
		for _, e := range v {
			all = append(all, oracle(e))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	m := v.(map[string]any)
	var names []string
	for n := range m {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) })
	var all []string
	for _, n := range names {
		all = append(all, oracleString(n)+":"+oracle(m[n]))
	}
	return "{" + strings.Join(all, ",") + "}"
}

func oracleString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case strings.ContainsRune("\"\\", r):
			b.WriteString(`\` + string(r))
		case strings.ContainsRune("\b\t\n\f\r", r):
			b.WriteString(map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`}[r])
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// oracleNumber: shortest digits that read back, laid out by ECMA-262 Number::toString, steps 5 to 10.
func oracleNumber(f float64) string {
	if f == 0 {
		return "0"
	}
	if f < 0 {
		return "-" + oracleNumber(-f)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	e, _ := strconv.Atoi(exponent)
	k, n := len(digits), e+1
	switch {
	case k <= n && n <= 21:
		return digits + strings.Repeat("0", n-k)
	case 0 < n && n <= 21:
		return digits[:n] + "." + digits[n:]
	case -6 < n && n <= 0:
		return "0." + strings.Repeat("0", -n) + digits
	}
	sign := "+"
	if n-1 < 0 {
		sign = ""
	}
	if k == 1 {
		return digits + "e" + sign + strconv.Itoa(n-1)
	}
	return digits[:1] + "." + digits[1:] + "e" + sign + strconv.Itoa(n-1)
}

// anything makes up a value that has a canonical form.
func anything(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case n == 0:
		return nil
	case n == 1:
		return r.IntN(2) == 0
	case n <= 4 || depth == 0:
		return aNumber(r)
	case n <= 6:
		return aString(r)
	case n == 7:
		all := make([]any, r.IntN(4))
		for i := range all {
			all[i] = anything(r, depth-1)
		}
		return all
	}
	m := map[string]any{}
	for range r.IntN(6) {
		m[aString(r)] = anything(r, depth-1)
	}
	return m
}

func aNumber(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return float64(r.IntN(2000) - 1000)
	case 1:
		return float64(r.Int64N(1<<54) - 1<<53)
	case 2:
		return (r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(30)-25))
	}
	return math.Float64frombits(r.Uint64())
}

func aString(r *rand.Rand) string {
	from := []rune("aAzZ0\"\\/\b\t\n\f\r\x00\x1f\x7f\u0080éß€\u2028\ufb33\ufffd\uffff\U0001f600\U0010ffff<>&'한글")
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteRune(from[r.IntN(len(from))])
	}
	return b.String()
}

// within tells whether all numbers in v have a canonical form here.
func within(v any) bool {
	switch v := v.(type) {
	case float64:
		return math.Abs(v) <= 1<<53-1
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !within(e) })
	case map[string]any:
		for _, e := range v {
			if !within(e) {
				return false
			}
		}
	}
	return true
}

func TestAgainstASecondWriter(t *testing.T) {
	r := rand.New(rand.NewPCG(8785, 1))
	compared := 0
	for range 4000 {
		v := anything(r, 4)
		in, err := json.Marshal(v)
		if err != nil {
			continue // NaN, Inf
		}
		got, err := Transform(in)
		if !within(v) {
			if err == nil {
				t.Fatalf("%s has a number that is too large, and became %s", in, got)
			}
			continue
		}
		compared++
		if want := oracle(v); err != nil || string(got) != want {
			t.Fatalf("%v\n  in %s\n got %s\nwant %s", err, in, got, want)
		}
		spaced := respaced(r, in)
		if again, err := Transform(spaced); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%v\n  in %s\n got %s\nwant %s", err, spaced, again, got)
		}
	}
	if compared < 2000 {
		t.Error("only", compared, "values were compared")
	}
}

// respaced puts white space wherever JSON allows it, and writes letters as escapes.
func respaced(r *rand.Rand, in []byte) []byte {
	var out bytes.Buffer
	quoted := false
	for i := 0; i < len(in); i++ {
		switch c := in[i]; {
		case c == '\\':
			n := 2
			if in[i+1] == 'u' {
				n = 6
			}
			out.Write(in[i : i+n])
			i += n - 1
		case c == '"':
			quoted = !quoted
			out.WriteByte(c)
		case quoted && c < 0x80 && c != '"' && r.IntN(3) == 0:
			fmt.Fprintf(&out, `\u%04X`, c)
		case !quoted && strings.ContainsRune("[]{},:", rune(c)):
			out.WriteString(" \t\r\n"[r.IntN(4):])
			out.WriteByte(c)
			out.WriteString("\n \t\r"[r.IntN(4):])
		default:
			out.WriteByte(c)
		}
	}
	return out.Bytes()
}

func TestNumbersAgainstASecondWriter(t *testing.T) {
	r := rand.New(rand.NewPCG(8785, 2))
	for i := range 30000 {
		f := aNumber(r)
		if i < 2000 {
			f = math.Ldexp(1, i-1050) // every power of two
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		in := strconv.FormatFloat(f, "eEfg"[i%4], -1, 64)
		got, err := Transform([]byte(in))
		if math.Abs(f) > 1<<53-1 {
			if err == nil {
				t.Fatalf("%s became %s", in, got)
			}
		} else if err != nil || string(got) != oracleNumber(f) {
			t.Fatalf("%s became %s %v, want %s", in, got, err, oracleNumber(f))
		}
	}
}
