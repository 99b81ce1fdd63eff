package lifecycle

import "time"

// Day is one row of the daily statistics (seed 004 §9.2): what became of the Sessions that were created on it. A Session
// that was deleted or archived since still counts.
type Day struct {
	Date           string `json:"date"` // 2006-01-02, UTC
	Total          int64  `json:"total_sessions"`
	Completed      int64  `json:"completed"`
	Failed         int64  `json:"failed"`
	AvgExecutionMS int64  `json:"avg_execution_time_ms"` // of those that have run
	Tokens         int64  `json:"total_tokens"`
	CostMicro      int64  `json:"total_cost_micro_usd"`
}

// Tally is what a Session adds to its day.
type Tally struct {
	Day                                                                  int64 // since 1970, UTC, of its creation
	Sessions, Completed, Failed, Ran, ExecutionMS, TokensUsed, CostMicro int64
}

// Tally counts the Session as it is. One that has run is one that has stopped running at least once.
func (s Session) Tally() Tally {
	return Tally{
		Day: DayOf(s.CreatedAt), Sessions: 1, Completed: one(s.Status == Completed), Failed: one(s.Status == Failed),
		Ran:         one(!s.StartedAt.IsZero() && (s.Status != Running || s.ExecutionMS > 0)),
		ExecutionMS: s.ExecutionMS, TokensUsed: s.TokensUsed, CostMicro: s.CostMicro,
	}
}

func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// Sub is what is to be added to a day that counted t as before. Both are of the same day.
func (t Tally) Sub(before Tally) Tally {
	t.Sessions -= before.Sessions
	t.Completed -= before.Completed
	t.Failed -= before.Failed
	t.Ran -= before.Ran
	t.ExecutionMS -= before.ExecutionMS
	t.TokensUsed -= before.TokensUsed
	t.CostMicro -= before.CostMicro
	return t
}

const dayMS = 24 * 60 * 60 * 1000

// DayOf numbers the day of a time: since 1970, UTC.
func DayOf(t time.Time) int64 {
	ms := t.UnixMilli()
	if ms < 0 {
		return (ms - dayMS + 1) / dayMS
	}
	return ms / dayMS
}

// Row is a sum of Tallies of one day as a row of the table.
func (t Tally) Row() Day {
	d := Day{Date: time.UnixMilli(t.Day * dayMS).UTC().Format(time.DateOnly), Total: t.Sessions, Completed: t.Completed, Failed: t.Failed,
		Tokens: t.TokensUsed, CostMicro: t.CostMicro}
	if t.Ran > 0 {
		d.AvgExecutionMS = t.ExecutionMS / t.Ran
	}
	return d
}
