package commands

import (
	"slices"
	"strings"

	"session/internal/text"

	"github.com/urfave/cli/v2"
)

// helpTemplate is the help of one command: what it is for, examples, exit codes, flags.
const helpTemplate = `{{.HelpName}}: {{.Usage}}

  {{.HelpName}}{{if .VisibleFlags}} [flags]{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}
{{if .Description}}
{{.Description}}
{{end}}{{if .Subcommands}}
{{range .VisibleCommands}}  {{join .Names ", "}}{{"\t"}}{{.Usage}}
{{end}}{{end}}{{range .VisibleFlagCategories}}
{{if .Name}}{{.Name}}:
{{end}}{{range .Flags}}  {{.}}
{{end}}{{end}}`

// chapters order the commands of the first help page: the main job first. A command that stands nowhere here comes
// last.
var chapters = []struct {
	title    string
	commands []string
}{
	{"help.daily", []string{"save", "load", "status", "tasks", "blocker"}},
	{"help.lineage", []string{"log", "show", "diff", "fork", "undo", "finish", "restore", "export", "import"}},
	{"help.agents", []string{"plan", "run", "memory", "list", "info", "pause", "resume", "cancel", "delete", "answer", "stats"}},
	{"help.service", []string{"serve", "worker", "token", "mcp"}},
	{"help.upkeep", []string{"init", "doctor", "check", "gc", "completion", "schema", "version"}},
}

// frontPage is the help of the program itself.
func (r *root) frontPage(all []*cli.Command) string {
	var b strings.Builder
	b.WriteString("session: " + r.words.Say("app.usage") + "\n\n  session COMMAND [flags]\n")
	told := map[string]bool{}
	line := func(c *cli.Command) {
		told[c.Name] = true
		b.WriteString("  " + text.Pad(c.Name, 11) + " " + c.Usage + "\n")
	}
	for _, ch := range chapters {
		b.WriteString("\n" + r.words.Say(ch.title) + "\n")
		for _, name := range ch.commands {
			if c := find(all, name); c != nil {
				line(c)
			}
		}
	}
	more := slices.DeleteFunc(slices.Clone(all), func(c *cli.Command) bool { return c.Hidden || told[c.Name] })
	if len(more) > 0 {
		b.WriteString("\n" + r.words.Say("help.more") + "\n")
	}
	for _, c := range more {
		line(c)
	}
	b.WriteString("\n" + r.words.Say("help.begin") + "\n")
	return b.String() + "\n{{range .VisibleFlagCategories}}{{if .Name}}{{.Name}}:\n{{range .Flags}}  {{.}}\n{{end}}{{end}}{{end}}"
}

// describe lays out the help of a command: what it does, its examples, its exit codes. A command without help of its
// own shows the examples that its parent has for it.
func (r *root) describe(c *cli.Command, parent string) string {
	help := c.Description
	if help == "" {
		help = strings.Join(examples(parent, c.Name), "\n")
	}
	codes := r.words.Say("help.codes")
	if mark, _, _ := strings.Cut(codes, ":"); !strings.Contains(help, mark+":") {
		help = strings.TrimSpace(help + "\n\n" + codes)
	}
	lines := strings.Split(help, "\n")
	free := true // no sentence runs into this line
	for i, line := range lines {
		example := free && strings.HasPrefix(line, "session ")
		if example {
			lines[i] = "  " + line
		}
		free = line == "" || example
	}
	return strings.Join(lines, "\n")
}

// examples are the lines of a help text that show the subcommand name.
func examples(help, name string) []string {
	var all []string
	for line := range strings.Lines(help) {
		words := strings.Fields(line)
		if len(words) > 2 && words[0] == "session" && words[2] == name {
			all = append(all, strings.Join(words, " "))
		}
	}
	return all
}
