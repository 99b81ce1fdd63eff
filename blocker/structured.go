package blocker

import (
	gocontext "context"
	"io"
)

// structured reads reports by their structure. done tells that the input was one.
func structured(ctx gocontext.Context, in *Input, o *Options, r *Report, head []byte, body io.Reader) (done bool, err error) {
	return false, nil
}
