// Package openspec reads what is to be done: the changes of an OpenSpec project, the check boxes of their task files,
// which change is being worked on and which task comes next. Other task sources (Spec Kit, Kiro, Task Master, beads)
// stand behind the same entry point, [Find].
//
// # Model
//
// A [Place] says where to look: the folder a person stands in and the top of its work tree. From there one project is
// found, and in it changes: directories below openspec/changes. A change has tasks: the lines of its tasks.md (or of
// the files that its workflow schema names) that carry a check box. What counts as a task, which directories are
// changes and which files hold tasks follow the OpenSpec program, @fission-ai/openspec 1.13.2, to the byte, so that the
// two never disagree about progress. [Count] and [Parse] are that grammar alone, over text.
//
// OpenSpec has no notion of a current change, so [Find] chooses one and says why ([Why]): a name somebody gave, boxes
// ticked in the work tree but not at HEAD, the branch name, the change of the last save, the latest edit. The task to
// go on with is the first open one after the box that was ticked last ([Resume]), which is often not the lowest ticked
// box in the file: lists are worked on out of order.
//
// The package runs no git, reads no environment and knows no clock. What git knows comes in as small functions of
// [Hints], each called only when the choice depends on it.
//
// # Trust
//
// Everything below the project is written by others. Only regular files are opened, none larger than [MaxFile], no link
// is followed out of its change, no walk is unbounded, and whatever was left out is named in [Work].Warnings. Names and
// descriptions are handed on as they are: escape them before they reach a terminal.
//
// # Where this package sees more or less than the program
//
// A task file linked from outside its change makes `openspec list` fail as a whole; here that change alone is left out
// ([WarnOutside]). A single project below the top of the work tree is found although the program would not
// ([RootNested]). Stores, roots registered outside the project, are reported and not followed ([RootError]).
package openspec
