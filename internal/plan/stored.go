package plan

import (
	"encoding/json"
	"fmt"

	"session/internal/canon"
)

// StoredBuiltin is a built-in policy out of its stored form, which is compiled in beside its files because reading those
// takes longer than many a command: the same policy, with the same hash, that does not know from which line of which file
// an entry came.
func StoredBuiltin(name string) (p *Policy, form []byte, hash string, err error) {
	if form, err = builtin.ReadFile(name + "/" + storedFile); err != nil {
		return nil, nil, "", fmt.Errorf("there is no built-in policy %s: %w", quoted(name), err)
	}
	var s stored
	if err := json.Unmarshal(form, &s); err != nil {
		return nil, nil, "", fmt.Errorf("built-in policy %s: %w", name, err)
	}
	return &Policy{Profile: s.Profile, Modes: s.Modes, Triggers: s.Triggers, Bundles: s.Bundles}, form, canon.Digest(form), nil
}

// storedFile is the stored form of a built-in policy, in its folder. A test holds it against the files.
const storedFile = "stored.json"
