package github

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Question says what is asked about.
type Question struct {
	Repo   Repo
	Branch string  // as the remote calls it, without refs/heads/; "" of a detached HEAD: then no pull request is asked for
	Commit string  // whole object id, of the pushed commit or of HEAD
	Last   *Answer // the last answer that was kept, if any; it is not changed
}

// Ask asks what GitHub has to say about a commit and its branch. What could not be had is in Answer.Unknown; an error is
// ctx's own, and the Answer then holds what was there so far.
func (c *Client) Ask(ctx context.Context, q Question) (Answer, error) {
	return c.ask(ctx, q, parts{runs: true, rest: true, public: true}, (*dialog).everything)
}

// Public asks only whether everybody can read the repository: for a warning before a push. Without a Branch and Commit
// those of the last answer stay.
func (c *Client) Public(ctx context.Context, q Question) (Answer, error) {
	if q.Last != nil && q.Commit == "" && q.Branch == "" {
		q.Branch, q.Commit = q.Last.Branch, q.Last.Commit
	}
	return c.ask(ctx, q, parts{public: true}, (*dialog).visibility)
}

// parts are those of an answer that are asked for; rest are checks and pull requests.
type parts struct{ runs, rest, public bool }

// ask frames an asking: its time limit, the pause that GitHub may have asked for, and what is carried over.
func (c *Client) ask(ctx context.Context, q Question, p parts, talk func(*dialog, context.Context, Question, *Answer)) (Answer, error) {
	a := Answer{Asked: c.Now().UTC(), Repo: q.Repo, Branch: clip(q.Branch, maxText), Commit: objectID(q.Commit)}
	if u := q.notYet(a.Asked); u != nil {
		a.Unknown, a.NextAllowedAt = []Unknown{*u}, u.RetryAt
		a.carry(q.Last, p)
		return a, ctx.Err()
	}
	within, stop := context.WithTimeout(ctx, c.limits.Total)
	defer stop()
	d, u := c.open(within, q.Repo, a.Asked)
	if u != nil {
		d.gaps.add(*u)
	} else {
		talk(d, within, q, &a)
	}
	a.Unknown, a.NextAllowedAt = d.gaps.sorted(), d.meter.nextAllowed()
	a.carry(q.Last, p)
	a.tidy()
	return a, ctx.Err()
}

// notYet tells that GitHub asked for a pause which is not over. A time far ahead was never GitHub's, or a clock was
// wrong when it was kept.
func (q Question) notYet(now time.Time) *Unknown {
	if q.Last == nil || !strings.EqualFold(q.Last.Repo.Host, q.Repo.Host) {
		return nil
	}
	at := q.Last.NextAllowedAt
	if !at.After(now) || at.Sub(now) > longestPause+time.Second {
		return nil
	}
	return &Unknown{What: AboutAll, Reason: RateLimited, RetryAt: at,
		Why: "nothing is asked before the time that " + q.Repo.Host + " named: " + at.Format(time.RFC3339)}
}

// usable tells why a question about a commit cannot be asked.
func (q Question) usable() *Unknown {
	switch {
	case objectID(q.Commit) == "":
		return &Unknown{What: AboutAll, Reason: Invalid, Why: "no commit is named by its whole id"}
	case !utf8.ValidString(q.Branch) || len(q.Branch) > maxText:
		return &Unknown{What: AboutAll, Reason: Invalid, Why: "the branch has a name that cannot be asked for: no UTF-8, or too long"}
	}
	return nil
}

// visibility asks whether the repository is public.
func (d *dialog) visibility(ctx context.Context, _ Question, a *Answer) {
	repo, partial, err := d.query(ctx, publicQuery, map[string]any{"owner": d.repo.Owner, "name": d.repo.Name})
	if err != nil {
		d.gaps.add(d.unknown(AboutPublic, err))
		return
	}
	d.noteErrors(partial, AboutPublic)
	if repo == nil || repo.IsPrivate == nil {
		d.silent(AboutPublic)
		return
	}
	a.Public = &Part[bool]{At: a.Asked, Value: !*repo.IsPrivate}
}

// silent notes a part that an answer passed over without a word.
func (d *dialog) silent(what string) {
	if !d.gaps.has(what) {
		d.gaps.add(Unknown{What: what, Reason: Malformed, Why: d.repo.Host + " said nothing about it"})
	}
}

// everything asks two things at the same time and follows each up by itself, so that what hangs holds nothing else up:
// runs, then the log of a failing one; pull requests, then mergeability again. Then the runs of the repository that a
// fork's pull request goes to.
func (d *dialog) everything(ctx context.Context, q Question, a *Answer) {
	if u := q.usable(); u != nil {
		d.gaps.add(*u)
		return
	}
	var f *found
	var both sync.WaitGroup
	both.Go(func() {
		if f = d.look(ctx, q); f != nil && f.pulls != nil {
			d.mergeable(ctx, *f.pulls)
		}
	})
	both.Go(func() {
		if a.Runs = d.runsPart(ctx, q, a.Asked); a.Runs != nil {
			d.causes(ctx, a.Runs.Value, q.Last)
		}
	})
	both.Wait()
	if d.fill(a, f, q); f != nil && len(f.bases) > 0 && a.Runs != nil {
		d.upstream(ctx, q, a.Runs, f.bases[0])
		d.causes(ctx, a.Runs.Value, q.Last)
		f.name(a.Runs)
	}
}

