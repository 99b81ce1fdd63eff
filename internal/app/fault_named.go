package app

import (
	"errors"
	"io/fs"
	"time"

	"session/internal/assistant"
	"session/internal/capture"
	"session/internal/proc"
	"session/internal/snapshot"
	"session/internal/text"
	"session/openspec"
)

// describeNamed is for what a person named and is not there, in their language: these are typing mistakes more often than
// anything else.
func describeNamed(err error, words *text.Catalogue) (Fault, bool) {
	var ref *snapshot.ErrRef
	var program *proc.NotFoundError
	var tool *assistant.UnknownError
	var file *fs.PathError
	say := words.Say
	switch {
	case errors.As(err, &ref):
		return describeRef(ref, words)
	case errors.As(err, &tool):
		return Fault{Usage, say("error.no-assistant", "name", tool.Name, "list", AssistantNames()), say("hint.usage")}, true
	case errors.As(err, &program):
		return Fault{Failed, say("error.no-program", "name", program.Program), ""}, true
	case errors.As(err, &file) && error(file) == err && errors.Is(err, fs.ErrNotExist): // nothing says what it was wanted for
		return Fault{Failed, say("error.no-file", "path", file.Path), ""}, true
	}
	return describeChange(err, words)
}

// describeVerb is for what cannot be taken back, folded or restored.
func describeVerb(err error, words *text.Catalogue) (Fault, bool) {
	var undo *UndoError
	var finish *FinishError
	var restore *RestoreError
	var key string
	var args []any
	switch {
	case errors.As(err, &undo):
		key, args = undo.Key, undo.Args
	case errors.As(err, &finish):
		key, args = finish.Key, finish.Args
	case errors.As(err, &restore):
		key, args = restore.Key, restore.Args
	default:
		return Fault{}, false
	}
	return Fault{Failed, words.Say(key, args...), words.Say(key+".hint", args...)}, true
}

// describeRef is for a snapshot that was named and is not there.
func describeRef(ref *snapshot.ErrRef, words *text.Catalogue) (Fault, bool) {
	var several *snapshot.ErrAmbiguous
	var removed *snapshot.ErrRemoved
	hint := words.Say("hint.no-snapshot")
	switch {
	case errors.As(ref.Err, &several):
		return Fault{Failed, words.Say("error.several-snapshots", "ref", several.Prefix, "list", several.IDs), hint}, true
	case errors.As(ref.Err, &removed):
		return Fault{Failed, words.Say("error.removed", "id", short(string(removed.ID)), "date", removed.Removed.Format(time.DateOnly), "why", removed.Why), hint}, true
	case errors.Is(ref.Err, snapshot.ErrTooFar):
		return Fault{Failed, words.Say("error.too-far", "ref", ref.Ref), hint}, true
	case errors.Is(ref.Err, snapshot.ErrNotFound):
		return Fault{Failed, words.Say("error.no-snapshot", "ref", ref.Ref), hint}, true
	case errors.Is(ref.Err, snapshot.ErrInvalid):
		return Fault{Failed, words.Say("error.no-ref", "ref", ref.Ref), hint}, true
	}
	return Fault{}, false
}

// describeChange is for a change, a mode or a blocker that was named and is not there.
func describeChange(err error, words *text.Catalogue) (Fault, bool) {
	var change *capture.UnknownChangeError
	var named *NoChangeError
	var mode *ModeError
	var none *NoBlockerError
	say := words.Say
	changes := func(list []string) string {
		if len(list) == 0 {
			return say("hint.no-change")
		}
		return say("hint.changes", "list", list)
	}
	switch {
	case errors.As(err, &change) && change.Status == openspec.Archived:
		return Fault{Usage, say("error.archived", "change", change.Change), changes(change.Candidates)}, true
	case errors.As(err, &change):
		return Fault{Usage, say("error.no-change", "change", change.Change), changes(change.Candidates)}, true
	case errors.As(err, &named):
		return Fault{Failed, say("error.no-change", "change", named.Change), changes(named.Candidates)}, true
	case errors.As(err, &mode) && mode.Inert:
		return Fault{Usage, say("error.no-mode", "mode", mode.Mode, "command", mode.Command), say("hint.mode-inert", "list", mode.Modes)}, true
	case errors.As(err, &mode):
		return Fault{Usage, say("error.no-mode", "mode", mode.Mode, "command", mode.Command), say("hint.mode", "list", mode.Modes)}, true
	case errors.As(err, &none) && none.ID == "":
		return Fault{Failed, say("error.nothing-blocks"), say("hint.no-blocker")}, true
	case errors.As(err, &none):
		return Fault{Failed, say("error.no-blocker", "id", none.ID), say("hint.no-blocker")}, true
	}
	return Fault{}, false
}
