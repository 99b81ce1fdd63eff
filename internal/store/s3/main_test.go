package s3_test

import (
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"session/internal/needtest"
	"session/internal/snapshot"
	"session/internal/snapshot/snapshottest"
	"session/internal/store/s3"
	"session/internal/store/s3/s3test"
)

// quick opens a fresh store whose store.json is already there: Create tries the server each time, which has a test of its
// own.
func quick(t testing.TB, raw string) *s3.Store {
	t.Helper()
	at := target(t, raw)
	u, _ := url.Parse(raw)
	secret, _ := u.User.Password()
	c, err := minio.New(at.Host, &minio.Options{Creds: credentials.NewStaticV4(u.User.Username(), secret, ""), Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"format":1,"store_id":"00000000000000000000000000"}`
	_, err = c.PutObject(t.Context(), at.Bucket, at.Prefix+"store.json", strings.NewReader(body), int64(len(body)), minio.PutObjectOptions{DisableContentSha256: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := s3.Open(t.Context(), at, s3.Options{Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// noEnvironment has nothing set.
func noEnvironment(string) string { return "" }

func target(t testing.TB, raw string) s3.Target {
	t.Helper()
	at, err := s3.ParseURL(raw, noEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func create(t testing.TB, raw string) *s3.Store {
	t.Helper()
	s, err := s3.Create(t.Context(), target(t, raw), s3.Options{Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// real is the URL of a real server under a prefix of this test's own.
func real(t testing.TB) string {
	t.Helper()
	return below(t, needtest.Server(t, "s3"))
}

// below gives a URL a random prefix, emptied when the test ends.
func below(t testing.TB, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal("SESSION_TEST_S3 is no URL")
	}
	var b [8]byte
	_, _ = rand.Read(b[:])
	u.Path = strings.TrimSuffix(u.Path, "/") + "/" + hex.EncodeToString(b[:])
	return u.String()
}

// servers runs a test against the server in memory and a real one.
func servers(t *testing.T, run func(t *testing.T, url func(t testing.TB) string)) {
	t.Run("InMemory", func(t *testing.T) {
		run(t, func(t testing.TB) string { return s3test.New(t, s3test.Options{Page: 50}).URL("team/store") })
	})
	t.Run("Real", func(t *testing.T) {
		real(t)
		run(t, real)
	})
}

func TestObjects(t *testing.T) {
	servers(t, func(t *testing.T, url func(testing.TB) string) {
		snapshottest.Objects(t, func(t *testing.T) snapshot.Objects { return quick(t, url(t)) })
	})
}

func TestPointers(t *testing.T) {
	servers(t, func(t *testing.T, url func(testing.TB) string) {
		snapshottest.Pointers(t, func(t *testing.T) snapshot.Pointers { return quick(t, url(t)) })
	})
}

func TestStore(t *testing.T) {
	servers(t, func(t *testing.T, url func(testing.TB) string) {
		snapshottest.Store(t, func(t *testing.T) snapshottest.Back {
			s := quick(t, url(t))
			return snapshottest.Back{Objects: s, Pointers: s, Leaser: snapshottest.NewMemory()}
		})
	})
}
