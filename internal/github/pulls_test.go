package github

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"session/blocker"
)

// pull is a pull request as GraphQL gives it; the fields can be overwritten by pairs.
func pull(number int, pairs ...any) map[string]any {
	p := map[string]any{"number": number, "title": "Log in", "url": fmt.Sprintf("https://github.com/octo/app/pull/%d", number), "isDraft": false,
		"author": login{"ann"}, "baseRefName": "main", "headRefOid": commit, "headRepository": map[string]any{"name": "app", "owner": login{"octo"}},
		"reviewDecision": nil, "mergeable": "MERGEABLE", "mergeStateStatus": "CLEAN", "reviews": list(), "reviewThreads": list()}
	for i := 0; i+1 < len(pairs); i += 2 {
		p[pairs[i].(string)] = pairs[i+1]
	}
	return p
}

func list(nodes ...any) map[string]any {
	return map[string]any{"totalCount": len(nodes), "nodes": nodes}
}

func review(author, state string, minute int, pairs ...any) map[string]any {
	r := map[string]any{"state": state, "submittedAt": fmt.Sprintf("2026-03-04T05:%02d:00Z", minute), "authorCanPushToRepository": true, "author": login{author}}
	for i := 0; i+1 < len(pairs); i += 2 {
		r[pairs[i].(string)] = pairs[i+1]
	}
	return r
}

func thread(resolved, outdated bool, file string, authors ...string) map[string]any {
	by := func(name string) map[string]any {
		c := map[string]any{"body": "\n  Please rename this.\nAnd more.", "author": login{name}}
		if name == "" {
			c["author"] = nil
		}
		return list(c)
	}
	return map[string]any{"isResolved": resolved, "isOutdated": outdated, "path": file, "line": 12, "comments": by(authors[0]), "newest": by(authors[len(authors)-1])}
}

// graph is an answer with pull requests, in the repository and in the one that it was forked from.
func graph(own []any, parent ...any) string {
	repo := map[string]any{"isPrivate": false, "nameWithOwner": "octo/app", "object": nil, "pullRequests": map[string]any{"nodes": own}, "parent": nil}
	if len(parent) > 0 {
		repo["parent"] = map[string]any{"nameWithOwner": "up/stream", "pullRequests": map[string]any{"nodes": parent}}
	}
	return encode(map[string]any{"data": map[string]any{"repository": repo}})
}

func (f *fake) pulls(list ...any) Answer {
	f.t.Helper()
	f.on(graphQL, text(200, graph(list)))
	return f.ask(question())
}

