package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// GCPolicy says what may go. Whatever it says, these stay: the newest snapshot of each line, autosaves that no save took
// in, what a live run works on, and everything whose parent stays.
type GCPolicy struct {
	Before time.Time // snapshots of this time or later stay; zero: none goes by age
	Keep   int       // so many newest of each line stay; at least one does
	Pinned []ID      // these stay: what work trees stand on
	Bases  []ID      // and these: what runs that have recorded nothing yet begin from, queued ones, too
	// Autosaves of before this time go once a save took them in. Zero: they stay.
	Autosaves time.Time
	// Blobs from before this that no snapshot names go to the trash, and what went there before this is gone. It must be
	// longer ago than a run takes; a day is right. Zero: they stay.
	Blobs time.Time
}

// Removal is one snapshot that goes.
type Removal struct {
	ID      ID        `json:"session_id"`
	Path    Path      `json:"path"`
	Line    ID        `json:"line"`
	Kind    Kind      `json:"kind"`
	Depth   int       `json:"depth"`
	Created time.Time `json:"created"`
	Digest  string    `json:"digest"`
	Why     string    `json:"why"`

	parent ID
	slots  []string // keys of an autosave's announcements
}

// Kept is one snapshot that the policy would let go and that stays.
type Kept struct {
	ID  ID     `json:"session_id"`
	Why string `json:"why"`
}

// GCPlan is what a collection would do. Nothing is removed that is not in a plan.
type GCPlan struct {
	Remove []Removal `json:"remove"` // in the order of their removal: oldest first
	Kept   []Kept    `json:"kept"`
	Blobs  []string  `json:"blobs"` // digests of those that go to the trash
	Trash  []string  `json:"trash"` // digests of those that are gone for good
	Bytes  int64     `json:"bytes"` // of Blobs

	before time.Time
}

const byGC = "collected: a newer snapshot of the path stands"

// PlanGC says what ApplyGC would remove, and removes nothing. It reads every manifest.
func (s *Store) PlanGC(ctx context.Context, p GCPolicy, leases Leaser) (GCPlan, error) {
	plan, err := s.planGC(ctx, p, leases)
	if err != nil {
		return GCPlan{}, fmt.Errorf("plan a collection: %w", err)
	}
	return plan, nil
}

func (s *Store) planGC(ctx context.Context, p GCPolicy, leases Leaser) (GCPlan, error) {
	live, err := leases.Live(ctx)
	if err != nil {
		return GCPlan{}, err
	}
	g, err := s.Graph(ctx)
	if err != nil {
		return GCPlan{}, err
	}
	if len(g.Damaged) > 0 { // what it names is unknown, so nobody knows what may go
		return GCPlan{}, g.Damaged[0]
	}
	c := newCollector(p, live, &g)
	c.key = s.LeaseKey
	if c.slots, err = s.slots(ctx); err != nil {
		return GCPlan{}, err
	}
	c.run()
	return c.plan, s.orphans(ctx, c)
}

// announcement is where an autosave is announced: usually once, and the last time counts.
type announcement struct {
	line ID
	n    int
	keys []string
}

// slots reads all announcements.
func (s *Store) slots(ctx context.Context) (map[ID]announcement, error) {
	all := map[ID]announcement{}
	return all, s.objects.List(ctx, autosavesDir, func(i Info) error {
		line, n, ok := parseSlotKey(i.Key)
		if !ok {
			return nil
		}
		id, err := s.slot(ctx, line, n)
		if errors.Is(err, ErrNotFound) || isCorrupt(err) { // Check reports it
			return nil
		}
		if err != nil {
			return err
		}
		a := all[id]
		a.line, a.n, a.keys = line, max(a.n, n), append(a.keys, i.Key)
		all[id] = a
		return nil
	})
}

func parseSlotKey(key string) (line ID, n int, ok bool) {
	dir, name, ok := strings.Cut(strings.TrimPrefix(key, autosavesDir), "/")
	line, err := ParseID(dir)
	if !ok || err != nil {
		return "", 0, false
	}
	n, err = strconv.Atoi(strings.TrimSuffix(name, ".json"))
	return line, n, err == nil && key == slotKey(line, n)
}

// collector decides; it touches nothing.
type collector struct {
	policy              GCPolicy
	live, pinned, bases map[ID]bool
	key                 func(Path) ID
	graph               *Graph
	slots               map[ID]announcement
	here                map[ID]bool // snapshots that stay
	rank                map[ID]int  // of a snapshot in its line, newest first
	plan                GCPlan
}

