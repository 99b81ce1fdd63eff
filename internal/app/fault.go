package app

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"session/gitstate"
	"session/internal/assistant"
	"session/internal/capture"
	"session/internal/coordination"
	"session/internal/cycle"
	"session/internal/execute"
	"session/internal/memory"
	"session/internal/plan"
	"session/internal/quote"
	"session/internal/session"
	"session/internal/snapshot"
	"session/internal/store/file"
	"session/internal/text"
)

// Fault is an error as people and programs get it.
type Fault struct {
	Code    int    `json:"code"` // exit code
	Message string `json:"message"`
	Hint    string `json:"hint"` // what to do next; "" where the message says it
}

// UsageError is a request that makes no sense.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// InterruptedError says that a command was interrupted when some of what it does was on record already.
type InterruptedError struct {
	Key  string // of the sentence that says what is
	Args []any
	Err  error
}

func (e *InterruptedError) Error() string { return e.Err.Error() }
func (e *InterruptedError) Unwrap() error { return e.Err }

// Describe is the one switch that turns errors into exit codes, messages and ways out, by type and never by text.
func Describe(err error, words *text.Catalogue) Fault {
	say := words.Say
	plain := say("error.plain", "err", err)
	var (
		use       *UsageError
		nothing   *NothingSavedError
		corrupt   *CorruptStateError
		unsound   *UnsoundError
		damaged   *snapshot.ErrCorrupt
		conflict  *snapshot.ErrConflict
		busy      *snapshot.ErrBusy
		continued *snapshot.ErrContinued
		bare      *gitstate.BareError
		pol       *PolicyError
		invalid   *plan.Invalid
		hook      *gitstate.HookError
		person    *NoPersonError
		other     *session.ErrOtherSession
		elsewhere *cycle.OtherPathError
		noGit     *NoGitError
		imported  *ImportError
		database  *DatabaseError
		half      *InterruptedError
	)
	var recorded *RecordedError
	if errors.As(err, &recorded) {
		f := Describe(recorded.Err, words)
		return Fault{f.Code, say("error.run-recorded", "id", recorded.Snapshot, "session", recorded.Session, "cause", f.Message),
			say("hint.run-recorded", "id", recorded.Snapshot, "session", recorded.Session)}
	}
	if f, ok := describeBackend(err, plain, words); ok {
		return f
	}
	if f, ok := describeVerb(err, words); ok {
		return f
	}
	switch {
	case errors.As(err, &half):
		return Fault{Interrupted, say(half.Key, half.Args...), say(half.Key+".hint", half.Args...)}
	case errors.Is(err, context.Canceled):
		return Fault{Interrupted, say("error.interrupted"), say("hint.interrupted")}
	case errors.As(err, &use):
		return Fault{Usage, plain, say("hint.usage")}
	case errors.As(err, &nothing):
		return Fault{Nothing, say("error.nothing", "where", nothing.Where), say("hint.nothing")}
	case errors.Is(err, snapshot.ErrNothing):
		return Fault{Nothing, plain, say("hint.nothing")}
	case errors.As(err, &corrupt) && errors.Is(err, syscall.ENOTDIR):
		return Fault{Corrupt, plain, say("hint.not-a-folder")}
	case errors.As(err, &corrupt) && errors.Is(err, fs.ErrPermission):
		return Fault{Corrupt, say("error.plain", "err", corrupt.Err), say("hint.unreadable", "file", corrupt.File)}
	case errors.As(err, &corrupt):
		return Fault{Corrupt, say("error.corrupt", "file", corrupt.File, "why", corrupt.Err), say("hint.corrupt")}
	case errors.As(err, &imported) && errors.As(err, &damaged):
		return Fault{Corrupt, plain, say("hint.import")}
	case errors.As(err, &imported):
		return Fault{Failed, plain, say("hint.import")}
	case errors.As(err, &database):
		return Fault{Corrupt, plain, say("hint.not-sessions")}
	case errors.As(err, &unsound):
		return Fault{Corrupt, say("error.unsound", "why", unsound.Err), say("hint.unsound")}
	case errors.As(err, &damaged), errors.Is(err, memory.ErrDamaged):
		return Fault{Corrupt, plain, say("hint.check")}
	case errors.As(err, &conflict):
		return Fault{Corrupt, plain, ""}
	case errors.As(err, &busy):
		return Fault{Busy, plain, say("hint.busy")}
	case errors.As(err, &continued):
		if continued.Base != "" {
			plain = say("error.continued", "base", short(string(continued.Base)), "by", short(string(continued.By)))
		}
		return Fault{Busy, plain, say("hint.continued", "by", continued.By, "base", continued.Base)}
	case errors.As(err, &pol):
		hint := "hint.policy"
		if pol.Invalid != nil {
			hint = "hint.policy-invalid"
		}
		return Fault{NotAccepted, plain + policyChanges(pol), say(hint)}
	case errors.As(err, &invalid):
		return Fault{NotAccepted, plain, say("hint.policy-invalid")}
	case errors.As(err, &hook):
		return Fault{Failed, plain, say("hint.hook")}
	case errors.As(err, &person):
		return Fault{NotAccepted, say("error.person"), say("hint.person")}
	case errors.As(err, &other), errors.Is(err, session.ErrBadRef):
		return Fault{Corrupt, plain, say("hint.check")}
	case errors.As(err, &elsewhere):
		return Fault{Failed, plain, say("hint.other-path", "base", elsewhere.Base)}
	case errors.As(err, &noGit):
		return Fault{Failed, plain, say("hint.no-git")}
	case errors.As(err, &bare):
		return Fault{Failed, say("error.bare", "dir", bare.Dir), say("hint.bare")}
	case errors.Is(err, snapshot.ErrReadOnly), errors.Is(err, snapshot.ErrDenied), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return Fault{Failed, plain, say("hint.read-only")}
	case errors.Is(err, snapshot.ErrFull), errors.Is(err, syscall.ENOSPC):
		return Fault{Failed, plain, say("hint.full")}
	}
	return describeTasks(err, plain, words)
}

