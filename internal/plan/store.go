package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"session/internal/canon"
)

// stored is the stored form: what is hashed (S0.4), no more and no less.
type stored struct {
	Profile  string          `json:"profile"`
	Modes    map[string]Mode `json:"modes"`
	Triggers Triggers        `json:"triggers"`
	Bundles  Bundles         `json:"bundles"`
	Plans    map[string]Plan `json:"plans"`
}

// Canonical is the stored form of a policy: RFC 8785 JSON of profile, modes, triggers, bundles and plans. Its SHA-256
// is the plan hash. It only fails where a policy was built by hand and holds what a file could not.
func (p *Policy) Canonical() ([]byte, error) {
	b, err := canon.Marshal(stored{p.Profile, p.Modes, p.Triggers, p.Bundles, p.Plans()})
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", p.Profile, err)
	}
	return b, nil
}

// Hash is the plan hash of S0.4: lower-case hex of the SHA-256 of Canonical. It is the same whichever mode runs.
func (p *Policy) Hash() (string, error) {
	b, err := p.Canonical()
	if err != nil {
		return "", err
	}
	return canon.Digest(b), nil
}

// ErrStored is a stored form that this program did not write, or would write otherwise.
var ErrStored = errors.New("not the stored form of a policy that this version of session writes")

// Restore reads a stored form. What it gives back has the same stored form and hash, byte by byte; where that cannot
// be, because the bytes were damaged or a version that reads policies otherwise wrote them, the error is ErrStored.
// Step names and settings are not checked again: the engine does that when it binds them.
func Restore(b []byte) (*Policy, error) {
	if len(b) > 8*MaxFile {
		return nil, fmt.Errorf("%w: %d bytes", ErrStored, len(b))
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var s stored
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStored, err)
	}
	p := &Policy{Profile: s.Profile, Modes: s.Modes, Triggers: s.Triggers, Bundles: s.Bundles}
	again, err := p.Canonical()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStored, err)
	}
	if !bytes.Equal(again, b) {
		return nil, fmt.Errorf("%w: it reads back differently", ErrStored)
	}
	return p, nil
}