// TestReviews: of each reviewer only the newest opinion counts.
func TestReviews(t *testing.T) {
	for name, c := range map[string]struct {
		decision any
		reviews  []any
		want     string
		blocks   bool
	}{
		"none":                            {nil, nil, "", false},
		"approved":                        {nil, []any{review("bob", "APPROVED", 1)}, "APPROVED", false},
		"changes requested":               {nil, []any{review("bob", "CHANGES_REQUESTED", 1)}, "CHANGES_REQUESTED", true},
		"GitHub says so":                  {"CHANGES_REQUESTED", nil, "CHANGES_REQUESTED", true},
		"required, not there":             {"REVIEW_REQUIRED", nil, "REVIEW_REQUIRED", false},
		"approved later":                  {nil, []any{review("bob", "CHANGES_REQUESTED", 1), review("bob", "APPROVED", 2)}, "APPROVED", false},
		"approved earlier":                {nil, []any{review("bob", "APPROVED", 1), review("bob", "CHANGES_REQUESTED", 2)}, "CHANGES_REQUESTED", true},
		"out of order":                    {nil, []any{review("bob", "APPROVED", 2), review("bob", "CHANGES_REQUESTED", 1)}, "APPROVED", false},
		"same name, other case":           {nil, []any{review("Bob", "CHANGES_REQUESTED", 1), review("bob", "APPROVED", 2)}, "APPROVED", false},
		"a remark leaves it standing":     {nil, []any{review("bob", "CHANGES_REQUESTED", 1), review("bob", "COMMENTED", 2)}, "CHANGES_REQUESTED", true},
		"a draft leaves it standing":      {nil, []any{review("bob", "CHANGES_REQUESTED", 1), review("bob", "PENDING", 2, "submittedAt", nil)}, "CHANGES_REQUESTED", true},
		"dismissed":                       {nil, []any{review("bob", "DISMISSED", 1)}, "", false},
		"dismissed after another":         {nil, []any{review("bob", "CHANGES_REQUESTED", 1), review("bob", "DISMISSED", 2)}, "", false},
		"two reviewers":                   {nil, []any{review("bob", "APPROVED", 1), review("eve", "CHANGES_REQUESTED", 2)}, "CHANGES_REQUESTED", true},
		"the author's own":                {nil, []any{review("ann", "CHANGES_REQUESTED", 1), review("ANN", "APPROVED", 1)}, "", false},
		"of one who may not push":         {nil, []any{review("guest", "CHANGES_REQUESTED", 1, "authorCanPushToRepository", false)}, "", false},
		"it is not said who may push":     {nil, []any{review("bob", "CHANGES_REQUESTED", 1, "authorCanPushToRepository", nil)}, "CHANGES_REQUESTED", true},
		"of nobody any more":              {nil, []any{review("", "CHANGES_REQUESTED", 1, "author", nil)}, "CHANGES_REQUESTED", true},
		"approved, but one stands":        {"APPROVED", []any{review("bob", "CHANGES_REQUESTED", 1)}, "CHANGES_REQUESTED", true},
		"required, one who may has asked": {"REVIEW_REQUIRED", []any{review("bob", "CHANGES_REQUESTED", 1)}, "CHANGES_REQUESTED", true},
		"of a kind that is new":           {nil, []any{review("bob", "CHANGES_REQUESTED", 1), review("bob", "LATER", 2)}, "CHANGES_REQUESTED", true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newFake(t).pulls(pull(5, "reviewDecision", c.decision, "reviews", list(c.reviews...)))
			wantUnknown(t, a)
			if got := a.Pulls.Value[0].Decision; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			b := a.Blockers()
			if (len(b) == 1) != c.blocks || c.blocks && (b[0].Type != blocker.ReviewBlocked || b[0].Severity != blocker.High || !strings.Contains(b[0].Message, "#5")) {
				t.Errorf("%+v", b)
			}
		})
	}
}

func TestThreads(t *testing.T) {
	for name, c := range map[string]struct {
		thread map[string]any
		blocks bool
	}{
		"open":                          {thread(false, false, "src/a.c", "bob"), true},
		"resolved":                      {thread(true, false, "src/a.c", "bob"), false},
		"outdated":                      {thread(false, true, "src/a.c", "bob"), false},
		"resolved and outdated":         {thread(true, true, "src/a.c", "bob"), false},
		"answered by the author":        {thread(false, false, "src/a.c", "bob", "ann"), true},
		"the author's own note":         {thread(false, false, "src/a.c", "ann"), false},
		"the author's note, answered":   {thread(false, false, "src/a.c", "ann", "bob"), true},
		"of nobody any more":            {thread(false, false, "src/a.c", ""), true},
		"of which nothing can be read":  {map[string]any{"isResolved": false, "path": "src/a.c", "line": 12, "comments": list(nil), "newest": list(nil)}, true},
		"without any remark to be seen": {map[string]any{"isResolved": false, "path": "src/a.c", "line": 12}, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newFake(t).pulls(pull(5, "reviewThreads", list(c.thread)))
			wantUnknown(t, a)
			b := a.Blockers()
			if (len(b) == 1) != c.blocks || c.blocks && (b[0].Type != blocker.ReviewBlocked || b[0].File != "src/a.c" || b[0].Line != 12) {
				t.Errorf("%+v", b)
			}
		})
	}
	a := newFake(t).pulls(pull(5, "reviewThreads", list(thread(false, false, "src/a.c", "bob"), thread(true, false, "b", "bob"), thread(false, true, "c", "bob"))))
	p := a.Pulls.Value[0]
	if p.Resolved != 1 || p.Outdated != 1 || !slices.Equal(p.Threads, []Thread{{"src/a.c", 12, "bob", "Please rename this."}}) {
		t.Errorf("%+v", p)
	}
}

