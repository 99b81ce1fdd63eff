package github

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"session/blocker"
)

const logPath = "api.github.com/repos/octo/app/actions/jobs/31/logs"

func failing() string { return jobLog("src/a.c:3:5: error: boom") }

// TestTokenStaysAtHome: a log is fetched from wherever the API sends us, but without the token, even if that is a host
// below GitHub's own name.
func TestTokenStaysAtHome(t *testing.T) {
	for _, place := range []string{"logs.blob.example.net", "pipelines.actions.github.com", "github.com", "objects.api.github.com"} {
		f := newFake(t)
		f.failedRun(text(500, "unused"))
		f.on(logPath, text(302, "", "Location", "https://"+place+"/job.txt?sig=very-secret"))
		f.on(place+"/job.txt", text(200, failing()))
		a := f.ask(question())
		wantUnknown(t, a)
		c := f.to(place + "/job.txt")
		if len(c) != 1 || c[0].Auth != "" || c[0].Query.Get("sig") != "very-secret" {
			t.Errorf("%s: %v", place, c)
		}
		for _, h := range []string{"Authorization", "X-Github-Api-Version", "Cookie", "Referer"} {
			if v := c[0].Header.Get(h); v != "" {
				t.Errorf("%s: header %s: %q", place, h, v)
			}
		}
		if r := a.Runs.Value[0]; r.Cause == nil || r.Cause.Type != blocker.BuildError {
			t.Errorf("%s: %+v", place, r.Cause)
		}
	}
}

// TestRedirectsOfLogs: chains are followed a little, never off TLS, never in a circle.
func TestRedirectsOfLogs(t *testing.T) {
	for name, c := range map[string]struct {
		location string
		route    string
		answer   http.HandlerFunc
		want     []string
	}{
		"off TLS":            {"http://logs.blob.example.net/job.txt", "", nil, []string{"log=redirected"}},
		"off TLS, our host":  {"http://api.github.com/job.txt", "", nil, []string{"log=redirected"}},
		"to a file":          {"file:///etc/passwd", "", nil, []string{"log=redirected"}},
		"with a user":        {"https://u:p@logs.blob.example.net/job.txt", "", nil, []string{"log=redirected"}},
		"nowhere":            {"", "", nil, []string{"log=malformed"}},
		"to no address":      {"https://[broken?sig=very-secret", "", nil, []string{"log=malformed"}},
		"then to no address": {"https://a.example/1", "a.example/1", text(302, "", "Location", "https://[broken?sig=very-secret"), []string{"log=invalid"}},
		"twice":              {"https://a.example/1", "a.example/1", text(302, "", "Location", "https://logs.blob.example.net/job.txt"), nil},
		"then off TLS":       {"https://a.example/1", "a.example/1", text(302, "", "Location", "http://logs.blob.example.net/job.txt"), []string{"log=redirected"}},
		"in a circle":        {"https://a.example/1", "a.example/1", text(302, "", "Location", "https://a.example/1"), []string{"log=redirected"}},
		"on our own host":    {"https://api.github.com/kept/job.txt", "api.github.com/kept/job.txt", text(200, failing()), nil},
		"relative":           {"/kept/job.txt", "api.github.com/kept/job.txt", text(200, failing()), nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.failedRun(text(200, failing()))
			f.on(logPath, text(302, "", "Location", c.location))
			if c.route != "" {
				f.on(c.route, c.answer)
			}
			a := f.ask(question())
			wantUnknown(t, a, c.want...)
			for _, c := range f.seen() {
				if c.Header.Get("Referer") != "" && c.Host != "api.github.com" {
					t.Errorf("%s is told where the log was before", c.Host)
				}
			}
			if (a.Runs.Value[0].Cause != nil) != (c.want == nil) || a.CI() != Failed {
				t.Errorf("%s %+v", a.CI(), a.Runs.Value[0].Cause)
			}
			for _, c := range f.seen() {
				if c.Auth != "" && c.Host != "api.github.com" {
					t.Errorf("the token went to %s", c.Host)
				}
			}
		})
	}
}

func TestLogsThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		api, store http.HandlerFunc
		want       []string
	}{
		"expired":                {text(410, `{"message":"Gone"}`), nil, []string{"log=gone"}},
		"not there yet":          {text(404, `{"message":"Not Found"}`), nil, []string{"log=not_found"}},
		"forbidden":              {text(403, `{"message":"Must have admin rights to Repository."}`), nil, []string{"log=forbidden"}},
		"API down":               {text(502, "bad gateway"), nil, []string{"log=server_error"}},
		"store has lost it":      {nil, text(404, "<Error/>"), []string{"log=gone"}},
		"store: key is over":     {nil, text(403, "<Error>AuthenticationFailed</Error>", "Retry-After", "3600"), []string{"log=invalid"}},
		"store is busy":          {nil, text(429, "", "Retry-After", "3600"), []string{"log=server_error"}},
		"store down":             {nil, text(503, "", "Retry-After", "3600"), []string{"log=server_error"}},
		"a zip":                  {nil, text(200, "PK\x03\x04\x00\x00\x00\x00\x00\x01\x02\x00\x00\xff\xfe\x00\x00\x00"), []string{"log=malformed"}},
		"cut off in the middle":  {nil, cutOff, []string{"log=malformed"}},
		"nothing in it":          {nil, text(200, ""), nil},
		"no words of a failure":  {nil, text(200, jobLog("hello")), nil},
		"partial, though we ask": {nil, text(206, "x"), []string{"log=invalid"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.failedRun(text(200, failing()))
			if c.api != nil {
				f.on(logPath, c.api)
			} else {
				f.on("logs.blob.example.net/job.txt", c.store)
			}
			a := f.ask(question())
			wantUnknown(t, a, c.want...)
			b := a.Blockers()
			if len(b) != 1 || b[0].Type != blocker.CIFailure || !strings.HasPrefix(b[0].Message, "CI / build (ubuntu) / Run make: failure") {
				t.Errorf("the run failed all the same: %+v", b)
			}
			if !a.NextAllowedAt.IsZero() {
				t.Errorf("a store of logs silences the API until %s", a.NextAllowedAt)
			}
		})
	}
}

func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100000")
	_, _ = io.WriteString(w, failing())
}

// TestStepTellsTheKind: where the log names no error, the command of the failing step tells what failed.
func TestStepTellsTheKind(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(200, "2026-03-04T05:00:01.0000001Z hm\n"))
	f.on(runsPath+"/11/jobs", text(200, strings.Replace(oneFailedJob, "Run make", "Run go test ./...", 1)))
	if c := f.ask(question()).Runs.Value[0].Cause; c == nil || c.Type != blocker.TestFailure {
		t.Errorf("%+v", c)
	}
	f.on(runsPath, runsOf(ciRun(11, "conclusion", "timed_out")))
	f.on(runsPath+"/11/jobs", text(200, strings.ReplaceAll(oneFailedJob, `"failure"`, `"timed_out"`)))
	a := f.ask(question())
	if b := a.Blockers(); len(b) != 1 || b[0].Message != "CI / build (ubuntu) / Run make: timed_out" {
		t.Errorf("%+v", b)
	}
}

// TestCauseIsOfTheRepository: paths of the runner become paths of the repository.
func TestCauseIsOfTheRepository(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(200, jobLog("/home/runner/work/app/app/src/net/a.cpp:12:7: error: no member named 'x' in 'Y'")))
	b := f.ask(question()).Blockers()
	if len(b) != 1 || b[0].File != "src/net/a.cpp" || b[0].Line != 12 || b[0].Cause.Source != "CI / build (ubuntu)" {
		t.Errorf("%+v", b)
	}
}

// bigLog is a log in which only the end names the error; some lines are not ASCII, so a cut may fall into a character.
func bigLog(size int) []byte {
	var b bytes.Buffer
	for b.Len() < size {
		fmt.Fprintf(&b, "2026-03-04T05:00:02.0000000Z 한글 줄 %d\n", b.Len())
	}
	b.WriteString(failing()[3:])
	return b.Bytes()
}

