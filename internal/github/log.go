package github

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"session/blocker"

	"github.com/cli/go-gh/v2/pkg/api"
)

// log reads the log of a job as it comes and gives what it says; nil when it says nothing.
func (d *dialog) log(ctx context.Context, r *Run, j Job) (*blocker.Blocker, error) {
	from := fmt.Sprintf("repos/%s/actions/jobs/%d/logs", r.Repo, j.ID)
	res, err := d.logs.RequestWithContext(ctx, http.MethodGet, from, nil)
	if err == nil {
		return d.scan(ctx, res, nil, r, j)
	}
	var status *api.HTTPError
	if !errors.As(err, &status) || status.StatusCode/100 != 3 {
		return nil, err
	}
	place, err := elsewhere(status)
	if err != nil {
		return nil, err
	}
	res, err = d.fetch(ctx, place, 0)
	if err != nil {
		return nil, err
	}
	return d.scan(ctx, res, place, r, j)
}

// elsewhere reads where a log is kept. The address is a key to it: it is never shown.
func elsewhere(e *api.HTTPError) (*url.URL, error) {
	at := e.Headers.Get("Location")
	if at == "" {
		return nil, fmt.Errorf("%w: %w", errShape, errNoPlace)
	}
	u, err := url.Parse(at)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, errNoPlace)
	}
	if e.RequestURL != nil {
		u = e.RequestURL.ResolveReference(u)
	}
	if u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, errRedirect
	}
	return u, nil
}

// fetch gets a log without the token, from byte start on.
func (d *dialog) fetch(ctx context.Context, at *url.URL, start int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, errNoPlace)
	}
	req.Header.Set("User-Agent", d.client.Agent)
	want := http.StatusOK
	if start > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", start))
		want = http.StatusPartialContent
	}
	res, err := d.plain.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != want {
		_ = res.Body.Close()
		return nil, storeError(res.StatusCode)
	}
	return res, nil
}

// storeError is the status with which the place of a log refuses it. Its headers say nothing about the API's rates.
type storeError int

// Error gives the status.
func (e storeError) Error() string {
	return fmt.Sprintf("the place of the log answers HTTP %d", int(e))
}

func (e storeError) reason() Reason {
	switch {
	case e == http.StatusNotFound || e == http.StatusGone:
		return Gone
	case e >= 500 || e == http.StatusTooManyRequests:
		return ServerError
	}
	return Invalid
}

// scan gives the log to package blocker. Of one that is too long the end is read, where the server can give it.
func (d *dialog) scan(ctx context.Context, res *http.Response, place *url.URL, r *Run, j Job) (*blocker.Blocker, error) {
	most := d.client.limits.Log
	body := res.Body
	defer func() { _ = body.Close() }()
	cut := res.ContentLength > most
	tail := false
	if cut && place != nil {
		if end, err := d.fetch(ctx, place, res.ContentLength-most); err == nil {
			_ = body.Close()
			body, tail = end.Body, true
		}
	}
	in := &limited{r: body, left: most}
	text := bufio.NewReaderSize(in, 64<<10)
	if tail {
		if err := skipLine(text); err != nil {
			return nil, err
		}
	}
	b, err := d.words(ctx, text, r, j)
	if err != nil {
		return nil, err
	}
	d.shortened(in, cut, tail, r, j)
	switch {
	case b != nil && tail:
		b.LogLine = 0 // lines are counted from where the reading began
	case b != nil && in.more && b.Rule == lastWords:
		return nil, nil // they were not the last
	}
	return b, nil
}

// shortened says what of a log was not read.
func (d *dialog) shortened(in *limited, cut, tail bool, r *Run, j Job) {
	if !cut && !in.more {
		return
	}
	side := "first"
	if tail {
		side = "last"
	}
	d.gaps.add(Unknown{What: AboutLog, Reason: Incomplete, Detail: r.Workflow + " / " + j.Name,
		Why: fmt.Sprintf("of the log only the %s %d MiB were read", side, d.client.limits.Log>>20)})
}

// lastWords is package blocker's rule where no other says anything: the last line, whatever it is.
const lastWords = "exit"

// words scans a log of a job that is known to have failed.
func (d *dialog) words(ctx context.Context, text io.Reader, r *Run, j Job) (*blocker.Blocker, error) {
	exit := 1
	if j.Conclusion == "timed_out" {
		exit = 124 // of timeout(1), which package blocker knows
	}
	in := blocker.Input{Name: r.Workflow + " / " + j.Name, Stream: text, Exit: &exit}
	if len(j.Steps) > 0 {
		in.Command = strings.TrimPrefix(j.Steps[0].Name, "Run ")
	}
	said, err := blocker.Scan(ctx, in, blocker.Options{Now: d.now})
	if err != nil {
		return nil, err
	}
	b := said.First()
	if b == nil || b.Type == blocker.CIFailure && b.Rule == lastWords {
		return nil, nil
	}
	b.Source = clip(in.Name, maxText)
	return b, nil
}

// skipLine passes over the rest of a line, so that no half character begins a text.
func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// limited ends a stream after a number of bytes and remembers whether there was more.
type limited struct {
	r    io.Reader
	left int64
	more bool
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	if l.left == 0 {
		n, err := l.r.Read(make([]byte, 1))
		l.more = l.more || n > 0
		if n > 0 || err == nil {
			err = io.EOF
		}
		return 0, err
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
