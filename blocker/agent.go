package blocker

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"

	"session/internal/lazy"
)

// maxReport bounds an agent's report, in bytes; the end counts, where the status stands.
const maxReport = 256 << 10

// status is what an agent says about itself.
type status int

const (
	statusNone status = iota
	statusOK
	statusFailed
	statusDecision
	statusReview
)

// words are the status words, in the forms that agents write, by what they mean.
const (
	wordsDecision = `DECISION[_ ]NEEDED|DECISION[_ ]REQUIRED|NEEDS[_ ]DECISION|AWAITING[_ ]DECISION|NEEDS[_ ](?:USER[_ ])?INPUT|결정[_ ]?필요|의사결정[_ ]?필요|사용자[_ ]결정[_ ]필요`
	wordsReview   = `CHANGES[_ ]REQUESTED|REQUEST[_ ]CHANGES|변경[_ ]?요청|수정[_ ]?요청`
	wordsFailed   = `FAILED|FAILURE|FAIL|ERROR|BLOCKED|실패(?:함|했습니다)?|오류(?: 발생)?|차단됨`
	wordsOK       = `SUCCESS(?:FUL)?|SUCCEEDED|COMPLETED?|DONE|PASSED|PASS|OK|APPROVED|READY|RESOLVED|성공|완료|통과|승인|정상|해결(?:됨|완료)?`
	marks         = `(?:[✅❌🔴🟢🟡✗✘✓✔⚠❓✋⏸🛑🚫]️?\s*)*`
)

var (
	// A status line: an optional agent's name, a label, the word. A table row and JSON count.
	statusLine = lazy.Regexp(`(?i)^[\s>#*_|\-\["{\x60]*(?:(?:agent\s*[:：]\s*)?[\w ./-]{1,40}?[\])]?["*_\s]*[|:–—-]?\s*["*_\s]*)?` +
		`(?:final[ _]?)?(?:status|state|result|outcome|verdict|상태|결과|판정|최종 상태|작업 결과)["*_\s)]*[:：=|→]+["*_\s\x60\[]*` + marks + `["*_\x60]*` +
		`(?:(` + wordsDecision + `)|(` + wordsReview + `)|(` + wordsFailed + `)|(` + wordsOK + `))(?:["*_\x60\],.:;|!})\s—-]|$)`)
	// A line that is nothing but the name of an agent and a word, or that begins with a word in capitals and a colon.
	bareLine = lazy.Regexp(`^[\s>#*_|\[\x60-]*(?:(?:[Aa]gent\s*[:：]\s*)?[a-z][\w-]{1,40}[\]\s*_|]*[:|–—-]?\s*)?[*_\x60\s]*` + marks + `[*_\x60\s]*` +
		`(?:(` + wordsDecision + `)|(` + wordsReview + `)|(FAILED|FAILURE|BLOCKED|실패)|(SUCCESS|COMPLETED|PASSED|성공|완료))[*_\x60|\]\s]*(?:$|[:：—]\s|- )`)
	// Whole sentences that ask for a decision or own up to a failure.
	askLine = lazy.Regexp(`(?i)(?:^|[.!?]\s+|^\W*)(?:(?:i|we) need (?:a|your|the user'?s?) (?:decision|choice|input) |(?:a |your |user )?decision (?:is )?(?:needed|required)\b|please (?:decide|choose|pick|confirm) (?:which|between|whether|how|one)|which (?:option|approach|one)(?: \w+)? (?:should|do you|would you)|(?:waiting|blocked) (?:for|on) (?:a|your) decision)` +
		`|(?:결정이 필요(?:합니다|해요|함)|결정해 ?(?:주세요|주십시오)|선택해 ?(?:주세요|주십시오)|어느 (?:쪽|방안|방식|것)[^.?]{0,30}(?:할까요|하시겠습니까|진행할까요)|결정을 (?:기다리|내려 ?주))`)
	failLine = lazy.Regexp(`(?i)^[\s>#*_\-]*` + marks + `(?:the )?(?:(?:build|compilation|compile|link(?:ing)?|configure|configuration|tests?|test suite|test run|\d+ (?:of \d+ )?tests?)(?: has| have)? failed\b|(?:빌드|컴파일|링크|테스트|구성)(?:가|이|에|는|은)?\s?(?:\d+(?:건|개)(?:가|이)?\s)?실패(?:했|하였|함|입니다|$|[.!:]))`)
	// A sentence about what would be, was, or is over, is no report.
	mention  = lazy.Regexp(`(?i)\b(?:if|when|whenever|unless|might|until|once|previously|earlier|before|used to|no longer|not|never|no decision|without|e\.g|for example|means|returns?|fixed|resolved)\b|(?:시에?|하면|되면|경우|라면|때|이전|해결|수정 ?완료|아닙니다|불필요)`)
	question = lazy.Regexp(`(?i)^[\s>#*_\-\d.]*(?:question|decision(?: needed| required)?|the question|질문|결정 ?(?:사항|필요)?|문의|논점|DECISION_NEEDED|DECISION_REQUIRED)[*_\s]*[:：—-]+[*_\s]*(\S.*)`)
	summary  = lazy.Regexp(`(?i)^[\s>#*_\-\d.]*(?:summary|error|errors|cause|root cause|reason|problem|message|요약|오류|에러|원인|사유|문제|메시지)[*_\s]*[:：—-]+[*_\s]*(\S.*)`)
	heading  = lazy.Regexp(`(?i)^(?:[\s>#*_|\-"{]*(?:agent|subagent|subagent_type|에이전트)["*_\s]*[:：=|]["*_\s\x60]*([\w-]+)|\s*[#*\s]*\[([a-z][\w-]*)\]["*_\s]*(?:status|state|상태|결과|report|보고))`)
)

