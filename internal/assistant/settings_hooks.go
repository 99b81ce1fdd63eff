package assistant

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A hook's entry has one of two forms: a group with a list "hooks" of handlers (Claude Code, Gemini CLI, Codex), or a
// handler itself (Copilot CLI, Cursor). A handler names its line in "command" or "bash". Entries are compared by these
// lines, so that a matcher or a time limit that a person changed makes no second entry and hinders no removal.

// holds reports whether an entry is what a piece would add, or holds all of its commands.
func holds(entry hujson.Value, piece json.RawMessage) bool {
	want := commandsOf(decoded(piece))
	if len(want) == 0 {
		return sameJSON(entry.Value, piece)
	}
	have := commandsOf(plain(entry.Value))
	return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
}

// commandsOf lists the command lines of an entry.
func commandsOf(entry any) []string {
	m, ok := entry.(map[string]any)
	if !ok {
		return nil
	}
	var all []string
	for _, key := range []string{"command", "bash"} {
		if c, ok := m[key].(string); ok {
			all = append(all, c)
		}
	}
	handlers, _ := m["hooks"].([]any)
	for _, h := range handlers {
		if handler, ok := h.(map[string]any); ok && handler["hooks"] == nil { // one level, whatever the file holds
			all = append(all, commandsOf(handler)...)
		}
	}
	return all
}

// takeOut removes what a piece added from a list: the entry, or only our handler of a group that others share.
func takeOut(arr *hujson.Array, piece json.RawMessage) (found bool) {
	want := commandsOf(decoded(piece))
	for i := len(arr.Elements) - 1; i >= 0; i-- {
		e := arr.Elements[i]
		have := commandsOf(plain(e.Value))
		switch {
		case len(want) == 0:
			if sameJSON(e.Value, piece) {
				dropElement(arr, i)
				found = true
			}
		case len(have) > 0 && !slices.ContainsFunc(have, func(h string) bool { return !slices.Contains(want, h) }):
			dropElement(arr, i)
			found = true
		case slices.ContainsFunc(have, func(h string) bool { return slices.Contains(want, h) }):
			found = dropHandlers(e, want) || found
		}
	}
	return found
}

func dropHandlers(group hujson.Value, want []string) (found bool) {
	obj, ok := group.Value.(*hujson.Object)
	if !ok {
		return false
	}
	list, err := member(obj, "hooks")
	if err != nil || list == nil {
		return false
	}
	inner, ok := list.Value.(*hujson.Array)
	for i := 0; ok && i < len(inner.Elements); {
		if has := commandsOf(plain(inner.Elements[i].Value)); len(has) == 1 && slices.Contains(want, has[0]) {
			dropElement(inner, i)
			found = true
			continue
		}
		i++
	}
	return found
}

// dropStale removes hooks of earlier versions of this program: handlers that call it, but not as the pieces do. They
// come with a clone, or stand there since an update.
func (s *settings) dropStale(pieces []Piece) {
	hooks, err := member(s.doc.Value.(*hujson.Object), "hooks")
	if err != nil || hooks == nil {
		return
	}
	events, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return
	}
	var current []string
	for _, p := range pieces {
		current = append(current, commandsOf(decoded(p.Value))...)
	}
	for _, m := range events.Members {
		arr, ok := m.Value.Value.(*hujson.Array)
		for i := 0; ok && i < len(arr.Elements); i++ {
			for _, c := range commandsOf(plain(arr.Elements[i].Value)) {
				if ourLine(c) && !slices.Contains(current, c) && takeOut(arr, jsonObject("command", c)) {
					i = -1 // the list is another one now
					break
				}
			}
		}
	}
}

// ourLine reports whether a hook's command line was written by session init.
func ourLine(line string) bool {
	return strings.HasPrefix(line, hookGuard) && strings.Contains(line, "session hook ")
}

func jsonObject(key, value string) json.RawMessage {
	b, err := json.Marshal(map[string]string{key: value})
	if err != nil {
		return nil // strings always marshal
	}
	return b
}
