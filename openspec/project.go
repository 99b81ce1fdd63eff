package openspec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
)

// project is an OpenSpec project.
type project struct {
	*finder
	root    root
	dir     string // real path of openspec/changes
	relDir  string // the same as the answer writes it
	probes  int    // entries that may still be looked at to tell namespace folders
	schemas *schemas
	custom  bool // there are workflow schemas besides the program's own
	config  *configured
}

// configured is what openspec/config.yaml says about workflow schemas.
type configured struct {
	schema string
	err    error
	file   string
}

func (f *finder) openSpec(r root) *project {
	p := &project{finder: f, root: r, probes: 10 * MaxEntries, schemas: newSchemas(r.dir, f.place.DataHome)}
	p.dir = filepath.Join(r.dir, "openspec", "changes")
	if real, err := filepath.EvalSymlinks(p.dir); err == nil {
		p.dir = real
	}
	p.relDir = f.rel(p.dir)
	if f.inTree && !f.ownFile(p.relDir) {
		f.warn(Warning{Code: WarnOutsideTree, Path: p.relDir})
	}
	p.custom = p.schemas.custom()
	return p
}

func (p *project) changes(ctx context.Context) ([]*change, error) {
	names, whole, err := changeFolders(p.dir)
	if err != nil {
		return nil, fmt.Errorf("list changes in %s: %w", p.relDir, bare(err))
	}
	if !whole {
		p.warn(Warning{Code: WarnTooMany, Path: p.relDir, Limit: MaxEntries})
	}
	all := make([]*change, 0, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list changes in %s: %w", p.relDir, err)
		}
		all = append(all, p.look(name))
	}
	return all, nil
}

// look counts one change.
func (p *project) look(id string) *change {
	c := &change{Candidate: Candidate{ID: id, Dir: path.Join(p.relDir, id)}, abs: filepath.Join(p.dir, id), boxes: true}
	if err := p.findFiles(c); err != nil {
		p.leaveOut(c, err)
		return c
	}
	p.count(c)
	switch {
	case hidden(id):
		c.aside = &Warning{Code: WarnHidden, Name: id}
	case len(c.files) == 0 && p.namespace(c.abs):
		c.aside = &Warning{Code: WarnNamespace, Path: c.Dir, Name: id}
		p.warn(*c.aside)
	}
	return c
}

func (p *project) tasks(_ context.Context, c *change) ([]Task, error) {
	if p.custom {
		p.explain(c)
	}
	tasks := p.parse(c)
	number(tasks)
	return tasks, nil
}

func (p *project) resume(ctx context.Context, c *change, tasks []Task) (int, Resume) {
	return p.afterTicks(ctx, c, tasks)
}

func (p *project) current([]*change) (*change, string) { return nil, "" }

// number gives OpenSpec's ids: 1, 2, … over the tasks that have text.
func number(tasks []Task) {
	n := 0
	for i := range tasks {
		if tasks[i].Description != "" {
			n++
			tasks[i].ID = strconv.Itoa(n)
		}
	}
}

// findFiles names the files that hold a change's tasks: those of its workflow schema, or tasks.md if that names none.
func (p *project) findFiles(c *change) error {
	generates := "tasks.md"
	if p.custom {
		if g, err := p.tracked(c.abs); err == nil && g != "" {
			generates = g
		}
	}
	files, err := []string(nil), error(nil)
	if generates != "tasks.md" {
		files, err = outputs(c.abs, generates)
	}
	if errors.Is(err, errPattern) {
		p.warn(Warning{Code: WarnPattern, Path: c.Dir, Name: generates})
	} else if err != nil {
		return err
	}
	if len(files) == 0 {
		return c.only("tasks.md")
	}
	for _, name := range files {
		c.files = append(c.files, taskFile{filepath.Join(c.abs, filepath.FromSlash(name)), path.Join(c.Dir, name)})
	}
	return nil
}

// tracked gives the pattern of a change's task files, "" if its schema tracks none.
func (p *project) tracked(dir string) (string, error) {
	name, err := p.schemaName(dir)
	if err != nil {
		return "", err
	}
	flow, err := p.schemas.workflow(name)
	return flow.tracked, err
}

// schemaName: the change's metadata, else the project's config, else the program's own. A change whose metadata is
// there but not valid has none; the config is not asked then.
func (p *project) schemaName(dir string) (string, error) {
	file := filepath.Join(dir, metadataFile)
	if _, err := os.Stat(file); err != nil {
		return p.defaultSchema(), nil
	}
	text, err := readText(file, MaxSettings)
	if err != nil {
		return "", &metadataError{bare(err)}
	}
	name, err := schemaOf(text)
	if err != nil {
		return "", &metadataError{err}
	}
	if !p.schemas.listed(name) {
		return "", &metadataError{fmt.Errorf("%w: %q", errUnknownSchema, name)}
	}
	return name, nil
}

// metadataError says that a change's .openspec.yaml cannot be used.
type metadataError struct{ err error }

func (e *metadataError) Error() string { return e.err.Error() }
func (e *metadataError) Unwrap() error { return e.err }

func (p *project) defaultSchema() string {
	if p.config == nil {
		p.config = readConfig(filepath.Join(p.root.dir, "openspec"))
	}
	if p.config.schema == "" {
		return "spec-driven"
	}
	return p.config.schema
}

func readConfig(home string) *configured {
	c := &configured{file: configFile(home)}
	if c.file == "" {
		return c
	}
	text, err := readText(c.file, MaxSettings)
	if err != nil {
		c.err = bare(err)
		return c
	}
	doc, err := parseYAML(text)
	if err != nil {
		c.err = err
		return c
	}
	c.schema, _ = doc.get("schema").text()
	return c
}

// explain says why a change's tasks were looked for in tasks.md although something else was declared.
func (p *project) explain(c *change) {
	name, err := p.schemaName(c.abs)
	var meta *metadataError
	if errors.As(err, &meta) {
		p.warn(Warning{Code: WarnMetadata, Path: path.Join(c.Dir, metadataFile), Err: meta.err})
		return
	}
	if p.config != nil && p.config.err != nil {
		p.warn(Warning{Code: WarnConfig, Path: p.rel(p.config.file), Err: p.config.err})
	}
	if _, err := p.schemas.workflow(name); err != nil {
		p.warn(Warning{Code: WarnSchema, Name: name, Err: err})
	}
}
