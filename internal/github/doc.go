// Package github asks GitHub how the work looks from there: CI runs of a commit, checks of other services, reviews and
// mergeability of the branch's pull requests, and whether the repository is public. It turns the answers into plain
// values and, through package blocker, into blockers (S1.5, S1.9, S1.11).
//
// # Model
//
//	Remote(url)            → Repo        which repository a git remote is
//	Client.Ask(Question)   → Answer      two calls when nothing fails, in 5 s in all
//	Client.Wait(Question)  → Answer      ask again until the commit's CI runs have completed
//	Client.Public(…)       → Answer      only whether everybody can read the repository
//	Answer.Blockers()      → []blocker.Blocker
//	Answer.CI()            → Verdict
//
// # Unknown is a value
//
// An Answer has four parts (runs, checks, pulls, public). Each carries the time at which GitHub said it; what could not
// be had is named in Answer.Unknown with a Reason, words, and the time at which asking again makes sense. A caller keeps
// the Answer (it is JSON, read again with Parse) and hands it in as Question.Last next time: a part that could not be had
// is then carried over, marked Old, with its old time, and nothing is asked before Answer.NextAllowedAt. A part that is
// not Fresh makes no blocker and no verdict: unknown is never "failed" and never "fine". Ask returns an error only when
// its caller cancelled; no token, no network and no answer are ordinary.
//
// # Calls
//
//	together      GET  repos/O/R/actions/runs?head_sha=…&branch=…           newest run per workflow
//	              POST graphql (pulls.graphql)                              pull requests, checks, visibility
//	then, only    GET  …/actions/runs/ID/jobs, …/actions/jobs/ID/logs       where a run failed: of the first one
//	if needed     POST graphql (mergeable.graphql)                          where mergeability is not computed yet: once
//	              GET  repos/PARENT/actions/runs                            where a fork's pull request is open
//
// # Distrust
//
// The token goes to the API host only: not to the host that a log is redirected to, not over plain HTTP, and not to a
// host that is merely named by a remote (gh must know it). Answers are bounded in bytes, lists and strings in length;
// control characters never pass. Logs are streamed through blocker.Scan and are not kept. Secrets in what a log says are
// masked by the caller, before it keeps an Answer.
//
// Nothing here reads the environment, a file or a clock: Options carries them in. The functions in gh.go do read them;
// they are what the wiring puts into Options.
package github
