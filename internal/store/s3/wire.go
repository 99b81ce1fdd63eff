package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"session/internal/snapshot"
)

const (
	attempts    = 4        // of one request; the library waits up to 0.2, 0.4, 0.8 s in between
	conflicts   = 8        // of creates that the server could not decide (409)
	slowest     = 64 << 10 // bytes a second that a link must carry
	dialTimeout = 3 * time.Second
	connections = 64
	mostListed  = 100_000_000
	markHeader  = "Session-Mark" // user metadata of an object: who wrote it
)

var (
	errConflict = fmt.Errorf("%w: two creates met, and it decided for neither", ErrUnavailable)
	// errCut: the connection broke while we sent. A server that refuses before it has read everything may do that, and
	// its answer is lost.
	errCut  = fmt.Errorf("%w: it broke off while it was sent to", ErrUnavailable)
	errTorn = fmt.Errorf("%w: it broke off in the middle of an answer", ErrUnavailable)
)

// connect makes a client; it asks nobody yet.
func connect(at Target, o Options) (*Store, error) {
	if o.Random == nil {
		return nil, fmt.Errorf("%w: no source of randomness", snapshot.ErrInvalid)
	}
	t, err := transport(at)
	if err != nil {
		return nil, err
	}
	lookup := map[string]minio.BucketLookupType{"path": minio.BucketLookupPath, "virtual": minio.BucketLookupDNS}[at.Style]
	core, err := minio.NewCore(at.Host, &minio.Options{
		Creds: credentials.NewStaticV4(at.keys.id, at.keys.secret, at.keys.token), Secure: !at.Plain, Region: at.Region,
		BucketLookup: lookup, Transport: t, MaxRetries: attempts,
	})
	if err != nil {
		return nil, badURL("its host cannot be one")
	}
	return &Store{at: at, core: *core, random: o.Random}, nil
}

