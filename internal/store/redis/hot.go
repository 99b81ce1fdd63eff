package redis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"session/internal/coordination"
)

func stateKey(session string) string    { return "session:" + session }
func progressKey(session string) string { return "session:" + session + ":progress" }
func pendingKey(session string) string  { return "session:" + session + ":hitl_pending" }
func clientsKey(session string) string  { return "ws_connections:" + session }

// pending is what stands under hitl_pending.
type pending struct {
	Request   string          `json:"request_id"`
	Type      string          `json:"type"`
	Data      json.RawMessage `json:"data,omitempty"`
	TimeoutAt time.Time       `json:"timeout_at"`
}

// Put implements coordination.Hot: one transaction.
func (c *Client) Put(ctx context.Context, session string, change coordination.Change) error {
	op := "note session " + session
	if err := errors.Join(coordination.CheckName("session", session), change.Check()); err != nil {
		return fmt.Errorf("note session: %w", err)
	}
	if change == (coordination.Change{}) {
		return nil
	}
	var asked []byte
	if p := change.Pending; p != nil {
		var err error
		if asked, err = json.Marshal(pending{p.Request, p.Type, p.Data, p.TimeoutAt.UTC()}); err != nil {
			return fmt.Errorf("%s: %w: %w", op, coordination.ErrInvalid, err)
		}
	}
	_, err := c.redis.TxPipelined(ctx, func(tx goredis.Pipeliner) error {
		if s := change.State; s != nil {
			tx.Del(ctx, stateKey(session))
			tx.HSet(ctx, stateKey(session), "status", s.Status, "current_layer", s.Layer, "plan_id", s.Plan, "last_activity", s.LastActivity.UTC().Format(time.RFC3339Nano))
		}
		if p := change.Progress; p != nil {
			tx.Del(ctx, progressKey(session))
			tx.HSet(ctx, progressKey(session), "total_todos", p.Total, "completed", p.Completed, "current_todo", p.Current)
		}
		if change.State != nil || change.Progress != nil {
			tx.PExpire(ctx, stateKey(session), coordination.Kept)
			tx.PExpire(ctx, progressKey(session), coordination.Kept)
		}
		if change.Pending != nil {
			tx.Set(ctx, pendingKey(session), asked, 0)
			tx.PExpireAt(ctx, pendingKey(session), change.Pending.TimeoutAt)
		}
		return nil
	})
	return c.explain(ctx, op, err)
}

// settleScript removes a question that names this request; anything else that stands there stays.
var settleScript = goredis.NewScript(`local raw = redis.call("GET", KEYS[1])
if not raw then return 0 end
local ok, v = pcall(cjson.decode, raw)
if ok and type(v) == "table" and v["request_id"] == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0`)

// Settle implements coordination.Hot.
func (c *Client) Settle(ctx context.Context, session, request string) error {
	if err := coordination.CheckName("session", session); err != nil {
		return fmt.Errorf("settle a request: %w", err)
	}
	return c.explain(ctx, "settle request "+request, settleScript.Run(ctx, c.redis, []string{pendingKey(session)}, request).Err())
}

// Connect implements coordination.Hot.
func (c *Client) Connect(ctx context.Context, session, client string) error {
	if err := errors.Join(coordination.CheckName("session", session), coordination.CheckName("client", client)); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	err := c.redis.SAdd(ctx, clientsKey(session), client).Err()
	if err != nil && strings.HasPrefix(err.Error(), "WRONGTYPE") { // nobody of us wrote that
		_, err = c.redis.TxPipelined(ctx, func(tx goredis.Pipeliner) error {
			tx.Del(ctx, clientsKey(session))
			return tx.SAdd(ctx, clientsKey(session), client).Err()
		})
	}
	return c.explain(ctx, "connect", err)
}

// Disconnect implements coordination.Hot.
func (c *Client) Disconnect(ctx context.Context, session, client string) error {
	if err := coordination.CheckName("session", session); err != nil {
		return fmt.Errorf("disconnect: %w", err)
	}
	return c.explain(ctx, "disconnect", c.redis.SRem(ctx, clientsKey(session), client).Err())
}

