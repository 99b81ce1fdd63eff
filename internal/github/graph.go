package github

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cli/go-gh/v2/pkg/api"
)

//go:embed pulls.graphql
var pullsQuery string

//go:embed mergeable.graphql
var mergeableQuery string

//go:embed public.graphql
var publicQuery string

// errShape says that an answer is JSON, but not of the shape that was asked for.
var errShape = errors.New("not of the shape that was asked for")

// The shapes of pulls.graphql.
type (
	repoNode struct {
		IsPrivate     *bool
		NameWithOwner string
		Object        *struct{ StatusCheckRollup *rollupNode }
		PullRequests  *nodes[pullNode]
		PullRequest   *pullNode
		Parent        *struct {
			NameWithOwner string
			PullRequests  *nodes[pullNode]
		}
	}
	nodes[T any] struct {
		TotalCount int
		Nodes      []*T // null where the token may not read one
	}
	login struct{ Login string }
	named struct {
		Name  string
		Owner login
	}
	pullNode struct {
		Number                                      int
		Title, URL, BaseRefName, HeadRefOID         string
		IsDraft                                     bool
		Author                                      *login
		HeadRepository                              *named
		ReviewDecision, Mergeable, MergeStateStatus string
		Reviews                                     nodes[reviewNode]
		ReviewThreads                               nodes[threadNode]
		Commits                                     nodes[struct {
			Commit struct {
				OID               string
				StatusCheckRollup *rollupNode
			}
		}]
	}
	reviewNode struct {
		State, SubmittedAt        string
		AuthorCanPushToRepository *bool
		Author                    *login
	}
	threadNode struct {
		IsResolved, IsOutdated bool
		Path                   string
		Line                   int
		Comments, Newest       nodes[commentNode]
	}
	commentNode struct {
		Body   string
		Author *login
	}
	rollupNode struct {
		State    string
		Contexts nodes[checkNode]
	}
	checkNode struct {
		Typename                             string `json:"__typename"`
		DatabaseID                           int64
		Name, Status, Conclusion, DetailsURL string
		Context, State, TargetURL            string
		CheckSuite                           *struct {
			App         *struct{ Slug string }
			WorkflowRun *struct {
				DatabaseID int64
				Workflow   *struct{ Name string }
			}
		}
	}
)

// query asks the GraphQL API for a repository. What the token may not read is named in the errors of an answer that
// still holds the rest: both come back.
func (d *dialog) query(ctx context.Context, text string, vars map[string]any) (*repoNode, *api.GraphQLError, error) {
	var data json.RawMessage
	err := d.graph.DoWithContext(ctx, text, vars, &data)
	var part *api.GraphQLError
	if err != nil && !errors.As(err, &part) {
		return nil, nil, err
	}
	repo, err := repository(data)
	return repo, part, err
}

// repository takes the repository out of an answer; nil when it is not there.
func repository(data []byte) (*repoNode, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var all struct{ Repository *repoNode }
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, err)
	}
	return all.Repository, nil
}

// noteErrors names what an answer of GraphQL leaves out.
func (d *dialog) noteErrors(all *api.GraphQLError, whole string) {
	if all == nil {
		return
	}
	for _, e := range head(all.Errors, maxUnknown) {
		u := Unknown{What: about(e.Path, whole), Reason: Malformed, Why: fmt.Sprintf("%s says: %s", d.repo.Host, clip(e.Message, maxText))}
		switch e.Type {
		case "FORBIDDEN", "INSUFFICIENT_SCOPES":
			u.Reason = Forbidden
		case "NOT_FOUND":
			u.Reason = NotFound
		case "RATE_LIMITED":
			u.Reason, u.RetryAt = RateLimited, d.meter.graphPause()
		}
		d.gaps.add(u)
	}
}

// about tells from an error's path which part of pulls.graphql it spoils.
func about(path []any, whole string) string {
	if len(path) < 2 {
		return whole
	}
	for i := len(path) - 1; i > 0; i-- {
		switch path[i] {
		case "statusCheckRollup", "object", "contexts":
			return AboutChecks
		case "isPrivate":
			return AboutPublic
		case "mergeable", "mergeStateStatus":
			return AboutMerge
		case "pullRequests", "parent":
			return AboutReviews
		}
	}
	return whole
}

// found is what pulls.graphql says, as values.
type found struct {
	public *bool
	rollup *Rollup // nil: not known
	pulls  *[]Pull
	jobs   map[int64][]Job  // failing jobs of Actions' runs, by run
	names  map[int64]string // workflow names, by run
	bases  []Repo           // of a fork's pull requests
	gaps   []Unknown
}

// look asks for pull requests, checks and visibility.
func (d *dialog) look(ctx context.Context, q Question) *found {
	vars := map[string]any{"owner": d.repo.Owner, "name": d.repo.Name, "branch": q.Branch, "commit": q.Commit, "pulls": q.Branch != ""}
	repo, partial, err := d.query(ctx, pullsQuery, vars)
	if err != nil {
		d.gaps.add(d.unknown(AboutReviews, err))
		d.gaps.add(d.unknown(AboutChecks, err))
		d.gaps.add(d.unknown(AboutPublic, err))
		return nil
	}
	if repo == nil {
		for _, part := range []string{AboutReviews, AboutChecks, AboutPublic} {
			d.noteErrors(partial, part)
		}
		return nil
	}
	d.noteErrors(partial, AboutReviews)
	f := repo.read(d.repo, q)
	if f.rollup.State == "" && d.gaps.has(AboutChecks) {
		f.rollup = nil
	}
	for _, u := range f.gaps {
		d.gaps.add(u)
	}
	return f
}

// read turns a repository's node into values. What is null is not known.
func (r *repoNode) read(asked Repo, q Question) *found {
	f := &found{jobs: map[int64][]Job{}, names: map[int64]string{}}
	if r.IsPrivate != nil {
		public := !*r.IsPrivate
		f.public = &public
	}
	f.rollup = &Rollup{}
	if r.Object != nil {
		f.checks(r.Object.StatusCheckRollup, asked.String())
	}
	if q.Branch == "" {
		return f
	}
	if r.PullRequests == nil {
		return f
	}
	f.pulls = &[]Pull{}
	f.add(r.PullRequests, asked, asked, q)
	if r.Parent != nil {
		owner, name, _ := strings.Cut(r.Parent.NameWithOwner, "/")
		base := Repo{Host: asked.Host, Owner: owner, Name: name}
		if base.valid() {
			f.add(r.Parent.PullRequests, base, asked, q)
		}
	}
	return f
}

// add takes the pull requests of base that come from the asked repository: others may have a branch of the same name.
func (f *found) add(list *nodes[pullNode], base, asked Repo, q Question) {
	if list == nil {
		return
	}
	for _, p := range list.Nodes {
		if p == nil || p.HeadRepository == nil || len(*f.pulls) == maxPulls {
			continue
		}
		if from := (Repo{Host: asked.Host, Owner: p.HeadRepository.Owner.Login, Name: p.HeadRepository.Name}); !from.Same(asked) {
			continue
		}
		pull, incomplete := p.pull(base)
		*f.pulls = append(*f.pulls, pull)
		f.gaps = append(f.gaps, incomplete...)
		if base.Same(asked) {
			continue
		}
		f.bases = append(f.bases, base)
		for _, c := range p.Commits.Nodes {
			if c != nil && c.Commit.OID == q.Commit {
				f.checks(c.Commit.StatusCheckRollup, base.String())
			}
		}
	}
}
