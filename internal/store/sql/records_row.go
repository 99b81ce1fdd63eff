package sql

import (
	dbsql "database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"session/internal/lifecycle"
)

const sessionColumns = "id, owner, parent, status, version, work_tree, limited, slot, run, input, language, plan, plan_version, head, response, " +
	"created_ms, updated_ms, started_ms, completed_ms, expires_ms, running_ms, tokens, cost_micro, execution_ms, options, metadata, events, checkpoints"

// record is a row of sessions.
type record struct {
	lifecycle.Session
	slot *int64
}

// dest is where the columns of a row go, in the order of sessionColumns.
func (s *record) dest() []any {
	return []any{&s.ID, &s.Owner, &s.Parent, &s.Status, &s.Version, yes{&s.WorkTree}, yes{&s.Limited}, &s.slot, &s.Run, &s.Input, &s.Language,
		&s.Plan, &s.PlanVersion, &s.Head, document{&s.Response}, instant{&s.CreatedAt}, instant{&s.UpdatedAt}, instant{&s.StartedAt},
		instant{&s.CompletedAt}, instant{&s.ExpiresAt}, instant{&s.RunningSince}, &s.TokensUsed, &s.CostMicro, &s.ExecutionMS,
		document{&s.Options}, document{&s.Metadata}, &s.Events, &s.Checkpoints}
}

// all are the values of a row, in the same order.
func (s *record) all() []any {
	return []any{string(s.ID), string(s.Owner), string(s.Parent), string(s.Status), s.Version, yes{&s.WorkTree}, yes{&s.Limited}, s.slot, string(s.Run),
		s.Input, s.Language, string(s.Plan), s.PlanVersion, string(s.Head), document{&s.Response}, millis(s.CreatedAt), millis(s.UpdatedAt),
		millis(s.StartedAt), millis(s.CompletedAt), millis(s.ExpiresAt), millis(s.RunningSince), s.TokensUsed, s.CostMicro, s.ExecutionMS,
		document{&s.Options}, document{&s.Metadata}, s.Events, s.Checkpoints}
}

// changed are the parameters of set-session.
func (s *record) changed(before int64) []any {
	return []any{string(s.Status), s.Version, s.slot, string(s.Run), string(s.Plan), s.PlanVersion, string(s.Head), document{&s.Response},
		millis(s.UpdatedAt), millis(s.StartedAt), millis(s.CompletedAt), millis(s.ExpiresAt), millis(s.RunningSince), s.TokensUsed, s.CostMicro,
		s.ExecutionMS, document{&s.Metadata}, s.Events, s.Checkpoints, string(s.ID), before}
}

// millis is a time as it stands in a column; NULL if it has not come.
func millis(t time.Time) dbsql.NullInt64 {
	return dbsql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// instant reads what millis wrote.
type instant struct{ to *time.Time }

// Scan implements database/sql.Scanner.
func (i instant) Scan(v any) error {
	var ms dbsql.NullInt64
	if err := ms.Scan(v); err != nil {
		return err
	}
	*i.to = time.Time{}
	if ms.Valid {
		*i.to = time.UnixMilli(ms.Int64).UTC()
	}
	return nil
}

// document is JSON in a column of text; NULL if there is none.
type document struct{ to *json.RawMessage }

// Scan implements database/sql.Scanner.
func (d document) Scan(v any) error {
	var text dbsql.NullString
	if err := text.Scan(v); err != nil {
		return err
	}
	*d.to = nil
	if text.Valid {
		*d.to = json.RawMessage(text.String)
	}
	return nil
}

// Value implements database/sql/driver.Valuer.
func (d document) Value() (driver.Value, error) {
	if *d.to == nil {
		return nil, nil
	}
	return string(*d.to), nil
}

// yes is a bool as 0 or 1.
type yes struct{ is *bool }

// Scan implements database/sql.Scanner.
func (y yes) Scan(v any) error {
	var n dbsql.NullInt64
	err := n.Scan(v)
	*y.is = n.Int64 != 0
	return err
}

// Value implements database/sql/driver.Valuer.
func (y yes) Value() (driver.Value, error) {
	if *y.is {
		return int64(1), nil
	}
	return int64(0), nil
}

// structured is any value as JSON in a column of text; NULL if it is nothing.
type structured[T any] struct {
	to   *T
	none func(T) bool
}

func list[T any](to *[]T) structured[[]T] {
	return structured[[]T]{to, func(all []T) bool { return all == nil }}
}

func pointer[T any](to **T) structured[*T] {
	return structured[*T]{to, func(p *T) bool { return p == nil }}
}

// Scan implements database/sql.Scanner.
func (s structured[T]) Scan(v any) error {
	var text dbsql.NullString
	if err := text.Scan(v); err != nil {
		return err
	}
	var zero T
	*s.to = zero
	if !text.Valid {
		return nil
	}
	if err := json.Unmarshal([]byte(text.String), s.to); err != nil {
		return fmt.Errorf("a column does not hold what was written: %w", err)
	}
	return nil
}

// Value implements database/sql/driver.Valuer.
func (s structured[T]) Value() (driver.Value, error) {
	if s.none(*s.to) {
		return nil, nil
	}
	b, err := json.Marshal(*s.to)
	return string(b), err
}
