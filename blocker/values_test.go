package blocker

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestGitHubAnswers reads what gh and the API answer; the seed's own question first (001, "CI Failures").
func TestGitHubAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		json    string
		verdict Verdict
		want    wanted
	}{
		"seed, failing":      {`[{"conclusion":"failure","status":"completed"}]`, Failed, w(CIFailure, "", 0, "CI run: failure")},
		"seed, fine":         {`[{"conclusion":"success","status":"completed"}]`, Succeeded, none},
		"seed, running":      {`[{"conclusion":"","status":"in_progress"}]`, Unknown, none},
		"cancelled":          {`[{"conclusion":"cancelled","status":"completed"}]`, Unknown, none},
		"skipped":            {`[{"conclusion":"skipped","status":"completed"}]`, Unknown, none},
		"timed out":          {`[{"conclusion":"timed_out","status":"completed","workflowName":"CI"}]`, Failed, w(CIFailure, "", 0, "CI: timed_out")},
		"startup":            {`[{"conclusion":"startup_failure","status":"completed"}]`, Failed, w(CIFailure, "", 0, "startup_failure")},
		"action required":    {`[{"conclusion":"action_required","status":"completed"}]`, Failed, w(CIFailure, "", 0, "action_required")},
		"second fails":       {`[{"conclusion":"success","status":"completed","name":"a"},{"conclusion":"failure","status":"completed","name":"b"}]`, Failed, w(CIFailure, "", 0, "b: failure")},
		"one object":         {`{"conclusion":"failure","status":"completed","workflowName":"CI","url":"https://x.y/1"}`, Failed, w(CIFailure, "", 0, "CI: failure")},
		"api runs":           {`{"total_count":1,"workflow_runs":[{"id":1,"name":"CI","status":"completed","conclusion":"failure","head_branch":"main","head_sha":"abc","html_url":"https://x.y"}]}`, Failed, w(CIFailure, "", 0, "CI: failure")},
		"check runs":         {`{"check_runs":[{"name":"lint","status":"completed","conclusion":"failure"}]}`, Failed, w(CIFailure, "", 0, "lint: failure")},
		"jobs":               {`{"conclusion":"failure","status":"completed","jobs":[{"name":"ok","conclusion":"success","status":"completed"},{"name":"build","conclusion":"failure","status":"completed"}]}`, Failed, w(CIFailure, "", 0, "build: failure")},
		"pr checks":          {`[{"name":"build","state":"FAILURE","bucket":"fail","link":"https://x.y","conclusion":null}]`, Failed, w(CIFailure, "", 0, "build: failure")},
		"changes requested":  {`{"mergeStateStatus":"BLOCKED","mergeable":"MERGEABLE","number":12,"reviewDecision":"CHANGES_REQUESTED"}`, Failed, w(ReviewBlocked, "", 0, "CHANGES_REQUESTED")},
		"approved":           {`{"mergeStateStatus":"CLEAN","mergeable":"MERGEABLE","number":12,"reviewDecision":"APPROVED"}`, Unknown, none},
		"review required":    {`{"mergeStateStatus":"BLOCKED","mergeable":"MERGEABLE","number":12,"reviewDecision":"REVIEW_REQUIRED"}`, Unknown, none},
		"conflicting":        {`{"mergeable":"CONFLICTING","mergeStateStatus":"DIRTY","number":12,"reviewDecision":""}`, Failed, w(MergeConflict, "", 0, "conflicts with its base")},
		"mergeable unknown":  {`{"mergeable":"UNKNOWN","number":12}`, Unknown, none},
		"conflict first":     {`{"mergeable":"CONFLICTING","reviewDecision":"CHANGES_REQUESTED","number":12}`, Failed, w(MergeConflict, "", 0, "")},
		"rollup":             {`{"number":12,"statusCheckRollup":[{"__typename":"CheckRun","name":"build","status":"COMPLETED","conclusion":"FAILURE"},{"__typename":"StatusContext","context":"ci/x","state":"SUCCESS"}]}`, Failed, w(CIFailure, "", 0, "build: failure")},
		"rollup status":      {`{"number":12,"statusCheckRollup":[{"__typename":"StatusContext","context":"ci/x","state":"ERROR"}]}`, Failed, w(CIFailure, "", 0, "ci/x: error")},
		"rollup pending":     {`{"number":12,"statusCheckRollup":[{"name":"build","status":"IN_PROGRESS","conclusion":""}]}`, Unknown, none},
		"latest reviews":     {`{"number":12,"latestReviews":[{"state":"CHANGES_REQUESTED"}]}`, Failed, w(ReviewBlocked, "", 0, "")},
		"rest mergeable":     {`{"number":12,"mergeable":true,"reviewDecision":"APPROVED"}`, Unknown, none},
		"lines of documents": {"{\"conclusion\":\"success\",\"status\":\"completed\"}\n{\"conclusion\":\"failure\",\"status\":\"completed\",\"name\":\"b\"}\n", Failed, w(CIFailure, "", 0, "b: failure")},
		"graphql": {`{"data":{"repository":{"pullRequest":{"number":12,"mergeable":"MERGEABLE","reviewThreads":{"nodes":[
			{"isResolved":true,"isOutdated":false,"path":"a.go","line":1},{"isResolved":false,"isOutdated":true,"path":"b.go","line":2},
			{"isResolved":false,"isOutdated":false,"path":"c.go","line":3,"comments":{"nodes":[{"body":"Why?\nsecond line","author":{"login":"ann"}}]}}]},
			"statusCheckRollup":{"contexts":{"nodes":[{"name":"build","status":"COMPLETED","conclusion":"SUCCESS"}]}}}}}}`, Failed, w(ReviewBlocked, "c.go", 3, "1 open conversations")},
	} {
		report(t, name, "gh.json", c.json, "github-json", c.verdict, c.want)
	}
	report(t, "no run at all", "gh.json", "[]", "log", Unknown, none)
	report(t, "broken json is a log", "gh.json", `{"conclusion":"failure","status":`+"\na.c:3:5: error: boom\n", "log", Failed, w(BuildError, "a.c", 3, "boom"))
	report(t, "other json", "x.json", `{"name":"error: FAILED","version":"1"}`, "log", Unknown, none)
}

