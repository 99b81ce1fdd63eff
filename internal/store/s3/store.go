package s3

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/minio/minio-go/v7"

	"session/internal/snapshot"
)

// Format is the version of the layout that this program writes, and the latest that it reads.
const Format = 1

const (
	storeKey  = "store.json"
	pathsDir  = "paths/"
	probeDir  = "probe/"
	smallBody = 64 << 10 // bytes that store.json or a pointer may have
)

// Store is one prefix of one bucket. Any number of them, on any number of machines, may use it at once. Safe for concurrent
// use.
type Store struct {
	at     Target
	core   minio.Core
	random io.Reader
	id     snapshot.StoreID
}

// Options are what a Store needs of its process.
type Options struct {
	// Random gives the store's id and the marks of our writes: crypto/rand.Reader. Safe for concurrent use.
	Random io.Reader
}

// header is store.json.
type header struct {
	Format int              `json:"format"`
	ID     snapshot.StoreID `json:"store_id"`
}

// Open opens a store, with one request. ErrNoStore, ErrNoBucket, *ErrFormat, ErrUnavailable, ErrRefused, ErrClock,
// ErrForbidden.
func Open(ctx context.Context, at Target, o Options) (*Store, error) {
	s, err := connect(at, o)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", at, err)
	}
	return s, s.open(ctx)
}

func (s *Store) open(ctx context.Context) error {
	raw, err := s.get(ctx, storeKey, smallBody)
	switch {
	case errors.Is(err, snapshot.ErrNotFound):
		return fmt.Errorf("open store %s: %w", s.at, ErrNoStore)
	case errors.Is(err, snapshot.ErrNoObject):
		return &ErrFormat{Store: s.at.String(), Why: err}
	case err != nil:
		return s.explain(ctx, "open the store", err)
	}
	var later struct{ Format int }
	if json.Unmarshal(raw, &later) == nil && later.Format > Format { // the rest may be of another shape
		return &ErrFormat{Store: s.at.String(), Found: later.Format, Reads: Format}
	}
	var h header
	if err := json.Unmarshal(raw, &h); err != nil {
		return &ErrFormat{Store: s.at.String(), Why: err}
	}
	if h.Format < 1 || h.ID == "" {
		return &ErrFormat{Store: s.at.String(), Why: errors.New("format or store_id is missing")}
	}
	s.id = h.ID
	return nil
}

// Create opens a store and makes it if it is not there, having tried that the server honours conditional writes. Of several
// that create one store at once all open the same. store.json comes last: a Create that dies leaves no store, and the next
// one completes it. Errors: Open's, and ErrUnconditional.
func Create(ctx context.Context, at Target, o Options) (*Store, error) {
	s, err := connect(at, o)
	if err != nil {
		return nil, fmt.Errorf("create store %s: %w", at, err)
	}
	err = s.open(ctx)
	if errors.Is(err, ErrNoBucket) && at.Make {
		err = s.makeBucket(ctx)
	}
	if !errors.Is(err, ErrNoStore) {
		return s, err
	}
	if err := s.build(ctx); err != nil {
		return nil, s.explain(ctx, "create the store", err)
	}
	return s, s.open(ctx)
}

func (s *Store) makeBucket(ctx context.Context) error {
	within, cancel := s.bounded(ctx, 0)
	defer cancel()
	err := s.core.MakeBucket(within, s.at.Bucket, minio.MakeBucketOptions{Region: s.at.Region})
	if code := minio.ToErrorResponse(err).Code; err != nil && code != "BucketAlreadyOwnedByYou" {
		return s.explain(ctx, "make the bucket", err)
	}
	return ErrNoStore
}

func (s *Store) build(ctx context.Context) error {
	if err := s.Probe(ctx); err != nil {
		return err
	}
	err := s.list(ctx, "snapshots/", func(snapshot.Info) error { return snapshot.ErrExists })
	if errors.Is(err, snapshot.ErrExists) { // under another id nobody would find them again
		return &ErrFormat{Store: s.at.String(), Why: errors.New("it is missing, and snapshots of its store are there")}
	}
	if err != nil {
		return err
	}
	id, err := snapshot.NewStoreID(s.random)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(header{Format, id})
	if err != nil {
		return err
	}
	if err = s.putNew(ctx, storeKey, append(raw, '\n')); errors.Is(err, snapshot.ErrExists) {
		return nil
	}
	return err
}

// ID is the store's own id.
func (s *Store) ID() snapshot.StoreID { return s.id }

// String names the store without secrets.
func (s *Store) String() string { return s.at.String() }

// Snapshots gives the chain rule over this store.
func (s *Store) Snapshots() (*snapshot.Store, error) { return snapshot.New(s, s, s.id) }

// Probe tries on keys of its own whether the server creates a key once only, when asked in turn and when asked by many at
// once, and lets a deleted key be created again. ErrUnconditional if not.
func (s *Store) Probe(ctx context.Context) (err error) {
	name, err := s.mark()
	if err != nil {
		return err
	}
	inTurn, atOnce := probeDir+name+"-1", probeDir+name+"-2"
	defer func() {
		for _, key := range []string{inTurn, atOnce} {
			err = errors.Join(err, s.remove(context.WithoutCancel(ctx), key))
		}
	}()
	if err := s.probeInTurn(ctx, inTurn); err != nil {
		return err
	}
	return s.probeAtOnce(ctx, atOnce)
}

func (s *Store) probeInTurn(ctx context.Context, key string) error {
	err := s.putNew(ctx, key, []byte("first"))
	if errors.Is(err, ErrRefused) { // it does not know the header
		return fmt.Errorf("%w: %w", ErrUnconditional, err)
	}
	if err != nil {
		return err
	}
	if err := s.putNew(ctx, key, []byte("second")); !errors.Is(err, snapshot.ErrExists) {
		return orUnconditional(err)
	}
	if err := s.wantProbe(ctx, key, "first"); err != nil {
		return err
	}
	if err := s.remove(ctx, key); err != nil {
		return err
	}
	return s.putNew(ctx, key, []byte("third"))
}

// orUnconditional is for a create that had to find its key taken.
func orUnconditional(err error) error {
	if err == nil {
		return ErrUnconditional
	}
	return err
}

func (s *Store) wantProbe(ctx context.Context, key, want string) error {
	got, err := s.get(ctx, key, smallBody)
	if err == nil && string(got) != want {
		return ErrUnconditional
	}
	return err
}

func (s *Store) probeAtOnce(ctx context.Context, key string) error {
	const racers = 16
	errs := make([]error, racers)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = s.putNew(ctx, key, fmt.Appendf(nil, "%d", i)) })
	}
	all.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0:
			return ErrUnconditional
		case err == nil:
			winner = i
		case !errors.Is(err, snapshot.ErrExists):
			return err
		}
	}
	if winner < 0 {
		return fmt.Errorf("%w: of %d creates of one key none succeeded", ErrUnconditional, racers)
	}
	return s.wantProbe(ctx, key, fmt.Sprint(winner))
}

// mark is a random word.
func (s *Store) mark() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(s.random, b[:]); err != nil {
		return "", fmt.Errorf("make a random mark: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}
