// Package redis lets machines that share a snapshot store, or serve sessions together, tell each other what they do, in
// one Redis named by one URL:
//
//	redis://[[user]:password@]host[:port][/db][?timeout=2s&lease=15s]     rediss:// with TLS
//
//	session:lease:<store id>:<key>    who works on a path: JSON, with a word that only the holder knows; time to live TTL
//	session:<id>                      hash: status, current_layer, plan_id, last_activity (seed 004 §3.4); 24 hours
//	session:<id>:progress             hash: total_todos, completed, current_todo; as long as the session's
//	session:<id>:hitl_pending         JSON: request_id, type, data, timeout_at; until timeout_at
//	ws_connections:<id>               set of connected clients
//	session:rate:<hash>               when what somebody asked is paid for (limit.go); until then
//	session_events                    channel of what happens (seed 004 §8.2)
//
// # Nothing here decides
//
// Redis may be flushed, stopped, restarted, fail over to a copy that lags, or be out of reach, and no result is wrong:
// snapshots are created by the object store, which lets one win; a lease only spares the others the work. Redis' own
// counters are of no use for telling an old holder from a new one, because they begin anew with a new Redis; what fences
// a holder off is that it stops by itself when it could not renew for as long as its lease was good (Lease.Lost), and
// that the word in the key is not its own any more.
//
// # Errors
//
// coordination.ErrUnavailable for all that says "not now"; coordination.ErrDamaged where something else stands under one
// of our keys. Neither password nor user of the URL is ever printed.
package redis
