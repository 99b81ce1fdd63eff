package app

import (
	"errors"

	"session/internal/lifecycle"
	"session/internal/store/sql"
	"session/internal/text"
)

// describeSessions says what errors of Sessions and their database mean.
func describeSessions(err error, plain string, words *text.Catalogue) (Fault, bool) {
	var (
		none       *NoSessionsError
		ambiguous  *AmbiguousSessionError
		tree       *WorkTreeSessionError
		other      *OtherPathError
		stopped    *StoppedError
		asked      *NothingAskedError
		transition *lifecycle.TransitionError
		resumable  *lifecycle.NotResumableError
		changed    *lifecycle.ChangedError
		fenced     *lifecycle.FencedError
		limit      *lifecycle.LimitError
		running    *lifecycle.BusyError
		answered   *lifecycle.AnsweredError
		schema     *sql.ForeignSchemaError
	)
	say := words.Say
	switch {
	case errors.As(err, &none):
		return Fault{Nothing, plain, say("hint.sessions-none")}, true
	case errors.As(err, &ambiguous), errors.Is(err, sql.ErrURL):
		return Fault{Usage, plain, ""}, true
	case errors.As(err, &tree):
		return Fault{Failed, plain, say("hint.session-tree")}, true
	case errors.As(err, &stopped) && stopped.Status != lifecycle.Running && !stopped.Status.Resumable():
		return Fault{Interrupted, plain, say("hint.session-info")}, true
	case errors.As(err, &stopped):
		return Fault{Interrupted, plain, say("hint.session-stopped", "id", stopped.Session)}, true
	case errors.As(err, &asked), errors.As(err, &transition), errors.As(err, &other), errors.As(err, &answered):
		return Fault{Failed, plain, say("hint.session-info")}, true
	case errors.As(err, &resumable):
		return Fault{Failed, plain, say("hint.session-resumable")}, true
	case errors.As(err, &changed), errors.As(err, &fenced), errors.As(err, &limit), errors.As(err, &running):
		return Fault{Busy, plain, say("hint.session-info")}, true
	case errors.Is(err, sql.ErrNoToken):
		return Fault{Failed, plain, say("hint.token")}, true
	case errors.Is(err, lifecycle.ErrNotFound):
		return Fault{Failed, plain, say("hint.session-list")}, true
	case errors.Is(err, lifecycle.ErrInvalid):
		return Fault{Usage, plain, ""}, true
	case errors.As(err, &schema):
		return Fault{Corrupt, plain, ""}, true
	case errors.Is(err, sql.ErrUnavailable), errors.Is(err, sql.ErrUncertain), errors.Is(err, sql.ErrReadOnly), errors.Is(err, sql.ErrFull):
		return Fault{Failed, plain, say("hint.database")}, true
	}
	return Fault{}, false
}
