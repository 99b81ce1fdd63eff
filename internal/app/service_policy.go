package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"sync"

	"session/internal/atomicfile"
	"session/internal/plan"
)

// acceptances remembers what was read when the policy was found accepted: to parse, lay over and hash it costs milliseconds,
// which each new Session would pay. The files themselves are read each time, so a change counts at once.
type acceptances struct {
	mu   sync.Mutex
	last [sha256.Size]byte
	p    policy // with that hash
	any  bool
}

// must is Fail-Fast for a site, as policy.mustBeAccepted is, and for an agent, as policy.mayRun is.
func (a *acceptances) must(ctx context.Context, at *site, agent string) error {
	sum, ok := at.policySum()
	if p, known := a.known(sum); ok && known {
		return p.mayRun(agent)
	}
	p, err := at.policy(ctx)
	if err == nil {
		err = p.mustBeAccepted()
	}
	if err != nil {
		return err
	}
	if ok {
		a.keep(sum, p)
	}
	return p.mayRun(agent)
}

func (a *acceptances) known(sum [sha256.Size]byte) (policy, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.p, a.any && a.last == sum
}

func (a *acceptances) keep(sum [sha256.Size]byte, p policy) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last, a.p, a.any = sum, p, true
}

// mostPolicyFiles is how many files a policy's folder may have to be summed up.
const mostPolicyFiles = 32

// policySum is a hash of every file that decides whether the policy is accepted: what was accepted, the Ref, and all that
// stands beside the profile. false: that cannot be said in short.
func (s *site) policySum() (sum [sha256.Size]byte, ok bool) {
	files := []string{s.acceptedFile(), s.refFile()}
	name := s.Profile
	if name == "" {
		name = policyDir + "/profile.yaml"
	}
	dir := path.Dir(name)
	beside, err := os.ReadDir(s.below(dir))
	if err != nil && !isMissing(err) || len(beside) > mostPolicyFiles {
		return sum, false
	}
	for _, f := range beside {
		if !f.Type().IsRegular() { // a folder or a link may lead to more
			return sum, false
		}
		files = append(files, s.below(dir, f.Name()))
	}
	h := sha256.New()
	for _, f := range files {
		b, err := atomicfile.Read(f, plan.MaxFile*8)
		if err != nil && !isMissing(err) {
			return sum, false
		}
		fmt.Fprintf(h, "%q %v %d\n", f, err == nil, len(b))
		h.Write(b)
	}
	h.Sum(sum[:0])
	return sum, true
}
