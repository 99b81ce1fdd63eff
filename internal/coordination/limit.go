package coordination

import (
	"context"
	"fmt"
	"time"
)

// Rate is how often something may happen: so often a second for long, and at once as often as Burst.
type Rate struct {
	PerSecond float64 // from 1e-3 to 1e9
	Burst     int     // at least 1
}

// Check refuses a rate that nobody can keep (ErrInvalid).
func (r Rate) Check() error {
	if !(r.PerSecond >= 1e-3 && r.PerSecond <= 1e9) || r.Burst < 1 {
		return fmt.Errorf("%w: a rate of %v a second with a burst of %d", ErrInvalid, r.PerSecond, r.Burst)
	}
	return nil
}

// Limiter bounds how often something happens, over all processes that share it.
type Limiter interface {
	// Allow counts one time that who does it, and says whether that is within the rate; if it is not, nothing is counted, and
	// wait is when to come again. who is any text; it is not kept in a readable form. ErrUnavailable, ErrInvalid, ErrDamaged.
	Allow(ctx context.Context, who string, r Rate) (ok bool, wait time.Duration, err error)
}
