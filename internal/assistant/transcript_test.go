package assistant

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func pageOf(t *testing.T, o TranscriptOptions) Page {
	t.Helper()
	p, err := ReadTranscript(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func said(p Page) string {
	var all []string
	for _, s := range p.Segments {
		line := string(s.Role) + ":" + s.Text
		for _, u := range s.Tools {
			line += fmt.Sprintf("[%s %s failed=%v out=%s agent=%s]", u.Name, u.Input, u.Failed, u.Output, u.Agent)
		}
		all = append(all, line)
	}
	return strings.Join(all, "\n")
}

func user(id, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":"s","timestamp":"2026-01-02T03:04:05Z","message":{"role":"user","content":%q}}`+"\n", id, text)
}

func answerLine(id, message, part string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":"s","message":{"id":%q,"model":"m","content":[%s],"usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":5}}}`+"\n", id, message, part)
}

func result(id, tool, content string, failed bool, more string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q,"is_error":%v}]}%s}`+"\n", id, tool, content, failed, more)
}

func bashCall(id, command string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}`, id, command)
}

func TestClaudeTranscript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	write(t, path, `{"type":"api-request-blob","blob":"`+strings.Repeat("x", 100_000)+`"}`+"\n"+
		user("u1", "build it")+
		answerLine("u2", "m1", `{"type":"text","text":"I build."}`)+
		answerLine("u3", "m1", bashCall("t1", "make all"))+
		result("u4", "t1", "Exit code 2\na.c:1: error: no", true, "")+
		`{"type":"user","isSidechain":true,"uuid":"x","message":{"content":"an agent's"}}`+"\n"+
		`{"type":"user","isMeta":true,"uuid":"y","message":{"content":"not typed"}}`+"\n"+
		`{"type":"user","uuid":"u5","sessionId":"s","message":{"content":"<command-message>session:save</command-message><command-name>/session:save</command-name><command-args>--sync</command-args>"}}`+"\n"+
		answerLine("u6", "m2", `{"type":"tool_use","id":"t2","name":"Agent","input":{"subagent_type":"session:tester","prompt":"go"}}`)+
		"no json at all\n"+
		`{"type":"cost-state","totalCostUSD":0.25}`+"\n"+
		`{"type":"never-heard-of","x":1}`+"\n")
	p := pageOf(t, TranscriptOptions{Path: path, From: Claude})
	agentCall := `{"subagent_type":"session:tester","prompt":"go"}`
	want := "user:build it\nassistant:I build.[Bash make all failed=true out=a.c:1: error: no agent=]\nuser:/session:save --sync\nassistant:[Agent go failed=false out= agent=tester]"
	if got := said(p); got != strings.Replace(want, "Agent go", "Agent "+agentCall, 1) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if p.Usage != (Usage{Input: 20, Output: 4, CacheRead: 10}) || p.CostMicro != 250_000 || p.Unread != 1 || *p.Segments[1].Tools[0].ExitCode != 2 {
		t.Errorf("%+v %d %d", p.Usage, p.CostMicro, p.Unread)
	}
	if len(p.Ran) != 1 || !p.Ran[0].Failed || p.Ran[0].ExitCode != 2 || p.Ran[0].Command != "make all" {
		t.Errorf("%+v", p.Ran)
	}
}

// Every message is read once: the file grows, is rewritten, is copied into a fork, ends in the middle of a line.
func TestEveryMessageOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.jsonl")
	one, two := user("u1", "one")+answerLine("u2", "m1", `{"type":"text","text":"first"}`), user("u3", "two")
	write(t, path, one+two[:20])
	first := pageOf(t, TranscriptOptions{Path: path})
	if got := said(first); got != "user:one\nassistant:first" {
		t.Fatal(got)
	}
	if again := pageOf(t, TranscriptOptions{Path: path, After: first.Next}); len(again.Segments) != 0 || again.Usage != (Usage{}) {
		t.Errorf("again: %s", said(again))
	}
	write(t, path, one+two)
	second := pageOf(t, TranscriptOptions{Path: path, After: first.Next})
	if got := said(second); got != "user:two" {
		t.Errorf("grown: %s", got)
	}
	fork := filepath.Join(dir, "fork.jsonl")
	write(t, fork, `{"type":"summary","sessionId":"s"}`+"\n"+one+two+user("u4", "three"))
	if got := said(pageOf(t, TranscriptOptions{Path: fork, After: second.Next})); got != "user:three" {
		t.Errorf("a fork: %s", got)
	}
	write(t, path, user("n1", "another conversation, sessionId"))
	if got := said(pageOf(t, TranscriptOptions{Path: path, After: second.Next})); !strings.Contains(got, "another") {
		t.Errorf("rewritten: %s", got)
	}
	// the result of a tool that was called before the last reading
	write(t, path, user("u1", "go")+answerLine("u2", "m1", bashCall("t1", "make")))
	before := pageOf(t, TranscriptOptions{Path: path})
	write(t, path, user("u1", "go")+answerLine("u2", "m1", bashCall("t1", "make"))+result("u3", "t1", "fine", false, ""))
	after := pageOf(t, TranscriptOptions{Path: path, After: before.Next})
	if got := said(after); got != "tool:[Bash make failed=false out=fine agent=]" || len(after.Ran) != 1 || after.Ran[0].Failed {
		t.Errorf("a late result: %s %+v", got, after.Ran)
	}
}

