//go:build unix

package pebblekv

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// lockShared takes a reader's lock of a file, as vfs takes a writer's.
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
