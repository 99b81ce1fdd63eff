package canon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
)

// The examples of RFC 8785 itself, §3.2.2 to §3.2.4. The first has 1E30 in it, which the scheme can write and this
// package refuses, so both are put to the library; TestRFCExamples then puts to Transform what Transform takes.
var rfcExamples = []struct{ name, in, out string }{
	{"3.2.2 primitives", `{
  "numbers": [333333333.33333329, 1E30, 4.50,
              2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`, `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
		`"string":"€$\u000f\nA'B\"\\\\\"/"}`},
	{"3.2.3 sorting", `{
  "\u20ac": "Euro Sign",
  "\r": "Carriage Return",
  "\ufb33": "Hebrew Letter Dalet With Dagesh",
  "1": "One",
  "\ud83d\ude00": "Emoji: Grinning Face",
  "\u0080": "Control",
  "\u00f6": "Latin Small Letter O With Diaeresis"
}`, "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\"," +
		"\"€\":\"Euro Sign\",\"\U0001f600\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
}

// RFC 8785 appendix B: the bits of a double and its serialization.
var rfcNumbers = []struct {
	bits uint64
	out  string
}{
	{0x0000000000000000, "0"},
	{0x8000000000000000, "0"},
	{0x0000000000000001, "5e-324"},
	{0x8000000000000001, "-5e-324"},
	{0x7fefffffffffffff, "1.7976931348623157e+308"},
	{0xffefffffffffffff, "-1.7976931348623157e+308"},
	{0x4340000000000000, "9007199254740992"},
	{0xc340000000000000, "-9007199254740992"},
	{0x4430000000000000, "295147905179352830000"},
	{0x44b52d02c7e14af5, "9.999999999999997e+22"},
	{0x44b52d02c7e14af6, "1e+23"},
	{0x44b52d02c7e14af7, "1.0000000000000001e+23"},
	{0x444b1ae4d6e2ef4e, "999999999999999700000"},
	{0x444b1ae4d6e2ef4f, "999999999999999900000"},
	{0x444b1ae4d6e2ef50, "1e+21"},
	{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
	{0x3eb0c6f7a0b5ed8d, "0.000001"},
	{0x41b3de4355555553, "333333333.3333332"},
	{0x41b3de4355555554, "333333333.33333325"},
	{0x41b3de4355555555, "333333333.3333333"},
	{0x41b3de4355555556, "333333333.3333334"},
	{0x41b3de4355555557, "333333333.33333343"},
	{0xbecbf647612f3696, "-0.0000033333333333333333"},
	{0x43143ff3c1cb0959, "1424953923781206.2"},
}

func TestRFCExamples(t *testing.T) {
	for _, x := range rfcExamples {
		got, err := jcs.Transform([]byte(x.in))
		if err != nil || string(got) != x.out {
			t.Errorf("%s: library: %v\n got %s\nwant %s", x.name, err, got, x.out)
		}
		in := strings.ReplaceAll(x.in, "1E30", "1E3")
		want := strings.ReplaceAll(x.out, "1e+30", "1000")
		if got, err := Transform([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", x.name, err, got, want)
		}
	}
}

func TestRFCNumbers(t *testing.T) {
	for _, x := range rfcNumbers {
		f := math.Float64frombits(x.bits)
		in := strconv.FormatFloat(f, 'e', -1, 64)
		if got, err := jcs.Transform([]byte(in)); err != nil || string(got) != x.out {
			t.Errorf("library: %016x: %s %v, want %s", x.bits, got, err, x.out)
		}
		got, err := Transform([]byte(in))
		if math.Abs(f) > 1<<53-1 {
			if !errors.Is(err, ErrNumber) {
				t.Errorf("%s: %s %v, want ErrNumber", in, got, err)
			}
		} else if err != nil || string(got) != x.out {
			t.Errorf("%016x: %s %v, want %s", x.bits, got, err, x.out)
		}
	}
}

func TestOneSpelling(t *testing.T) {
	for want, spellings := range map[string][]string{
		`{"a":[1,2],"b":{"c":true}}`:                        {`{"b":{"c":true},"a":[1,2]}`, " {\r\n\t\"a\" : [1.0, 2e0] , \"b\":{\"c\":true}}\n"},
		`[100,0.5,-0.001,0,0,0]`:                            {`[1e2,5E-1,-1e-3,-0,0.000,0e99]`, `[100.000,0.50,-0.0010,0E+1,-0.0,0e999999999999]`},
		`[9007199254740991,-9007199254740991]`:              {`[9007199254740991.0,-9007199254740991e0]`, `[9.007199254740991e15,-0.09007199254740991E17]`},
		`["/<>&'é` + "\u2028\u2029" + `"]`:                  {`["\/\u003c>\u0026'\u00e9\u2028\u2029"]`},
		`{"":0,"A":2,"a":1}`:                                {`{"\u0061":1,"":0,"A":2}`},
		`"` + "\ufffd" + `"`:                                {`"\ufffd"`, "\"\ufffd\""},
		"\"\U0001f602\"":                                    {`"\ud83d\ude02"`, `"\uD83D\uDE02"`},
		`{"1":1,"10":10,"2":2}`:                             {`{"2":2,"10":10,"1":1}`},
		`"\\u0061"`:                                         {`"\u005cu0061"`},
		`[[],{},"",null,false]`:                             {`[ [ ] , { } , "" , null , false ]`},
		`{"combined":"Å","decomposed":"A` + "\u030a" + `"}`: {`{"decomposed":"A\u030a","combined":"\u00c5"}`},
	} {
		for _, s := range append(spellings, want) {
			if got, err := Transform([]byte(s)); err != nil || string(got) != want {
				t.Errorf("%s\n got %s %v\nwant %s", s, got, err, want)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for in, want := range map[string]Refused{
		`9007199254740992`:                     {0, "", ErrNumber},
		`[1,9007199254740993]`:                 {3, "", ErrNumber},
		`-9007199254740992`:                    {0, "", ErrNumber},
		`9007199254740993.0`:                   {0, "", ErrNumber},
		`9.007199254740993e15`:                 {0, "", ErrNumber},
		`90071992547409930e-1`:                 {0, "", ErrNumber},
		`0.00009007199254740993E+20`:           {0, "", ErrNumber},
		`9007199254740991.0000000000000000001`: {0, "", ErrNumber},
		`1E30`:                                 {0, "", ErrNumber},
		`{"a":1e400}`:                          {5, "", ErrNumber},
		`1e-400`:                               {0, "", ErrNumber},
		`1e9999999999`:                         {0, "", ErrNumber},
		`-1e-9999999999`:                       {0, "", ErrNumber},
		`{"a":1,"b":{"c":1,"c":2}}`:            {18, "", ErrDuplicate},
		`{"a":1,"\u0061":2}`:                   {7, "", ErrDuplicate},
		"\"\xff\"":                             {1, "", ErrUnicode},
		"{\"\xed\xa0\x80\":1}":                 {2, "", ErrUnicode},
		`"\ud800"`:                             {1, "", ErrUnicode},
		`"ab\udc00\ud800"`:                     {3, "", ErrUnicode},
		`"\ud800\u0041"`:                       {1, "", ErrUnicode},
		`{"\uD83Dx":1}`:                        {2, "", ErrUnicode},
		"\ufeff{}":                             {0, "", ErrSyntax},
		``:                                     {0, "", ErrSyntax},
		`{"a":1,}`:                             {7, "", ErrSyntax},
		`[01]`:                                 {2, "", ErrSyntax},
		`[+1]`:                                 {1, "", ErrSyntax},
		`[.5]`:                                 {1, "", ErrSyntax},
		`[1 2]`:                                {3, "", ErrSyntax},
		`{} {}`:                                {3, "", ErrSyntax},
		`NaN`:                                  {0, "", ErrSyntax},
		`'a'`:                                  {0, "", ErrSyntax},
		"\"a\nb\"":                             {2, "", ErrSyntax},
		strings.Repeat("[", 513):               {512, "", ErrDepth},
		strings.Repeat(`{"a":`, 1<<20):         {512 * 5, "", ErrDepth},
	} {
		got, err := Transform([]byte(in))
		var r *Refused
		if !errors.As(err, &r) || !errors.Is(err, want.Reason) || r.Offset != want.Offset || got != nil {
			t.Errorf("%.60q: %s, %v; want %v at byte %d", in, got, err, want.Reason, want.Offset)
		}
	}
}

func TestErrorsAreShortAndPrintable(t *testing.T) {
	_, err := Transform([]byte("{\"a\x1b[31m" + strings.Repeat("x", 1<<20) + "\":1,\"a"))
	if err == nil || len(err.Error()) > 200 || strings.ContainsAny(err.Error(), "\x1b\n") {
		t.Errorf("%.300q", err)
	}
	_, err = Transform([]byte(`{"\u001b` + strings.Repeat("y", 9999) + `":1,"\u001b` + strings.Repeat("y", 9999) + `":1}`))
	if !errors.Is(err, ErrDuplicate) || len(err.Error()) > 200 || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%.300q", err)
	}
}

func TestDepthIsAllowedUpToItsBound(t *testing.T) {
	in := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if got, err := Transform([]byte(in)); err != nil || string(got) != in {
		t.Error(err)
	}
	if _, err := Transform([]byte(`"` + strings.Repeat(`[{\"`, MaxDepth) + `"`)); err != nil {
		t.Error("brackets inside a string are no depth:", err)
	}
}

func TestDigest(t *testing.T) {
	// FIPS 180-4: the hash of "abc".
	if got := Digest([]byte("abc")); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Error(got)
	}
}

type level int

func (l level) MarshalText() ([]byte, error) {
	if l < 0 {
		return []byte("\xff"), nil
	}
	return []byte("level"), nil
}

type inner struct{ Name *string }

func TestMarshal(t *testing.T) {
	bad, good, mark := "a\xffb", "a/b", "\ufffd"
	for name, c := range map[string]struct {
		v    any
		out  string
		want error
	}{
		"sorted":             {struct{ B, A int }{1, 2}, `{"A":2,"B":1}`, nil},
		"html":               {"<&>", `"<&>"`, nil},
		"int64":              {int64(1 << 53), "", ErrNumber},
		"uint64":             {uint64(math.MaxUint64), "", ErrNumber},
		"largest":            {int64(1<<53 - 1), "9007199254740991", nil},
		"float beyond":       {1e16, "", ErrNumber},
		"bad string":         {bad, "", ErrUnicode},
		"bad key":            {map[string]int{bad: 1}, "", ErrUnicode},
		"bad in a pointer":   {[]any{1, &inner{&bad}}, "", ErrUnicode},
		"bad in an array":    {[1]string{bad}, "", ErrUnicode},
		"bad text":           {level(-1), "", ErrUnicode},
		"bad text key":       {map[level]int{-1: 1}, "", ErrUnicode},
		"good text":          {level(1), `"level"`, nil},
		"good pointer":       {&inner{&good}, `{"Name":"a/b"}`, nil},
		"nil":                {nil, "null", nil},
		"nil pointer":        {(*inner)(nil), "null", nil},
		"the mark itself":    {mark, `"` + mark + `"`, nil},
		"raw with the mark":  {json.RawMessage(`{"a":"\ufffd"}`), `{"a":"` + mark + `"}`, nil},
		"raw, bad":           {json.RawMessage("\"\xff\""), "", ErrUnicode},
		"raw, twice":         {json.RawMessage(`{"a":1,"a":2}`), "", ErrDuplicate},
		"bytes":              {[]byte("\xff\xfe"), `"//4="`, nil},
		"bytes and the mark": {[]any{json.RawMessage(`"\ufffd"`), []byte{0xff}, nil, 1.5}, `["` + mark + `","/w==",null,1.5]`, nil},
		"unexported":         {struct{ a, B string }{bad, "x"}, `{"B":"x"}`, nil},
	} {
		got, err := Marshal(c.v)
		if string(got) != c.out || !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %s %v, want %s %v", name, got, err, c.out, c.want)
		}
	}
	if _, err := Marshal(math.NaN()); err == nil {
		t.Error("NaN has no JSON")
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a func has no JSON")
	}
}

// TestLocale runs this very binary again under other locales and time zones: a plan has one name everywhere.
func TestLocale(t *testing.T) {
	const in = `{"z":[1.5,"I","i","ı","İ"],"Ä":0.1,"a":"é","ß":1e-7}`
	if os.Getenv("CANON_TEST_CHILD") != "" {
		b, err := Transform([]byte(in))
		fmt.Printf("digest=%s err=%v\n", Digest(b), err)
		return
	}
	b, err := Transform([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []string{"C", "tr_TR.UTF-8", "de_DE.ISO-8859-1", "ko_KR.EUC-KR"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLocale$")
		cmd.Env = append(os.Environ(), "CANON_TEST_CHILD=1", "LC_ALL="+l, "LANG="+l, "TZ=Asia/Seoul")
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("digest="+Digest(b)+" err=<nil>")) {
			t.Errorf("%s: %v %s", l, err, out)
		}
	}
}
