package mcp

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// calls are the requests that were read and are not answered yet. A client that writes its requests and closes the pipe
// wants to read the answers, too; the SDK drops what is not answered when its input ends.
type calls struct {
	mu   sync.Mutex
	open map[string]bool
	done bool          // nobody is there to be answered
	none chan struct{} // closed once nothing is open, while somebody waits
}

// asked notes a message of the client: a request is open until it is answered, or the client takes it back.
func (c *calls) asked(message []byte) {
	m := gjson.ParseBytes(message)
	id, method := m.Get("id"), m.Get("method")
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case method.String() == "notifications/cancelled":
		c.end(m.Get("params.requestId"))
	case id.Exists() && id.Type != gjson.Null && method.Exists():
		if c.open == nil {
			c.open = map[string]bool{}
		}
		c.open[key(id)] = true
	}
}

// answered notes a message to the client.
func (c *calls) answered(message []byte) {
	m := gjson.ParseBytes(message)
	if m.Get("method").Exists() { // the server asks, or tells
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(m.Get("id"))
}

// leave ends every waiting: the client is gone, or the connection is closed.
func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	c.end(gjson.Result{})
}

func (c *calls) end(id gjson.Result) {
	delete(c.open, key(id))
	if c.none != nil && (c.done || len(c.open) == 0) {
		close(c.none)
		c.none = nil
	}
}

// maxAnswer is how long an answer is waited for behind the end of the input.
const maxAnswer = 10 * time.Minute

// wait returns when all is answered, or ctx ends. One at a time may wait.
func (c *calls) wait(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxAnswer)
	defer cancel()
	c.mu.Lock()
	if c.done || len(c.open) == 0 {
		c.mu.Unlock()
		return
	}
	none := make(chan struct{})
	c.none = none
	c.mu.Unlock()
	select {
	case <-none:
	case <-ctx.Done():
	}
}

// key tells the id 1 from the id "1". The SDK takes numbers for whole ones.
func key(id gjson.Result) string {
	if id.Type == gjson.Number {
		return strconv.FormatInt(int64(id.Num), 10)
	}
	return id.Type.String() + " " + id.String()
}
