package s3

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// Scheme is how URLs of this back end begin.
const Scheme = "s3"

// Target is where a store lies and how to get there. Printed in any way it shows no secret.
type Target struct {
	Host    string // host or host:port
	Bucket  string
	Prefix  string        // "" or ending with '/'
	Region  string        // "": the server is asked
	Plain   bool          // HTTP without TLS
	CA      string        // file of certificates to trust instead of the system's; "" for those
	Style   string        // path, virtual, or "" for what the host usually takes
	Timeout time.Duration // how long the server may take to begin an answer
	Make    bool          // Create makes the bucket too
	keys    keys
	proxy   func(*url.URL) (*url.URL, error)
}

// keys are the credentials.
type keys struct{ id, secret, token string }

// ErrURL says that a URL cannot be used. It never shows the URL: what is wrong with it may be a secret in a wrong place.
var ErrURL = errors.New("the store's URL cannot be used")

const urlForm = "write s3://[KEY:SECRET@]HOST[:PORT]/BUCKET[/PREFIX]; a '/' in a secret is %2F"

func badURL(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrURL, fmt.Sprintf(format, a...))
}

const defaultTimeout = 10 * time.Second

// ParseURL reads the URL of a store. What it leaves open comes from the environment: AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, else the file of AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials) and its
// AWS_PROFILE; AWS_REGION or AWS_DEFAULT_REGION; HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Options behind '?':
//
//	insecure=1     HTTP without TLS
//	region=R       the bucket's region
//	ca=FILE        certificates to trust instead of the system's
//	style=path     bucket in the path (the default outside the large clouds), or style=virtual: in the host's name
//	timeout=10s    how long the server may take to begin an answer, 100ms to 5m
//	create=1       make the bucket when the store is made
func ParseURL(raw string, getenv func(string) string) (Target, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != Scheme || u.Opaque != "" || u.Fragment != "" || u.Host == "" {
		return Target{}, badURL("%s", urlForm)
	}
	t := Target{Host: u.Host, Timeout: defaultTimeout, Region: first(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")), proxy: proxies(getenv)}
	if err := t.place(u.Path); err != nil {
		return Target{}, err
	}
	if err := t.options(u.RawQuery); err != nil {
		return Target{}, err
	}
	t.keys, err = credentialsOf(u.User, getenv)
	return t, err
}

func first(s ...string) string {
	for _, s := range s {
		if s != "" {
			return s
		}
	}
	return ""
}

const prefixCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

func (t *Target) place(path string) error {
	bucket, prefix, _ := strings.Cut(strings.Trim(path, "/"), "/")
	if s3utils.CheckValidBucketNameStrict(bucket) != nil {
		return badURL("it names no bucket that S3 allows: %s", urlForm)
	}
	t.Bucket = bucket
	if prefix == "" {
		return nil
	}
	for _, part := range strings.Split(prefix, "/") {
		if part == "" || part == "." || part == ".." || strings.Trim(part, prefixCharacters) != "" || len(prefix) > 500 {
			return badURL("its prefix may have letters, digits, '.', '-', '_' and '/', and at most 500 of them")
		}
	}
	t.Prefix = prefix + "/"
	return nil
}

func (t *Target) options(query string) error {
	q, err := url.ParseQuery(query)
	if err != nil {
		return badURL("its options cannot be read")
	}
	for name, values := range q {
		if len(values) != 1 {
			return badURL("an option is given twice")
		}
		if err := t.option(name, values[0]); err != nil {
			return err
		}
	}
	return nil
}

func (t *Target) option(name, value string) (err error) {
	switch name {
	case "insecure":
		t.Plain, err = flag(name, value)
	case "create":
		t.Make, err = flag(name, value)
	case "region":
		if t.Region = value; value == "" || strings.Trim(value, prefixCharacters) != "" {
			err = badURL("region is no region")
		}
	case "ca":
		if t.CA = value; !filepath.IsAbs(value) {
			err = badURL("ca is not the absolute path of a file")
		}
	case "style":
		if t.Style = value; value != "path" && value != "virtual" {
			err = badURL("style is path or virtual")
		}
	case "timeout":
		if t.Timeout, err = time.ParseDuration(value); err != nil || t.Timeout < 100*time.Millisecond || t.Timeout > 5*time.Minute {
			err = badURL("timeout is between 100ms and 5m")
		}
	default:
		err = badURL("its options are insecure, region, ca, style, timeout and create")
	}
	return err
}

func flag(name, value string) (bool, error) {
	switch value {
	case "1", "true":
		return true, nil
	case "0", "false":
		return false, nil
	}
	return false, badURL("%s is 1 or 0", name)
}

// String names the store without secrets and options.
func (t Target) String() string {
	return Scheme + "://" + t.Host + "/" + strings.TrimSuffix(t.Bucket+"/"+t.Prefix, "/")
}

// GoString is String: %#v shows no secret either.
func (t Target) GoString() string { return t.String() }

// Safe is a URL as it may be printed: without its credentials, and without anything where it cannot be read for sure.
func Safe(raw string) string {
	t, err := ParseURL(raw, func(string) string { return "" })
	if err != nil && !errors.Is(err, errNoKeys) {
		return Scheme + "://(a URL that cannot be read)"
	}
	return t.String()
}
