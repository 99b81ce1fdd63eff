package github

import (
	"net/url"
	"strings"
)

// Repo names a repository on a GitHub host.
type Repo struct {
	Host  string `json:"host"` // lower case, without port: an API answers on the port of https
	Owner string `json:"owner"`
	Name  string `json:"name"`
	SSH   bool   `json:"ssh,omitempty"` // from an ssh URL: Host may be an alias of ssh's configuration
}

// String is "owner/name", as GitHub writes it.
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// Same tells whether two names are of one repository: GitHub does not tell upper from lower case.
func (r Repo) Same(o Repo) bool {
	return strings.EqualFold(r.Host, o.Host) && strings.EqualFold(r.Owner, o.Owner) && strings.EqualFold(r.Name, o.Name)
}

func (r Repo) valid() bool { return hostname(r.Host) && ownerName(r.Owner) && repoName(r.Name) }

// maxRemote bounds a remote's URL, in bytes.
const maxRemote = 2048

// Remote reads the URL of a git remote, as `git remote get-url` gives it (insteadOf applied), in each form that git
// knows for a server: scp-like, ssh, https, http, git. It reports false for what cannot be a repository of a GitHub
// host: files, other transports, gists, wikis, paths of another depth. Users, passwords and ports are dropped. Whether
// the host is a GitHub host is not known here: Client.Ask finds that out.
func Remote(remote string) (Repo, bool) {
	remote = strings.TrimSpace(remote)
	if len(remote) > maxRemote {
		return Repo{}, false
	}
	host, path, ssh, ok := splitURL(remote)
	if !ok {
		host, path, ok = splitSCP(remote)
		ssh = true
	}
	if !ok {
		return Repo{}, false
	}
	r := Repo{Host: canonicalHost(host), SSH: ssh}
	owner, name, ok := strings.Cut(strings.Trim(path, "/"), "/")
	r.Owner, r.Name = owner, strings.TrimSuffix(name, ".git")
	return r, ok && r.valid() && r.Host != "gist.github.com"
}

// schemes of git's URLs that name a server; true where ssh resolves the host.
func schemes() map[string]bool {
	return map[string]bool{"ssh": true, "git+ssh": true, "ssh+git": true, "https": false, "http": false, "git+https": false, "git": false}
}

func splitURL(remote string) (host, path string, ssh, ok bool) {
	scheme, _, is := strings.Cut(remote, "://")
	ssh, known := schemes()[strings.ToLower(scheme)]
	if !is || !known {
		return "", "", false, false
	}
	u, err := url.Parse(remote)
	if err != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", "", false, false
	}
	return u.Hostname(), u.Path, ssh, true
}

// splitSCP reads [user@]host:path. As for git, a slash before the first colon makes it a file, and so does a host of
// one letter: a drive of Windows.
func splitSCP(remote string) (host, path string, ok bool) {
	host, path, ok = strings.Cut(remote, ":")
	if !ok || strings.ContainsAny(host, `/\`) || strings.HasPrefix(path, "//") || strings.ContainsAny(path, `\:`) {
		return "", "", false
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	return host, path, len(host) > 1
}

// canonicalHost drops what GitHub puts before its name for browsers and for ssh on port 443.
func canonicalHost(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "www.github.com" || host == "ssh.github.com" {
		return "github.com"
	}
	return host
}

// hostname accepts names and IPv4 addresses; it keeps out what a program could take for an option.
func hostname(s string) bool {
	return len(s) <= 253 && s != "" && !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, ".") && !strings.Contains(s, "..") &&
		only(s, "-._")
}

func ownerName(s string) bool { return s != "" && len(s) <= 100 && s[0] != '-' && only(s, "-_") }

// repoName keeps out "." and "..", which would leave the path of the repository, and wikis, which have no API.
func repoName(s string) bool {
	return s != "" && len(s) <= 100 && s != "." && s != ".." && !strings.HasSuffix(strings.ToLower(s), ".wiki") && only(s, "-._")
}

// only tells whether s has ASCII letters, digits and the given others only.
func only(s, others string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}
