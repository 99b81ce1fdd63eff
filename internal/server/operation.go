package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"session/internal/app"

	"github.com/google/jsonschema-go/jsonschema"
)

// operation is one route: what it takes, what it gives, and who may use it.
type operation struct {
	method, path string
	id, summary  string // for the document
	access       access
	status       int          // when all is well
	in, out      reflect.Type // In: a struct whose fields are tagged path:"…", query:"…" or json:"…" (the body)
	refusals     []int        // besides those that every operation may answer
	serve        func(ctx context.Context, c call, in any) (any, error)
	body         *jsonschema.Resolved // what a request's body must be; nil: it has none
}

// call is one request to an operation.
type call struct {
	user  User
	place app.Place // in the language of the request
	http  *http.Request
}

// op makes an operation of a function.
func op[In, Out any](method, path, id, summary string, who access, serve func(context.Context, call, In) (Out, error), refusals ...int) operation {
	status := http.StatusOK
	if method == http.MethodPost && strings.HasPrefix(id, "create") {
		status = http.StatusCreated
	}
	return operation{method: method, path: path, id: id, summary: summary, access: who, status: status, refusals: refusals,
		in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		serve: func(ctx context.Context, c call, in any) (any, error) { return serve(ctx, c, in.(In)) }}
}

// operate answers requests with an operation.
func (s *Server) operate(o operation) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, ok := s.admit(w, r)
		if !ok {
			return
		}
		if u.Name == "" || o.access == operators && !u.Operator {
			s.refuse(w, r, s.absent(r))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, s.Limits.Body)
		in, err := s.read(r, o)
		if err != nil {
			s.refuse(w, r, s.refusalOf(r, err))
			return
		}
		noteSession(r, r.PathValue("session_id"))
		ctx, stop := context.WithTimeout(r.Context(), s.Limits.Write*3/4)
		defer stop()
		c := call{user: u, place: s.Place, http: r}
		c.place.Words, c.place.Prompt = s.lang(r), false
		ctx, done := s.traces.operation(ctx, o.id)
		out, err := o.serve(ctx, c, in)
		done(err)
		if err != nil {
			s.refuse(w, r, s.refusalOf(r, err))
			return
		}
		s.write(w, o.status, succeeded{true, out})
	})
}

// read makes an operation's input of a request. Errors: refusal.
func (s *Server) read(r *http.Request, o operation) (any, error) {
	in := reflect.New(o.in)
	if hasBody(o.in) {
		if err := s.readBody(r, o.body, in.Interface()); err != nil {
			return nil, err
		}
	}
	query := r.URL.Query()
	for _, p := range parameters(o.in) {
		v, given := r.PathValue(p.name), true
		if p.where == "query" {
			if v, given = query.Get(p.name), query.Has(p.name); len(query[p.name]) > 1 {
				return nil, s.invalid(r, fmt.Errorf("%s is given %d times", p.name, len(query[p.name])))
			}
		}
		if !given {
			if p.required {
				return nil, s.invalid(r, fmt.Errorf("%s is missing", p.name))
			}
			continue
		}
		if err := p.set(in.Elem().FieldByIndex(p.index), v); err != nil {
			return nil, s.invalid(r, err)
		}
	}
	return in.Elem().Interface(), nil
}

func (s *Server) readBody(r *http.Request, must *jsonschema.Resolved, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return refusal{Status: http.StatusUnsupportedMediaType, Code: "NOT_JSON", Message: s.say(r, "serve.not-json")}
	}
	b, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return refusal{Status: http.StatusRequestEntityTooLarge, Code: "TOO_LARGE", Message: s.say(r, "serve.large", "max", large.Limit)}
	}
	if err != nil {
		return refusal{Status: http.StatusBadRequest, Code: "MALFORMED", Message: s.say(r, "serve.malformed", "why", err.Error())}
	}
	if !utf8.Valid(b) {
		return s.invalid(r, errNotText)
	}
	var is any
	if err := json.Unmarshal(b, &is); err != nil {
		return refusal{Status: http.StatusBadRequest, Code: "MALFORMED", Message: s.say(r, "serve.malformed", "why", err.Error())}
	}
	if err := must.Validate(is); err != nil {
		return s.invalid(r, err)
	}
	if err := json.Unmarshal(b, into); err != nil { // a number that is too large for its field
		return s.invalid(r, err)
	}
	return nil
}

// parameter is a field of an input that stands in the path or the query.
type parameter struct {
	name, where, doc string
	required         bool
	index            []int
	kind             reflect.Type
	min, max         int64 // of numbers
	enum             []string
}

// parameters are the fields of an input that do not stand in the body. Tags: path:"name" or query:"name", doc:"…",
// range:"min,max" of numbers, enum:"a,b", required:"".
func parameters(in reflect.Type) []parameter {
	var all []parameter
	for _, f := range reflect.VisibleFields(in) {
		p := parameter{index: f.Index, kind: f.Type, doc: f.Tag.Get("doc")}
		if p.name = f.Tag.Get("path"); p.name != "" {
			p.where, p.required = "path", true
		} else if p.name = f.Tag.Get("query"); p.name != "" {
			p.where = "query"
			_, p.required = f.Tag.Lookup("required")
		} else {
			continue
		}
		if lo, hi, ok := strings.Cut(f.Tag.Get("range"), ","); ok {
			p.min, _ = strconv.ParseInt(lo, 10, 64) // a bad tag is seen in the document's test
			p.max, _ = strconv.ParseInt(hi, 10, 64)
		}
		if e := f.Tag.Get("enum"); e != "" {
			p.enum = strings.Split(e, ",")
		}
		all = append(all, p)
	}
	return all
}

// hasBody says whether an input has fields of a body.
func hasBody(in reflect.Type) bool {
	return slices.ContainsFunc(reflect.VisibleFields(in), func(f reflect.StructField) bool {
		name := f.Tag.Get("json")
		return name != "" && name != "-"
	})
}

func (p parameter) set(to reflect.Value, v string) error {
	if len(v) > maxParameter {
		return fmt.Errorf("%s is longer than %d bytes", p.name, maxParameter)
	}
	if !utf8.ValidString(v) {
		return fmt.Errorf("%s: %w", p.name, errNotText)
	}
	switch p.kind.Kind() {
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || p.max != 0 && (n < p.min || n > p.max) {
			return fmt.Errorf("%s is %.40q: a whole number from %d to %d", p.name, v, p.min, p.max)
		}
		to.SetInt(n)
	case reflect.Bool:
		b, err := strconv.ParseBool(v)
		if err != nil {
			return fmt.Errorf("%s is %.40q: true or false", p.name, v)
		}
		to.SetBool(b)
	case reflect.String:
		if p.enum != nil && !slices.Contains(p.enum, v) {
			return fmt.Errorf("%s is %.40q: one of %s", p.name, v, strings.Join(p.enum, ", "))
		}
		to.SetString(v)
	default:
		return fmt.Errorf("%s cannot be read", p.name)
	}
	return nil
}

const maxParameter = 4096

var errNotText = errors.New("it is not UTF-8")