func transport(at Target) (http.RoundTripper, error) {
	dial := net.Dialer{Timeout: min(dialTimeout, at.Timeout), KeepAlive: 15 * time.Second}
	t := &http.Transport{
		DialContext: dial.DialContext, TLSHandshakeTimeout: at.Timeout, ResponseHeaderTimeout: at.Timeout,
		MaxIdleConns: connections, MaxIdleConnsPerHost: connections, IdleConnTimeout: time.Minute,
		DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
	}
	if at.proxy != nil {
		t.Proxy = func(r *http.Request) (*url.URL, error) { return at.proxy(r.URL) }
	}
	if at.CA != "" {
		pem, err := os.ReadFile(at.CA)
		if err != nil {
			return nil, fmt.Errorf("read certificates: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, badURL("the file of ca has no certificate")
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return bounds{t}, nil
}

// bounds ends answers that are larger than anything we ask for.
type bounds struct{ next *http.Transport }

// RoundTrip implements http.RoundTripper.
func (b bounds) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.next.RoundTrip(r)
	if err == nil {
		answer.Body = &boundBody{answer.Body, snapshot.MaxObject + 1<<20}
	}
	return answer, err
}

type boundBody struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (b *boundBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%w: it answers without end", ErrRefused)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// bounded gives an operation that moves size bytes the time that it may take, all attempts together.
func (s *Store) bounded(ctx context.Context, size int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 2*s.at.Timeout+carry(int64(size)))
}

func carry(size int64) time.Duration { return time.Duration(size) * time.Second / slowest }

// put sends one object; with a mark only if the key is absent.
func (s *Store) put(ctx context.Context, key string, data []byte, mark string) error {
	within, cancel := s.bounded(ctx, len(data))
	defer cancel()
	// The digest is signed: a body that changes on the way is refused, and no second encoding is needed around it.
	sum := sha256.Sum256(data)
	o := minio.PutObjectOptions{ContentType: "application/octet-stream", DisableContentSha256: true}
	if mark != "" {
		o.SetMatchETagExcept("*")
		o.UserMetadata = map[string]string{markHeader: mark}
	}
	info, err := s.core.PutObject(within, s.at.Bucket, s.at.Prefix+key, bytes.NewReader(data), int64(len(data)), "", hex.EncodeToString(sum[:]), o)
	if err == nil && info.ETag == "" { // every S3 server sends one; the login page of a network does not
		return fmt.Errorf("%w: what answered is no S3 server", ErrUnavailable)
	}
	return s.classify(err)
}

// putNew creates key with data if absent. snapshot.ErrExists: somebody else's is there.
func (s *Store) putNew(ctx context.Context, key string, data []byte) error {
	mark, err := s.mark()
	if err != nil {
		return err
	}
	for n := range conflicts {
		err = s.put(ctx, key, data, mark)
		switch {
		case errors.Is(err, snapshot.ErrExists):
			if err = s.marked(ctx, key, mark); !errors.Is(err, snapshot.ErrNotFound) {
				return err
			}
			err = errConflict // the holder went between the two answers
		case errors.Is(err, errCut):
			if was := s.marked(ctx, key, mark); was == nil || errors.Is(was, snapshot.ErrExists) {
				return was
			}
			return err
		case !errors.Is(err, errConflict):
			return err
		}
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
	return err
}

// marked tells whose a key is that was taken: nil if it bears our mark, from an attempt whose answer was lost.
func (s *Store) marked(ctx context.Context, key, mark string) error {
	within, cancel := s.bounded(ctx, 0)
	defer cancel()
	info, err := s.core.StatObject(within, s.at.Bucket, s.at.Prefix+key, minio.StatObjectOptions{})
	if err == nil && info.UserMetadata[markHeader] != mark {
		return snapshot.ErrExists
	}
	return s.classify(err)
}

// pause waits a little, more each time.
func pause(ctx context.Context, n int) error {
	t := time.NewTimer(10 * time.Millisecond << n)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// get reads a whole object of at most so many bytes. snapshot.ErrNotFound, snapshot.ErrNoObject.
func (s *Store) get(ctx context.Context, key string, most int64) (data []byte, err error) {
	for n := range attempts {
		if data, err = s.getOnce(ctx, key, most); !errors.Is(err, errTorn) {
			return data, err
		}
		if err := pause(ctx, n); err != nil {
			return nil, err
		}
	}
	return nil, err
}

func (s *Store) getOnce(ctx context.Context, key string, most int64) ([]byte, error) {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := time.AfterFunc(2*s.at.Timeout, cancel)
	defer limit.Stop()
	body, info, _, err := s.core.GetObject(within, s.at.Bucket, s.at.Prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, s.classify(err)
	}
	defer body.Close()
	if info.Size > most {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", snapshot.ErrNoObject, info.Size, most)
	}
	limit.Reset(s.at.Timeout + carry(max(0, info.Size)))
	data, err := io.ReadAll(io.LimitReader(body, most+1))
	switch {
	case err != nil && within.Err() == nil, err == nil && info.Size >= 0 && int64(len(data)) != info.Size:
		return nil, errTorn
	case err != nil:
		return nil, s.classify(err)
	case int64(len(data)) > most:
		return nil, fmt.Errorf("%w: more than %d bytes", snapshot.ErrNoObject, most)
	}
	return data, nil
}

// remove deletes a key; nothing there is fine.
func (s *Store) remove(ctx context.Context, key string) error {
	within, cancel := s.bounded(ctx, 0)
	defer cancel()
	err := s.classify(s.core.RemoveObject(within, s.at.Bucket, s.at.Prefix+key, minio.RemoveObjectOptions{}))
	if errors.Is(err, snapshot.ErrNotFound) {
		return nil
	}
	return err
}

// list calls fn for what lies below prefix, with keys as the store's own. An error of fn ends it and comes back as it is.
func (s *Store) list(ctx context.Context, prefix string, fn func(snapshot.Info) error) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := time.AfterFunc(2*s.at.Timeout, cancel) // for one page, not for all, nor for what fn does
	defer limit.Stop()
	last, seen := "", 0
	for o := range s.core.ListObjectsIter(within, s.at.Bucket, minio.ListObjectsOptions{Prefix: s.at.Prefix + prefix, Recursive: true}) {
		limit.Stop()
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if o.Err != nil {
			return s.classify(o.Err)
		}
		key, ok := strings.CutPrefix(o.Key, s.at.Prefix)
		if seen++; !ok || !strings.HasPrefix(key, prefix) || key == last || seen > mostListed {
			return fmt.Errorf("%w: it lists what was not asked for", ErrRefused)
		}
		last = key
		if err := fn(snapshot.Info{Key: key, Size: o.Size, ModTime: o.LastModified}); err != nil {
			return err
		}
		limit.Reset(2 * s.at.Timeout)
	}
	if within.Err() != nil { // the library ends a listing that was called off without a word
		return s.classify(context.Cause(within))
	}
	return nil
}
