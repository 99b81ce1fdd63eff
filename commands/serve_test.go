package commands

import (
	"net"
	"testing"
)

// TestGreeting names addresses that are true, and says where others can listen.
func TestGreeting(t *testing.T) {
	for at, want := range map[string]struct {
		url              string
		everywhere, open bool
	}{
		"127.0.0.1":   {"http://127.0.0.1:7/", false, false},
		"::1":         {"http://[::1]:7/", false, false},
		"0.0.0.0":     {"http://127.0.0.1:7/", true, true},
		"::":          {"http://127.0.0.1:7/", true, true},
		"192.0.2.1":   {"http://192.0.2.1:7/", false, true},
		"2001:db8::1": {"http://[2001:db8::1]:7/", false, true},
	} {
		addr := &net.TCPAddr{IP: net.ParseIP(at), Port: 7}
		if s := greeting(addr, false, "", 1); s.URL != want.url || s.everywhere != want.everywhere || s.open != want.open || s.Listen != addr.String() {
			t.Errorf("%s: %+v", at, s)
		}
		if s := greeting(addr, true, "", 1); s.open || s.everywhere != want.everywhere {
			t.Errorf("%s with TLS: %+v", at, s)
		}
	}
}