// FromReport reads the last report of an agent (S1.12): a status of failure, or a question that waits for a decision. A
// mere mention of the words is no report. nil: the agent reports neither. name may be empty, then a heading tells it.
func FromReport(name, report string, o Options) *Blocker {
	if len(report) > maxReport {
		report = report[len(report)-maxReport:]
	}
	text := string(stripEscapes(nil, []byte(strings.ToValidUTF8(report, "\uFFFD"))))
	lines := strings.Split(text, "\n")
	name = or(name, agentHead([]byte(text)))
	st, at := statusOf(lines)
	if st == statusNone {
		st, at = spoken(name, lines)
	}
	b := Blocker{AutoDetected: true, DetectedAt: o.Now, Rule: "agent-report", Source: or(name, "agent"), LogLine: at + 1}
	switch st {
	case statusDecision:
		b.Type, b.Message = DecisionRequired, or(ask(lines, at), strings.TrimSpace(lines[at]))
		b.Resolution = "Answer the question of " + b.Source + ", record the decision, then go on"
		b.ErrorPattern = Pattern(b.Message)
	case statusReview:
		b.Type, b.Message = ReviewBlocked, or(labelled(summary, lines), strings.TrimSpace(lines[at]))
	case statusFailed:
		failed(&b, name, lines, at, o)
	default:
		return nil
	}
	if len(b.Evidence) == 0 {
		b.Evidence = around(lines, at)
	}
	b.Description = describe(&b, b.Message)
	b = New(b)
	return &b
}

// statusOf finds the last status line, else the last bare word. Lines inside code fences are output, not status.
func statusOf(lines []string) (status, int) {
	for bare, form := range []func() *regexp.Regexp{statusLine, bareLine} {
		fence, st, at := false, statusNone, 0
		for i, l := range lines {
			if strings.HasPrefix(strings.TrimSpace(l), "```") {
				fence = !fence
			}
			if len(l) > lineCap || fence && bare == 1 {
				continue
			}
			if m := form().FindStringSubmatch(l); m != nil {
				st, at = meaning(m), i
			}
		}
		if st != statusNone {
			return st, at
		}
	}
	return statusNone, 0
}

func meaning(m []string) status {
	for i, st := range []status{statusDecision, statusReview, statusFailed, statusOK} {
		if m[i+1] != "" {
			return st
		}
	}
	return statusNone
}

// spoken finds sentences that report, the last one counts; those that only mention are passed over.
func spoken(name string, lines []string) (status, int) {
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		if len(l) > lineCap || mention().MatchString(l) {
			continue
		}
		switch {
		case askLine().MatchString(l):
			return statusDecision, i
		case name != "" && failLine().MatchString(l):
			return statusFailed, i
		}
	}
	return statusNone, 0
}

