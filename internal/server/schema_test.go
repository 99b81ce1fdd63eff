package server

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"session/internal/lifecycle"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tidwall/gjson"
)

// documented is the OpenAPI document as a client reads it.
type documented struct {
	Paths      map[string]map[string]described `json:"paths"`
	Components struct {
		Schemas map[string]*jsonschema.Schema `json:"schemas"`
	} `json:"components"`
}

type described struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name     string             `json:"name"`
		In       string             `json:"in"`
		Required bool               `json:"required"`
		Schema   *jsonschema.Schema `json:"schema"`
	} `json:"parameters"`
	RequestBody *struct {
		Content map[string]struct {
			Schema *jsonschema.Schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct {
			Schema *jsonschema.Schema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

// fuzzer makes requests that the document describes, and others that it nearly does.
type fuzzer struct {
	*rand.Rand
	ids  []string            // that may be there
	good map[string][]string // by the name of what they are for
}

// awkward are values that programs trip over.
func (f *fuzzer) awkward() any {
	all := []any{nil, true, -1, 0, 1e300, "", " ", "\x00", "../../etc/passwd", "%2e%2e", "' OR 1=1 --", "\U0001F600\u202e", strings.Repeat("a", 5000), []any{}, []any{nil}, map[string]any{}, map[string]any{"id": map[string]any{}},
		"9223372036854775808", 9007199254740993, "2026-11-20", []any{[]any{[]any{}}}, "\ufeff", "null", "HEAD~999999999999", strings.Repeat("~", 300)}
	return all[f.IntN(len(all))]
}

// value makes a value of a schema; one time in five it is another.
func (f *fuzzer) value(s *jsonschema.Schema, name string) any {
	if s == nil || f.IntN(6) == 0 {
		return f.awkward()
	}
	if known := f.good[name]; known != nil && f.IntN(5) > 0 {
		return known[f.IntN(len(known))]
	}
	if s.Enum != nil {
		return s.Enum[f.IntN(len(s.Enum))]
	}
	kind := s.Type
	if kind == "" && len(s.Types) > 0 {
		kind = s.Types[f.IntN(len(s.Types))]
	}
	switch kind {
	case "string":
		if strings.Contains(name, "id") || f.IntN(2) == 0 {
			return f.ids[f.IntN(len(f.ids))]
		}
		return fmt.Sprint("text ", f.IntN(1000))
	case "integer", "number":
		lo, hi := -3.0, 2000.0
		if s.Minimum != nil {
			lo = *s.Minimum - 1
		}
		if s.Maximum != nil {
			hi = min(*s.Maximum+1, 1<<52)
		}
		return int64(lo + f.Float64()*(hi-lo))
	case "boolean":
		return f.IntN(2) == 0
	case "array":
		out := []any{}
		for range f.IntN(4) {
			out = append(out, f.value(s.Items, name))
		}
		return out
	case "object":
		out := map[string]any{}
		for key, below := range s.Properties {
			if slices.Contains(s.Required, key) && f.IntN(10) > 0 || f.IntN(2) == 0 {
				out[key] = f.value(below, key)
			}
		}
		if f.IntN(10) == 0 {
			out["more"] = f.awkward()
		}
		return out
	}
	return f.awkward()
}

func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// request is one that an operation may get.
func (f *fuzzer) request(method, path string, d described, token string) (r *httptest.ResponseRecorder, make func(*Server), shown string) {
	query := url.Values{}
	for _, p := range d.Parameters {
		v := asText(f.value(p.Schema, p.Name))
		if p.In == "path" {
			if v == "" || strings.ContainsAny(v, "/\x00") || v == "." || v == ".." {
				v = "x" // another route, or none: seen by TestPathTricks
			}
			path = strings.ReplaceAll(path, "{"+p.Name+"}", v)
		} else if p.Required || f.IntN(2) == 0 {
			query.Set(p.Name, v)
		}
	}
	body := ""
	if d.RequestBody != nil {
		b, err := json.Marshal(f.value(d.RequestBody.Content["application/json"].Schema, ""))
		if body = string(b); err != nil || f.IntN(20) == 0 {
			body = body[:len(body)/2]
		}
		if body == "" {
			body = "{}"
		}
	}
	req := asks(strings.ToUpper(method), "/", token, body)
	req.URL.Path, req.URL.RawQuery = path, query.Encode()
	r = httptest.NewRecorder()
	return r, func(s *Server) { s.Handler().ServeHTTP(r, req) }, fmt.Sprintf("%s %.100q?%.200s %.300s", strings.ToUpper(method), path, query.Encode(), body)
}

// TestSchemaFuzz asks every operation of the document much that it describes, and much that it does not: no answer is of
// the service's own fault, every status is documented, and every body is what the document says.
func TestSchemaFuzz(t *testing.T) {
	o := options(t)
	o.Place = place(t)
	x := sessions(t, 1000)
	o.Sessions = x
	s := serving(t, o)
	var doc documented
	if err := json.Unmarshal(answer(s, asks("GET", "/api/openapi.json", "", "")).Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		made(t, s, adaToken, fmt.Sprint("s", i))
	}
	waits(t, x, "ada", "s1")
	if _, err := x.Change(t.Context(), lifecycle.Key{Owner: "ada", ID: "s2"}, lifecycle.Change{Cause: lifecycle.Pause}); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Revise(t.Context(), lifecycle.Key{Owner: "ada", ID: "s3"}, lifecycle.Revision{Plan: "p", Todos: []lifecycle.Todo{{ID: "t1", Title: "a"}, {ID: "t2", Title: "b"}}}); err != nil {
		t.Fatal(err)
	}
	rounds := 120
	if testing.Short() {
		rounds = 30
	}
	list := answer(s, asks("GET", "/api/snapshots", testKey, "")).Body.String()
	newest, oldest := gjson.Get(list, "data.snapshots.0.session_id").String(), gjson.Get(list, "data.snapshots.1.session_id").String()
	for _, id := range []string{oldest, newest} {
		if _, err := x.Checkpoint(t.Context(), lifecycle.Key{Owner: "ada", ID: "s0"}, "", lifecycle.Snapshot(id), ""); err != nil {
			t.Fatal(err)
		}
	}
	f := &fuzzer{rand.New(rand.NewPCG(1, 2)), []string{"s0", "s1", "s2", "s3", "s9", "q1", "t1", "HEAD", "HEAD~1", "yes", "normal"},
		map[string][]string{"session_id": {"s0", "s0", "s1", "s2", "s3"}, "request_id": {"q1"}, "snapshot_id": {newest, oldest, "HEAD"}, "from": {newest, oldest}, "to": {newest, oldest},
			"choice": {"yes", "no"}, "status": {"running", "paused"}, "priority": {"high", "low"}, "base_session_id": {""}}}
	schemas := map[string]*jsonschema.Resolved{}
	seen := map[string]map[int]int{}
	for _, o := range doc.inOrder() {
		d := doc.Paths[o[0]][o[1]]
		f.good["session_id"] = []string{"s0", "s0", "s1", "s2", "s3"}
		if d.ID == "answerRequest" {
			f.good["session_id"] = []string{"s1"}
		}
		seen[d.ID] = map[int]int{}
		const most = 3000 // until it is answered well at least once: chance may take long
		for n := 0; n < rounds || n < most && seen[d.ID][200]+seen[d.ID][201] == 0; n++ {
			token := []string{adaToken, adaToken, testKey, benToken, "wrong"}[f.IntN(5)]
			w, ask, shown := f.request(o[1], o[0], d, token)
			ask(s)
			seen[d.ID][w.Code]++
			if err := doc.holds(d, w, schemas); err != nil {
				t.Errorf("%s: %d %.300s: %v", shown, w.Code, w.Body, err)
			}
		}
	}
	for id, codes := range seen {
		if codes[200]+codes[201] == 0 {
			t.Errorf("%s was never answered well: %v", id, codes)
		}
	}
}

// inOrder is every operation, as path and method: what is there is looked at before it goes.
func (doc documented) inOrder() (all [][2]string) {
	for path, methods := range doc.Paths {
		for method := range methods {
			all = append(all, [2]string{path, method})
		}
	}
	last := func(o [2]string) string {
		if o[1] == "delete" || strings.HasSuffix(o[0], "/cancel") {
			return "~"
		}
		return ""
	}
	slices.SortFunc(all, func(a, b [2]string) int {
		return strings.Compare(last(a)+a[0]+a[1], last(b)+b[0]+b[1])
	})
	return all
}

// holds compares an answer with the document.
func (doc documented) holds(d described, w *httptest.ResponseRecorder, schemas map[string]*jsonschema.Resolved) error {
	if w.Code >= 500 {
		return fmt.Errorf("the service's own fault")
	}
	said, ok := d.Responses[strconv.Itoa(w.Code)]
	if !ok {
		return fmt.Errorf("the status is not documented")
	}
	key := d.ID + strconv.Itoa(w.Code)
	if schemas[key] == nil {
		schema := said.Content["application/json"].Schema
		if name, is := strings.CutPrefix(schema.Ref, "#/components/schemas/"); is {
			schema = doc.Components.Schemas[name]
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			return err
		}
		schemas[key] = resolved
	}
	var body any
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		return err
	}
	return schemas[key].Validate(body)
}
