package openspec

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"session/internal/lazy"
)

const archiveFolder = "archive"

// changeFolders lists the directories that `openspec list` takes for changes, sorted: every one below changes/ but the
// archive, dot-directories included, links excluded. A missing folder has none.
func changeFolders(changes string) (names []string, whole bool, err error) {
	list, whole, err := entries(changes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	for _, e := range list {
		if e.IsDir() && e.Name() != archiveFolder {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, whole, err
}

// hidden tells a change that all commands but list leave out.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// changeMarkers are files that only ever stand at the root of a change.
var changeMarkers = []string{metadataFile, "proposal.md", "tasks.md", "design.md"}

const namespaceDepth = 3

// namespace reports whether a folder below changes/ only wraps changes (dist/utils/nested-change.js): it has nothing
// of a change and no file of its own, but something below it looks like one.
func (p *project) namespace(dir string) bool {
	if p.looksLikeChange(dir) {
		return false
	}
	list, _, err := entries(dir)
	if err != nil || slices.ContainsFunc(list, func(e fs.DirEntry) bool { return !hidden(e.Name()) && !e.IsDir() }) {
		return false
	}
	return p.wrapsChange(dir, namespaceDepth)
}

func (p *project) wrapsChange(dir string, depth int) bool {
	if depth == 0 || p.probes < 0 {
		return false
	}
	list, _, err := entries(dir)
	if p.probes -= len(list); err != nil {
		return false
	}
	for _, e := range list {
		sub := filepath.Join(dir, e.Name())
		if e.IsDir() && !hidden(e.Name()) && (p.looksLikeChange(sub) || p.wrapsChange(sub, depth-1)) {
			return true
		}
	}
	return false
}

// looksLikeChange: a file of a change at its root, any file below specs/, or an output of its workflow schema.
func (p *project) looksLikeChange(dir string) bool {
	for _, name := range changeMarkers {
		if isFile(filepath.Join(dir, name)) {
			return true
		}
	}
	return p.anyFileBelow(filepath.Join(dir, "specs")) || p.hasOutput(dir)
}

func (p *project) anyFileBelow(dir string) bool {
	list, _, err := entries(dir)
	if p.probes -= len(list); err != nil || p.probes < 0 {
		return false
	}
	for _, e := range list {
		if hidden(e.Name()) {
			continue
		}
		if e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0 {
			return true
		}
		if e.IsDir() && p.anyFileBelow(filepath.Join(dir, e.Name())) {
			return true
		}
	}
	return false
}

func (p *project) hasOutput(dir string) bool {
	if !p.custom {
		return false // the program's own outputs are among the markers
	}
	name, err := p.schemaName(dir)
	if err != nil {
		return false
	}
	flow, err := p.schemas.workflow(name)
	return err == nil && slices.ContainsFunc(flow.outputs, func(o string) bool {
		files, err := outputs(dir, o)
		return err == nil && len(files) > 0
	})
}

var archivedName = lazy.Regexp(`^([0-9]{4}-[0-9]{2}-[0-9]{2})-(.+)$`)

// archived looks a change up in the archive, where `openspec archive` moves it as DATE-ID, or as ID if that starts with
// a date itself. Of several the latest counts. nil if there is none.
func (p *project) archived(id string) *Archive {
	list, _, err := entries(filepath.Join(p.dir, archiveFolder))
	if err != nil {
		return nil
	}
	var found *Archive
	for _, e := range list {
		name, date := e.Name(), ""
		if m := archivedName().FindStringSubmatch(name); m != nil {
			date = m[1]
			if !sameName(m[2], id) && !sameName(name, id) {
				continue
			}
		} else if !sameName(name, id) {
			continue
		}
		if e.IsDir() && (found == nil || date > found.Date) {
			found = &Archive{Dir: path.Join(p.relDir, archiveFolder, name), Date: date}
		}
	}
	return found
}

// sameName compares names as people do: composed and decomposed Hangul or accents are the same (macOS writes the one,
// keyboards the other).
func sameName(a, b string) bool { return a == b || norm.NFC.String(a) == norm.NFC.String(b) }
