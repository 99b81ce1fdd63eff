package coordination

import (
	"sync"
	"time"
)

// Pause is how long nobody is asked after nobody answered.
const Pause = 10 * time.Second

// Quiet remembers that nobody answered, so that nobody waits for them, and people are told once. The zero value is ready.
// Safe for concurrent use.
type Quiet struct {
	mu    sync.Mutex
	until time.Time
}

// Away reports whether nobody is to be asked now.
func (q *Quiet) Away(now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return now.Before(q.until)
}

// Fell says that nobody answered. news is false for those who had asked before that was known.
func (q *Quiet) Fell(now time.Time) (news bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	news = !now.Before(q.until)
	q.until = now.Add(Pause)
	return news
}
