package gitstate

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// byHand does in process what git does with a commit once its tree is there: the object, and the move of the branch. It
// looks at no file of the work tree, so it serves both ways of staging.
type byHand struct {
	repo   *Repo
	config Config
	now    func() time.Time
	writer *objectWriter
}

// byHand is nil where only git can write into this repository.
func (r *Repo) byHand(c Config, now func() time.Time) *byHand {
	if r.inner == nil || c == nil || now == nil || !c.writesPlainly() {
		return nil
	}
	o, err := openObjects(r.CommonDir)
	if err != nil { // git says what is wrong with it
		return nil
	}
	return &byHand{r, c, now, &objectWriter{store: o, now: now, level: c.compression(), plain: !c.compresses()}}
}

// writesPlainly reports whether files are written without syncing them, and with nobody else's permissions.
func (c Config) writesPlainly() bool {
	for _, key := range []string{"core.fsync", "core.fsyncmethod", "core.fsyncobjectfiles"} {
		if _, set := c[key]; set {
			return false
		}
	}
	return c.extensions() == nil && privateUmask(c["core.sharedrepository"])
}

// commit makes a commit object in process. ok is false where git has to do it: the identity or the date comes from where
// we do not look, or something in it is not plain.
func (h *byHand) commit(ctx context.Context, o CommitOptions, message string) (id string, ok bool, err error) {
	author, ok1 := h.repo.person("author", h.config)
	committer, ok2 := h.repo.person("committer", h.config)
	if !ok1 || !ok2 || o.Sign || !plainText(message) {
		return "", false, nil
	}
	at := h.now()
	when := strconv.FormatInt(at.Unix(), 10) + " " + at.Format("-0700")
	body := "tree " + o.Tree + "\n"
	if o.Parent != "" {
		body += "parent " + o.Parent + "\n"
	}
	body += "author " + author + " " + when + "\ncommitter " + committer + " " + when + "\n\n" + message
	name, err := objectName(commitObject, []byte(body))
	if err == nil {
		if err = h.writer.create(bytesObject(name, commitObject, []byte(body))); err != nil {
			err = fmt.Errorf("write commit %s: %w", name, err)
		}
	}
	return name.String(), true, err
}
