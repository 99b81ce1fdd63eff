//go:build unix && !linux && !darwin

package atomicfile

import "errors"

func exclusive(_, _ string) error { return errors.ErrUnsupported }
