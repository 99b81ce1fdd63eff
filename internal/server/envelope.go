package server

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"session/internal/app"
	"session/internal/lifecycle"
	"session/internal/snapshot"
	"session/internal/text"
)

// refusal is a no as clients get it.
type refusal struct {
	Status  int    `json:"-"`
	Code    string `json:"code" jsonschema:"stable: for programs"`
	Message string `json:"message" jsonschema:"for people, in the language of Accept-Language"`
	Hint    string `json:"hint,omitempty" jsonschema:"what to do next"`
	Request string `json:"request_id,omitempty" jsonschema:"names the request in the service's log"`

	cause error // for the log
}

func (r refusal) Error() string { return r.Code + ": " + r.Message }

type failed struct {
	Success bool    `json:"success"`
	Error   refusal `json:"error"`
}

type succeeded struct {
	Success bool `json:"success"`
	Data    any  `json:"data"`
}

// refuse writes a no.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, no refusal) {
	no.Request = noteRefusal(r, no)
	if no.Status == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "2")
	}
	s.write(w, no.Status, failed{Error: no})
}

func (s *Server) write(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		s.Log.Error("an answer cannot be written", "cause", err)
		status, b = http.StatusInternalServerError, []byte(`{"success":false,"error":{"code":"INTERNAL","message":"internal error"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // whoever has gone does not need it
}

func (s *Server) tooOften(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(max(wait.Seconds(), 1)))))
	s.metrics.tooOften.Inc()
	s.refuse(w, r, refusal{Status: http.StatusTooManyRequests, Code: "RATE_LIMITED", Message: s.say(r, "serve.rate")})
}

// absent is the no for what is not there, or not there for who asks: the two cannot be told apart.
func (s *Server) absent(r *http.Request) refusal {
	return refusal{Status: http.StatusNotFound, Code: "NOT_FOUND", Message: s.say(r, "serve.absent")}
}

func (s *Server) invalid(r *http.Request, err error) refusal {
	return refusal{Status: http.StatusUnprocessableEntity, Code: "INVALID", Message: s.say(r, "serve.invalid", "why", err.Error())}
}

// refusalOf is the one switch that turns errors into refusals, by type and never by text. What it does not know is the
// service's own fault: it is logged, and the client is not told what it was.
func (s *Server) refusalOf(r *http.Request, err error) refusal {
	var no refusal
	var nothing *app.NothingSavedError
	var many *snapshot.ErrAmbiguous
	var removed *snapshot.ErrRemoved
	var use *app.UsageError
	var policy *app.PolicyError
	var agent *app.NoAgentError
	switch {
	case errors.As(err, &no):
		return no
	case errors.As(err, &nothing), errors.Is(err, snapshot.ErrNothing):
		return refusal{Status: http.StatusNotFound, Code: "NOTHING_SAVED", Message: s.say(r, "serve.nothing"), Hint: s.say(r, "hint.nothing")}
	case errors.As(err, &policy):
		return refusal{Status: http.StatusConflict, Code: "POLICY_NOT_ACCEPTED", Message: s.say(r, "serve.policy"), Hint: s.say(r, "hint.policy")}
	case errors.Is(err, snapshot.ErrNotFound), errors.As(err, &removed):
		return s.absent(r)
	case errors.As(err, &many), errors.As(err, &use), errors.As(err, &agent), errors.Is(err, snapshot.ErrInvalid):
		return s.invalid(r, err)
	}
	if no, ok := s.refusalOfSession(r, err); ok {
		return no
	}
	switch {
	case errors.Is(err, app.ErrDatabaseUncertain):
		return refusal{Status: http.StatusServiceUnavailable, Code: "UNCERTAIN", Message: s.say(r, "serve.uncertain"), cause: err}
	case errors.Is(err, app.ErrDatabaseAway):
		return refusal{Status: http.StatusServiceUnavailable, Code: "UNAVAILABLE", Message: s.say(r, "serve.away"), cause: err}
	case errors.Is(err, context.DeadlineExceeded):
		return refusal{Status: http.StatusServiceUnavailable, Code: "TIMEOUT", Message: s.say(r, "serve.timeout"), cause: err}
	case r.Context().Err() != nil:
		return refusal{Status: http.StatusServiceUnavailable, Code: "INTERRUPTED", Message: s.say(r, "serve.interrupted"), cause: err}
	}
	return refusal{Status: http.StatusInternalServerError, Code: "INTERNAL", Message: s.say(r, "serve.internal"), cause: err}
}

// refusalOfSession turns the errors of sessions into the seed's codes.
func (s *Server) refusalOfSession(r *http.Request, err error) (refusal, bool) {
	var resumable *lifecycle.NotResumableError
	var transition *lifecycle.TransitionError
	var changed *lifecycle.ChangedError
	var answered *lifecycle.AnsweredError
	var busy *lifecycle.BusyError
	var limit *lifecycle.LimitError
	no := refusal{Status: http.StatusConflict, Message: err.Error()}
	switch {
	case errors.As(err, &resumable):
		no.Status, no.Code, no.Message = http.StatusBadRequest, resumable.Code(), resumable.Error()
	case errors.Is(err, lifecycle.ErrNotFound):
		return s.absent(r), true
	case errors.As(err, &limit):
		no.Status, no.Code, no.Message = http.StatusTooManyRequests, "SESSION_LIMIT", limit.Error()
	case errors.As(err, &transition):
		no.Code, no.Message = "SESSION_TRANSITION", transition.Error()
	case errors.As(err, &changed):
		no.Code, no.Message = "SESSION_CHANGED", changed.Error()
	case errors.As(err, &answered):
		no.Code, no.Message = "ALREADY_ANSWERED", answered.Error()
	case errors.As(err, &busy):
		no.Code, no.Message = "SESSION_BUSY", busy.Error()
	case errors.Is(err, lifecycle.ErrTaken):
		no.Code = "ID_TAKEN"
	case errors.Is(err, lifecycle.ErrInvalid):
		return s.invalid(r, err), true
	default:
		return no, false
	}
	return no, true
}

// lang is the language of a request's answer.
func (s *Server) lang(r *http.Request) *text.Catalogue {
	first, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	first, _, _ = strings.Cut(first, ";")
	if l, ok := text.Parse(strings.TrimSpace(first)); ok {
		return s.words[l]
	}
	return s.Place.Words
}

func (s *Server) say(r *http.Request, key string, pairs ...any) string {
	return s.lang(r).Say(key, pairs...)
}
