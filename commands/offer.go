package commands

import (
	"session/internal/app"
)

// offer asks what to do about the findings of a load.
func (r *root) offer(k *call, res app.LoadResult) error {
	return k.finish(res.Validation.Findings, false)
}
