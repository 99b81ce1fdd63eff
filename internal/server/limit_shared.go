package server

import (
	"context"
	"time"

	"session/internal/coordination"
)

// rateAnswer is how long the place where services share their counts may take to answer.
const rateAnswer = 250 * time.Millisecond

// allowed counts one request of who: by everybody's count where there is one, else by this service's own.
func (s *Server) allowed(ctx context.Context, who string) (ok bool, wait time.Duration) {
	if ok, wait, asked := s.everybody(ctx, who); asked {
		return ok, wait
	}
	return s.rates.allow(who, s.now())
}

// everybody counts one request of who where services share their counts. asked is false where they do not, or not now.
func (s *Server) everybody(ctx context.Context, who string) (ok bool, wait time.Duration, asked bool) {
	if s.Rates == nil || s.alone.Away(s.now()) {
		return true, 0, false
	}
	timed, stop := context.WithTimeout(ctx, rateAnswer)
	defer stop()
	ok, wait, err := s.Rates.Allow(timed, who, coordination.Rate{PerSecond: s.Limits.Rate, Burst: s.Limits.Burst})
	if err == nil {
		return ok, wait, true
	}
	if ctx.Err() == nil && s.alone.Fell(s.now()) {
		s.Log.WarnContext(ctx, "requests are counted by this service alone", "for", coordination.Pause, "cause", err)
	}
	return true, 0, false
}