func newCollector(p GCPolicy, live []Held, g *Graph) *collector {
	c := collector{policy: p, live: map[ID]bool{}, pinned: map[ID]bool{}, bases: map[ID]bool{}, graph: g, here: map[ID]bool{}, rank: map[ID]int{}}
	for _, l := range live {
		c.live[l.Key] = true
	}
	for _, id := range p.Pinned {
		c.pinned[id] = true
	}
	for _, id := range p.Bases {
		c.bases[id] = true
	}
	for i := range g.Nodes {
		c.here[g.Nodes[i].ID] = true
	}
	return &c
}

func (c *collector) run() {
	mark := c.order()
	for i := range slices.Backward(c.graph.Nodes) {
		n := &c.graph.Nodes[i]
		if n.Kind == Auto {
			c.autosave(n, mark[n.Line])
		} else {
			c.chained(n)
		}
	}
}

// order ranks the snapshots of each line, and tells up to which number its head took autosaves in.
func (c *collector) order() (mark map[ID]int) {
	perLine, mark := map[ID]int{}, map[ID]int{}
	for _, n := range c.graph.Nodes {
		if n.Kind != Auto {
			c.rank[n.ID] = perLine[n.Line]
			perLine[n.Line]++
		}
		if n.Head {
			mark[n.Line] = n.Origin.TookIn
		}
	}
	return mark
}

func (c *collector) chained(n *Node) {
	if !n.Created.Before(c.policy.Before) || c.rank[n.ID] < c.policy.Keep {
		return
	}
	switch {
	case n.Head:
		c.keep(n, "the newest of its path")
	case c.held(n):
	case c.here[n.Parent]:
		c.keep(n, "its parent stays")
	default:
		c.remove(n, byGC, nil)
	}
}

func (c *collector) autosave(n *Node, mark int) {
	if !n.Created.Before(c.policy.Autosaves) {
		return
	}
	a, announced := c.slots[n.ID]
	switch {
	case !announced || a.n >= mark || a.line != n.Line:
		c.keep(n, "an autosave that no save has taken in")
	case c.held(n):
	default:
		c.remove(n, "collected: a save took it in", a.keys)
	}
}

// held keeps what a person pinned or a run works on.
func (c *collector) held(n *Node) bool {
	switch {
	case c.pinned[n.ID]:
		c.keep(n, "a work tree stands on it")
	case c.bases[n.ID]:
		c.keep(n, "a session begins from it")
	case c.live[n.ID] || c.live[c.key(n.Path)]:
		c.keep(n, "a run works on it")
	default:
		return false
	}
	return true
}

func (c *collector) keep(n *Node, why string) { c.plan.Kept = append(c.plan.Kept, Kept{n.ID, why}) }

func (c *collector) remove(n *Node, why string, slots []string) {
	delete(c.here, n.ID)
	c.plan.Remove = append(c.plan.Remove, Removal{
		ID: n.ID, Path: n.Path, Line: n.Line, Kind: n.Kind, Depth: n.Depth, Created: n.Created, Digest: n.Digest, Why: why,
		parent: n.Parent, slots: slots,
	})
}

// used are the digests of the parts that stay.
func (c *collector) used() map[string]bool {
	used := map[string]bool{}
	for i := range c.graph.Nodes {
		if n := &c.graph.Nodes[i]; c.here[n.ID] {
			_ = n.Parts.each(func(_ string, p *Part) error { used[p.Digest] = true; return nil })
		}
	}
	return used
}

// orphans adds the blobs that no snapshot will name.
func (s *Store) orphans(ctx context.Context, c *collector) (err error) {
	if c.plan.before = c.policy.Blobs; c.plan.before.IsZero() {
		return nil
	}
	used := c.used()
	if c.plan.Trash, err = s.trash(ctx, c.policy.Blobs); err != nil {
		return err
	}
	c.plan.Trash = slices.DeleteFunc(c.plan.Trash, func(d string) bool { return used[d] })
	return s.objects.List(ctx, blobsDir, func(i Info) error {
		d := i.Key[strings.LastIndexByte(i.Key, '/')+1:]
		if isDigest(d) && !used[d] && i.ModTime.Before(c.policy.Blobs) {
			c.plan.Blobs = append(c.plan.Blobs, d)
			c.plan.Bytes += i.Size
		}
		return nil
	})
}