// TestFromCI: severity, url, cause.
func TestFromCI(t *testing.T) {
	cause := New(Blocker{Type: BuildError, Message: "'foo' undeclared", File: "a.c", Line: 3, Resolution: "declare it", DetectedAt: now})
	got := FromCI([]CIRun{
		{Name: "ok", Status: "completed", Conclusion: "success"},
		{Name: "build", Status: "COMPLETED", Conclusion: "FAILURE", URL: "https://x.y/1", Cause: &cause},
		{Name: "gate", Status: "completed", Conclusion: "action_required"},
		{Name: "late", Status: "queued", Conclusion: "failure"},
	}, "github", now)
	if len(got) != 2 {
		t.Fatalf("%d blockers: %+v", len(got), got)
	}
	b := got[0]
	if b.Type != CIFailure || b.Severity != High || b.Cause == nil || b.Cause.Type != BuildError || b.File != "a.c" || b.Line != 3 || b.Resolution != "declare it" || b.RecoveryAgent != "devops" {
		t.Errorf("%+v", b)
	}
	if !strings.Contains(b.Description, "'foo' undeclared") || b.Evidence[0] != "https://x.y/1" || b.Source != "github" {
		t.Errorf("%+v", b)
	}
	if got[1].Severity != Medium {
		t.Errorf("action_required is %s", got[1].Severity)
	}
	if plain := FromCI([]CIRun{{Name: "build", Conclusion: "failure"}}, "github", now); plain[0].Same(&b) {
		t.Error("the cause does not tell two failures apart")
	}
	for _, b := range got {
		if !b.Valid() {
			t.Error(b.Faults())
		}
	}
}

