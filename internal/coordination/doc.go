// Package coordination is what processes and machines that run sessions tell each other while they do: where a session
// stands right now, who waits for an answer, who watches, and what has just happened (seed 004 §3.4, §8).
//
// Nothing in here is the truth. A session's record is in the database, its work in the snapshot store; this is the hot copy
// that a web page or a second terminal reads without asking them, and it may be gone at any moment without a wrong result:
//
//	Hot   one session's state, progress, pending question and connected clients, each with the time it is kept
//	Bus   events as they happen; who was away hears that something was missed, and reads the history instead
//
// So there is one rule for callers: whatever error comes back, go on without, and tell people at most once. ErrUnavailable
// says that nobody answers (Quiet keeps callers from asking them all the while), ErrDamaged that what is kept there cannot be read; both mean "ask the database".
//
// Local is the implementation for one machine: it lives in the process of the service. Others run the suites of package
// coordinationtest.
package coordination
