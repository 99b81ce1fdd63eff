package commands

import (
	"io"

	"session/internal/app"

	"github.com/urfave/cli/v2"
)

// mcpCommand is session mcp.
func (r *root) mcpCommand() *cli.Command {
	return &cli.Command{Name: "mcp", Usage: r.words.Say("mcp.usage"), Description: r.words.Say("mcp.help"), Action: r.act(r.mcp)}
}

func (r *root) mcp(k *call) error {
	if err := k.none(); err != nil {
		return err
	}
	k.place.Prompt = false // standard input and output belong to the protocol
	if r.Parts.MCP == nil {
		return &app.MissingError{What: "the Model Context Protocol"}
	}
	return r.Parts.MCP(k.Ctx(), k.place, io.NopCloser(r.In), unclosed{r.Out})
}

// unclosed is a stream that stays open when the protocol is done with it.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