// TestFromReview: what blocks and what only waits.
func TestFromReview(t *testing.T) {
	open := Thread{Path: "a.go", Line: 3, Author: "ann", Body: "Why this?\nAnd more"}
	for name, c := range map[string]struct {
		r    Review
		want []Type
	}{
		"nothing":       {Review{}, nil},
		"required":      {Review{Decision: "REVIEW_REQUIRED"}, nil},
		"approved":      {Review{Decision: "APPROVED", Mergeable: "MERGEABLE"}, nil},
		"changes":       {Review{Decision: "CHANGES_REQUESTED"}, []Type{ReviewBlocked}},
		"thread":        {Review{Decision: "APPROVED", Threads: []Thread{open}}, []Type{ReviewBlocked}},
		"resolved":      {Review{Threads: []Thread{{Resolved: true}}}, nil},
		"outdated":      {Review{Threads: []Thread{{Outdated: true}}}, nil},
		"dirty":         {Review{MergeState: "DIRTY"}, []Type{MergeConflict}},
		"behind":        {Review{MergeState: "BEHIND"}, nil},
		"all":           {Review{Mergeable: "CONFLICTING", Decision: "CHANGES_REQUESTED", Checks: []CIRun{{Conclusion: "failure"}}}, []Type{MergeConflict, ReviewBlocked, CIFailure}},
		"unknown state": {Review{Mergeable: "UNKNOWN", MergeState: "UNKNOWN"}, nil},
	} {
		got := FromReview(c.r, "github", now)
		if fmt.Sprint(types(got)) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, types(got), c.want)
		}
		for _, b := range got {
			if !b.Valid() {
				t.Errorf("%s: %v", name, b.Faults())
			}
		}
	}
	b := FromReview(Review{Number: 7, Threads: []Thread{open}}, "github", now)[0]
	if b.File != "a.go" || b.Line != 3 || b.Evidence[0] != "a.go:3 ann: Why this?" || b.RecoveryAgent != "code-editor" || b.Severity != Medium {
		t.Errorf("%+v", b)
	}
	if !(Review{Decision: "REVIEW_REQUIRED"}).Waiting() || (Review{Decision: "APPROVED"}).Waiting() {
		t.Error("waiting")
	}
}

// TestFromGit: unmerged paths stop everything, a finished merge only wants to be concluded.
func TestFromGit(t *testing.T) {
	if got := FromGit(GitState{}, now); got != nil {
		t.Errorf("%+v", got)
	}
	for _, op := range []string{"merge", "rebase", "cherry-pick", "revert"} {
		got := FromGit(GitState{Operation: op, Unmerged: []string{"a.c", "b.c", "c.c", "d.c"}}, now)
		if len(got) != 1 || got[0].Type != MergeConflict || got[0].Severity != Critical || got[0].File != "a.c" || !strings.Contains(got[0].Resolution, "git "+op+" --continue") {
			t.Errorf("%s: %+v", op, got)
		}
		if !strings.Contains(got[0].Message, "4 unmerged paths: a.c, b.c, c.c") || len(got[0].Evidence) != 4 || !got[0].Valid() || got[0].RecoveryAgent != "" {
			t.Errorf("%s: %+v", op, got[0])
		}
		settled := FromGit(GitState{Operation: op}, now)
		if len(settled) != 1 || settled[0].Severity != Low || settled[0].Same(&got[0]) {
			t.Errorf("%s settled: %+v", op, settled)
		}
	}
	if got := FromGit(GitState{Unmerged: []string{"x"}}, now); len(got) != 1 || got[0].Severity != Critical {
		t.Errorf("unmerged without an operation: %+v", got)
	}
}

