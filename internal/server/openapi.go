package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"session/blocker"

	"github.com/google/jsonschema-go/jsonschema"
)

// object is a JSON object of the document.
type object = map[string]any

// describe answers with the document. It says nothing that the source does not, so it is for everybody.
func (s *Server) describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(s.openapi) // whoever has gone does not need it
}

// document is the OpenAPI 3.1 document of a table of operations. Its schemas are JSON Schema 2020-12, made from the types
// that the operations read and write.
func document(ops []operation) ([]byte, error) {
	paths := object{}
	for _, o := range ops {
		item, _ := paths[o.path].(object)
		if item == nil {
			item = object{}
			paths[o.path] = item
		}
		described, err := o.describe()
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", o.method, o.path, err)
		}
		item[strings.ToLower(o.method)] = described
	}
	no, err := schema(reflect.TypeFor[failed]())
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{"title": "session", "version": "1", "license": object{"name": "see LICENSE"},
			"description": "The thread of a developer's work: sessions, their events, and the snapshots they stand on. GET /ws/{session_id} is a WebSocket: see docs/service.md."},
		"servers":  []object{{"url": "/"}},
		"security": []object{{"token": []string{}}},
		"paths":    paths,
		"components": object{
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer", "description": "made by session token create, or the operator's key of this start"}},
			"schemas":         object{"Refusal": no},
		},
	}, "", " ")
}

func (o operation) describe() (object, error) {
	out, err := schema(o.out)
	if err != nil {
		return nil, err
	}
	d := object{"operationId": o.id, "summary": o.summary, "responses": o.responses(out)}
	var params []object
	for _, p := range parameters(o.in) {
		params = append(params, object{"name": p.name, "in": p.where, "required": p.required, "description": p.doc, "schema": p.schema()})
	}
	if params != nil {
		d["parameters"] = params
	}
	if hasBody(o.in) {
		in, err := bodySchema(o.in)
		if err != nil {
			return nil, err
		}
		d["requestBody"] = object{"required": true, "content": content(in)}
	}
	return d, nil
}

// everywhere are the statuses that every operation may refuse with.
func (o operation) everywhere() []int {
	all := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMisdirectedRequest, http.StatusUnprocessableEntity,
		http.StatusTooManyRequests, http.StatusServiceUnavailable}
	if hasBody(o.in) {
		all = append(all, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	return append(all, o.refusals...)
}

func (o operation) responses(out any) object {
	ok := object{"type": "object", "required": []string{"success", "data"}, "properties": object{"success": object{"const": true}, "data": out}}
	r := object{strconv.Itoa(o.status): object{"description": "done", "content": content(ok)}}
	for _, status := range o.everywhere() {
		r[strconv.Itoa(status)] = object{"description": http.StatusText(status), "content": content(object{"$ref": "#/components/schemas/Refusal"})}
	}
	return r
}

func content(schema any) object { return object{"application/json": object{"schema": schema}} }

func (p parameter) schema() object {
	switch p.kind.Kind() {
	case reflect.Int, reflect.Int64:
		if p.max != 0 {
			return object{"type": "integer", "minimum": p.min, "maximum": p.max}
		}
		return object{"type": "integer"}
	case reflect.Bool:
		return object{"type": "boolean"}
	}
	if p.enum != nil {
		return object{"type": "string", "enum": p.enum}
	}
	return object{"type": "string", "maxLength": maxParameter}
}

// schema is the JSON Schema of an answer. Answers may gain fields, so objects are open.
func schema(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := bodySchema(t)
	open(s)
	return s, err
}

// bodySchema is the JSON Schema of a request's body: other fields than these are refused.
func bodySchema(t reflect.Type) (*jsonschema.Schema, error) {
	return jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[blocker.Blocker](): {Type: "object", Description: "see the schema of the state file"},
	}})
}

// open takes back that objects have no other fields.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, below := range s.Properties {
		open(below)
	}
	open(s.Items)
	open(s.AdditionalProperties)
}

// resolve prepares what checks the bodies of requests.
func resolve(ops []operation) error {
	for i, o := range ops {
		if !hasBody(o.in) {
			continue
		}
		body, err := bodySchema(o.in)
		if err == nil {
			ops[i].body, err = body.Resolve(nil)
		}
		if err != nil {
			return fmt.Errorf("the body of %s: %w", o.id, err)
		}
	}
	return nil
}
