package server

import (
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// guard lets in only what is addressed to this service, and comes from no page of another origin.
//
// A page anywhere can make a browser ask 127.0.0.1, or have its own name lead there (DNS rebinding). The first is told
// by the Origin that browsers send, the second by the Host, which is then the page's name. Neither would have the bearer
// token; they get no answer all the same.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.headers(w)
		switch {
		case !s.known(r.Host):
			s.refuse(w, r, refusal{Status: http.StatusMisdirectedRequest, Code: "WRONG_HOST", Message: s.say(r, "serve.host", "host", cut(r.Host))})
		case !s.sameOrigin(r):
			s.refuse(w, r, refusal{Status: http.StatusForbidden, Code: "WRONG_ORIGIN", Message: s.say(r, "serve.origin", "origin", cut(r.Header.Get("Origin")))})
		case !straight(r.URL):
			s.refuse(w, r, s.absent(r))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// headers are those of every answer: nothing is framed, guessed, cached by others or told to others.
func (s *Server) headers(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	if s.Secure {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// known says whether the service is called by a name that is its own.
func (s *Server) known(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if ip := net.ParseIP(name); ip != nil {
		return ip.IsLoopback() || slices.Contains(s.Hosts, name) || slices.Contains(s.Hosts, host)
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return name == "localhost" || slices.Contains(s.Hosts, name) || slices.Contains(s.Hosts, strings.ToLower(host))
}

// sameOrigin says whether a request comes from our own page, or from no page. A browser that was only told to go here
// by a link may read the page, and nothing else.
func (s *Server) sameOrigin(r *http.Request) bool {
	if o := r.Header.Get("Origin"); o != "" {
		u, err := url.Parse(o)
		scheme := "http"
		if s.Secure {
			scheme = "https"
		}
		return err == nil && strings.EqualFold(u.Host, r.Host) && u.Scheme == scheme
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.URL.Path == "/"
}

// straight says whether a path means what it says: no dots, no doubled or hidden slashes, no other spelling.
func straight(u *url.URL) bool {
	p := u.Path
	return u.RawPath == "" && strings.HasPrefix(p, "/") && !strings.ContainsAny(p, "\\\x00") && (path.Clean(p) == p || p == "/")
}

// cut shortens what a client said for a message.
func cut(s string) string { return s[:min(len(s), 80)] }
