package dirlock

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// lockForReading locks a directory in which nothing can be written: the lock
// file is locked as far as that can be done by opening it for reading, which
// keeps writers out and other readers in. Where there is none, nobody who may
// not write could make one.
func lockForReading(disk vfs.FS, dir string) (*pebble.Lock, error) {
	return pebble.LockDirectory(dir, readLockFS{disk})
}

// notWritable reports whether a lock file could not be made or opened for
// writing.
func notWritable(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS))
}

// readLockFS makes locks of readers.
type readLockFS struct{ vfs.FS }

// Lock implements vfs.FS.
func (r readLockFS) Lock(name string) (io.Closer, error) {
	if vfs.Root(r.FS) != vfs.Default {
		return nothing{}, nil
	}
	return lockShared(name)
}

// nothing is a lock of a file that is not there.
type nothing struct{}

func (nothing) Close() error { return nil }
