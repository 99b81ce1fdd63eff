package lazy

import "testing"

func TestRegexp(t *testing.T) {
	wrong := Regexp("(") // panics for whoever asks, not for who names it
	defer func() {
		if recover() == nil {
			t.Error("a pattern that is none was compiled")
		}
	}()
	if Regexp("")() != nil {
		t.Error("no pattern is one")
	}
	p := Regexp("^a+$")
	if once := p(); !once.MatchString("aa") || p() != once {
		t.Error("not the pattern, or compiled twice")
	}
	wrong()
}
