package s3test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Credentials and bucket of a Server.
const (
	Key    = "test-key"
	Secret = "test/secret+with=signs"
	Bucket = "bucket"
)

// Server is an S3 server in memory with one bucket.
type Server struct {
	http *httptest.Server

	mu      sync.Mutex
	objects map[string]object
	options Options
}

type object struct {
	data []byte
	meta http.Header
	made time.Time
}

// Options are ways in which servers differ, and fail.
type Options struct {
	// Now is the server's clock. Requests signed more than 15 minutes off are refused.
	Now func() time.Time
	// Page is how many keys a page of a listing has.
	Page int
	// Ignore: If-None-Match is ignored.
	Ignore bool
	// Racy: If-None-Match is looked at, and then others are let in before the object is stored: right in turn, wrong at once.
	Racy bool
	// NoBucket: the bucket is not there until it is made.
	NoBucket bool
	// Answer is asked first; true: it has answered.
	Answer func(w http.ResponseWriter, r *http.Request) bool
}

// New starts a server, until the test ends.
func New(t testing.TB, o Options) *Server { return start(t, o, (*httptest.Server).Start) }

// NewTLS starts one that speaks TLS with a certificate of its own making.
func NewTLS(t testing.TB, o Options) *Server { return start(t, o, (*httptest.Server).StartTLS) }

func start(t testing.TB, o Options, run func(*httptest.Server)) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Page == 0 {
		o.Page = 1000
	}
	s := &Server{objects: map[string]object{}, options: o}
	s.http = httptest.NewUnstartedServer(s)
	s.http.Config.ErrorLog = nil
	run(s.http)
	t.Cleanup(s.http.Close)
	return s
}

// Addr is the server's host:port.
func (s *Server) Addr() string { return s.http.Listener.Addr().String() }

// Certificate is what a TLS server shows, as DER.
func (s *Server) Certificate() []byte { return s.http.Certificate().Raw }

// URL names a prefix of the server's bucket as package s3 writes it.
func (s *Server) URL(prefix string) string {
	return fmt.Sprintf("s3://%s@%s/%s/%s?insecure=1&region=us-east-1", url.UserPassword(Key, Secret), s.Addr(), Bucket, prefix)
}

// Set changes how the server behaves from now on.
func (s *Server) Set(change func(*Options)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.options)
}

// Objects are the objects as they are: key to bytes.
func (s *Server) Objects() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]string{}
	for key, o := range s.objects {
		all[key] = string(o.data)
	}
	return all
}

// Put writes an object past all rules: what a person with another program does.
func (s *Server) Put(key string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[key] = object{data: data, made: s.options.Now()}
}

// Fail writes an error as S3 does.
func Fail(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		raw, _ := xml.Marshal(struct {
			XMLName       xml.Name `xml:"Error"`
			Code, Message string
		}{Code: code, Message: message})
		_, _ = w.Write(raw)
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	o := s.options
	s.mu.Unlock()
	if o.Answer != nil && o.Answer(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		Fail(w, r, 400, "IncompleteBody", err.Error())
		return
	}
	if code, message := verify(r, body, o.Now()); code != "" {
		Fail(w, r, 403, code, message)
		return
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if bucket != Bucket || o.NoBucket && (key != "" || r.Method != http.MethodPut) {
		Fail(w, r, 404, "NoSuchBucket", "The specified bucket does not exist")
		return
	}
	switch {
	case key == "" && r.Method == http.MethodPut:
		s.Set(func(o *Options) { o.NoBucket = false })
	case key == "" && r.Method == http.MethodGet:
		s.list(w, r.URL.Query(), o.Page)
	case r.Method == http.MethodPut:
		s.put(w, r, key, body, o)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		s.get(w, r, key)
	case r.Method == http.MethodDelete:
		s.mu.Lock()
		delete(s.objects, key)
		s.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	default:
		Fail(w, r, 501, "NotImplemented", r.Method)
	}
}

func (s *Server) put(w http.ResponseWriter, r *http.Request, key string, body []byte, o Options) {
	n := object{data: body, meta: http.Header{}, made: o.Now()}
	for name, v := range r.Header {
		if strings.HasPrefix(name, "X-Amz-Meta-") {
			n.meta[name] = v
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.objects[key]; there && r.Header.Get("If-None-Match") == "*" && !o.Ignore {
		Fail(w, r, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
		return
	}
	if o.Racy {
		s.mu.Unlock()
		time.Sleep(5 * time.Millisecond) // the server's fault, not the test's way of waiting
		s.mu.Lock()
	}
	s.objects[key] = n
	w.Header().Set("ETag", etag(body))
}

func etag(body []byte) string {
	sum := md5.Sum(body)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func (s *Server) get(w http.ResponseWriter, r *http.Request, key string) {
	s.mu.Lock()
	o, ok := s.objects[key]
	s.mu.Unlock()
	if !ok {
		Fail(w, r, 404, "NoSuchKey", "The specified key does not exist.")
		return
	}
	maps.Copy(w.Header(), o.meta)
	w.Header().Set("ETag", etag(o.data))
	w.Header().Set("Last-Modified", o.made.UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Length", strconv.Itoa(len(o.data)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(o.data)
	}
}

// listing is the answer to ListObjectsV2.
type listing struct {
	XMLName                           xml.Name `xml:"ListBucketResult"`
	Name, Prefix, EncodingType        string
	KeyCount, MaxKeys                 int
	IsTruncated                       bool
	NextContinuationToken, StartAfter string `xml:",omitempty"`
	Contents                          []listed
}

type listed struct {
	Key, LastModified, ETag, StorageClass string
	Size                                  int
}

func (s *Server) list(w http.ResponseWriter, q url.Values, page int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, err := strconv.Atoi(q.Get("max-keys")); err == nil {
		page = min(page, n)
	}
	out := listing{Name: Bucket, Prefix: q.Get("prefix"), EncodingType: "url", MaxKeys: page}
	after := max(q.Get("start-after"), q.Get("continuation-token"))
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if !strings.HasPrefix(key, out.Prefix) || key <= after {
			continue
		}
		if out.KeyCount == page {
			out.IsTruncated, out.NextContinuationToken = true, out.Contents[page-1].Key
			break
		}
		o := s.objects[key]
		out.KeyCount++
		out.Contents = append(out.Contents, listed{
			Key: key, Size: len(o.data), ETag: etag(o.data), StorageClass: "STANDARD", LastModified: o.made.UTC().Format("2006-01-02T15:04:05.000Z"),
		})
	}
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(out)
}