// How a command ends that goes on in the background, or that a person refused, is not known.
func TestCommandsWithoutAnEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	write(t, path, user("u1", "go")+answerLine("u2", "m1", bashCall("t1", "make"))+
		result("u3", "t1", "running in the background", false, `,"toolUseResult":{"backgroundTaskId":"b1"}`)+
		answerLine("u4", "m2", bashCall("t2", "make"))+result("u5", "t2", "stopped", false, `,"toolUseResult":{"interrupted":true}`)+
		answerLine("u6", "m3", bashCall("t3", "make"))+result("u7", "t3", "The user doesn't want to proceed", true, "")+
		answerLine("u8", "m4", bashCall("t4", "ls nowhere"))+result("u9", "t4", "Exit code 2\nno such file", true, ""))
	p := pageOf(t, TranscriptOptions{Path: path})
	if len(p.Ran) != 1 || p.Ran[0].ExitCode != -1 {
		t.Errorf("%+v", p.Ran)
	}
}

func TestOtherTranscripts(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		usage            Usage
	}{
		{"codex", `{"type":"session_meta","payload":{"id":"c"}}
{"type":"response_item","timestamp":"2026-01-02T03:04:05Z","payload":{"type":"message","id":"i1","role":"user","content":[{"type":"input_text","text":"build it"}]}}
{"type":"response_item","payload":{"type":"message","id":"i0","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]}}
{"type":"response_item","payload":{"type":"function_call","id":"i2","name":"exec_command","call_id":"k","arguments":"{\"cmd\":\"make\"}"}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"k","exit_code":2,"aggregated_output":"no"}}}
{"type":"response_item","payload":{"type":"message","id":"i3","role":"assistant","content":[{"type":"output_text","text":"It fails."}]}}
{"type":"token_usage_record","payload":{"response_id":"r1","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":2}}}
`, "user:build it\nassistant:[exec_command make failed=true out=no agent=]\nassistant:It fails.", Usage{Input: 6, Output: 2, CacheRead: 4}},
		{"gemini", `{"sessionId":"g","projectHash":"x"}
{"id":"1","type":"user","timestamp":"2026-01-02T03:04:05Z","content":[{"text":"build it"}]}
{"id":"2","type":"gemini","content":"I build.","model":"m","toolCalls":[{"id":"k","name":"run_shell_command","args":{"command":"make"},"status":"success","result":[{"functionResponse":{"response":{"output":"no\nExit Code: 2"}}}]}],"tokens":{"input":10,"cached":4,"output":2,"thoughts":1}}
`, "user:build it\nassistant:I build.[run_shell_command make failed=true out=no\nExit Code: 2 agent=]", Usage{Input: 6, Output: 3, CacheRead: 4}},
		{"copilot", `{"type":"session.start","data":{}}
{"type":"user.message","timestamp":"2026-01-02T03:04:05Z","data":{"messageId":"1","content":"build it"}}
{"type":"assistant.message","data":{"messageId":"2","content":"I build.","toolRequests":[{"toolCallId":"k","name":"bash","arguments":{"command":"make"}}]}}
{"type":"tool.execution_complete","data":{"toolCallId":"k","success":true,"result":{"content":"no"},"shellExecution":{"exitCode":2}}}
{"type":"assistant.message","agentId":"a","data":{"messageId":"3","content":"an agent's"}}
{"type":"session.usage_record","data":{"usage":{"apiCallId":"u","inputTokens":10,"outputTokens":2}}}
`, "user:build it\nassistant:I build.[bash make failed=true out=no agent=]", Usage{Input: 10, Output: 2}},
	} {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		write(t, path, c.text)
		p := pageOf(t, TranscriptOptions{Path: path})
		if got := said(p); got != c.want || p.Usage != c.usage {
			t.Errorf("%s: %+v\n%s\nwant\n%s", c.name, p.Usage, got, c.want)
		}
		if len(p.Ran) != 1 || !p.Ran[0].Failed || p.Ran[0].ExitCode != 2 {
			t.Errorf("%s: %+v", c.name, p.Ran)
		}
		if again := pageOf(t, TranscriptOptions{Path: path, After: p.Next}); len(again.Segments) != 0 {
			t.Errorf("%s again: %s", c.name, said(again))
		}
	}
}

