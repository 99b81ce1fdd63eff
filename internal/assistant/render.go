package assistant

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// files holds what is installed. files/claude is the same tree as the project's own .claude folder (a test compares
// them), which is the commands of this project and a plugin at once; the files of the other assistants are made from it.
//
//go:embed all:files
var files embed.FS

// file is a file that init writes as a whole.
type file struct {
	path string // relative to the root, with slashes
	data []byte
}

// role is an agent as files/claude/agents describes it.
type role struct {
	name, description, body string
}

// Agents are the names of the agents that come with the program (seed 001, blocker types).
func Agents() []string {
	return []string{"architect", "code-editor", "cpp-builder", "devops", "tester"}
}

// Instructions is an agent's own prompt, for programs that cannot be told an agent by its name. "" for an agent that
// does not come with the program.
func Instructions(agent string) string {
	r, err := roleOf(agent)
	if err != nil {
		return ""
	}
	return r.body
}

func roleOf(agent string) (role, error) {
	data, err := files.ReadFile("files/claude/agents/" + agent + ".md")
	if err != nil {
		return role{}, err
	}
	head, body, err := frontMatter(string(data))
	return role{name: head["name"], description: head["description"], body: body}, err
}

// frontMatter splits one of our own Markdown files: its head holds plain "key: value" lines only.
func frontMatter(text string) (map[string]string, string, error) {
	head, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	if !ok {
		return nil, "", fmt.Errorf("no front matter")
	}
	keys := map[string]string{}
	for _, line := range strings.Split(head, "\n") {
		k, v, _ := strings.Cut(line, ":")
		keys[k] = strings.TrimSpace(v)
	}
	return keys, strings.TrimLeft(body, "\n"), nil
}

// command is one of the four commands, in words that hold for every assistant.
type command struct {
	name, description, after string
}

