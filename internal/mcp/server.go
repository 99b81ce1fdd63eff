package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"

	"session/internal/app"
	"session/internal/text"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is one connection's view of one place.
type server struct {
	place app.Place
	turn  chan struct{} // held by the one tool that records
}

// New makes the MCP server of a place. The caller connects it to a transport.
func New(p app.Place) *mcp.Server {
	s := &server{place: p, turn: make(chan struct{}, 1)}
	m := mcp.NewServer(&mcp.Implementation{Name: "session", Title: p.Words.Say("mcp.title"), Version: app.Version().Version},
		&mcp.ServerOptions{Instructions: p.Words.Say("mcp.instructions"), Capabilities: &mcp.ServerCapabilities{}})
	s.addTools(m)
	s.addResources(m)
	s.addPrompts(m)
	return m
}

// Serve speaks with one client until it has closed in and is answered, or ctx ends: both are its usual end and no error.
func Serve(ctx context.Context, p app.Place, in io.ReadCloser, out io.WriteCloser) error {
	open := &calls{}
	one := &whole{WriteCloser: out, calls: open}
	reader := &lines{Closer: in, in: bufio.NewReader(in), out: one, words: p.Words, calls: open, ctx: ctx}
	err := New(p).Run(ctx, &mcp.IOTransport{Reader: reader, Writer: one})
	if err != nil && (errors.Is(err, io.EOF) || ctx.Err() != nil) {
		return nil
	}
	return err
}

// alone waits for the turn to record. The returned function gives it back.
func (s *server) alone(ctx context.Context) (func(), error) {
	select {
	case s.turn <- struct{}{}:
		return func() { <-s.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// at is the place for one call: a client that asked for progress gets it.
func (s *server) at(ctx context.Context, req *mcp.CallToolRequest) app.Place {
	p := s.place
	token := req.Params.GetProgressToken()
	if token == nil {
		return p
	}
	told := 0.0
	p.Watch = func(e app.Event) {
		if e.Kind != app.StepBegins {
			return
		}
		told++
		// A client that does not listen any more misses the progress, not the result.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: told, Total: float64(e.Of), Message: text.Safe(e.Step)})
	}
	return p
}

// fault is an error as a model gets it: what went wrong, and what to do next.
func (s *server) fault(err error) error {
	f := app.Describe(err, s.place.Words)
	if f.Hint == "" {
		return errors.New(f.Message)
	}
	return errors.New(f.Message + "\n" + s.place.Words.Say("error.hint") + ": " + f.Hint)
}

// fenceEnd is what ends a fence, in any spelling that a model may take for it.
var fenceEnd = regexp.MustCompile(`(?i)<\s*/\s*session-data`)

// fenced marks what others have written as data. A text cannot end its own fence.
func (s *server) fenced(body string) string {
	body = fenceEnd.ReplaceAllString(text.SafeLines(body), `<\/session-data`)
	return s.place.Words.Say("mcp.fence") + "\n<session-data>\n" + strings.TrimRight(body, "\n") + "\n</session-data>"
}

func said(lines ...string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Join(lines, "\n")}}}
}
