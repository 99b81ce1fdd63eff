package s3_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"session/internal/snapshot"
	"session/internal/store/s3"
	"session/internal/store/s3/s3test"
)

func TestCreatedOnceByMany(t *testing.T) {
	servers(t, func(t *testing.T, url func(testing.TB) string) {
		at := target(t, url(t))
		if _, err := s3.Open(t.Context(), at, s3.Options{Random: rand.Reader}); !errors.Is(err, s3.ErrNoStore) {
			t.Fatal("opened before it was made:", err)
		}
		ids := make([]snapshot.StoreID, 8)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				s, err := s3.Create(t.Context(), at, s3.Options{Random: rand.Reader})
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = s.ID()
			})
		}
		all.Wait()
		s, err := s3.Open(t.Context(), at, s3.Options{Random: rand.Reader})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if id != s.ID() {
				t.Errorf("one opened %q, another %q", id, s.ID())
			}
		}
		left := 0
		if err := s.Litter(t.Context(), func(snapshot.Info) error { left++; return nil }); err != nil || left != 0 {
			t.Errorf("%d probes are left: %v", left, err)
		}
	})
}

// A server that looks at the header, or only says that it does, would lose work; it is refused before it has any.
func TestServersThatWouldLoseWork(t *testing.T) {
	for name, o := range map[string]s3test.Options{
		"ignores it": {Ignore: true}, "looks, then stores": {Racy: true},
		"does not know it": {Answer: func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("If-None-Match") == "" {
				return false
			}
			s3test.Fail(w, r, http.StatusNotImplemented, "NotImplemented", "A header you provided implies functionality that is not implemented")
			return true
		}},
	} {
		server := s3test.New(t, o)
		_, err := s3.Create(t.Context(), target(t, server.URL("x")), s3.Options{Random: rand.Reader})
		if !errors.Is(err, s3.ErrUnconditional) {
			t.Errorf("%s: %v", name, err)
		}
		if left := server.Objects(); len(left) != 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

func TestBuckets(t *testing.T) {
	server := s3test.New(t, s3test.Options{NoBucket: true})
	raw := server.URL("x")
	if _, err := s3.Create(t.Context(), target(t, raw), s3.Options{Random: rand.Reader}); !errors.Is(err, s3.ErrNoBucket) || !strings.Contains(err.Error(), "create=1") {
		t.Error(err)
	}
	s := create(t, raw+"&create=1")
	if again := create(t, raw); again.ID() != s.ID() {
		t.Error("made twice")
	}
	server.Set(func(o *s3test.Options) { o.NoBucket = true })
	if _, err := s.Get(t.Context(), "snapshots/a/x.json"); !errors.Is(err, snapshot.ErrVanished) || errors.Is(err, snapshot.ErrNotFound) {
		t.Error("a bucket that vanished:", err)
	}
}

func TestDamagedStoreFile(t *testing.T) {
	for body, found := range map[string]int{
		"": 0, "{": 0, "[]": 0, `{"format":1}`: 0, `{"store_id":"00000000000000000000000000"}`: 0, strings.Repeat(" ", 65<<10): 0,
		fmt.Sprintf(`{"format":%d,"store_id":"x"}`, s3.Format+1): s3.Format + 1,
	} {
		server := s3test.New(t, s3test.Options{})
		server.Put("x/store.json", []byte(body))
		_, err := s3.Create(t.Context(), target(t, server.URL("x")), s3.Options{Random: rand.Reader})
		var format *s3.ErrFormat
		if !errors.As(err, &format) || format.Found != found || !strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("%.30q: %v", body, err)
		}
		if got := server.Objects(); len(got) != 1 || got["x/store.json"] != body {
			t.Errorf("%.30q: changed to %v", body, got)
		}
	}
}

// Under a new id nobody would find the snapshots again.
func TestStoreFileIsLost(t *testing.T) {
	server := s3test.New(t, s3test.Options{})
	server.Put("x/snapshots/a/a.json", []byte("{}"))
	_, err := s3.Create(t.Context(), target(t, server.URL("x")), s3.Options{Random: rand.Reader})
	var format *s3.ErrFormat
	if !errors.As(err, &format) || !strings.Contains(err.Error(), "missing") {
		t.Error(err)
	}
}
