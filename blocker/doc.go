// Package blocker says what stops a piece of work, and finds it in what the world left behind: logs of builds and
// tests, test reports, answers of GitHub, reports of agents, the state of git.
//
// # Model
//
// A Blocker (S1.9, S1.10) has a type, a severity, words for people, and an ErrorPattern that is the same each time the
// same failure is seen, whatever the time, address or checkout: its ID follows from type and pattern. Blockers are
// values; nothing here reads a clock, starts a program or opens a file. Callers hand in bytes and plain values:
//
//	Scan          a log or a report of any tool, as an Input        → Report{Verdict, Blockers}
//	FromReport    the last report of an agent                       → *Blocker
//	FromCI        CI runs and checks                                → []Blocker
//	FromReview    a pull request's reviews and mergeability         → []Blocker
//	FromGit       unmerged entries, an operation in progress        → []Blocker
//	FromMarkers   conflict markers left in changed files            → []Blocker
//	Order, First  several at once: conflict, decision, review, then the failing stage
//
// # Verdict before words
//
// A run that succeeded has no blocker, whatever words stand in its log; a run that failed always has one, even when no
// rule knows its words. So Scan asks first how the run ended: the exit code if it is known, else the outermost verdict
// in the log (a CI system's over a tool's own summary over a line about one part). A success verdict in the last 64 KiB
// ends the scan after one read.
//
// # How a log is read
//
// chunks of whole lines → decode and clean (encoding, escapes) → rules.Table.Select finds the few lines that hold a
// literal → prefixes of CI systems are taken off → the rules are asked → hits are kept by step and type, with the lines
// that follow them → decide. Cleaning and selecting run on all processors; memory does not grow with the log. A line
// counts up to 4 KiB.
//
// Structured reports (JUnit and CTest XML, go test -json, gh's JSON, LastTestsFailed.log) are read by structure.
package blocker