func TestLongLogs(t *testing.T) {
	const most = 1 << 20
	small := func(o *Options) { o.Limits.Log = most }
	whole := bigLog(3*most + 1)
	ranged := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		part := whole
		if v, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
			from, err := strconv.Atoi(strings.TrimSuffix(v, "-"))
			if err != nil {
				t.Errorf("range %q", v)
			}
			part = whole[from:]
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(whole)-1, len(whole)))
			w.Header().Set("Content-Length", fmt.Sprint(len(part)))
			w.WriteHeader(http.StatusPartialContent)
		} else {
			w.Header().Set("Content-Length", fmt.Sprint(len(part)))
		}
		_, _ = w.Write(part)
	}
	plain := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
		_, _ = w.Write(whole)
	}
	chunked := func(w http.ResponseWriter, _ *http.Request) {
		for part := whole; len(part) > 0; part = part[min(len(part), 100_000):] {
			_, _ = w.Write(part[:min(len(part), 100_000)])
			w.(http.Flusher).Flush()
		}
	}
	for name, c := range map[string]struct {
		store http.HandlerFunc
		limit func(*Options)
		cause bool
		words string
	}{
		"within the limit":         {ranged, func(*Options) {}, true, ""},
		"its end":                  {ranged, small, true, "only the last 1 MiB"},
		"no ranges: its beginning": {plain, small, false, "only the first 1 MiB"},
		"of unknown length":        {chunked, small, false, "only the first 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.failedRun(c.store)
			a := f.ask(question(), c.limit)
			cause := a.Runs.Value[0].Cause
			if found := cause != nil && cause.Type == blocker.BuildError; found != c.cause {
				t.Errorf("cause: %+v", cause)
			}
			if c.words == "" {
				wantUnknown(t, a)
				return
			}
			wantUnknown(t, a, "log=incomplete")
			if len(a.Unknown) > 0 && !strings.Contains(a.Unknown[0].Why, c.words) {
				t.Errorf("%s", a.Unknown[0].Why)
			}
			if c.cause && cause != nil && cause.LogLine != 0 {
				t.Errorf("line %d of a log whose beginning was not read", cause.LogLine)
			}
		})
	}
}

// TestLogOfExactlyTheLimit: nothing is missing, so nothing is said to be.
func TestLogOfExactlyTheLimit(t *testing.T) {
	log := failing()
	f := newFake(t)
	f.failedRun(text(200, log))
	wantUnknown(t, f.ask(question(), func(o *Options) { o.Limits.Log = int64(len(log)) }))
	f.on("logs.blob.example.net/job.txt", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, log)
		w.(http.Flusher).Flush()
	})
	wantUnknown(t, f.ask(question(), func(o *Options) { o.Limits.Log = int64(len(log)) }))
}

// TestLogStraightFromTheAPI: an Enterprise server may answer without a redirect.
func TestLogStraightFromTheAPI(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(500, ""))
	f.on(logPath, text(200, string(bigLog(9<<20)))) // larger than an answer of the API may be
	a := f.ask(question())
	wantUnknown(t, a)
	if c := a.Runs.Value[0].Cause; c == nil || c.Type != blocker.BuildError {
		t.Errorf("%+v", c)
	}
}

// TestSecondLookIsCheaper: what the last answer knows of the same attempt is not read again.
func TestSecondLookIsCheaper(t *testing.T) {
	f := newFake(t)
	f.failedRun(text(200, failing()))
	first := f.ask(question())
	q := question()
	q.Last = &first
	before := len(f.seen())
	second := f.ask(q)
	if n := len(f.seen()) - before; n != 2 {
		t.Errorf("%d requests", n)
	}
	if r := second.Runs.Value[0]; r.Cause == nil || len(r.Jobs) != 1 {
		t.Errorf("%+v", r)
	}
	f.on(runsPath, runsOf(ciRun(11, "conclusion", "failure", "run_attempt", 2)))
	before = len(f.seen())
	f.ask(q)
	if n := len(f.seen()) - before; n != 5 {
		t.Errorf("another attempt: %d requests", n)
	}
}
