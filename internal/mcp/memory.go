package mcp

import (
	"context"
	"strings"
	"time"

	"session/internal/app"
	"session/internal/quote"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// memoryIn is what the tool memory_search takes. top_k has no default (S3.6).
type memoryIn struct {
	Query   string `json:"query" jsonschema:"what to look for: words, names, file names"`
	TopK    int    `json:"top_k" jsonschema:"at most so many items"`
	All     bool   `json:"all,omitempty" jsonschema:"in every session, not only this work tree's"`
	Session string `json:"session,omitempty" jsonschema:"in this session instead of this work tree's"`
}

// memoryOut is what was found, the best first.
type memoryOut struct {
	About string       `json:"about"`
	Items []remembered `json:"items"`
}

// maxSummary is the most that is quoted of one item, in columns.
const maxSummary = 2000

type remembered struct {
	ID        string    `json:"id"`
	Timestamp time.Time `json:"timestamp"`
	Summary   string    `json:"summary"`
}

func (s *server) memorySearch(ctx context.Context, req *mcp.CallToolRequest, in memoryIn) (*mcp.CallToolResult, memoryOut, error) {
	q := app.MemoryQuery{Text: in.Query, TopK: in.TopK, Ranking: "count-recency"}
	q.All, q.Session = in.All, in.Session
	found, err := app.SearchMemory(ctx, s.at(ctx, req), q)
	if err != nil {
		return nil, memoryOut{}, s.fault(err)
	}
	out := memoryOut{About: s.place.Words.Say("mcp.fence"), Items: []remembered{}}
	lines := []string{}
	for _, f := range found {
		out.Items = append(out.Items, remembered{string(f.ID), f.Timestamp, quote.Words(f.Summary, maxSummary)})
		lines = append(lines, quote.Line(f.Timestamp.Format(time.DateOnly)+" "+f.Summary, maxSummary))
	}
	if len(lines) == 0 {
		lines = append(lines, s.place.Words.Say("mcp.memory_search.nothing"))
	}
	return said(s.fenced(strings.Join(lines, "\n"))), out, nil
}