// ask finds the question that goes with a decision: labelled, else the next line with a question mark.
func ask(lines []string, at int) string {
	if q := labelled(question, lines); q != "" {
		return q
	}
	for _, l := range lines[at:min(len(lines), at+20)] {
		if l = strings.Trim(l, "*_# \t\r"); strings.HasSuffix(l, "?") || strings.HasSuffix(l, "？") {
			return l
		}
	}
	return ""
}

// labelled finds what stands behind a label.
func labelled(label func() *regexp.Regexp, lines []string) string {
	for _, l := range lines {
		if m := label().FindStringSubmatch(l[:min(len(l), lineCap)]); m != nil && !statusLine().MatchString(l) {
			return strings.Trim(m[1], "*_` ")
		}
	}
	return ""
}

// roles tell the type of a failure from the agent's name (S1.12); other agents' failures are what their text says.
var roles = []struct {
	name func() *regexp.Regexp
	t    Type
}{
	{lazy.Regexp(`(?i)test|qa|테스트`), TestFailure},
	{lazy.Regexp(`(?i)build|compil|cmake|빌드`), BuildError},
	{lazy.Regexp(`(?i)review|리뷰`), ReviewBlocked},
	{lazy.Regexp(`(?i)devops|\bci\b|deploy|release|배포`), CIFailure},
	{lazy.Regexp(`(?i)vcpkg|conan|depend|package|의존`), Dependency},
	{lazy.Regexp(`(?i)architect|design|설계`), DesignIssue},
}

// failed fills the blocker of a failing agent: its type by role, its message and place by what the report quotes.
func failed(b *Blocker, name string, lines []string, at int, o Options) {
	for _, r := range roles {
		if b.Type == "" && r.name().MatchString(name) {
			b.Type = r.t
		}
	}
	s := newScan(o.table(), newPlaces(o.Root, o.Dir))
	h := inner(s, []byte(strings.Join(lines, "\n")))
	if h != nil && h.m.Rule.Stage != "agent" && h.m.Rule.Strength != "weak" {
		was := *b
		b.Type = or(b.Type, Type(h.m.Rule.Type))
		s.describe(b, h)
		b.LogLine = or(h.no, was.LogLine)
		if string(b.Type) != h.m.Rule.Type {
			b.RecoveryAgent, b.Resolution, b.Severity = "", "", ""
		}
	}
	b.Type = or(b.Type, Other)
	b.Rule = "agent-report"
	b.Message = or(b.Message, or(labelled(summary, lines), said(lines, at)))
}

// said is the first line after the status that says anything, else the status line.
func said(lines []string, at int) string {
	for _, l := range lines[min(at+1, len(lines)):] {
		if l = strings.Trim(strings.TrimSpace(l), "#*_`|- "); l != "" {
			return l
		}
	}
	return strings.TrimSpace(lines[at])
}

func around(lines []string, at int) (out []string) {
	for _, l := range lines[max(0, at-2):min(len(lines), at+MaxEvidence-2)] {
		out = append(out, cut(strings.TrimRight(l, "\r"), maxLine))
	}
	return out
}

// agentHead finds the agent's name in the first lines of a text, if it is an agent's report.
func agentHead(head []byte) string {
	for range 12 {
		line, rest, found := bytes.Cut(head, []byte{'\n'})
		if m := heading().FindSubmatch(line); m != nil && len(line) < lineCap {
			return string(m[1]) + string(m[2])
		}
		if !found {
			break
		}
		head = rest
	}
	return ""
}

// readAgent reads a file that is an agent's report.
func readAgent(_ context.Context, in *Input, o *Options, body io.Reader) (*outcome, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxReport+1))
	if err != nil || len(text) > maxReport {
		return nil, err
	}
	st, _ := statusOf(strings.Split(string(text), "\n"))
	b := FromReport("", string(text), *o)
	switch {
	case b != nil:
		b.Source = or(in.Name, b.Source)
		return &outcome{verdict: Failed, values: []Blocker{*b}}, nil
	case st == statusOK:
		return &outcome{verdict: Succeeded}, nil
	}
	return nil, nil
}