func TestInlineMessages(t *testing.T) {
	text := `[{"id":"1","role":"user","parts":[{"type":"text","text":"build it"}]},
		{"id":"2","role":"assistant","cost":0.5,"tokens":{"input":3,"output":1},"parts":[{"type":"text","text":"I build."},
		{"type":"tool","tool":"bash","callID":"k","state":{"status":"completed","input":{"command":"make"},"output":"no","exit":2}}]}]`
	p := ReadInline([]byte(text), Position{}, nil)
	if got := said(p); got != "user:build it\nassistant:I build.[bash make failed=true out=no agent=]" || p.CostMicro != 500_000 || p.Usage.Input != 3 {
		t.Errorf("%s %+v", got, p)
	}
	if again := ReadInline([]byte(text), p.Next, nil); len(again.Segments) != 0 {
		t.Errorf("again: %s", said(again))
	}
	if bad := ReadInline([]byte("no json"), p.Next, nil); bad.Unread != 1 || bad.Next.Last != p.Next.Last {
		t.Errorf("%+v", bad)
	}
}

// A command of ours that an assistant has put its result in the place of is told by what stands behind it.
func TestOwnCommandsAreNoPrompts(t *testing.T) {
	all, err := commandsShipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if got := typed("saved abc\n\n" + c.after); got != "/session:"+c.name {
			t.Errorf("%s is %q", c.name, got)
		}
	}
	if got := typed("please save"); got != "please save" {
		t.Error(got)
	}
}

func TestTranscriptsAreRedactedAndBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	hide := func(s string) string { return strings.ReplaceAll(s, "SECRET", "[gone]") }
	long := strings.Repeat("a", textLimit-3) + "SECRET"
	write(t, path, user("u1", long)+answerLine("u2", "m1", bashCall("t1", "make SECRET"))+result("u3", "t1", "Exit code 1\nSECRET", true, "")+
		`{"type":"user","sessionId":"s","uuid":"u4","message":{"content":"`+strings.Repeat("x", maxLine)+`"}}`+"\n")
	p := pageOf(t, TranscriptOptions{Path: path, Redact: hide})
	all := fmt.Sprintf("%+v", p)
	if strings.Contains(all, "SECRE") || !strings.Contains(all, "make [gone]") {
		t.Errorf("not redacted: %s", all[max(0, len(all)-500):])
	}
	if !p.Segments[0].Cut || len(p.Segments[0].Text) > textLimit || p.Unread != 1 {
		t.Errorf("not bounded: %d %v %d", len(p.Segments[0].Text), p.Segments[0].Cut, p.Unread)
	}
	var many strings.Builder
	for i := range 3000 {
		many.WriteString(user(fmt.Sprint("u", i), fmt.Sprint("message ", i)))
	}
	write(t, path, many.String())
	p = pageOf(t, TranscriptOptions{Path: path})
	if n := len(p.Segments); n > maxSegments || p.Segments[n-1].Text != "message 2999" {
		t.Errorf("%d segments", n)
	}
	if p := pageOf(t, TranscriptOptions{Path: path, MaxBytes: 1000}); p.Skipped == 0 || len(p.Segments) == 0 {
		t.Errorf("%d bytes skipped, %d segments", p.Skipped, len(p.Segments))
	}
}

func TestWhatIsNoTranscript(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadTranscript(TranscriptOptions{Path: filepath.Join(dir, "none")}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := ReadTranscript(TranscriptOptions{Path: dir}); err == nil {
		t.Error("a folder is read")
	}
	write(t, filepath.Join(dir, "x"), "hello\n")
	if _, err := ReadTranscript(TranscriptOptions{Path: filepath.Join(dir, "x")}); !errors.Is(err, ErrNoTranscript) {
		t.Error(err)
	}
}

func FuzzTranscript(f *testing.F) {
	f.Add([]byte(user("u1", "x")+answerLine("u2", "m1", bashCall("t1", "make"))+result("u3", "t1", "Exit code 1\nx", true, "")), int64(3))
	f.Add([]byte(`{"type":"session_meta"}`+"\n"+`{"type":"response_item","payload":{"type":"function_call_output","call_id":"k","output":"Process exited with code 1\nOutput:\nx"}}`+"\n"), int64(0))
	f.Add([]byte(`{"projectHash":""}`+"\n"+`{"id":"1","type":"gemini","toolCalls":[{"id":"k"}]}`+"\n"), int64(9))
	f.Fuzz(func(t *testing.T, text []byte, at int64) {
		file, size := bytes.NewReader(text), int64(len(text))
		for _, n := range append(Names(), "") {
			p, err := readTranscript(file, size, TranscriptOptions{From: n, After: Position{Offset: at, Mark: "x", Last: "u1"}})
			if err != nil {
				continue
			}
			if p.Next.Offset < 0 || p.Next.Offset > int64(len(text)) {
				t.Fatalf("%s: offset %d of %d", n, p.Next.Offset, len(text))
			}
			again, err := readTranscript(file, size, TranscriptOptions{From: n, After: p.Next})
			if err != nil || p.Next.Offset > 0 && len(again.Segments) > 0 {
				t.Fatalf("%s: read twice: %v %s", n, err, said(again))
			}
		}
		ReadInline(text, Position{}, nil)
	})
}