// commands reads the commands from Claude Code's files: what the program is called with, and what to do with its answer.
func commandsShipped() ([]command, error) {
	var all []command
	for _, name := range []string{"save", "load", "status", "blocker"} {
		data, err := files.ReadFile("files/claude/commands/session/" + name + ".md")
		if err != nil {
			return nil, err
		}
		head, body, err := frontMatter(string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		_, after, _ := strings.Cut(body, "\n\n")
		all = append(all, command{name: name, description: head["description"], after: neutral(after)})
	}
	return all, nil
}

// neutral words what names Claude Code's tools for all assistants.
func neutral(text string) string {
	return strings.NewReplacer("with the Bash tool and a timeout of 600000 ms", "in a shell, and let it take ten minutes",
		"start that agent with the step and its evidence", "hand that agent the step and its evidence").Replace(text)
}

// line is what the program is called with by a command; the arguments that a person typed follow.
func (c command) line() string {
	if c.name == "save" {
		return "session save --assistant --inline"
	}
	return "session " + c.name + " --assistant"
}

// shipped are the files that belong to an assistant as a whole. On Windows a colon is no part of a file name.
func shipped(n Name, windows bool) ([]file, error) {
	switch n {
	case Claude:
		return claudeFiles()
	case Gemini:
		return each(geminiCommand, geminiAgent)
	case Codex:
		skills, err := skillFiles()
		if err != nil {
			return nil, err
		}
		agents, err := each(nil, codexAgent)
		return append(skills, agents...), err
	case OpenCode:
		all, err := each(func(c command) file { return openCodeCommand(c, windows) }, openCodeAgent)
		if err != nil {
			return nil, err
		}
		plugin, err := files.ReadFile("files/opencode/session.js")
		return append(all, file{".opencode/plugins/session.js", plugin}), err
	case Copilot:
		skills, err := skillFiles()
		if err != nil {
			return nil, err
		}
		agents, err := each(nil, copilotAgent)
		hooks := file{".github/hooks/session.json", hookFile(Copilot, 1)}
		return append(append(skills, agents...), hooks), err
	case Cursor:
		return each(cursorCommand, nil)
	}
	return nil, &UnknownError{string(n)}
}

// claudeFiles are the commands and agents of the embedded .claude folder; what makes it a plugin stays there.
func claudeFiles() (all []file, err error) {
	for _, dir := range []string{"commands/session", "agents"} {
		err := fs.WalkDir(files, "files/claude/"+dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := files.ReadFile(p)
			all = append(all, file{".claude/" + strings.TrimPrefix(p, "files/claude/"), data})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func skillFiles() (all []file, err error) {
	for _, name := range []string{"session-save", "session-load"} {
		data, err := files.ReadFile("files/skills/" + name + "/SKILL.md")
		if err != nil {
			return nil, err
		}
		all = append(all, file{".agents/skills/" + name + "/SKILL.md", data})
	}
	return all, nil
}

// each renders every command and every agent; nil renders none.
func each(asCommand func(command) file, asAgent func(role) file) (all []file, err error) {
	if asCommand != nil {
		list, err := commandsShipped()
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			all = append(all, asCommand(c))
		}
	}
	if asAgent != nil {
		for _, name := range Agents() {
			r, err := roleOf(name)
			if err != nil {
				return nil, err
			}
			all = append(all, asAgent(r))
		}
	}
	return all, nil
}

// geminiCommand: Gemini CLI quotes {{args}} for the shell, all of it as one word, so the program splits it itself.
func geminiCommand(c command) file {
	text := "description = " + strconv.Quote(c.description) + "\nprompt = '''\n!{" + c.line() + " --arguments={{args}}}\n\n" + c.after + "'''\n"
	return file{".gemini/commands/session/" + c.name + ".toml", []byte(text)}
}

func geminiAgent(r role) file {
	return file{".gemini/agents/" + r.name + ".md", markdown([][2]string{{"name", r.name}, {"description", r.description}}, r.body)}
}

func codexAgent(r role) file {
	text := "name = " + strconv.Quote(r.name) + "\ndescription = " + strconv.Quote(r.description) + "\ndeveloper_instructions = '''\n" + r.body + "'''\n"
	return file{".codex/agents/" + r.name + ".toml", []byte(text)}
}

// openCodeCommand: OpenCode pastes the arguments into a shell line and asks nobody. A quoted here-document, whose last word
// is sealed when it is installed, keeps the shell from reading them; the program takes them from standard input.
func openCodeCommand(c command, windows bool) file {
	path := ".opencode/commands/session:" + c.name + ".md"
	if windows {
		path = ".opencode/commands/session/" + c.name + ".md"
	}
	body := "!`" + c.line() + " --arguments=- <<'END-OF-SESSION-ARGUMENTS'\n$ARGUMENTS\nEND-OF-SESSION-ARGUMENTS\n`\n\n" + c.after
	return file{path, markdown([][2]string{{"description", c.description}}, body)}
}

func openCodeAgent(r role) file {
	return file{".opencode/agents/" + r.name + ".md", markdown([][2]string{{"description", r.description}, {"mode", "subagent"}}, r.body)}
}

func copilotAgent(r role) file {
	return file{".github/agents/" + r.name + ".agent.md", markdown([][2]string{{"name", r.name}, {"description", r.description}}, r.body)}
}

// cursorCommand: a Cursor command is a prompt; the model runs the program [documentation].
func cursorCommand(c command) file {
	text := "# " + c.description + "\n\nRun `" + strings.TrimSuffix(c.line(), " --inline") + "` in a shell at the root of this project, with the options that the user gave behind this command, if any. Then:\n\n" + c.after
	return file{".cursor/commands/session-" + c.name + ".md", []byte(text)}
}

func markdown(head [][2]string, body string) []byte {
	var b strings.Builder
	b.WriteString("---\n")
	for _, h := range head {
		b.WriteString(h[0] + ": " + h[1] + "\n")
	}
	b.WriteString("---\n\n" + body)
	return []byte(b.String())
}

// merged is a settings file that others use too, and what is added to it.
type merged struct {
	path   string
	pieces []Piece
}

// merges are the settings files of an assistant that init adds to.
func merges(n Name) []merged {
	switch n {
	case Claude:
		return []merged{{".claude/settings.json", hookPieces(n)}}
	case Gemini:
		return []merged{{".gemini/settings.json", hookPieces(n)}}
	case Codex:
		return []merged{{".codex/hooks.json", hookPieces(n)}}
	case Cursor:
		version := Piece{At: []string{"version"}, Value: rawJSON(1), Set: true}
		return []merged{{".cursor/hooks.json", append([]Piece{version}, hookPieces(n)...)}}
	}
	return nil
}
