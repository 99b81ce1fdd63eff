package proc

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// LookPath finds a program in the PATH of env, never in the working directory unless it is named with a separator
// (then relative to dir). The answer is absolute, or relative only if PATH itself is.
func LookPath(program string, env []string, dir string) (string, error) {
	if strings.ContainsAny(program, `/`+string(filepath.Separator)) {
		if !filepath.IsAbs(program) && dir != "" {
			program = filepath.Join(dir, program)
		}
		if executable(program) {
			return program, nil
		}
		return "", &NotFoundError{program}
	}
	for _, d := range filepath.SplitList(Getenv(env, "PATH")) {
		if d == "" || !filepath.IsAbs(d) {
			continue // an empty entry means the working directory: a repository could plant a program there
		}
		for _, ext := range extensions(env) {
			if p := filepath.Join(d, program+ext); executable(p) {
				return p, nil
			}
		}
	}
	return "", &NotFoundError{program}
}

func extensions(env []string) []string {
	if runtime.GOOS != "windows" {
		return []string{""}
	}
	list := Getenv(env, "PATHEXT")
	if list == "" {
		list = ".COM;.EXE;.BAT;.CMD"
	}
	return append([]string{""}, strings.Split(strings.ToLower(list), ";")...)
}

func executable(p string) bool {
	s, err := os.Stat(p)
	if err != nil || !s.Mode().IsRegular() {
		return false
	}
	return runtime.GOOS == "windows" || s.Mode()&0o111 != 0
}
