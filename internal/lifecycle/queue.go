package lifecycle

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Job is a Session's run that a worker is to do.
type Job struct {
	Path    string // that it continues: one job a path and turn
	Turn    int64  // which of the Session's runs it is: the number of its newest event
	Owner   Owner
	Session ID
	Attempt int // from 1, once a worker has it
	Rank    int // of its priority, from 1
}

// MaxAttempts bounds how often a job is tried; then its Session stays failed until somebody resumes it.
const MaxAttempts = 3

// Last says that the queue does not try again after this attempt.
func (j Job) Last() bool { return j.Attempt >= MaxAttempts }

// Priority orders jobs: high comes first, and alone has the last tenth of a worker's slots (seed 004 §7.2).
type Priority string

// The priorities.
const (
	High   Priority = "high"
	Normal Priority = "normal"
	Low    Priority = "low"
)

// Priorities are all of them, the highest first.
func Priorities() []Priority { return []Priority{High, Normal, Low} }

// ErrNoRetry ends a job that trying again would not help.
var ErrNoRetry = errors.New("it is not tried again")

// ErrSnooze puts a job back that could not be done here and now, which is no attempt.
var ErrSnooze = errors.New("it is put back")

// Labour is what a queue lets a worker do.
type Labour struct {
	Name  string // of the worker, unlike any other's
	Slots int    // jobs at a time that are urgent; fewer others
	Usual int    // jobs at a time that are not
	// Run does a job of the queue's row id. ErrSnooze and ErrNoRetry say what becomes of it; with another error it is tried again.
	Run    func(ctx context.Context, id int64, j Job, urgent bool) error
	Here   func(id int64) bool         // the job runs in this process
	Clean  func(context.Context) error // every CleanupInterval, in one worker of all
	Log    *slog.Logger
	Rescue time.Duration // how long a worker may say nothing before others take its jobs over
}
