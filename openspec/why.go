package openspec

import "time"

// Reason says why a change was chosen. Callers translate by it.
type Reason string

// The reasons, strongest first, with the fields of [Why] that each fills. Figures: 110 merges and 307 commits of 29
// public repositories, measured against what was really worked on.
const (
	ReasonNamed        Reason = "named"          // somebody named it
	ReasonPointer      Reason = "pointer"        // File: the source itself says which one is current
	ReasonOnly         Reason = "only"           // there is no other
	ReasonTicked       Reason = "ticked"         // Task, Count: only here are boxes ticked that HEAD does not have ticked
	ReasonBranch       Reason = "branch"         // Branch, Match: the branch is named after it
	ReasonOnlyOfStatus Reason = "only_of_status" // Status: no other change is in this state
	ReasonEdited       Reason = "edited"         // File: only here are files that differ from HEAD
	ReasonSaved        Reason = "saved"          // the last save was about it; a guess
	ReasonRecent       Reason = "recent"         // When: its tasks were edited last; a guess, right in 71 % of cases
	ReasonFirst        Reason = "first"          // first by name; a guess
)

// BranchMatch says how a branch name and the id of a change agree.
type BranchMatch string

// The ways of agreeing, strongest first, with how often each was right.
const (
	MatchSame      BranchMatch = "same"      // the last segment is the id: 31 of 31
	MatchContains  BranchMatch = "contains"  // the branch contains the id: 43 of 44
	MatchContained BranchMatch = "contained" // the id contains the last segment, at least six characters: 36 of 36
	MatchWords     BranchMatch = "words"     // they share most words: 65 of 66; or a quarter of them: 76 of 79
)

// Why is the reason for a choice with the values it rests on.
type Why struct {
	Reason Reason
	Task   string // text of the newest ticked box
	Count  int    // boxes ticked
	Branch string
	Match  BranchMatch
	Status Status
	File   string // slash path relative to [Place].Top, or the name of a variable
	When   time.Time
}

// Guess reports whether nothing but habit speaks for the choice: a caller with a terminal should ask, one without
// should say so.
func (w Why) Guess() bool {
	return w.Reason == ReasonSaved || w.Reason == ReasonRecent || w.Reason == ReasonFirst
}

// ResumeReason says why a task is the one to go on with. Callers translate by it.
type ResumeReason string

// The reasons. Figures: share of 315 real commits in which the task so predicted was ticked next.
const (
	ResumeActive      ResumeReason = "active"       // the source marks it as being worked on
	ResumeReady       ResumeReason = "ready"        // the source's own order: dependencies met, priority, number
	ResumeAfterSave   ResumeReason = "after_save"   // follows the last box ticked since the last save (59 %)
	ResumeAfterHead   ResumeReason = "after_head"   // follows the last box ticked and not committed (59 %)
	ResumeAfterCommit ResumeReason = "after_commit" // follows the last box that the last commit of the file ticked (59 %)
	ResumeAfterDone   ResumeReason = "after_done"   // no history: follows the last ticked box of the list (51 %)
	ResumeFirst       ResumeReason = "first"        // nothing is ticked yet
)

// Resume is the reason for the next task with the values it rests on.
type Resume struct {
	Reason  ResumeReason
	After   string // text of the ticked box that it follows
	Wrapped bool   // nothing open follows that box, so it is the first open one of the list
}
