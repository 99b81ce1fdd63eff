package github

import (
	"cmp"
	"fmt"
	"strings"
)

const actionsApp = "github-actions"

// checks takes in the checks of a commit: those of other services as they are; of GitHub Actions only the names of
// failing jobs, since the verdict on a run (with jobs that may fail) is the run's.
func (f *found) checks(r *rollupNode, repo string) {
	if r == nil {
		return
	}
	f.rollup.State = worse(f.rollup.State, word(r.State))
	hidden := max(r.Contexts.TotalCount-len(r.Contexts.Nodes), 0)
	for _, n := range r.Contexts.Nodes {
		switch {
		case n == nil || n.Typename != "CheckRun" && n.Typename != "StatusContext":
			hidden++
		case n.actions():
			f.job(n)
		case len(f.rollup.List) < maxChecks:
			f.rollup.List = append(f.rollup.List, n.check(repo))
		default:
			hidden++
		}
	}
	if hidden > 0 {
		f.gaps = append(f.gaps, Unknown{What: AboutChecks, Reason: Incomplete, Detail: repo,
			Why: fmt.Sprintf("%d checks of the commit could not be read", hidden)})
	}
}

// worse orders the states of a rollup: a failure outweighs what is under way, which outweighs success.
func worse(a, b string) string {
	rank := map[string]int{"": 0, "SUCCESS": 1, "EXPECTED": 2, "PENDING": 3, "ERROR": 4, "FAILURE": 5}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

func (n *checkNode) actions() bool {
	s := n.CheckSuite
	return s != nil && (s.WorkflowRun != nil || s.App != nil && s.App.Slug == actionsApp)
}

// check reads a check run or a commit status. A status has no "completed": pending and expected are not over.
func (n *checkNode) check(repo string) Check {
	c := Check{Repo: repo, Name: n.Name, Status: strings.ToLower(n.Status), Conclusion: strings.ToLower(n.Conclusion), URL: n.DetailsURL}
	if n.Typename == "StatusContext" {
		state := strings.ToLower(n.State)
		c.Name, c.URL, c.Status, c.Conclusion = n.Context, n.TargetURL, "completed", state
		if state == "pending" || state == "expected" {
			c.Status, c.Conclusion = state, ""
		}
	}
	c.tidy()
	c.Name = cmp.Or(c.Name, "check")
	return c
}

// job keeps the name of a failing job, and the workflow's name, which the REST API confuses with the run's.
func (f *found) job(n *checkNode) {
	run := n.CheckSuite.WorkflowRun
	if run == nil || run.DatabaseID <= 0 || len(f.names) > maxRuns {
		return
	}
	if run.Workflow != nil && run.Workflow.Name != "" {
		f.names[run.DatabaseID] = clip(run.Workflow.Name, maxName)
	}
	j := Job{ID: n.DatabaseID, Name: n.Name, Conclusion: strings.ToLower(n.Conclusion), URL: n.DetailsURL}
	if j.tidy(); broken(j.Conclusion) && len(f.jobs[run.DatabaseID]) < maxJobs {
		f.jobs[run.DatabaseID] = append(f.jobs[run.DatabaseID], j)
	}
}
