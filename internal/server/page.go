package server

import (
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"

	"session/internal/text"
)

//go:embed page
var assets embed.FS

// page serves the page and what it needs: files of the folder page, known by name, the same for everybody. What they show
// they get from /api, with the token of who looks at them.
func (s *Server) page(mux *http.ServeMux) error {
	below, err := fs.Sub(assets, "page")
	if err != nil {
		return err
	}
	files, err := fs.ReadDir(below, ".")
	if err != nil {
		return err
	}
	for _, f := range files {
		path := "/" + f.Name()
		if f.Name() == "index.html" {
			path = "/{$}"
		}
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-cache")
			http.ServeFileFS(w, r, below, f.Name())
		})
	}
	for lang, words := range s.words {
		b, err := json.Marshal(sentences(words))
		if err != nil {
			return err
		}
		mux.HandleFunc("GET /words-"+string(lang)+".json", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.Header().Set("Cache-Control", "no-cache")
			_, _ = w.Write(b) // whoever has gone does not need it
		})
	}
	return nil
}

// sentences are the page's, with their places open: the page fills them.
func sentences(words *text.Catalogue) map[string]string {
	var places []any
	for _, p := range []string{"n", "from", "to", "title", "top", "date", "time", "text", "type"} {
		places = append(places, p, "{"+p+"}")
	}
	all := map[string]string{}
	for _, key := range pageWords() {
		all[key] = words.Say(key, places...)
	}
	return all
}