// describeBackend is for what a shared back end met.
func describeBackend(err error, plain string, words *text.Catalogue) (Fault, bool) {
	var away *UnreachableError
	var small *NoServiceError
	var format *snapshot.ErrRemoteFormat
	var local *file.ErrFormat
	switch {
	case errors.As(err, &small):
		return Fault{Failed, words.Say("error.no-service", "cause", small.Err), words.Say("hint.no-service")}, true
	case errors.Is(err, snapshot.ErrLost):
		return Fault{Busy, words.Say("error.lease-lost"), words.Say("hint.lease-lost")}, true
	case errors.Is(err, snapshot.ErrClock), errors.Is(err, snapshot.ErrUnconditional), errors.Is(err, snapshot.ErrRefused), errors.Is(err, snapshot.ErrNoBucket):
		return Fault{Failed, plain, ""}, true // it says what to do
	case errors.As(err, &format), errors.As(err, &local):
		return Fault{Corrupt, plain, ""}, true
	case errors.Is(err, snapshot.ErrForbidden):
		return Fault{Failed, plain, words.Say("hint.forbidden")}, true
	case errors.As(err, &away), errors.Is(err, snapshot.ErrUnavailable), errors.Is(err, coordination.ErrUnavailable), errors.Is(err, coordination.ErrDamaged):
		return Fault{Failed, plain, words.Say("hint.unreachable")}, true
	}
	return Fault{}, false
}

// maxChange is the most that is shown of one entry of a policy, in columns: a repository chose the words. session plan
// check shows all of it.
const maxChange = 2000

// policyChanges lists which entries of which file differ from what was accepted.
func policyChanges(e *PolicyError) string {
	var b strings.Builder
	for _, c := range e.Changes {
		b.WriteString("\n  " + quote.Mark + text.Line(c.String(), maxChange))
	}
	if e.Invalid != nil {
		for _, p := range e.Invalid.Problems {
			b.WriteString("\n  " + quote.Mark + text.Line(p.String(), maxChange))
		}
	}
	return b.String()
}

func describeTasks(err error, plain string, words *text.Catalogue) Fault {
	if f, ok := describeSessions(err, plain, words); ok {
		return f
	}
	var elsewhere *capture.TasksElsewhereError
	var missing *execute.NoProgramError
	var which *SeveralBlockersError
	var endless *EndlessError
	var nowhere *NoSessionError
	var foreign *ForeignSessionError
	var forgotten *NoMemoryError
	var several *AmbiguousMemoryError
	if f, ok := describeInit(err, plain, words); ok {
		return f
	}
	if f, ok := describeNamed(err, words); ok {
		return f
	}
	switch {
	case errors.As(err, &nowhere):
		return Fault{Failed, words.Say("error.no-session", "name", nowhere.Name), words.Say("hint.no-session", "list", nowhere.Known)}
	case errors.As(err, &foreign):
		return Fault{Failed, words.Say("error.foreign-session", "name", foreign.Name), words.Say("hint.foreign-session", "id", short(foreign.Newest))}
	case errors.As(err, &forgotten):
		return Fault{Failed, words.Say("error.no-memory", "id", forgotten.ID), words.Say("hint.no-memory")}
	case errors.As(err, &several):
		return Fault{Failed, words.Say("error.memories", "id", several.Prefix), words.Say("hint.memories", "list", several.IDs[:min(5, len(several.IDs))])}
	case errors.As(err, &which):
		return Fault{Usage, words.Say("error.several-blockers", "id", which.ID, "list", which.IDs), words.Say("hint.no-blocker")}
	case errors.As(err, &endless):
		return Fault{Blocked, words.Say("error.endless", "n", endless.Passes), words.Say("hint.endless")}
	case errors.As(err, &missing):
		return Fault{Failed, plain, words.Say("hint.no-program")}
	case errors.As(err, &elsewhere):
		return Fault{Usage, plain, ""}
	case errors.Is(err, syscall.ENOTDIR):
		return Fault{Failed, plain, words.Say("hint.not-a-folder")}
	}
	return Fault{Failed, plain, ""}
}

// describeInit says what went wrong with session init, where nothing was changed.
func describeInit(err error, plain string, words *text.Catalogue) (Fault, bool) {
	var settings *assistant.SettingsError
	var record *assistant.RecordError
	var conflict *assistant.HookConflictError
	var changed *assistant.ChangedError
	var undone *assistant.UndoneError
	var link *assistant.LinkOutError
	var hookless *assistant.NoHooksError
	switch {
	case errors.As(err, &link):
		return Fault{Failed, plain, words.Say("hint.init-link", "path", link.Path)}, true
	case errors.As(err, &hookless):
		return Fault{Failed, plain, words.Say("hint.init-hookless")}, true
	case errors.As(err, &undone) && undone.Left != nil:
		return Fault{Corrupt, plain, words.Say("hint.init-undone")}, true
	case errors.As(err, &settings):
		return Fault{Corrupt, plain, words.Say("hint.init-settings", "file", settings.Path)}, true
	case errors.As(err, &record):
		return Fault{Corrupt, plain, words.Say("hint.init-record", "file", record.Path)}, true
	case errors.As(err, &conflict), errors.As(err, &changed):
		return Fault{Corrupt, plain, ""}, true
	}
	return Fault{}, false
}
