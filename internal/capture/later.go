package capture

import "context"

// GuardSettings are the settings of the step Guard.
type GuardSettings struct {
	MaxFileSize int64    `json:"max_file_size"` // bytes
	Allow       []string `json:"allow"`         // patterns of paths that are staged in spite of the other rules
}

func (w World) guard(context.Context, *Draft, GuardSettings) error { return nil }

// PushSettings are the settings of the step Push.
type PushSettings struct {
	Protected []string `json:"protected"`
}

func (w World) push(context.Context, *Draft, PushSettings) error { return nil }

// VerifySettings are the settings of the step Verify.
type VerifySettings struct {
	Bundle string `json:"bundle"`
}

func (w World) verify(context.Context, *Draft, VerifySettings) error { return nil }

// DocsSettings are the settings of the step CheckDocs.
type DocsSettings struct {
	Files []string `json:"files"`
}

func (w World) checkDocs(context.Context, *Draft, DocsSettings) error { return nil }
func (w World) readCI(context.Context, *Draft) error                  { return nil }