func (d *dialog) runsPart(ctx context.Context, q Question, at time.Time) *Part[[]Run] {
	runs, err := d.runs(ctx, d.repo, q)
	if err != nil {
		d.gaps.add(d.unknown(AboutRuns, err))
		return nil
	}
	return &Part[[]Run]{At: at, Commit: q.Commit, Value: runs}
}

// fill puts what was found into the answer.
func (d *dialog) fill(a *Answer, f *found, q Question) {
	if f != nil {
		if f.public != nil {
			a.Public = &Part[bool]{At: a.Asked, Value: *f.public}
		}
		if f.rollup != nil {
			a.Checks = &Part[Rollup]{At: a.Asked, Commit: q.Commit, Value: *f.rollup}
		}
		if f.pulls != nil {
			a.Pulls = &Part[[]Pull]{At: a.Asked, Value: *f.pulls}
		}
		f.name(a.Runs)
	}
	if a.Public == nil {
		d.silent(AboutPublic)
	}
	if a.Checks == nil {
		d.silent(AboutChecks)
	}
	if a.Pulls == nil && q.Branch != "" {
		d.silent(AboutReviews)
	}
}

// name gives runs what the checks know better: the workflow's name, and which jobs failed.
func (f *found) name(runs *Part[[]Run]) {
	if runs == nil {
		return
	}
	for i := range runs.Value {
		r := &runs.Value[i]
		r.Workflow = cmp.Or(f.names[r.ID], r.Workflow)
		if r.Failing() && len(r.Jobs) == 0 {
			r.Jobs = f.jobs[r.ID]
		}
	}
}

// upstream adds the runs of another repository.
func (d *dialog) upstream(ctx context.Context, q Question, runs *Part[[]Run], in Repo) {
	if d.gaps.limited() {
		d.gaps.add(Unknown{What: AboutRuns, Reason: RateLimited, Detail: in.String(), Why: "not asked for: " + d.repo.Host + " asked for a pause"})
		return
	}
	more, err := d.runs(ctx, in, q)
	if err != nil {
		d.gaps.add(d.unknown(AboutRuns, err))
		return
	}
	runs.Value = append(runs.Value, more...)
}

// mergeable asks a second time where GitHub had not computed mergeability yet; asking is what makes it compute.
func (d *dialog) mergeable(ctx context.Context, pulls []Pull) {
	open := slices.IndexFunc(pulls, func(p Pull) bool { return p.Mergeable == mergeUnknown })
	if open < 0 || d.gaps.limited() {
		return
	}
	if err := d.client.Sleep(ctx, d.client.limits.MergeWait); err != nil {
		d.gaps.add(d.unknown(AboutMerge, err))
		return
	}
	p := &pulls[open]
	repo, partial, err := d.ofPull(ctx, p)
	if err != nil {
		d.gaps.add(d.unknown(AboutMerge, err))
		return
	}
	d.noteErrors(partial, AboutMerge)
	if repo != nil && repo.PullRequest != nil {
		p.Mergeable = cmp.Or(word(repo.PullRequest.Mergeable), mergeUnknown)
		p.MergeState = cmp.Or(word(repo.PullRequest.MergeStateStatus), p.MergeState)
	}
	for i := range pulls {
		if p := &pulls[i]; p.Mergeable == mergeUnknown && !d.gaps.has(AboutMerge) {
			d.gaps.add(Unknown{What: AboutMerge, Reason: Incomplete, Detail: p.name(), Why: d.repo.Host + " has not computed yet whether it can be merged"})
		}
	}
}

// causes reads jobs and logs of failing runs, the first ones only; a run that the last answer knows is not read again.
func (d *dialog) causes(ctx context.Context, runs []Run, last *Answer) {
	for i := range runs {
		r := &runs[i]
		jobless := r.Conclusion == "startup_failure" || r.Conclusion == "action_required"
		if !r.Failing() || r.Cause != nil || r.remember(last) || jobless || d.read >= d.client.limits.Logs || d.gaps.limited() {
			continue
		}
		d.read++
		d.cause(ctx, r)
	}
}

// remember takes over what the last answer knows of the same attempt; what is over does not change.
func (r *Run) remember(last *Answer) bool {
	if last == nil || last.Runs == nil {
		return false
	}
	for _, o := range last.Runs.Value {
		if o.ID == r.ID && o.Attempt == r.Attempt && o.Repo == r.Repo && o.Conclusion == r.Conclusion && o.Cause != nil {
			r.Jobs, r.Cause = o.Jobs, o.Cause
			return true
		}
	}
	return false
}

func (d *dialog) cause(ctx context.Context, r *Run) {
	if err := d.jobs(ctx, r); err != nil {
		u := d.unknown(AboutJobs, err)
		u.Detail = r.Workflow
		d.gaps.add(u)
	}
	if len(r.Jobs) == 0 || d.gaps.limited() {
		return
	}
	b, err := d.log(ctx, r, r.Jobs[0])
	if err != nil {
		u := d.unknown(AboutLog, err)
		u.Detail = r.Workflow + " / " + r.Jobs[0].Name
		d.gaps.add(u)
		return
	}
	r.Cause = b
}
