package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"session/gitstate"
	"session/internal/assistant"
	"session/internal/capture"
	"session/internal/coordination"
	"session/internal/cycle"
	"session/internal/execute"
	"session/internal/lifecycle"
	"session/internal/memory"
	"session/internal/plan"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/file"
	"session/internal/store/s3"
	"session/internal/store/sql"
	"session/internal/text"
)

// TestDescribe: every error that commands can meet has its exit code and, where the message does not say it, a way out.
func TestDescribe(t *testing.T) {
	broken := errors.New("broken")
	invalid := &plan.Invalid{Problems: []plan.Problem{{At: plan.Place{File: "modes.yaml", Line: 3, Col: 7}, What: "unknown step"}}}
	for _, tc := range []struct {
		err     error
		code    int
		message string // part of it
		hint    string // part of it; "": none
	}{
		{context.Canceled, Interrupted, "nothing was recorded", "run it again"},
		{&InterruptedError{"error.interrupted-recovery", nil, context.Canceled}, Interrupted, "on record", "session load --resume"},
		{&UsageError{broken}, Usage, "broken", "--help"},
		{&NothingSavedError{"/w"}, Nothing, "nothing was saved in /w yet", "session save"},
		{snapshot.ErrNothing, Nothing, "nothing saved yet", "session save"},
		{&CorruptStateError{"/w/f", broken}, Corrupt, "the state file /w/f is damaged: broken", "--replace-corrupt"},
		{&CorruptStateError{"/w/f", &fs.PathError{Op: "read", Path: "/w/f", Err: fs.ErrPermission}}, Corrupt, "read /w/f: permission denied", "let yourself read /w/f"},
		{&snapshot.ErrCorrupt{ID: "abc", What: "manifest", Why: broken}, Corrupt, "snapshot abc is damaged", "session check --repair"},
		{memory.ErrDamaged, Corrupt, "memory store is damaged", "session check --repair"},
		{&snapshot.ErrConflict{ID: "abc", Why: "another digest"}, Corrupt, "nothing was imported", ""},
		{&file.ErrFormat{Path: "store.json", Why: broken}, Corrupt, "store.json is damaged: broken", ""},
		{&s3.ErrFormat{Store: "s3://b", Why: broken}, Corrupt, "broken", ""},
		{&snapshot.ErrBusy{Key: "k", Who: snapshot.Holder{PID: 7}}, Busy, "process 7", "wait for"},
		{&snapshot.ErrContinued{Base: "abc", By: "def"}, Busy, "already continued by def", "session load def"},
		{snapshot.ErrLost, Busy, "", "session"},
		{&PolicyError{Hash: "1111", Accepted: "2222", Changes: []plan.Change{{File: "modes.yaml", Entry: "quick.steps", Old: []byte("[]"), New: []byte(`["\u001b"]`)}}},
			NotAccepted, "\n  | modes.yaml: quick.steps: [] → ", "session plan accept"},
		{&PolicyError{Invalid: invalid}, NotAccepted, "\n  | modes.yaml:3:7: unknown step", "mend the policy"},
		{invalid, NotAccepted, "modes.yaml:3:7", "mend the policy"},
		{&NoPersonError{}, NotAccepted, "a person at a terminal", "in a terminal"},
		{&UndoError{"undo.moved", []any{"now", "a", "saved", "b", "commit", "c"}}, Failed, "the branch stands at a, not at b", "git revert c"},
		{&FinishError{"finish.pushed", []any{"remote", "origin", "commit", "c"}}, Failed, "origin already has the WIP commit c", "--force-with-lease"},
		{&RestoreError{"restore.not-recorded", []any{"path", "x"}}, Failed, "x is not among the files", "session show"},
		{&gitstate.HookError{Hook: "pre-commit", Cause: broken}, Failed, "pre-commit hook: broken", "hook"},
		{&gitstate.BareError{Dir: "/b"}, Failed, "/b is a bare repository", "git worktree add"},
		{&session.ErrOtherSession{Was: "a", Is: "b"}, Corrupt, "", "session check"},
		{session.ErrBadRef, Corrupt, "damaged session reference", "session check --repair"},
		{&cycle.OtherPathError{Base: "abc", Path: "refs/heads/a", Want: "refs/heads/b"}, Failed, "abc belongs to refs/heads/a", "session fork abc"},
		{snapshot.ErrReadOnly, Failed, "read-only", "may write"},
		{snapshot.ErrDenied, Failed, "denies access", "may write"},
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}, Failed, "open x: permission denied", "may write"},
		{snapshot.ErrFull, Failed, "no room", "make room"},
		{&ModeError{Mode: "x", Command: plan.Save, Modes: []string{"full", "quick"}}, Usage, `no mode "x"`, "full, quick"},
		{&ModeError{Mode: "x", Command: plan.Save, Modes: []string{"quick"}, Inert: true}, Usage, `no mode "x"`, "session plan accept"},
		{&capture.UnknownChangeError{Change: "x", Candidates: []string{"login", "logout"}}, Usage, "x", "login, logout"},
		{&capture.UnknownChangeError{Change: "x"}, Usage, "x", "openspec new change"},
		{&capture.TasksElsewhereError{File: "tasks.md"}, Usage, "tick them there", ""},
		{&EndlessError{64}, Blocked, "stopped after 64 steps", "session blocker clear"},
		{&NoBlockerError{}, Failed, "there is no blocker", "session blocker list"},
		{&SeveralBlockersError{"a", []string{"a1", "a2"}}, Usage, "a1, a2", "session blocker list"},
		{&NoMemoryError{"abc"}, Failed, "abc", "session memory"},
		{&execute.NoProgramError{Programs: []string{"claude"}}, Failed, "claude", "bundles.yaml"},
		{&assistant.SettingsError{Path: "s.json"}, Corrupt, "s.json", "s.json"},
		{s3.ErrUnavailable, Failed, "", "session"},
		{coordination.ErrUnavailable, Failed, "", "session"},
		{&NoSessionsError{"/w"}, Nothing, "no sessions in /w", "session"},
		{lifecycle.ErrNotFound, Failed, "not found", "session list"},
		{sql.ErrUnavailable, Failed, "not available", ""},
		{errors.New("anything else"), Failed, "anything else", ""},
	} {
		for _, wrapped := range []error{tc.err, fmt.Errorf("save: %w", tc.err), errors.Join(tc.err, broken)} {
			f := Describe(wrapped, text.New(text.English))
			if f.Code != tc.code || !strings.Contains(f.Message, tc.message) || !strings.Contains(f.Hint, tc.hint) {
				t.Errorf("%T %v:\n%+v, want code %d, message with %q, hint with %q", tc.err, tc.err, f, tc.code, tc.message, tc.hint)
			}
			if strings.ContainsAny(f.Message+f.Hint, "{}\x1b") && !strings.Contains(tc.message, "[") {
				t.Errorf("%T: a place that nothing filled, or a control character: %+v", tc.err, f)
			}
			ko := Describe(wrapped, text.New(text.Korean))
			if ko.Code != f.Code || (ko.Hint == "") != (f.Hint == "") || ko.Hint == f.Hint && strings.Contains(f.Hint, " ") && f.Hint != "session save" {
				t.Errorf("%T in Korean: %+v", tc.err, ko)
			}
		}
	}
}

