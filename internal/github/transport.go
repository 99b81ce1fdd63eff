package github

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// bounded is the transport under go-gh's: it reads the rate limits of every answer and lets no body grow without end.
type bounded struct {
	next  http.RoundTripper
	meter *meter
	most  int64 // bytes
	logs  bool  // a good answer is a log, which its reader bounds
}

// RoundTrip implements http.RoundTripper.
func (b *bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	b.meter.see(res.StatusCode, res.Header)
	dropBrokenPlace(res)
	if !b.logs || res.StatusCode/100 != 2 {
		res.Body = &boundedBody{ReadCloser: res.Body, left: b.most}
	}
	return res, nil
}

// dropBrokenPlace takes a Location away that is no address: net/http would quote it in its error, and a log's is a key.
func dropBrokenPlace(res *http.Response) {
	if _, err := url.Parse(res.Header.Get("Location")); err != nil {
		res.Header.Del("Location")
	}
}

// bare is the transport of calls without a token.
type bare struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bare) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Referer") != "" { // net/http adds it on redirects: it would be the address before
		req = req.Clone(req.Context())
		req.Header.Del("Referer")
	}
	res, err := b.next.RoundTrip(req)
	if err == nil {
		dropBrokenPlace(res)
	}
	return res, err
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader; beyond the limit it gives errTooLarge.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	b.left -= int64(n)
	if b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

const maxRedirects = 3

// follow is go-gh's policy for redirects: a repository that was renamed answers on the same host. Everything else comes
// back as the answer it is; a log's place is then fetched without the token.
func (d *dialog) follow(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if via[0].Method != http.MethodGet || req.URL.Scheme != "https" || req.URL.Host != first.Host || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// secure is the policy for redirects of calls without a token.
func secure(req *http.Request, via []*http.Request) error {
	if req.URL.Scheme != "https" || len(via) > maxRedirects {
		return fmt.Errorf("%w: %s", errRedirect, req.URL.Scheme)
	}
	return nil
}
