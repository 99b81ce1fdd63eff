package assistant

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// builder gathers a page while the lines of a transcript go by.
type builder struct {
	o     TranscriptOptions
	page  Page
	dry   bool // only calls of tools are noted: the page begins later
	anew  bool // the file is read from its beginning although something of it may be known
	calls map[string]call
	byID  map[string]int // segment of a message that comes in several lines
	used  string         // message whose usage was counted last
	last  string
	cost  int64
}

// call is a call of a tool whose result may come later.
type call struct {
	segment, tool int // where it stands in the page; -1 before it
	use           ToolUse
	command       string
}

func newBuilder(o TranscriptOptions) *builder {
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	return &builder{o: o, calls: map[string]call{}, byID: map[string]int{}, used: o.After.Counted, last: o.After.Last, cost: o.After.Cost}
}

// line reads one line, unless it is too long or no JSON.
func (b *builder) line(read func(*builder, []byte), l []byte) {
	if len(l) == 0 || l[0] != '{' {
		b.unread()
		return
	}
	read(b, l)
}

// object checks a line before it is trusted; gjson itself takes anything.
func (b *builder) object(l []byte) (gjson.Result, bool) {
	if !json.Valid(l) {
		b.unread()
		return gjson.Result{}, false
	}
	return gjson.ParseBytes(l), true
}

func (b *builder) unread() {
	if !b.dry {
		b.page.Unread++
	}
}

// seen notes that a message was read, with all that it brought. Where a file is read anew, because it is another one or
// was rewritten, everything up to the last message that is known is dropped.
func (b *builder) seen(id string) {
	if b.dry || id == "" {
		return
	}
	if b.anew && id == b.o.After.Last {
		b.page = Page{Skipped: b.page.Skipped, Unread: b.page.Unread}
		for k, c := range b.calls {
			c.segment = -1
			b.calls[k] = c
		}
		clear(b.byID)
	}
	b.last = id
}

// OwnCommand is how a message begins that is a call of one of this program's commands.
const OwnCommand = "/session:"

// typed is what a person typed, where the assistant put what a command of ours made of it into its place.
func typed(text string) string {
	all, err := commandsShipped()
	if err != nil {
		return text
	}
	for _, c := range all {
		if end := strings.TrimSpace(c.after); strings.HasSuffix(strings.TrimSpace(text), end) {
			return OwnCommand + c.name
		}
	}
	return text
}

// say adds text to a message, and begins the message if its id is new.
func (b *builder) say(id string, role Role, at time.Time, model, text string) int {
	if b.dry {
		return -1
	}
	if role == User {
		text = typed(text)
	}
	if i, ok := b.byID[id]; ok && id != "" {
		if s := &b.page.Segments[i]; text != "" {
			s.Text = strings.TrimLeft(s.Text+"\n"+text, "\n")
		}
		return i
	}
	if len(b.page.Segments) == maxSegments {
		b.forget()
	}
	b.page.Segments = append(b.page.Segments, Segment{ID: id, Role: role, At: at, Model: word(model), Text: text})
	if id != "" {
		b.byID[id] = len(b.page.Segments) - 1
	}
	return len(b.page.Segments) - 1
}

// forget drops the older half of a page that is full: the newest messages count.
func (b *builder) forget() {
	half := maxSegments / 2
	b.page.Segments = append([]Segment(nil), b.page.Segments[half:]...)
	for id, i := range b.byID {
		if b.byID[id] = i - half; i < half {
			delete(b.byID, id)
		}
	}
	for id, c := range b.calls {
		c.segment = max(-1, c.segment-half)
		b.calls[id] = c
	}
}

// called notes a call of a tool in a message.
func (b *builder) called(segment int, id, name string, input gjson.Result) {
	c := call{segment: -1, use: ToolUse{Name: word(name), Input: inputOf(input), Agent: agentOf(name, input)}, command: commandOf(input)}
	if segment >= 0 && !b.dry {
		s := &b.page.Segments[segment]
		s.Tools = append(s.Tools, c.use)
		c.segment, c.tool = segment, len(s.Tools)-1
	}
	if id != "" {
		b.calls[id] = c
	}
}

// outcome is the result of a call.
type outcome struct {
	output  string
	failed  bool
	code    int // -1: not known
	agentID string
	at      time.Time
	goesOn  bool // it was put into the background, or interrupted: how it ends is not known
}

