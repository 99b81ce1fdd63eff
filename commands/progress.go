package commands

import (
	"sync"
	"time"

	"session/internal/app"
	"session/internal/text"
)

// progress shows what takes longer than a second, on a terminal only: the step, the time, and what the step says last.
func (r *root) progress() func(app.Event) {
	if !r.Terminal || r.json {
		return nil
	}
	p := &progress{r: r, began: r.Now()}
	return p.watch
}

type progress struct {
	r     *root
	mu    sync.Mutex
	began time.Time
	shown bool
	tick  *time.Timer
	step  string
	line  string
	since time.Time
}

// patience is how long a step may take before it is shown.
const patience = time.Second

func (p *progress) watch(e app.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case app.StepBegins:
		p.step, p.line, p.since = e.Step, "", p.r.Now()
		p.arm()
	case app.StepSays:
		p.line = e.Line
	case app.StepEnds:
		if p.tick != nil {
			p.tick.Stop()
		}
		p.clear()
	}
}

func (p *progress) arm() {
	step := p.step
	p.tick = time.AfterFunc(patience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.step != step {
			return
		}
		p.draw()
		p.tick.Reset(patience)
	})
}

func (p *progress) draw() {
	s := p.r.words.Say("progress.step", "step", p.step, "seconds", int(p.r.Now().Sub(p.since).Seconds()), "line", text.Line(p.line, 200))
	p.r.note("\r%s\x1b[K", text.Fit(s, max(20, p.r.width()-1)))
	p.shown = true
}

func (p *progress) clear() {
	p.step = ""
	if p.shown {
		p.r.note("\r\x1b[K")
		p.shown = false
	}
}
