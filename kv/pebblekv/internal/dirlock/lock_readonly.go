package dirlock

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// lockForReading locks a directory that is not writable. It locks the lock file
// in shared mode, opened for reading, which keeps writers out and lets other
// readers in. If there is no lock file, nobody without write access could
// create one.
func lockForReading(disk vfs.FS, dir string) (*pebble.Lock, error) {
	return pebble.LockDirectory(dir, readLockFS{disk})
}

// notWritable reports whether a lock file could not be created or opened for writing.
func notWritable(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS))
}

// readLockFS makes readers' locks.
type readLockFS struct{ vfs.FS }

// Lock implements vfs.FS.
func (r readLockFS) Lock(name string) (io.Closer, error) {
	if vfs.Root(r.FS) != vfs.Default {
		return nothing{}, nil
	}
	return lockShared(name)
}

// nothing is the lock of a missing file.
type nothing struct{}

func (nothing) Close() error { return nil }
