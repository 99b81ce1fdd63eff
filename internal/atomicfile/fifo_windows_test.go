package atomicfile

import "os"

// mkfifo: Windows keeps pipes elsewhere; a folder stands for what is no regular file.
func mkfifo(path string) error { return os.Mkdir(path, 0o700) }
