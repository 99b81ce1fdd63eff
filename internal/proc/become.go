package proc

import (
	"os"
	"path/filepath"
)

// Beside finds another program of ours: in the folder of the running one, else in the PATH of env.
func Beside(program string, env []string) (string, error) {
	me, err := os.Executable()
	if err == nil {
		me, err = filepath.EvalSymlinks(me)
	}
	if err == nil {
		for _, ext := range extensions(env) {
			if p := filepath.Join(filepath.Dir(me), program+ext); executable(p) {
				return p, nil
			}
		}
	}
	return LookPath(program, env, "")
}
