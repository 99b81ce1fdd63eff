package plan

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time in whole milliseconds, above 0 and at most MaxDuration. Written "1h30m", "15m", "90s",
// "500ms": whole numbers with units, the largest unit first, each at most once. Stored in its shortest such form.
type Duration time.Duration

// MaxDuration bounds every duration of a policy.
const MaxDuration = Duration(7 * 24 * time.Hour)

var units = []struct {
	name string
	is   Duration
}{{"h", Duration(time.Hour)}, {"m", Duration(time.Minute)}, {"s", Duration(time.Second)}, {"ms", Duration(time.Millisecond)}}

// ParseDuration reads a duration.
func ParseDuration(s string) (Duration, error) {
	bad := fmt.Errorf("%s is not a duration: write it like 1h30m, 15m, 90s or 500ms, above 0 and at most %s", quoted(s), MaxDuration)
	var sum Duration
	rest := s
	for _, u := range units {
		digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
		after, ok := strings.CutPrefix(rest[len(digits):], u.name)
		if digits == "" || !ok || u.name == "m" && strings.HasPrefix(after, "s") {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 32)
		if err != nil || Duration(n) > MaxDuration/u.is {
			return 0, bad
		}
		sum, rest = sum+Duration(n)*u.is, after
	}
	if rest != "" || sum <= 0 || sum > MaxDuration {
		return 0, bad
	}
	return sum, nil
}

// String is the shortest form that ParseDuration reads, "0s" for 0.
func (d Duration) String() string {
	if d <= 0 {
		return "0s"
	}
	var b strings.Builder
	for _, u := range units {
		if n := d / u.is; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			d -= n * u.is
		}
	}
	return b.String()
}

// MarshalJSON writes the String form.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	v, err := ParseDuration(s)
	*d = v
	return err
}
