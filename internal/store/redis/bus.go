package redis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"session/internal/coordination"
)

// eventsChannel is the seed's (004 §8.2): one for all sessions.
const eventsChannel = "session_events"

// Publish implements coordination.Bus. It waits for Redis once, however many events there are.
func (c *Client) Publish(ctx context.Context, events ...coordination.Event) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var invalid []error
	var all [][]byte
	for _, e := range events {
		raw, err := message(e)
		if err != nil {
			invalid = append(invalid, fmt.Errorf("publish: %w", err))
			continue
		}
		all = append(all, raw)
	}
	if len(all) > 0 {
		_, err := c.redis.Pipelined(ctx, func(p goredis.Pipeliner) error {
			for _, raw := range all {
				p.Publish(ctx, eventsChannel, raw)
			}
			return nil
		})
		if err != nil {
			return c.explain(ctx, "publish", err)
		}
	}
	return errors.Join(invalid...)
}

func message(e coordination.Event) ([]byte, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	e.At = e.At.UTC()
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", coordination.ErrInvalid, err)
	}
	return raw, nil
}

// Subscribe implements coordination.Bus. The library connects again by itself and subscribes anew; a silent connection is
// asked every few seconds whether it lives.
func (c *Client) Subscribe(ctx context.Context, session string) (<-chan coordination.Heard, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if session != "" {
		if err := coordination.CheckName("session", session); err != nil {
			return nil, fmt.Errorf("subscribe: %w", err)
		}
	}
	sub := c.redis.Subscribe(ctx, eventsChannel)
	if _, err := sub.Receive(ctx); err != nil {
		return nil, errors.Join(c.explain(ctx, "subscribe", err), sub.Close())
	}
	inbox := coordination.NewInbox(ctx)
	heard := sub.ChannelWithSubscriptions(goredis.WithChannelHealthCheckInterval(c.at.Timeout), goredis.WithChannelSize(1000))
	context.AfterFunc(ctx, func() { _ = sub.Close() }) // ends the channel; the connection is of no use to anybody after that
	go listen(heard, inbox, session)
	return inbox.Heard(), nil
}

func listen(heard <-chan any, to *coordination.Inbox, session string) {
	for m := range heard {
		msg, ok := m.(*goredis.Message)
		if !ok { // subscribed anew: the connection was lost in between
			to.Miss()
			continue
		}
		e, err := coordination.ParseEvent([]byte(msg.Payload))
		switch {
		case err != nil:
			to.Miss()
		case session == "" || session == e.Session:
			to.Put(e)
		}
	}
}
