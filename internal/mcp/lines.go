package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"

	"session/internal/text"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

// Codes of JSON-RPC for what is no message.
const (
	noJSON    = -32700
	noRequest = -32600
)

// lines lets through what is a message, one a line. What is none is answered and passed over: the SDK would end the
// connection at it.
type lines struct {
	io.Closer
	in    *bufio.Reader
	out   io.Writer
	words *text.Catalogue
	calls *calls
	ctx   context.Context // of the connection
	rest  []byte          // of the line that is being read
	old   bool            // the client speaks a version that knows several messages at once
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.line()
		if err != nil && len(line) == 0 {
			l.calls.wait(l.ctx)
			return 0, err
		}
		if l.rest, err = l.message(line); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Close ends the reading, and the waiting for answers.
func (l *lines) Close() error {
	l.calls.leave()
	return l.Closer.Close()
}

// line is the next line; of one that is too long only its beginning.
func (l *lines) line() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part[:min(len(part), mcp.DefaultMaxLineLength+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// message is a line that is one; else it is answered, and nothing is left of it.
func (l *lines) message(line []byte) ([]byte, error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil, nil
	}
	if len(line) >= mcp.DefaultMaxLineLength {
		return nil, l.refuse(noJSON, nil, l.words.Say("mcp.long", "max", mcp.DefaultMaxLineLength))
	}
	if !json.Valid(line) {
		return nil, l.refuse(noJSON, nil, l.words.Say("mcp.no-json"))
	}
	all := []json.RawMessage{line}
	if line[0] == '[' {
		all = nil // or what is read goes into the line itself
		if err := json.Unmarshal(line, &all); err != nil {
			return nil, err
		}
	}
	for _, one := range all {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			return nil, l.refuse(noRequest, one, l.words.Say("mcp.no-message", "why", err.Error()))
		}
	}
	if len(all) == 0 {
		return nil, l.refuse(noRequest, nil, l.words.Say("mcp.no-message", "why", "[]"))
	}
	if gjson.GetBytes(line, "method").String() == "initialize" {
		l.old = slices.Contains(batching, gjson.GetBytes(line, "params.protocolVersion").String())
	}
	if line[0] == '[' && !l.old {
		return nil, l.refuse(noRequest, nil, l.words.Say("mcp.batch"))
	}
	for _, one := range all {
		l.calls.asked(one)
	}
	if line[0] == '[' { // together the SDK answers requests alone
		line = separate(all)
	}
	return append(line, '\n'), nil
}

// batching are the versions of the protocol that have several messages in one line; 2025-06-18 took them away.
var batching = []string{"2024-11-05", "2025-03-26"}

// separate are messages of one line, each on a line of its own.
func separate(all []json.RawMessage) []byte {
	each := make([][]byte, len(all))
	for i, one := range all {
		each[i] = one
	}
	return bytes.Join(each, []byte("\n"))
}

func (l *lines) refuse(code int, of []byte, why string) error {
	id := json.RawMessage("null")
	if named := gjson.GetBytes(of, "id"); named.Type == gjson.String || named.Type == gjson.Number {
		id = json.RawMessage(named.Raw)
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err == nil {
		_, err = l.out.Write(append(b, '\n'))
	}
	return err
}

// whole writes one message at a time.
type whole struct {
	io.WriteCloser
	calls *calls
	turn  sync.Mutex
}

func (w *whole) Write(p []byte) (int, error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	n, err := w.WriteCloser.Write(p)
	if err != nil {
		w.calls.leave()
		return n, err
	}
	w.calls.answered(p)
	return n, nil
}
