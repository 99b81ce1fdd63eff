// Package lifecycle is the life of a Session (seed 004): its states, what it records, and what may happen to it. It does
// no I/O and reads no clock: times come in, decisions go out.
//
// A Session is one piece of work, from somebody's words to an answer:
//
//	created ──▶ running ──▶ completed
//	              │  ▲  └──▶ failed ──▶ running
//	              ▼  │
//	         paused, hitl_waiting ──▶ cancelled
//
// Transitions is the whole table; Document prints it. A Change names a Cause ("pause"), never a state: Session.Apply looks
// the cause up, and says what the Session becomes and which Event that is. Whoever stores Sessions does nothing but read,
// Apply, and write if nobody else has meanwhile; so every store decides alike.
//
// Around a Session stand its Plan (numbered versions, each with Todos), its Checkpoints (ids of snapshots), the Requests
// that it put to a person with their Decisions, and its Events. Records is the contract of a store of all that;
// package lifecycletest attacks an implementation.
//
// Who may write is settled three times over. An Owner sees only what is theirs: everybody else's is not found. A version
// that grows with each change refuses a decision made on an older one (*ChangedError). And a run that holds a Session
// (Change.Take) is the only run that may speak for it (Change.As): one that was given up for dead, and comes back, gets a
// *FencedError.
package lifecycle
