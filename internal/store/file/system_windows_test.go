package file_test

import "os"

// mkfifo: Windows keeps pipes elsewhere; a folder stands for what is no regular file.
func mkfifo(path string) error { return os.Mkdir(path, 0o700) }

func onDisk(st os.FileInfo) int64 { return st.Size() }