func TestMoreReviewsThanOnePage(t *testing.T) {
	for name, p := range map[string]map[string]any{
		"reviews":                     pull(5, "reviews", map[string]any{"totalCount": 101, "nodes": slices.Repeat([]any{review("bob", "APPROVED", 1)}, 100)}),
		"threads":                     pull(5, "reviewThreads", map[string]any{"totalCount": 1, "nodes": []any{}}),
		"one that may not be read":    pull(5, "reviewThreads", list(nil)),
		"a review that may not be so": pull(5, "reviews", list(nil)),
	} {
		a := newFake(t).pulls(p)
		if wantUnknown(t, a, "reviews=incomplete"); len(a.Unknown) == 1 && a.Unknown[0].Detail != "octo/app#5" {
			t.Errorf("%s: %+v", name, a.Unknown)
		}
	}
}

func TestMergeability(t *testing.T) {
	again := func(mergeable, state string) string {
		return fmt.Sprintf(`{"data":{"repository":{"pullRequest":{"mergeable":%s,"mergeStateStatus":%s}}}}`, encode(mergeable), encode(state))
	}
	for name, c := range map[string]struct {
		first, second string
		blocks        bool
		unknown       []string
		asked         int
	}{
		"mergeable":              {"MERGEABLE", "", false, nil, 1},
		"conflicting":            {"CONFLICTING", "", true, nil, 1},
		"then mergeable":         {"UNKNOWN", again("MERGEABLE", "CLEAN"), false, nil, 2},
		"then conflicting":       {"UNKNOWN", again("CONFLICTING", "DIRTY"), true, nil, 2},
		"never computed":         {"UNKNOWN", again("UNKNOWN", "UNKNOWN"), false, []string{"merge=incomplete"}, 2},
		"closed meanwhile":       {"UNKNOWN", `{"data":{"repository":{"pullRequest":null}},"errors":[{"type":"NOT_FOUND","path":["repository","pullRequest"],"message":"gone"}]}`, false, []string{"merge=not_found"}, 2},
		"no answer at all":       {"", again("MERGEABLE", "CLEAN"), false, nil, 2},
		"the second call fails":  {"UNKNOWN", `{"message":"Bad gateway"}`, false, []string{"merge=incomplete"}, 2},
		"the second is no JSON":  {"UNKNOWN", `{"data":`, false, []string{"merge=malformed"}, 2},
		"of a kind that is new":  {"LATER", "", false, nil, 1},
		"the second is hostile":  {"UNKNOWN", again(strings.Repeat("M", 100), "\x1b"), false, []string{"merge=incomplete"}, 2},
		"the second, other type": {"UNKNOWN", `{"data":{"repository":{"pullRequest":{"mergeable":1}}}}`, false, []string{"merge=malformed"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(graphQL, inTurn(text(200, graph([]any{pull(5, "mergeable", c.first, "mergeStateStatus", "")})), text(200, c.second)))
			a := f.ask(question())
			wantUnknown(t, a, c.unknown...)
			b := a.Blockers()
			if (len(b) == 1) != c.blocks || c.blocks && (b[0].Type != blocker.MergeConflict || !strings.Contains(b[0].Message, "#5")) {
				t.Errorf("%+v", b)
			}
			calls := f.to(graphQL)
			if len(calls) != c.asked || len(f.slept) != c.asked-1 {
				t.Errorf("asked %d times, slept %v", len(calls), f.slept)
			}
			if c.asked == 2 && (!strings.Contains(calls[1].Body, `"number":5`) || f.slept[0] != DefaultLimits().MergeWait) {
				t.Errorf("%v, %s", f.slept, calls[1].Body)
			}
		})
	}
}

// TestConflictByState: some servers name the conflict only here.
func TestConflictByState(t *testing.T) {
	for state, blocks := range map[string]bool{"DIRTY": true, "BLOCKED": false, "BEHIND": false, "UNSTABLE": false, "HAS_HOOKS": false, "DRAFT": false, "CLEAN": false} {
		if b := newFake(t).pulls(pull(5, "mergeStateStatus", state)).Blockers(); (len(b) == 1) != blocks {
			t.Errorf("%s: %+v", state, b)
		}
	}
}

