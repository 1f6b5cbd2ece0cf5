//go:build unix

package dirlock

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// lockShared takes a reader's lock of a file, like vfs takes a writer's.
func lockShared(name string) (io.Closer, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nothing{}, nil
	}
	if err != nil {
		return nil, err
	}
	spec := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &spec); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// lockedBy returns the process that has a lock of the file; 0 if there is none, or it is unknown.
// It must not be this process, which would lose its lock when the file is closed again.
func lockedBy(name string) (pid int) {
	f, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer f.Close()
	spec := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	if syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &spec) != nil || spec.Type == syscall.F_UNLCK {
		return 0
	}
	return max(0, int(spec.Pid))
}
