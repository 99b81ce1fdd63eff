package blocker

import (
	"path"
	"strings"

	"session/internal/lazy"
)

// foreign names what is not the user's: the runtime's, the package manager's, the system's files. Plain strings, since
// every frame of every stack is asked.
var foreign = []string{"/site-packages/", "/dist-packages/", "node_modules/", "vendor/bundle/", "/gems/", "/rustc/", "/pkg/mod/", ".cargo/registry",
	"/.m2/", "/usr/lib", "/usr/share/", "/usr/include/", "/usr/local/go/", "/usr/local/include/", "/opt/conda/", "/hostedtoolcache/", "/opt/python",
	"/lib/python2", "/lib/python3", "internal/modules", "node:internal"}

// roots are the places into which CI systems check a repository out; what follows them is relative to it.
var roots = lazy.Regexp(`^(?:/home/runner/work/[^/]+/[^/]+/|/__w/[^/]+/[^/]+/|[A-Za-z]:/a/[^/]+/[^/]+/|/Users/runner/work/[^/]+/[^/]+/|/home/travis/build/[^/]+/[^/]+/|/Users/travis/build/[^/]+/[^/]+/|/home/circleci/(?:project|repo)/|/root/project/|/builds/[^/]+/[^/]+/|/(?:home/vsts|Users/runner|[^/]+/vsts)/work/\d+/s/|[A-Za-z]:/a/\d+/s/|(?:/var/lib/jenkins|/home/jenkins(?:/agent)?|/var/jenkins_home|[A-Za-z]:/[Jj]enkins)/workspace/[^/]+/|/workspaces?/[^/]+/|/drone/src/|/bitbucket/pipelines/agent/build/|[A-Za-z]:/projects/[^/]+/)`)

// places turns paths of a log into paths of the repository.
type places struct {
	root string   // absolute, with slashes; may be empty
	dirs []string // where the tool ran, then make's stack of directories
}

func newPlaces(root, dir string) *places {
	p := &places{root: strings.TrimSuffix(slashes(root), "/")}
	if dir != "" && dir != root {
		p.enter(dir)
	}
	return p
}

func slashes(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// enter and leave follow make's "Entering directory" lines; the stack is bounded, since a log may only ever enter.
func (p *places) enter(dir string) {
	if len(p.dirs) < 64 {
		p.dirs = append(p.dirs, slashes(dir))
	}
}

func (p *places) leave(dir string) {
	if n := len(p.dirs); n > 0 && p.dirs[n-1] == slashes(dir) {
		p.dirs = p.dirs[:n-1]
	}
}

// resolve gives the path relative to the repository where that can be told, else the path as it stands.
func (p *places) resolve(file string) string {
	f := strings.TrimPrefix(slashes(strings.Trim(file, `"'`)), "file://")
	if f == "" || strings.HasPrefix(f, "<") {
		return file
	}
	if !isAbs(f) {
		if joined, ok := p.join(f); ok {
			return joined
		}
		return clean(f)
	}
	if rel, ok := p.relative(f); ok {
		return rel
	}
	return f
}

// join tries a relative path against the directory that make is in.
func (p *places) join(f string) (string, bool) {
	if n := len(p.dirs); n > 0 && isAbs(p.dirs[n-1]) {
		return p.relative(path.Join(p.dirs[n-1], f))
	}
	return "", false
}

func (p *places) relative(abs string) (string, bool) {
	abs = path.Clean(abs)
	if p.root != "" {
		if rel, ok := strings.CutPrefix(abs, p.root+"/"); ok {
			return rel, true
		}
	}
	if m := roots().FindString(abs); m != "" && len(m) < len(abs) {
		return abs[len(m):], true
	}
	return "", false
}

func isAbs(f string) bool {
	return strings.HasPrefix(f, "/") || len(f) > 2 && f[1] == ':' && f[2] == '/'
}

// clean takes "./" away but keeps "../", which says that the path is not of the directory it stands in.
func clean(f string) string {
	if c := path.Clean(f); c != "." {
		return c
	}
	return f
}

// isForeign tells whether a file belongs to a runtime or a package, not to the repository.
func isForeign(file string) bool {
	file = slashes(file)
	for _, f := range foreign {
		if strings.Contains(file, f) {
			return true
		}
	}
	return strings.HasPrefix(file, "<")
}
