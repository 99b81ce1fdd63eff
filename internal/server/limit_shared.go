package server

import (
	"context"
	"sync"
	"time"

	"session/internal/coordination"
)

const (
	rateAnswer = 250 * time.Millisecond // for the place where services share their counts to answer
	rateSilent = 10 * time.Second       // after it did not, for which each service counts alone
)

// together counts requests over all services that share a place for that. While it does not answer, nobody waits for it.
type together struct {
	mu     sync.Mutex
	silent time.Time
}

func (t *together) away(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Before(t.silent)
}

// quiet says that nobody answered, and whether that is news.
func (t *together) quiet(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	news := !now.Before(t.silent)
	t.silent = now.Add(rateSilent)
	return news
}

// allowed counts one request of who: by everybody's count where there is one, else by this service's own.
func (s *Server) allowed(ctx context.Context, who string) (ok bool, wait time.Duration) {
	if ok, wait, asked := s.everybody(ctx, who); asked {
		return ok, wait
	}
	return s.rates.allow(who, s.now())
}

// everybody counts one request of who where services share their counts. asked is false where they do not, or not now.
func (s *Server) everybody(ctx context.Context, who string) (ok bool, wait time.Duration, asked bool) {
	if s.Rates == nil || s.together.away(s.now()) {
		return true, 0, false
	}
	timed, stop := context.WithTimeout(ctx, rateAnswer)
	defer stop()
	ok, wait, err := s.Rates.Allow(timed, who, coordination.Rate{PerSecond: s.Limits.Rate, Burst: s.Limits.Burst})
	if err == nil {
		return ok, wait, true
	}
	if ctx.Err() == nil && s.together.quiet(s.now()) {
		s.Log.WarnContext(ctx, "requests are counted by this service alone", "for", rateSilent, "cause", err)
	}
	return true, 0, false
}
