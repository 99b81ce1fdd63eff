package blocker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
)

// maxAnswer bounds an answer of gh or of the API, in bytes.
const maxAnswer = 4 << 20

// answer has the keys of what gh and the REST and GraphQL APIs answer about runs, checks and pull requests. Which call
// it was, the keys that are there tell.
type answer struct {
	Name, Title, DisplayTitle, WorkflowName, Context, State, Bucket string
	Status, Conclusion                                              string
	URL, Link, DetailsURL                                           string
	HTMLURL                                                         string `json:"html_url"`
	HeadBranch                                                      string
	HeadSHA                                                         string   `json:"head_sha"`
	Jobs                                                            []answer `json:"jobs"`
	WorkflowRuns                                                    []answer `json:"workflow_runs"`
	CheckRuns                                                       []answer `json:"check_runs"`
	Number                                                          int
	ReviewDecision, MergeStateStatus                                string
	Mergeable                                                       json.RawMessage
	StatusCheckRollup                                               json.RawMessage
	ReviewThreads                                                   json.RawMessage
	LatestReviews                                                   []struct{ State string }
	Data                                                            json.RawMessage
}

// readGitHub reads an answer of GitHub: `gh run list|view --json`, `gh pr view|checks --json`, or the API's own.
func readGitHub(_ context.Context, in *Input, o *Options, body io.Reader) (*outcome, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	if err != nil || len(text) > maxAnswer {
		return nil, err
	}
	list, ok := parseAnswers(text)
	if !ok { // no JSON after all, or several documents: read it as a log
		return nil, nil
	}
	out := &outcome{verdict: Unknown}
	for _, a := range list {
		runs, review := a.values()
		out.values = append(out.values, FromReview(review, in.Name, o.Now)...)
		out.values = append(out.values, FromCI(runs, in.Name, o.Now)...)
		for _, c := range runs {
			if c.Conclusion == "success" && out.verdict == Unknown {
				out.verdict = Succeeded
			}
		}
	}
	for i := range out.values {
		out.values[i].LogLine = 1
	}
	return out, nil
}

// parseAnswers reads one document or several behind each other (`gh … --jq '.[]'`), each an object or a list.
func parseAnswers(text []byte) (list []answer, ok bool) {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var doc json.RawMessage
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			return list, len(list) > 0
		} else if err != nil {
			return nil, false
		}
		var several []answer
		var one answer
		switch {
		case json.Unmarshal(doc, &several) == nil:
			list = append(list, several...)
		case json.Unmarshal(doc, &one) == nil:
			list = append(list, one.unwrap())
		default:
			return nil, false
		}
	}
}

// unwrap takes the pull request out of a GraphQL answer: data.repository.pullRequest.
func (a answer) unwrap() answer {
	var wrap struct {
		Repository struct{ PullRequest *answer }
	}
	if len(a.Data) > 0 && json.Unmarshal(a.Data, &wrap) == nil && wrap.Repository.PullRequest != nil {
		return *wrap.Repository.PullRequest
	}
	return a
}

// values turns an answer into plain values.
func (a *answer) values() (runs []CIRun, r Review) {
	for _, inner := range [][]answer{a.WorkflowRuns, a.CheckRuns} {
		for i := range inner {
			runs = append(runs, inner[i].run())
		}
	}
	switch own := a.run(); {
	case len(a.Jobs) > 0 && own.Failing(): // the job says more than the run that holds it
		failed := 0
		for i := range a.Jobs {
			if j := a.Jobs[i].run(); j.Failing() {
				runs, failed = append(runs, j), failed+1
			}
		}
		if failed == 0 {
			runs = append(runs, own)
		}
	case own.Conclusion != "":
		runs = append(runs, own)
	}
	r = Review{Number: a.Number, URL: a.URL, Decision: a.ReviewDecision, MergeState: a.MergeStateStatus, Threads: threads(a.ReviewThreads)}
	_ = json.Unmarshal(a.Mergeable, &r.Mergeable) // REST has a bool here, which says nothing more
	if r.Decision == "" && len(a.LatestReviews) > 0 {
		for _, l := range a.LatestReviews {
			r.Decision = or(map[string]string{"CHANGES_REQUESTED": l.State}[l.State], r.Decision)
		}
	}
	r.Checks = checks(a.StatusCheckRollup)
	return runs, r
}

// run reads the value as a run, job, check run, commit status or line of `gh pr checks --json`.
func (a *answer) run() CIRun {
	c := CIRun{Status: a.Status, Conclusion: a.Conclusion, Branch: a.HeadBranch, Commit: a.HeadSHA}
	c.Name = or(a.WorkflowName, or(a.Name, or(a.Context, or(a.DisplayTitle, a.Title))))
	c.URL = or(a.HTMLURL, or(a.URL, or(a.DetailsURL, a.Link)))
	if a.Bucket == "fail" {
		c.Conclusion = "failure"
	}
	if c.Conclusion == "" && a.Context != "" {
		c.Conclusion = a.State
	}
	return c
}

// checks reads statusCheckRollup: gh's list, or GraphQL's contexts.nodes.
func checks(raw json.RawMessage) (runs []CIRun) {
	var list []answer
	if json.Unmarshal(raw, &list) != nil {
		var wrap struct{ Contexts struct{ Nodes []answer } }
		_ = json.Unmarshal(raw, &wrap)
		list = wrap.Contexts.Nodes
	}
	for i := range list {
		runs = append(runs, list[i].run())
	}
	return runs
}

// threads reads GraphQL's reviewThreads.nodes.
func threads(raw json.RawMessage) (out []Thread) {
	var wrap struct {
		Nodes []struct {
			IsResolved, IsOutdated bool
			Path                   string
			Line                   int
			Comments               struct {
				Nodes []struct {
					Body   string
					Author struct{ Login string }
				}
			}
		}
	}
	if json.Unmarshal(raw, &wrap) != nil {
		return nil
	}
	for _, n := range wrap.Nodes {
		t := Thread{Path: n.Path, Line: n.Line, Resolved: n.IsResolved, Outdated: n.IsOutdated}
		if c := n.Comments.Nodes; len(c) > 0 {
			t.Body, t.Author = c[0].Body, c[0].Author.Login
		}
		out = append(out, t)
	}
	return out
}