// TestWhichPullRequests: those that are open from the asked branch of the asked repository.
func TestWhichPullRequests(t *testing.T) {
	from := func(owner, name string) map[string]any { return map[string]any{"name": name, "owner": login{owner}} }
	for name, c := range map[string]struct {
		own, parent []any
		want        []string
	}{
		"none":                             {nil, nil, nil},
		"one":                              {[]any{pull(5)}, nil, []string{"octo/app#5"}},
		"several bases":                    {[]any{pull(6, "baseRefName", "release"), pull(5)}, nil, []string{"octo/app#6", "octo/app#5"}},
		"GitHub ignores case":              {[]any{pull(5, "headRepository", from("Octo", "APP"))}, nil, []string{"octo/app#5"}},
		"the same branch of a fork":        {[]any{pull(5, "headRepository", from("mallory", "app"))}, nil, nil},
		"of a fork that is gone":           {[]any{pull(5, "headRepository", nil)}, nil, nil},
		"from our fork to its origin":      {nil, []any{pull(7)}, []string{"up/stream#7"}},
		"of somebody else there":           {nil, []any{pull(7, "headRepository", from("mallory", "app"))}, nil},
		"here and there":                   {[]any{pull(5)}, []any{pull(7)}, []string{"octo/app#5", "up/stream#7"}},
		"one that may not be read":         {[]any{nil, pull(5)}, nil, []string{"octo/app#5"}},
		"endless":                          {slices.Repeat([]any{pull(5)}, 300), nil, slices.Repeat([]string{"octo/app#5"}, maxPulls)},
		"the head is not what we ask of":   {[]any{pull(5, "headRefOid", other)}, nil, []string{"octo/app#5"}},
		"of an author whose account is so": {[]any{pull(5, "author", nil)}, nil, []string{"octo/app#5"}},
	} {
		f := newFake(t)
		f.on(graphQL, text(200, graph(c.own, c.parent...)))
		f.on("api.github.com/repos/up/stream/actions/runs", runsOf())
		a := f.ask(question())
		var got []string
		for _, p := range a.Pulls.Value {
			got = append(got, p.name())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		wantUnknown(t, a)
	}
}

// TestForkedPullRequest: CI of a fork's pull request runs where it goes to.
func TestForkedPullRequest(t *testing.T) {
	f := newFake(t)
	p := pull(7, "commits", map[string]any{"nodes": []any{map[string]any{"commit": map[string]any{"oid": commit, "statusCheckRollup": map[string]any{
		"state": "FAILURE", "contexts": list(map[string]any{"__typename": "StatusContext", "context": "cla", "state": "FAILURE"})}}}}})
	f.on(graphQL, text(200, graph(nil, p)))
	f.on("api.github.com/repos/up/stream/actions/runs", runsOf(ciRun(21, "conclusion", "failure", "event", "pull_request")))
	f.on("api.github.com/repos/up/stream/actions/runs/21/jobs", text(200, oneFailedJob))
	f.on("api.github.com/repos/up/stream/actions/jobs/31/logs", text(200, failing()))
	a := f.ask(question())
	wantUnknown(t, a)
	var got []string
	for _, b := range a.Blockers() {
		got = append(got, b.Source+": "+b.Message)
	}
	slices.Sort(got)
	want := []string{"GitHub up/stream@0123456789ab: CI / build (ubuntu) / Run make: failure", "GitHub up/stream@0123456789ab: cla: failure"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	f.on("api.github.com/repos/up/stream/actions/runs", text(404, `{"message":"Not Found"}`))
	if a := f.ask(question()); a.CI() == Passed || a.CI() == None {
		t.Errorf("%s, though the runs of the pull request could not be read", a.CI())
	}
}

// TestChecksOfAnotherHead: checks of a pull request whose newest commit is not ours are not ours.
func TestChecksOfAnotherHead(t *testing.T) {
	f := newFake(t)
	p := pull(7, "commits", map[string]any{"nodes": []any{nil, map[string]any{"commit": map[string]any{"oid": other, "statusCheckRollup": map[string]any{
		"state": "FAILURE", "contexts": list(map[string]any{"__typename": "StatusContext", "context": "cla", "state": "FAILURE"})}}}}})
	f.on(graphQL, text(200, graph(nil, p)))
	f.on("api.github.com/repos/up/stream/actions/runs", runsOf())
	if a := f.ask(question()); a.CI() != None {
		t.Errorf("%s", a.CI())
	}
}

// TestErrorsInGoodAnswers: GraphQL names what it leaves out; the rest of the answer holds.
func TestErrorsInGoodAnswers(t *testing.T) {
	whole := `{"data":{"repository":{"isPrivate":false,"object":null,"pullRequests":{"nodes":[]},"parent":null}}`
	for name, c := range map[string]struct {
		answer string
		want   []string
		public bool
	}{
		"a parent that is hidden":     {whole + `,"errors":[{"type":"FORBIDDEN","path":["repository","parent"],"message":"SAML"}]}`, []string{"reviews=forbidden"}, true},
		"a path that is odd":          {whole + `,"errors":[{"type":"X","path":[1,{"a":[]},null],"message":"\u001b[2J"}]}`, []string{"reviews=malformed"}, true},
		"no path, no type":            {whole + `,"errors":[{"message":"Something went wrong"}]}`, []string{"reviews=malformed"}, true},
		"visibility is hidden":        {`{"data":{"repository":{"isPrivate":null,"object":null,"pullRequests":{"nodes":[]}}},"errors":[{"type":"FORBIDDEN","path":["repository","isPrivate"],"message":"x"}]}`, []string{"public=forbidden"}, false},
		"pull requests are hidden":    {`{"data":{"repository":{"isPrivate":false,"object":null,"pullRequests":null}},"errors":[{"type":"FORBIDDEN","path":["repository","pullRequests"],"message":"x"}]}`, []string{"reviews=forbidden"}, true},
		"the commit is hidden":        {`{"data":{"repository":{"isPrivate":false,"object":null,"pullRequests":{"nodes":[]}}},"errors":[{"type":"FORBIDDEN","path":["repository","object"],"message":"x"}]}`, []string{"checks=forbidden"}, true},
		"mergeability is hidden":      {whole + `,"errors":[{"type":"FORBIDDEN","path":["repository","pullRequests","nodes",0,"mergeStateStatus"],"message":"x"}]}`, []string{"merge=forbidden"}, true},
		"the repository is not there": {`{"data":{"repository":null},"errors":[{"type":"NOT_FOUND","path":["repository"],"message":"Could not resolve"}]}`, []string{"checks=not_found", "public=not_found", "reviews=not_found"}, false},
		"null, and not a word":        {`{"data":{"repository":null}}`, []string{"checks=malformed", "public=malformed", "reviews=malformed"}, false},
		"nothing":                     {`{}`, []string{"checks=malformed", "public=malformed", "reviews=malformed"}, false},
		"a field it does not know":    {`{"errors":[{"message":"Field 'isPrivate' doesn't exist on type 'Repository'","path":["query Look","repository","isPrivate"]}]}`, []string{"checks=malformed", "public=malformed", "reviews=malformed"}, false},
		"a list of a thousand errors": {`{"data":{"repository":null},"errors":[` + strings.Repeat(`{"message":"x"},`, 999) + `{"message":"x"}]}`, []string{"checks=malformed", "public=malformed", "reviews=malformed"}, false},
		"other types":                 {`{"data":{"repository":{"isPrivate":"no"}}}`, []string{"checks=malformed", "public=malformed", "reviews=malformed"}, false},
		"cut off":                     {whole, []string{"checks=malformed", "public=malformed", "reviews=malformed"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(graphQL, text(200, c.answer))
			a := f.ask(question())
			wantUnknown(t, a, c.want...)
			if (a.Public != nil) != c.public || len(a.Blockers()) != 0 || a.Runs == nil {
				t.Errorf("%s", encode(a))
			}
		})
	}
}

// TestQueryHasEveryField: a field that is read but not asked for would always be empty.
func TestQueryHasEveryField(t *testing.T) {
	words := strings.FieldsFunc(strings.ToLower(pullsQuery+mergeableQuery), func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' })
	fields := map[string]bool{}
	var visit func(reflect.Type)
	visit = func(v reflect.Type) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Slice:
			visit(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				name := v.Field(i).Name
				if tag := v.Field(i).Tag.Get("json"); tag != "" {
					name = tag
				}
				fields[strings.ToLower(name)] = true
				visit(v.Field(i).Type)
			}
		}
	}
	visit(reflect.TypeFor[repoNode]())
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(words, name) {
			t.Errorf("%s is read but not asked for", name)
		}
	}
	for _, q := range []string{pullsQuery, mergeableQuery, publicQuery} {
		if strings.Count(q, "{") != strings.Count(q, "}") || strings.Count(q, "(") != strings.Count(q, ")") {
			t.Errorf("braces of %.30s", q)
		}
	}
}