// resulted joins a result to its call; one whose call was read earlier becomes a segment of its own.
func (b *builder) resulted(id string, r outcome) {
	c, known := b.calls[id]
	if b.dry || !known {
		return
	}
	if c.segment < 0 {
		c.segment, c.tool = b.say("", Tool, r.at, "", ""), 0
		b.page.Segments[c.segment].Tools = []ToolUse{c.use}
		b.calls[id] = c
	}
	if showsEnvironment(c.command) {
		r.output = ""
	}
	use := &b.page.Segments[c.segment].Tools[c.tool]
	use.Output, use.Failed, use.AgentID = r.output, r.failed, r.agentID
	if r.code >= 0 {
		use.ExitCode = &r.code
	}
	if c.command == "" || r.goesOn || !BuildsOrTests(c.command) {
		return
	}
	ran := Ran{Tool: c.use.Name, Command: c.command, Failed: r.failed, ExitCode: r.code, At: r.at}
	if r.failed {
		ran.Output = r.output
	}
	b.page.Ran = append(b.page.Ran[max(0, len(b.page.Ran)-maxRan+1):], ran)
}

// spent counts the usage of a message once, however many lines it has.
func (b *builder) spent(message string, u Usage) {
	if b.dry || message != "" && message == b.used {
		return
	}
	b.used = message
	b.page.Usage.add(u)
}

// total notes the transcript's own sum of what it has cost so far.
func (b *builder) total(micro int64) {
	if !b.dry && micro >= 0 {
		b.cost = micro
	}
}

func (b *builder) finish(next Position) Page {
	next.Last, next.Counted, next.Cost = b.last, b.used, b.cost
	p := b.page
	p.Next = next
	if p.CostMicro == 0 {
		if p.CostMicro = b.cost - b.o.After.Cost; p.CostMicro < 0 { // another transcript's sum
			p.CostMicro = b.cost
		}
	}
	kept := p.Segments[:0]
	for _, s := range p.Segments {
		if s.Text != "" || len(s.Tools) > 0 {
			kept = append(kept, b.cleaned(s))
		}
	}
	p.Segments = kept
	for i, f := range p.Ran {
		p.Ran[i].Command, p.Ran[i].Output = b.tail(f.Command, proofLimit), b.tail(f.Output, proofLimit)
	}
	return p
}

func (b *builder) cleaned(s Segment) Segment {
	s.Text, s.Cut = b.head(s.Text, textLimit)
	for i := range s.Tools {
		s.Tools[i].Input, _ = b.head(s.Tools[i].Input, inputLimit)
		s.Tools[i].Output = b.tail(s.Tools[i].Output, outputLimit)
	}
	return s
}

// head redacts and cuts a text. Twice the limit is looked at, so that no secret is cut in half before it is found.
func (b *builder) head(text string, limit int) (string, bool) {
	long := len(text) > limit
	text = b.o.Redact(strings.ToValidUTF8(text[:min(len(text), 2*limit)], "\uFFFD"))
	if len(text) <= limit {
		return text, long
	}
	return strings.ToValidUTF8(text[:limit], ""), true
}

func (b *builder) tail(text string, limit int) string {
	return tailOf(b.o.Redact(tailOf(text, 2*limit)), limit)
}

// inputOf is the part of a tool's input that says what it was about.
func inputOf(in gjson.Result) string {
	if in.Type == gjson.String {
		return in.Str
	}
	if s := first(in, "command", "cmd", "file_path", "filePath", "path", "pattern", "url", "description"); s != "" {
		return s
	}
	return in.Raw[:min(len(in.Raw), 2*inputLimit)]
}

// commandOf is the shell line of a tool's input; "" where it has none.
func commandOf(in gjson.Result) string { return first(in, "command", "cmd") }

// agentOf is the agent that a call starts; the tools have different names, their inputs tell.
func agentOf(tool string, in gjson.Result) string {
	switch tool {
	case "Agent", "Task", "task", "invoke_agent", "spawn_agent":
		return agentName(first(in, "subagent_type", "agent_type", "agent_name", "agent"))
	}
	return ""
}

func when(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

func millis(n int64) time.Time {
	if n <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}
