package app

import (
	"context"
	"encoding/json"
	"time"

	"session/internal/proc"
)

// examineService looks for the program that session hands over to. Who works on one machine alone can do without it, so
// what is wrong with it is advice.
func (s *site) examineService(ctx context.Context, r *DoctorResult) {
	if s.Adapters.worker() == nil { // this is it
		return
	}
	problem := func(kind, detail string) {
		r.problem(ServiceProgram, kind, s.Words.Say("problem."+kind)+": "+detail, s.Words.Say("hint.no-service"), true)
	}
	path, err := proc.Beside(ServiceProgram, s.Env)
	if err != nil {
		problem("no-service", err.Error())
		return
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	out, err := proc.Run(ctx, proc.Command{Args: []string{path, "version", "--json"}, Dir: s.root, Env: s.Env, Tree: true, MaxOutput: 1 << 16})
	var its VersionResult
	if err == nil {
		err = json.Unmarshal(out.Stdout, &its)
	}
	mine := Version()
	switch {
	case err != nil:
		problem("broken-service", err.Error())
	case its.Version != mine.Version || its.Commit != mine.Commit:
		problem("other-service", path+" "+its.Version+" "+its.Commit)
	}
}
