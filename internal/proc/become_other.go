//go:build !unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Become goes on as another program, which has the streams and the folder of this process, and gives its exit code: a
// process cannot turn into another one here.
func Become(path string, args, env []string) (code int, err error) {
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", path, err)
	}
	return 0, nil
}
