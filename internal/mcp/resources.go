package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"session/internal/app"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	stateURI    = "session://state"
	briefURI    = "session://brief"
	snapshotURI = "session://snapshot/"
)

func (s *server) addResources(m *mcp.Server) {
	say := s.place.Words.Say
	m.AddResource(&mcp.Resource{URI: stateURI, Name: "state", Title: say("mcp.state.title"), Description: say("mcp.state.description"), MIMEType: "application/json"}, s.readState)
	m.AddResource(&mcp.Resource{URI: briefURI, Name: "brief", Title: say("mcp.brief.title"), Description: say("mcp.brief.description"), MIMEType: "text/plain"}, s.readBrief)
	m.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: snapshotURI + "{id}", Name: "snapshot", Title: say("mcp.snapshot.title"),
		Description: say("mcp.snapshot.description"), MIMEType: "application/json"}, s.readSnapshot)
}

func (s *server) readState(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	r, err := app.Show(ctx, s.place, "")
	if err != nil {
		return nil, s.fault(err)
	}
	state := r.Context.State
	state.Snapshot, state.Line = r.ID, r.Line
	return document(req.Params.URI, state)
}

func (s *server) readSnapshot(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	r, err := app.Show(ctx, s.place, strings.TrimPrefix(req.Params.URI, snapshotURI))
	if err != nil {
		return nil, s.fault(err)
	}
	return document(req.Params.URI, r)
}

func document(uri string, v any) (*mcp.ReadResourceResult, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return content(uri, "application/json", string(b)), nil
}

func content(uri, mime, body string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: body}}}
}

func (s *server) readBrief(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	r, err := app.Load(ctx, s.place, app.LoadOptions{Assistant: true})
	if err != nil {
		return nil, s.fault(err)
	}
	return content(req.Params.URI, "text/plain", s.fenced(r.Brief.Text(briefWidth))), nil
}

func (s *server) addPrompts(m *mcp.Server) {
	say := s.place.Words.Say
	m.AddPrompt(&mcp.Prompt{Name: "load", Title: say("mcp.load.title"), Description: say("mcp.load.prompt"),
		Arguments: []*mcp.PromptArgument{{Name: "id", Description: say("mcp.load.id")}}}, s.promptLoad)
	m.AddPrompt(&mcp.Prompt{Name: "save", Title: say("mcp.save.title"), Description: say("mcp.save.prompt")}, s.promptSave)
	m.AddPrompt(&mcp.Prompt{Name: "unblock", Title: say("mcp.unblock.title"), Description: say("mcp.unblock.prompt")}, s.promptUnblock)
}

func asked(parts ...string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: strings.Join(parts, "\n\n")}}}}
}

func (s *server) promptLoad(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	r, err := app.Load(ctx, s.place, app.LoadOptions{ID: req.Params.Arguments["id"], Assistant: true})
	if err != nil {
		return nil, s.fault(err)
	}
	return asked(s.place.Words.Say("mcp.load.ask"), s.fenced(r.Brief.Text(briefWidth))), nil
}

func (s *server) promptSave(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return asked(s.place.Words.Say("mcp.save.ask")), nil
}

func (s *server) promptUnblock(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	out, err := s.blockers(ctx, s.place, blockerIn{})
	if err != nil {
		return nil, s.fault(err)
	}
	return asked(s.place.Words.Say("mcp.unblock.ask"), s.fenced(s.blockerText(out))), nil
}