// TestMarkers: all three marks, in order, at the start of a line, seven characters.
func TestMarkers(t *testing.T) {
	b, m, e := "<<<<<<< HEAD\n", "=======\n", ">>>>>>> topic\n"
	for name, c := range map[string]struct {
		text string
		want Marker
		ok   bool
	}{
		"conflict":        {"a\n" + b + "ours\n" + m + "theirs\n" + e, Marker{2, 4, 6}, true},
		"diff3":           {b + "ours\n||||||| base\nold\n" + m + "theirs\n" + e, Marker{1, 5, 7}, true},
		"crlf":            {strings.ReplaceAll(b+"x\n"+m+e, "\n", "\r\n"), Marker{1, 3, 4}, true},
		"no labels":       {"<<<<<<<\nx\n=======\n>>>>>>>\n", Marker{1, 3, 4}, true},
		"no newline":      {b + m + ">>>>>>> topic", Marker{1, 2, 3}, true},
		"underline":       {"Title\n=======\ntext\n", Marker{}, false},
		"two of three":    {b + "x\n" + m + "y\n", Marker{}, false},
		"wrong order":     {e + m + b, Marker{}, false},
		"middle twice":    {b + m + m + e, Marker{1, 2, 4}, true},
		"eight":           {"<<<<<<<< HEAD\n========\n>>>>>>>> x\n", Marker{}, false},
		"six":             {"<<<<<< HEAD\n======\n>>>>>> x\n", Marker{}, false},
		"indented":        {" " + b + " " + m + " " + e, Marker{}, false},
		"in a string":     {"x = '<<<<<<< HEAD'\ny = '======='\nz = '>>>>>>> t'\n", Marker{}, false},
		"glued label":     {"<<<<<<<HEAD\n=======\n>>>>>>>x\n", Marker{}, false},
		"begins again":    {b + "x\n" + b + m + e, Marker{3, 4, 5}, true},
		"empty":           {"", Marker{}, false},
		"long line first": {strings.Repeat("x", 100_000) + "\n" + b + m + e, Marker{2, 3, 4}, true},
		"long label":      {"<<<<<<< " + strings.Repeat("x", 100_000) + "\n" + m + e, Marker{1, 2, 3}, true},
	} {
		got, ok, err := Markers(strings.NewReader(c.text))
		if err != nil || ok != c.ok || got != c.want {
			t.Errorf("%s: %v %v %v, want %v %v", name, got, ok, err, c.want, c.ok)
		}
	}
	if _, _, err := Markers(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error of the reader: %v", err)
	}
	got := FromMarkers("a.c", Marker{2, 4, 6}, now)
	if got.Type != MergeConflict || got.File != "a.c" || got.Line != 2 || !got.Valid() {
		t.Errorf("%+v", got)
	}
}

