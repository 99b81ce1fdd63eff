package atomicfile

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// TestMain is also the other processes of these tests: started again with ATOMICFILE_DO set, the binary does one thing.
func TestMain(m *testing.M) {
	do, path := os.Getenv("ATOMICFILE_DO"), os.Getenv("ATOMICFILE_PATH")
	if do == "" {
		os.Exit(m.Run())
	}
	runtime.LockOSThread()
	if err := helper(do, path); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func helper(do, path string) error {
	switch do {
	case "replace":
		return Replace(path, []byte(newText), 0o600)
	case "swap":
		return Swap(path, []byte(newText), 0o600)
	case "create":
		return Create(path, []byte(newText), 0o600)
	case "lock": // says so, and holds until its input ends
		h, err := Lock(context.Background(), path, []byte("helper"), 0)
		if err != nil {
			return err
		}
		fmt.Println("locked")
		_, err = io.Copy(io.Discard, os.Stdin)
		runtime.KeepAlive(h)
		return err
	case "lock+child": // the child outlives us
		h, err := Lock(context.Background(), path, []byte("parent"), 0)
		if err != nil {
			return err
		}
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "ATOMICFILE_DO=wait")
		child.Stdin = os.Stdin
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return err
		}
		err = child.Wait()
		runtime.KeepAlive(h)
		return err
	case "wait":
		fmt.Println("locked")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	return fmt.Errorf("unknown %q", do)
}
