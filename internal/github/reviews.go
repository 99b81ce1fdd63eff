package github

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cli/go-gh/v2/pkg/api"
)

// The opinions of a review (GraphQL, PullRequestReviewState). COMMENTED and PENDING are none: they leave an earlier
// opinion standing.
const (
	approved         = "APPROVED"
	changesRequested = "CHANGES_REQUESTED"
	dismissed        = "DISMISSED"
	reviewRequired   = "REVIEW_REQUIRED"
	mergeUnknown     = "UNKNOWN"
)

// ghost is GitHub's name for the author of what a deleted account wrote.
const ghost = "ghost"

func (l *login) name() string {
	if l == nil || l.Login == "" {
		return ghost
	}
	return clip(l.Login, maxName)
}

// pull turns a node into values, and says what it leaves out.
func (p *pullNode) pull(base Repo) (Pull, []Unknown) {
	out := Pull{Repo: base.String(), Number: p.Number, Title: p.Title, URL: p.URL, Base: p.BaseRefName, Head: p.HeadRefOID, Draft: p.IsDraft,
		Author: p.Author.name(), Mergeable: cmp.Or(p.Mergeable, mergeUnknown), MergeState: p.MergeStateStatus}
	out.Reviews = latest(p.Reviews.Nodes, out.Author)
	out.Decision = decide(p.ReviewDecision, out.Reviews)
	missing := p.Reviews.missing(func(*reviewNode) {})
	missing += p.ReviewThreads.missing(func(t *threadNode) { out.thread(t) })
	out.tidy()
	if missing == 0 {
		return out, nil
	}
	return out, []Unknown{{What: AboutReviews, Reason: Incomplete, Detail: out.name(),
		Why: fmt.Sprintf("%d reviews or conversations of the pull request could not be read", missing)}}
}

// missing visits what can be read and counts what cannot.
func (n nodes[T]) missing(visit func(*T)) int {
	out := max(n.TotalCount-len(n.Nodes), 0)
	for _, v := range n.Nodes {
		if v == nil {
			out++
			continue
		}
		visit(v)
	}
	return out
}

// latest keeps the newest opinion of each reviewer. The author's own reviews are remarks on the own work.
func latest(list []*reviewNode, author string) []Review {
	by := map[string]Review{}
	for _, n := range list {
		if n == nil {
			continue
		}
		r := Review{Author: n.Author.name(), State: n.State, At: stamp(n.SubmittedAt),
			Guest: n.AuthorCanPushToRepository != nil && !*n.AuthorCanPushToRepository}
		key := strings.ToLower(r.Author)
		opinion := r.State == approved || r.State == changesRequested || r.State == dismissed
		if !opinion || key != ghost && strings.EqualFold(r.Author, author) {
			continue
		}
		if old, ok := by[key]; !ok || !r.At.Before(old.At) { // the API's order is by time: the later of equals counts
			by[key] = r
		}
	}
	out := make([]Review, 0, len(by))
	for _, r := range by {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Review) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Author, b.Author)) })
	return head(out, maxReviews)
}

// decide gives GitHub's decision, but for a standing request for changes by somebody who may push: GitHub does not count
// it where the base branch asks for no review, or for others' only.
func decide(decision string, reviews []Review) string {
	says := func(state string) bool {
		return slices.ContainsFunc(reviews, func(r Review) bool { return r.State == state && !r.Guest })
	}
	switch {
	case says(changesRequested):
		return changesRequested
	case decision == "" && says(approved):
		return approved
	}
	return decision
}

// thread keeps a conversation that wants an answer. One in which only the author spoke is the author's own note.
func (p *Pull) thread(n *threadNode) {
	switch {
	case n.IsResolved:
		p.Resolved++
	case n.IsOutdated:
		p.Outdated++
	case n.by(p.Author):
	case len(p.Threads) < maxThreads:
		t := Thread{Path: n.Path, Line: n.Line}
		if c := n.Comments.Nodes; len(c) > 0 && c[0] != nil {
			t.Author, t.Body = c[0].Author.name(), c[0].Body
		}
		p.Threads = append(p.Threads, t)
	}
}

func (n *threadNode) by(author string) bool {
	said := slices.Concat(n.Comments.Nodes, n.Newest.Nodes)
	return len(said) > 0 && author != ghost && !slices.ContainsFunc(said, func(c *commentNode) bool {
		return c == nil || !strings.EqualFold(c.Author.name(), author)
	})
}

// ofPull asks for the mergeability of one pull request, in the repository that it goes to.
func (d *dialog) ofPull(ctx context.Context, p *Pull) (*repoNode, *api.GraphQLError, error) {
	owner, name, _ := strings.Cut(p.Repo, "/")
	return d.query(ctx, mergeableQuery, map[string]any{"owner": owner, "name": name, "number": p.Number})
}

func (p *Pull) name() string { return fmt.Sprintf("%s#%d", p.Repo, p.Number) }