func TestMarkersBelong(t *testing.T) {
	for name, want := range map[string]bool{"docs/a.rst": true, "docs/A.RST": true, "x.adoc": true, "merge/testdata/conflict.txt": true,
		"src/a.c": false, "README.md": false, "test/a.py": false, `docs\a.rst`: true} {
		if MarkersBelong(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// TestFromReport: the last report of an agent, in the words and languages that agents use (S1.12).
func TestFromReport(t *testing.T) {
	for name, c := range map[string]struct {
		agent, text string
		want        Type
		message     string
	}{
		"builder":                 {"cpp-builder", "STATUS: FAILED\nsrc/a.cpp:88:17: error: no member named 'x' in 'A'\n1 error generated.\n", BuildError, "no member named 'x' in 'A'"},
		"builder markdown":        {"cpp-builder", "## Result\n\n**Status**: FAILED\n\n**Summary**: the linker finds no zlib\n", BuildError, "the linker finds no zlib"},
		"builder in head":         {"", "[cpp-builder] STATUS: FAILED\nlinking stops\n", BuildError, "linking stops"},
		"builder heading":         {"", "## Agent: cpp-builder\nSTATUS: FAILED\nError: no compiler found\n", BuildError, "no compiler found"},
		"builder bare":            {"cpp-builder", "FAILED\n\nThe toolchain file is missing.\n", BuildError, "The toolchain file is missing."},
		"builder json":            {"cpp-builder", "{\n  \"status\": \"FAILED\",\n  \"error\": \"x\"\n}\n", BuildError, ""},
		"builder emoji":           {"cpp-builder", "Status: ❌ FAILED\nReason: no disk\n", BuildError, "no disk"},
		"builder table":           {"cpp-builder", "| Agent | Status |\n|---|---|\n| status | FAILED |\n", BuildError, ""},
		"builder korean":          {"cpp-builder", "상태: 실패\n원인: zlib 헤더가 없음\n", BuildError, "zlib 헤더가 없음"},
		"builder korean sentence": {"cpp-builder", "작업을 마쳤습니다.\n빌드가 실패했습니다. 헤더가 없습니다.\n", BuildError, ""},
		"builder sentence":        {"cpp-builder", "I added the file.\nThe build failed with 3 errors in src/a.cpp.\n", BuildError, ""},
		"tester":                  {"tester", "STATUS: FAILED\nThe following tests FAILED:\n\t 12 - TokenRefresh (Failed)\n", TestFailure, "TokenRefresh"},
		"tester with gcc inside":  {"tester", "STATUS: FAILED\na.c:3:5: error: boom\n", TestFailure, "boom"},
		"tester korean":           {"tester", "결과: 실패\n테스트 3개 실패\n", TestFailure, ""},
		"tester korean sentence":  {"tester", "테스트 3개가 실패했습니다.\n", TestFailure, ""},
		"test-runner":             {"test-runner", "Result: FAIL\n", TestFailure, ""},
		"decision":                {"architect", "STATUS: DECISION_NEEDED\nQuestion: Redis streams or PostgreSQL?\nOptions: A) B)\n", DecisionRequired, "Redis streams or PostgreSQL?"},
		"decision without label":  {"architect", "DECISION_NEEDED: which queue do we take?\n", DecisionRequired, "which queue do we take?"},
		"decision korean":         {"architect", "상태: 결정 필요\n질문: Redis로 할까요, PostgreSQL로 할까요?\n", DecisionRequired, "Redis로 할까요"},
		"decision korean words":   {"code-editor", "두 가지 방법이 있습니다.\n어느 방안으로 진행할까요?\n", DecisionRequired, "진행할까요?"},
		"decision korean plea":    {"code-editor", "A안과 B안 중 선택해 주세요.\n", DecisionRequired, "선택해 주세요"},
		"decision english words":  {"code-editor", "Both work. Which option should I take?\n", DecisionRequired, "Which option should I take?"},
		"decision from any agent": {"tester", "Status: NEEDS_DECISION\nShould the flaky test be skipped?\n", DecisionRequired, "Should the flaky test be skipped?"},
		"review":                  {"code-reviewer", "STATUS: CHANGES_REQUESTED\nSummary: two leaks\n", ReviewBlocked, "two leaks"},
		"reviewer failed":         {"code-reviewer", "STATUS: FAILED\nSummary: two leaks\n", ReviewBlocked, "two leaks"},
		"devops":                  {"devops", "STATUS: FAILED\nReason: no runner is online\n", CIFailure, "no runner is online"},
		"vcpkg agent":             {"vcpkg-manager", "STATUS: FAILED\n", Dependency, ""},
		"other with a log":        {"code-editor", "STATUS: FAILED\na.c:3:5: error: boom\n", BuildError, "boom"},
		"other without":           {"code-editor", "STATUS: FAILED\nMessage: I cannot find the file\n", Other, "I cannot find the file"},
		"last status counts":      {"cpp-builder", "Step 1 status: OK\nStep 2 status: FAILED\nStatus: FAILED\n", BuildError, ""},
		"ansi":                    {"cpp-builder", "\x1b[1mSTATUS:\x1b[0m \x1b[31mFAILED\x1b[0m\nReason: x y z\n", BuildError, "x y z"},
		"success":                 {"cpp-builder", "STATUS: SUCCESS\nThe first try FAILED, error: missing header, now it builds.\n", "", ""},
		"success after failure":   {"cpp-builder", "Status: FAILED\nI added the include.\nStatus: SUCCESS\n", "", ""},
		"success korean":          {"tester", "상태: 완료\n처음에는 실패했지만 해결됨\n", "", ""},
		"mention":                 {"cpp-builder", "If the build failed, the status would be FAILED. It is all right.\n", "", ""},
		"mention korean":          {"cpp-builder", "빌드 실패 시 다시 시도합니다.\n", "", ""},
		"mention of decision":     {"architect", "No decision is needed. DECISION_NEEDED is returned when a person must choose.\n", "", ""},
		"mention in prose":        {"tester", "The word FAILED stands in the name of the test FAILED_login, which passes.\n", "", ""},
		"quoted spec":             {"architect", "> WHEN an agent returns DECISION_NEEDED\n> THEN blocker.type = decision_required\n", "", ""},
		"log in a fence":          {"cpp-builder", "STATUS: SUCCESS\n```\nFAILED\n```\n", "", ""},
		"empty":                   {"cpp-builder", "", "", ""},
		"nothing to say":          {"cpp-builder", "I built the project and ran it.\n", "", ""},
	} {
		b := FromReport(c.agent, c.text, Options{Now: now})
		switch {
		case b == nil && c.want == "":
		case b == nil || b.Type != c.want || !strings.Contains(b.Message, c.message):
			t.Errorf("%s: %+v, want %s %q", name, b, c.want, c.message)
		case !b.Valid() || !b.AutoDetected || b.DetectedAt != now:
			t.Errorf("%s: %v", name, b.Faults())
		}
	}
}

// TestFromReportPlace: the place is taken from what the report quotes.
func TestFromReportPlace(t *testing.T) {
	b := FromReport("cpp-builder", "STATUS: FAILED\n/w/app/src/a.cpp:88:17: error: boom\n", Options{Now: now, Root: "/w/app"})
	if b == nil || b.File != "src/a.cpp" || b.Line != 88 || b.RecoveryAgent != "cpp-builder" || b.Source != "cpp-builder" {
		t.Errorf("%+v", b)
	}
	b = FromReport("tester", "STATUS: FAILED\na.c:3:5: error: boom\n", Options{Now: now})
	if b == nil || b.RecoveryAgent != "tester" {
		t.Errorf("a test failure goes to the tester, whatever the log inside is of: %+v", b)
	}
}

// TestFromReportIsBounded: a report without end is read from its end, where the status stands.
func TestFromReportIsBounded(t *testing.T) {
	b := FromReport("cpp-builder", strings.Repeat("talk and talk\n", 200_000)+"STATUS: FAILED\nReason: too much talk\n", Options{Now: now})
	if b == nil || b.Message != "too much talk" || len(b.Evidence) > MaxEvidence {
		t.Errorf("%+v", b)
	}
	if b := FromReport("x", strings.Repeat("STATUS: ", 100_000), Options{Now: now}); b != nil {
		t.Errorf("%+v", b)
	}
}

// TestAgentFile: a file that is an agent's report is read as one.
func TestAgentFile(t *testing.T) {
	report(t, "failed", "report.md", "[cpp-builder] STATUS: FAILED\nsrc/a.cpp:88:17: error: boom\n", "agent", Failed, w(BuildError, "src/a.cpp", 88, "boom"))
	report(t, "decision", "report.md", "## Agent: architect\nSTATUS: DECISION_NEEDED\nQuestion: A or B?\n", "agent", Failed, w(DecisionRequired, "", 0, "A or B?"))
	report(t, "success", "report.md", "## Agent: cpp-builder\nSTATUS: SUCCESS\nerror: FAILED before\n", "agent", Succeeded, none)
	report(t, "neither", "report.md", "## Agent: cpp-builder\nnothing yet\n", "log", Unknown, none)
}
