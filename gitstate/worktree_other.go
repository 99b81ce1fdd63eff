//go:build !linux

package gitstate

import (
	"errors"
	"os"
)

const scannable = false

type workTree struct{}

func openWorkTree(string) (*workTree, error) { return nil, errors.ErrUnsupported }

func (*workTree) close()                          {}
func (*workTree) lstat(string) (fileInfo, error)  { return fileInfo{}, errors.ErrUnsupported }
func (*workTree) readlink(string) ([]byte, error) { return nil, errors.ErrUnsupported }
func (*workTree) open(string) (*os.File, fileInfo, error) {
	return nil, fileInfo{}, errors.ErrUnsupported
}
