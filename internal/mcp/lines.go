package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
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
	rest  []byte // of the line that is being read
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.line()
		if err != nil && len(line) == 0 {
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
	if line[0] == '[' { // several at once, as older clients send them
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
	return append(line, '\n'), nil
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
	turn sync.Mutex
}

func (w *whole) Write(p []byte) (int, error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	return w.WriteCloser.Write(p)
}
