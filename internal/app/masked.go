package app

import (
	"bytes"
	"context"
	"encoding/json"

	"session/internal/lifecycle"
	"session/internal/redact"
)

// masked are Records in which no secret is kept: what a person or an agent said is masked on its way in, from wherever it
// comes (a shell, REST, MCP, a run).
type masked struct{ lifecycle.Records }

// Create implements lifecycle.Sessions.
func (m masked) Create(ctx context.Context, d lifecycle.Draft) (lifecycle.Session, error) {
	d.Input, d.Options, d.Metadata = redact.Text(d.Input), maskJSON(d.Options), maskJSON(d.Metadata)
	return m.Records.Create(ctx, d)
}

// Change implements lifecycle.Sessions.
func (m masked) Change(ctx context.Context, k lifecycle.Key, c lifecycle.Change) (lifecycle.Session, error) {
	c.Response, c.Metadata, c.Note = maskJSON(c.Response), maskJSON(c.Metadata), maskJSON(c.Note)
	return m.Records.Change(ctx, k, c)
}

// Revise implements lifecycle.Plans.
func (m masked) Revise(ctx context.Context, k lifecycle.Key, r lifecycle.Revision) (lifecycle.Plan, error) {
	r.Body, r.Reason = maskJSON(r.Body), redact.Text(r.Reason)
	all := make([]lifecycle.Todo, len(r.Todos))
	for i, t := range r.Todos {
		t.Title, t.Data, t.Result = redact.Text(t.Title), maskJSON(t.Data), maskJSON(t.Result)
		all[i] = t
	}
	r.Todos = all
	return m.Records.Revise(ctx, k, r)
}

// Work implements lifecycle.Plans.
func (m masked) Work(ctx context.Context, k lifecycle.Key, as lifecycle.RunID, changes []lifecycle.TodoChange) ([]lifecycle.Todo, error) {
	all := make([]lifecycle.TodoChange, len(changes))
	for i, c := range changes {
		c.Result = maskJSON(c.Result)
		all[i] = c
	}
	return m.Records.Work(ctx, k, as, all)
}

// Resume implements lifecycle.Plans.
func (m masked) Resume(ctx context.Context, k lifecycle.Key, r lifecycle.Resumption) (lifecycle.Session, []lifecycle.Todo, error) {
	all := make([]lifecycle.TodoUpdate, len(r.Update))
	for i, u := range r.Update {
		if u.Title != nil {
			title := redact.Text(*u.Title)
			u.Title = &title
		}
		u.Data = maskJSON(u.Data)
		all[i] = u
	}
	r.Update, r.Note = all, maskJSON(r.Note)
	return m.Records.Resume(ctx, k, r)
}

// Ask implements lifecycle.Requests.
func (m masked) Ask(ctx context.Context, k lifecycle.Key, q lifecycle.Question) (lifecycle.Request, error) {
	q.Data = maskJSON(q.Data)
	all := make([]lifecycle.Option, len(q.Options))
	for i, o := range q.Options {
		all[i] = lifecycle.Option{ID: redact.Text(o.ID), Label: redact.Text(o.Label)}
	}
	q.Options = all
	return m.Records.Ask(ctx, k, q)
}

// Answer implements lifecycle.Requests.
func (m masked) Answer(ctx context.Context, k lifecycle.Key, id lifecycle.RequestID, d lifecycle.Decision) (lifecycle.Request, error) {
	d.Choice, d.Data = redact.Text(d.Choice), maskJSON(d.Data)
	return m.Records.Answer(ctx, k, id, d)
}

// maskJSON masks what is said in a document of JSON. One that is none is left to whoever checks it.
func maskJSON(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return raw
	}
	if said := redact.Text(string(raw)); said == string(raw) {
		return raw
	} else if json.Valid([]byte(said)) {
		return json.RawMessage(said)
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw)) // a mask took a quote with it: text by text, then
	d.UseNumber()
	if d.Decode(&v) != nil {
		return raw
	}
	out, err := json.Marshal(maskValue(v))
	if err != nil {
		return raw
	}
	return out
}

func maskValue(v any) any {
	switch x := v.(type) {
	case string:
		return redact.Text(x)
	case []any:
		for i := range x {
			x[i] = maskValue(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = maskValue(x[k])
		}
	}
	return v
}
