package github

import (
	"net/http"
	"testing"
	"time"

	"github.com/cli/go-gh/v2/pkg/api"
)

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i+1 < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// TestPauses: what a refusal asks to wait, whatever our clock says and whatever stands in its headers.
func TestPauses(t *testing.T) {
	now := instant().Add(300 * time.Millisecond)
	date := func(d time.Duration) string { return instant().Add(d).Format(http.TimeFormat) }
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		code    int
		message string
		headers http.Header
		want    time.Duration // after the next whole second; 0: no pause
	}{
		"seconds":                          {403, "", header("Retry-After", "60"), 60 * time.Second},
		"none left to wait":                {403, "", header("Retry-After", "0"), time.Second},
		"a date":                           {403, "", header("Retry-After", date(90*time.Second), "Date", date(0)), 90 * time.Second},
		"a date, our clock is an hour off": {403, "", header("Retry-After", date(-time.Hour+90*time.Second), "Date", date(-time.Hour)), 90 * time.Second},
		"a date that is past":              {429, "", header("Retry-After", date(-time.Hour), "Date", date(0)), time.Second},
		"endless":                          {403, "", header("Retry-After", "2147483647"), day},
		"beyond every number":              {403, "", header("Retry-After", "99999999999999999999"), time.Minute},
		"no number":                        {403, "", header("Retry-After", "soon"), time.Minute},
		"negative":                         {403, "", header("Retry-After", "-5"), time.Minute},
		"reset":                            {403, "", header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1772600827", "Date", date(0)), 1772600827*time.Second - time.Duration(instant().UnixNano())},
		"reset, no number":                 {403, "", header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "x"), time.Minute},
		"reset, missing":                   {403, "", header("X-RateLimit-Remaining", "0"), time.Minute},
		"reset, centuries ahead":           {403, "", header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "500000000000", "Date", date(0)), day},
		"reset, before 1970":               {403, "", header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "-5", "Date", date(0)), time.Second},
		"some remain":                      {403, "Must have admin rights", header("X-RateLimit-Remaining", "12", "X-RateLimit-Reset", "1772600827"), 0},
		"words of a secondary limit":       {403, "You have exceeded a SECONDARY rate limit", header(), time.Minute},
		"too many, no words":               {429, "", header(), time.Minute},
		"forbidden":                        {403, "no", header(), 0},
		"not found with a header":          {404, "", header("Retry-After", "60"), 0},
		"server error":                     {502, "", header("Retry-After", "60"), 0},
	} {
		m := &meter{now: now}
		got := m.pause(&api.HTTPError{StatusCode: c.code, Message: c.message, Headers: c.headers})
		want := time.Time{}
		if c.want > 0 {
			want = now.Add(c.want + time.Second - 1).Truncate(time.Second)
		}
		if !got.Equal(want) || !m.nextAllowed().Equal(want) {
			t.Errorf("%s: %s and %s, want %s", name, got, m.nextAllowed(), want)
		}
	}
}

// TestTheLongestPauseCounts: several answers, in any order.
func TestTheLongestPauseCounts(t *testing.T) {
	m := &meter{now: instant()}
	for _, s := range []string{"10", "300", "20"} {
		m.see(429, header("Retry-After", s))
	}
	m.see(200, header("Retry-After", "9999", "X-RateLimit-Remaining", "4999"))
	m.see(404, header("Retry-After", "9999"))
	if want := instant().Add(300 * time.Second); !m.nextAllowed().Equal(want) {
		t.Errorf("%s, want %s", m.nextAllowed(), want)
	}
	m.see(503, header("Retry-After", "400"))
	if want := instant().Add(400 * time.Second); !m.nextAllowed().Equal(want) {
		t.Errorf("%s, want %s", m.nextAllowed(), want)
	}
}

func FuzzMeter(f *testing.F) {
	f.Add(403, "60", "0", "1772600827", "Wed, 04 Mar 2026 05:06:07 GMT", "secondary rate limit")
	f.Add(429, "Wed, 04 Mar 2026 05:06:07 GMT", "", "-1", "x", "")
	f.Fuzz(func(t *testing.T, code int, after, left, reset, date, message string) {
		h := header("Retry-After", after, "X-RateLimit-Remaining", left, "X-RateLimit-Reset", reset, "Date", date)
		m := &meter{now: instant()}
		m.see(code, h)
		m.pause(&api.HTTPError{StatusCode: code, Message: message, Headers: h})
		if at := m.nextAllowed(); !at.IsZero() && (at.Before(instant()) || at.After(instant().Add(longestPause+time.Second))) {
			t.Errorf("%s", at)
		}
	})
}
