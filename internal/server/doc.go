// Package server offers session over HTTP: REST below /api, a WebSocket below /ws, a page at /, and what machines ask
// (/healthz, /readyz, /metrics). It translates and decides nothing: what a route does is a function of internal/app or a
// method of lifecycle.Records.
//
// A request passes, in this order: an id and a log line (observe.go) · the guard, which knows by which names the service
// may be called and from which pages (guard.go) · a bound on how often (limit.go) · who asks (identity.go) · its route.
//
// The routes are a table of operations (operation.go). Each names its input and output as Go types; reading a request,
// writing the answer, and the OpenAPI document (openapi.go) all follow from the table, so that they cannot differ.
// Answers are {"success":true,"data":…} or {"success":false,"error":{"code":…,"message":…}} (seed 004 §5.2).
//
// Nobody is known by a cookie: a request carries a bearer token, so no page of another origin can make a browser send
// one. A user sees what is theirs; everything else does not exist for them (404). The operator, who started the service,
// also sees the snapshots of the work tree that it serves.
package server
