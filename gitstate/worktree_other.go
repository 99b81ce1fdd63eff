//go:build !linux

package gitstate

import (
	"errors"
	"io"
	"os"
)

const scannable = false

type workTree struct{}

func openWorkTree(string) (*workTree, error) { return nil, errors.ErrUnsupported }

func (*workTree) close()                          {}
func (*workTree) lstat(string) (fileInfo, error)  { return fileInfo{}, errors.ErrUnsupported }
func (*workTree) readlink(string) ([]byte, error) { return nil, errors.ErrUnsupported }
func (*workTree) open(string) (io.ReadCloser, fileInfo, error) {
	return nil, fileInfo{}, errors.ErrUnsupported
}

func createFile(name string) (io.WriteCloser, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
}

func renameFile(from, to string) error { return os.Rename(from, to) }
