package gitstate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"session/internal/proc"
)

// person is who commits, "Name <address>", as git finds it out from variables and configuration (git-commit-tree(1),
// "COMMIT INFORMATION"). role is author or committer. ok is false where git has to be asked: something is missing or has
// to be cleaned, or a date is given.
func (r *Repo) person(role string, cfg Config) (who string, ok bool) {
	env := r.git.env
	variable := "GIT_" + strings.ToUpper(role)
	empty := func(e string) bool { return e == variable+"_NAME=" || e == variable+"_EMAIL=" } // git refuses those
	if proc.Getenv(env, variable+"_DATE") != "" || slices.ContainsFunc(env, empty) {
		return "", false
	}
	name := firstOf(proc.Getenv(env, variable+"_NAME"), cfg[role+".name"], cfg["user.name"])
	mail := firstOf(proc.Getenv(env, variable+"_EMAIL"), cfg[role+".email"], cfg["user.email"], proc.Getenv(env, "EMAIL"))
	if !plainName(name) || !plainName(mail) {
		return "", false
	}
	return name + " <" + mail + ">", true
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// plainName reports whether git would take a name or address as it is: it cuts off "crud" at both ends and drops <, > and
// line breaks inside (ident.c).
func plainName(s string) bool {
	const crud = ".,:;<>\"\\'"
	if s == "" || !plainText(s) || strings.ContainsAny(s, "\n<>") {
		return false
	}
	end := func(c byte) bool { return c <= ' ' || strings.IndexByte(crud, c) >= 0 }
	return !end(s[0]) && !end(s[len(s)-1])
}

func plainText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
