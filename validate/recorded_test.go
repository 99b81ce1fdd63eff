package validate

import (
	"reflect"
	"testing"

	"session/gitstate"
	"session/internal/session"
	"session/internal/survey"
)

// TestRecorded: what a snapshot, or a state file alone, says of the world in the survey's terms.
func TestRecorded(t *testing.T) {
	state := session.State{GitBranch: "main", GitCommit: c1, OpenSpec: "add-login", TaskSource: "openspec", CompletedTasks: []string{"a"}}
	for name, tc := range map[string]struct {
		state session.State
		git   *session.GitFacts
		want  survey.Recorded
	}{
		"a state alone":                            {state, nil, survey.Recorded{Ref: "refs/heads/main", Commit: c1, Change: "add-login", Done: []string{"a"}}},
		"a state alone, detached":                  {session.State{GitBranch: "HEAD", GitCommit: c1}, nil, survey.Recorded{Commit: c1}},
		"a state alone, outside git":               {session.State{}, nil, survey.Recorded{}},
		"a state alone, a branch that is no UTF-8": {session.State{GitBranch: session.PathText("caf\xe9")}, nil, survey.Recorded{Ref: "refs/heads/caf\xe9"}},
		"tasks by hand are no change":              {session.State{OpenSpec: "old", TaskSource: "by-hand"}, nil, survey.Recorded{}},
		"a state of the seed's names no source":    {session.State{OpenSpec: "old"}, nil, survey.Recorded{Change: "old"}},
		"the snapshot's facts win": {state, &session.GitFacts{Ref: session.PathText("refs/heads/caf\xe9"), Head: c2, Dirty: true},
			survey.Recorded{Ref: "refs/heads/caf\xe9", Commit: c2, Dirty: true, Change: "add-login", Done: []string{"a"}}},
		"detached facts": {session.State{GitBranch: "HEAD"}, &session.GitFacts{Head: c2}, survey.Recorded{Commit: c2}},
		"files": {session.State{}, &session.GitFacts{Files: []session.File{{Path: "a", Mode: "100644", Blob: "1"}, {Path: session.PathText("\xff")}}},
			survey.Recorded{Files: []gitstate.File{{Path: "a", Mode: "100644", Blob: "1"}, {Path: "\xff"}}}},
		"left out, with the times that can be read": {session.State{}, &session.GitFacts{LeftOut: []session.LeftOut{
			{Path: "a", Reason: "too-large", Size: 5, ModTime: "1767522600000000001"}, {Path: "b", ModTime: "noon"}, {Path: "c", ModTime: ""}}},
			survey.Recorded{LeftOut: []survey.LeftOut{{Path: "a", Reason: "too-large", Stamp: survey.Stamp{Size: 5, ModTime: 1767522600000000001}}}}},
	} {
		if got := Recorded(tc.state, tc.git, nil); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, tc.want)
		}
	}
	asked := ""
	rec := Recorded(state, nil, func(id string) bool { asked = id; return true })
	if !rec.Known("x") || asked != "x" {
		t.Error("who is known was not handed on")
	}
}
