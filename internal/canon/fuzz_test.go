package canon

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"
)

func seeds(f *testing.F) {
	for _, x := range rfcExamples {
		f.Add([]byte(x.in))
	}
	for _, s := range []string{`{"a":1,"a":1}`, `"\ud83d\ude02"`, `[1e-400,-0]`, `9007199254740993.0`, "\"\xff\"", `[[[{"a":[]}]]]`,
		`{"\ufffd":"\u0000"}`, ` 5 `, `-9.007199254740991e15`, `123456789012345678901234567890e-20`} {
		f.Add([]byte(s))
	}
}

// FuzzTransform: what is accepted means what it meant, canonicalising again changes nothing, and any other spelling of
// the value gives the same bytes.
func FuzzTransform(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		kept := bytes.Clone(in)
		once, err := Transform(in)
		if !bytes.Equal(in, kept) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			var r *Refused
			if !errors.As(err, &r) || r.Offset < 0 || r.Offset > len(in) {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		twice, err := Transform(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s\n%s\n%v", once, twice, err)
		}
		var a, b any
		if json.Unmarshal(in, &a) != nil || json.Unmarshal(once, &b) != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%s means something else than %s", once, in)
		}
		respelled, err := json.MarshalIndent(b, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Transform(respelled); err != nil || !bytes.Equal(again, once) {
			t.Fatalf("%s\n%s\n%v", once, again, err)
		}
	})
}

// FuzzExact holds the digit arithmetic against math/big.
func FuzzExact(f *testing.F) {
	for _, s := range []string{"9007199254740991", "9007199254740992", "90071992547409920e-1", "0.9007199254740991e16", "-0", "1e-324",
		"5e-324", "2e-324", "100e-2", "0.000000001e24", "1e15", "1e16", "9007199254740991.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) || strings.Trim(s, "+-.0123456789eE") != "" {
			return
		}
		if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 5 || len(s) > 200 {
			return // math/big would take all the time there is
		}
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatal(s)
		}
		most := big.NewRat(1<<53-1, 1)
		want := new(big.Rat).Abs(r).Cmp(most) <= 0
		if f, _ := r.Float64(); f == 0 && r.Sign() != 0 {
			want = false
		}
		if got := exact(s); got != want {
			t.Fatalf("%s: exact says %v", s, got)
		}
	})
}

// BenchmarkTransform gives bytes a second on what a snapshot looks like.
func BenchmarkTransform(b *testing.B) {
	one := `{"path":"internal/canon/canon.go","blob":"ba7816bf8f01cfea414140de5dae2223b00361a3","mode":33188,"size":1234.5}`
	in := []byte("[" + strings.Repeat(one+",", 999) + one + "]")
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := Transform(in); err != nil {
			b.Fatal(err)
		}
	}
}
