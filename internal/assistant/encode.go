package assistant

import (
	"bytes"
	"encoding/json"
)

// rawJSON encodes a value of ours, without escaping <, > and & as HTML would have it: these files are read by people.
func rawJSON(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil // every value that reaches this is made of strings, numbers, lists and objects
	}
	return bytes.TrimSpace(b.Bytes())
}

// pretty encodes a value of ours as a file.
func pretty(v any) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, rawJSON(v), "", "  ")
	b.WriteByte('\n')
	return b.Bytes()
}