// Look implements coordination.Hot: all parts as of one instant.
func (c *Client) Look(ctx context.Context, session string) (v coordination.View, err error) {
	op := "look at session " + session
	if err := coordination.CheckName("session", session); err != nil {
		return v, fmt.Errorf("look at a session: %w", err)
	}
	var state, progress *goredis.MapStringStringCmd
	var asked *goredis.StringCmd
	var clients *goredis.StringSliceCmd
	_, err = c.redis.TxPipelined(ctx, func(tx goredis.Pipeliner) error {
		state, progress = tx.HGetAll(ctx, stateKey(session)), tx.HGetAll(ctx, progressKey(session))
		asked, clients = tx.Get(ctx, pendingKey(session)), tx.SMembers(ctx, clientsKey(session))
		return nil
	})
	if err != nil && !errors.Is(err, goredis.Nil) {
		return v, c.explain(ctx, op, err)
	}
	for _, cmd := range []goredis.Cmder{state, progress, clients} {
		if cmd.Err() != nil {
			return v, c.explain(ctx, op, cmd.Err())
		}
	}
	if v, err = view(state.Val(), progress.Val(), clients.Val()); err == nil && asked.Err() == nil {
		v.Pending, err = readPending(asked.Val())
	}
	if err == nil && asked.Err() != nil && !errors.Is(asked.Err(), goredis.Nil) {
		err = asked.Err()
	}
	if err == nil && v.State == nil && v.Progress == nil && v.Pending == nil && v.Clients == nil {
		err = coordination.ErrNotFound
	}
	if err != nil {
		return coordination.View{}, c.explain(ctx, op, err)
	}
	return v, nil
}

func view(state, progress map[string]string, clients []string) (v coordination.View, err error) {
	if len(state) > 0 {
		s := coordination.State{Status: state["status"], Layer: state["current_layer"], Plan: state["plan_id"]}
		if s.LastActivity, err = time.Parse(time.RFC3339Nano, state["last_activity"]); err != nil {
			return v, damaged("last_activity")
		}
		s.LastActivity = s.LastActivity.UTC()
		v.State = &s
	}
	if len(progress) > 0 {
		p := coordination.Progress{Current: progress["current_todo"]}
		var errs [2]error
		p.Total, errs[0] = strconv.Atoi(progress["total_todos"])
		p.Completed, errs[1] = strconv.Atoi(progress["completed"])
		if errors.Join(errs[:]...) != nil {
			return v, damaged("progress")
		}
		v.Progress = &p
	}
	if len(clients) > 0 {
		v.Clients = slices.Sorted(slices.Values(clients))
	}
	if (coordination.Change{State: v.State, Progress: v.Progress}).Check() != nil {
		return v, damaged("a value")
	}
	for _, name := range v.Clients {
		if coordination.CheckName("client", name) != nil {
			return v, damaged("a client")
		}
	}
	return v, nil
}

func readPending(raw string) (*coordination.Pending, error) {
	var p pending
	if len(raw) > 2*coordination.MaxData || json.Unmarshal([]byte(raw), &p) != nil {
		return nil, damaged("hitl_pending")
	}
	q := &coordination.Pending{Request: p.Request, Type: p.Type, Data: p.Data, TimeoutAt: p.TimeoutAt.UTC()}
	if (coordination.Change{Pending: q}).Check() != nil {
		return nil, damaged("hitl_pending")
	}
	return q, nil
}

func damaged(what string) error { return fmt.Errorf("%w: %s", coordination.ErrDamaged, what) }

// Forget implements coordination.Hot.
func (c *Client) Forget(ctx context.Context, session string) error {
	if err := coordination.CheckName("session", session); err != nil {
		return fmt.Errorf("forget a session: %w", err)
	}
	err := c.redis.Del(ctx, stateKey(session), progressKey(session), pendingKey(session), clientsKey(session)).Err()
	return c.explain(ctx, "forget session "+session, err)
}
