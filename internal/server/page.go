package server

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed page
var assets embed.FS

// page serves the page and what it needs: files of this folder, known by name, the same for everybody. What they show
// they get from /api, with the token of who looks at them.
func (s *Server) page(mux *http.ServeMux) {
	below, err := fs.Sub(assets, "page")
	if err != nil {
		return // there is no such name only if there is no such folder, and then this does not build
	}
	for path, name := range map[string]string{"/{$}": "index.html", "/main.js": "main.js", "/style.css": "style.css", "/icon.svg": "icon.svg"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-cache")
			http.ServeFileFS(w, r, below, name)
		})
	}
}