func TestReasonKey(t *testing.T) {
	for reason, want := range map[string]string{
		gitstate.SkipNotAFile: "not-a-file", gitstate.SkipUnreadable: "unreadable", gitstate.SkipEmptyRepo: "embedded-repository",
		gitstate.SkipSparse: "outside-sparse", gitstate.SkipSubmodule: "submodule", "too-large": "too-large",
		"name:ssh-key": "secret-name", "aws-access-key": "secret", "": "secret",
	} {
		if got := reasonKey(reason); got != want {
			t.Errorf("%q: %s, want %s", reason, got, want)
		}
		if !text.New(text.English).Has("left-out." + reasonKey(reason)) {
			t.Errorf("%q: nothing to say", reason)
		}
	}
}

func TestBranchPath(t *testing.T) {
	seen := map[snapshot.Path]string{}
	for ref, want := range map[string]string{
		"refs/heads/main": "refs/heads/main", "refs/heads/한글": "refs/heads/한글", "refs/heads/a%b": "refs/heads/a%b",
		"refs/heads/\xff": "refs/heads/%FF", "refs/heads/%\xff": "refs/heads/%25%FF", "refs/heads/%FF\xff": "refs/heads/%25FF%FF",
	} {
		got := branchPath(ref)
		if string(got) != want {
			t.Errorf("%q: %q, want %q", ref, got, want)
		}
		if other, twice := seen[got]; twice {
			t.Errorf("%q and %q are one path", ref, other)
		}
		seen[got] = ref
	}
}

func TestEditedWordsAreAPersons(t *testing.T) {
	file := session.State{WorkingOn: "by hand", NextSteps: []string{"a"}}
	for name, tc := range map[string]struct {
		recorded session.State
		note     bool
	}{
		"as it was":   {session.State{WorkingOn: "by hand", NextSteps: []string{"a"}}, false},
		"other work":  {session.State{WorkingOn: "else", NextSteps: []string{"a"}}, true},
		"other steps": {session.State{WorkingOn: "by hand", NextSteps: []string{"b"}}, true},
		"fewer steps": {session.State{WorkingOn: "by hand"}, true},
	} {
		tc.recorded.GitCommit = "recorded"
		v := saved{state: tc.recorded}
		v.edited(file)
		if v.state.WorkingOn != "by hand" || !slices.Equal(v.state.NextSteps, []string{"a"}) || v.state.GitCommit != "recorded" {
			t.Errorf("%s: %+v", name, v.state)
		}
		if noted := len(v.notes) == 1; noted != tc.note {
			t.Errorf("%s: notes %v", name, v.notes)
		}
	}
}
