package github

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"session/blocker"
)

// perPage is how many runs or jobs are asked for at once.
const perPage = 100

// The shapes of "List workflow runs for a repository" and "List jobs for a workflow run" (REST, 2022-11-28).
type (
	runsAnswer struct {
		TotalCount   int       `json:"total_count"`
		WorkflowRuns []runNode `json:"workflow_runs"`
	}
	runNode struct {
		ID           int64  `json:"id"`
		WorkflowID   int64  `json:"workflow_id"`
		Name         string `json:"name"`
		Path         string `json:"path"`
		Event        string `json:"event"`
		HeadBranch   string `json:"head_branch"`
		HeadSHA      string `json:"head_sha"`
		RunAttempt   int    `json:"run_attempt"`
		Status       string `json:"status"`
		Conclusion   string `json:"conclusion"`
		HTMLURL      string `json:"html_url"`
		CreatedAt    string `json:"created_at"`
		RunStartedAt string `json:"run_started_at"`
	}
	jobsAnswer struct {
		TotalCount int       `json:"total_count"`
		Jobs       []jobNode `json:"jobs"`
	}
	jobNode struct {
		ID         int64  `json:"id"`
		Name       string `json:"name"`
		Status     string `json:"status"`
		Conclusion string `json:"conclusion"`
		HTMLURL    string `json:"html_url"`
		Steps      []struct {
			Number     int    `json:"number"`
			Name       string `json:"name"`
			Status     string `json:"status"`
			Conclusion string `json:"conclusion"`
		} `json:"steps"`
	}
)

// get asks the REST API and decodes its answer.
func (d *dialog) get(ctx context.Context, where string, into any) error {
	res, err := d.rest.RequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: %w", errShape, err)
	}
	return nil
}

// runs asks for the CI runs of the commit in a repository. What was left out is named.
func (d *dialog) runs(ctx context.Context, in Repo, q Question) ([]Run, error) {
	vars := url.Values{"head_sha": {q.Commit}, "per_page": {fmt.Sprint(perPage)}, "exclude_pull_requests": {"true"}}
	if q.Branch != "" {
		vars.Set("branch", q.Branch)
	}
	var a runsAnswer
	if err := d.get(ctx, "repos/"+in.String()+"/actions/runs?"+vars.Encode(), &a); err != nil {
		return nil, err
	}
	if a.WorkflowRuns == nil {
		return nil, fmt.Errorf("%w: no workflow_runs in it", errShape)
	}
	if missing := a.TotalCount - len(a.WorkflowRuns); missing > 0 {
		d.gaps.add(Unknown{What: AboutRuns, Reason: Incomplete, Detail: in.String(), Why: fmt.Sprintf("%d older CI runs of the commit were not read", missing)})
	}
	return newest(a.WorkflowRuns, in.String(), q), nil
}

// newest keeps the newest run of each workflow for the commit; a re-run counts from when it was started again. A run of a
// pull request checks the merge with the base, any other the commit itself: they do not replace each other.
func newest(list []runNode, repo string, q Question) []Run {
	type key struct {
		workflow int64
		name     string
		merge    bool
	}
	by := map[key]Run{}
	for i := range list {
		n := &list[i]
		if n.HeadSHA != q.Commit || q.Branch != "" && n.HeadBranch != q.Branch {
			continue
		}
		r := n.run(repo)
		k := key{workflow: n.WorkflowID, merge: strings.HasPrefix(n.Event, "pull_request") || n.Event == "merge_group"}
		if n.WorkflowID == 0 {
			k.name = r.Workflow
		}
		if old, ok := by[k]; !ok || r.newer(old) {
			by[k] = r
		}
	}
	out := make([]Run, 0, len(by))
	for _, r := range by {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Workflow, b.Workflow), cmp.Compare(a.Event, b.Event), cmp.Compare(a.ID, b.ID))
	})
	return head(out, maxRuns)
}

func (r Run) newer(than Run) bool {
	return cmp.Or(r.Started.Compare(than.Started), cmp.Compare(r.ID, than.ID), cmp.Compare(r.Attempt, than.Attempt)) > 0
}

func (n *runNode) run(repo string) Run {
	r := Run{Repo: repo, ID: n.ID, Workflow: n.Name, WorkflowID: n.WorkflowID, Event: n.Event, Branch: n.HeadBranch, Commit: n.HeadSHA,
		Attempt: n.RunAttempt, Status: n.Status, Conclusion: n.Conclusion, URL: n.HTMLURL, Started: stamp(cmp.Or(n.RunStartedAt, n.CreatedAt))}
	r.tidy()
	file, _, _ := strings.Cut(path.Base(n.Path), "@")
	r.Workflow = cmp.Or(r.Workflow, clip(strings.Trim(file, "."), maxName), "workflow")
	return r
}

// jobs asks for the failing jobs of a run, and their failing steps.
func (d *dialog) jobs(ctx context.Context, r *Run) error {
	var a jobsAnswer
	where := fmt.Sprintf("repos/%s/actions/runs/%d/jobs?filter=latest&per_page=%d", r.Repo, r.ID, perPage)
	if err := d.get(ctx, where, &a); err != nil {
		return err
	}
	if a.Jobs == nil {
		return fmt.Errorf("%w: no jobs in it", errShape)
	}
	jobs := failingJobs(a.Jobs)
	if missing := a.TotalCount - len(a.Jobs); missing > 0 && len(jobs) == 0 {
		d.gaps.add(Unknown{What: AboutJobs, Reason: Incomplete, Detail: r.Workflow, Why: fmt.Sprintf("%d jobs of the run were not read", missing)})
	}
	if len(jobs) > 0 {
		r.Jobs = jobs
	}
	return nil
}

func failingJobs(list []jobNode) (out []Job) {
	for _, n := range list {
		if len(out) == maxJobs || n.Status != "completed" || !broken(n.Conclusion) {
			continue
		}
		j := Job{ID: n.ID, Name: n.Name, Conclusion: n.Conclusion, URL: n.HTMLURL}
		for _, s := range n.Steps {
			if broken(s.Conclusion) {
				j.Steps = append(j.Steps, Step{Number: s.Number, Name: s.Name, Conclusion: s.Conclusion})
			}
		}
		j.tidy()
		out = append(out, j)
	}
	return out
}

// broken tells whether a conclusion is a failure.
func broken(conclusion string) bool {
	return blocker.CIRun{Conclusion: conclusion}.Failing()
}

var errNoPlace = errors.New("the log is said to be elsewhere, but not where")
