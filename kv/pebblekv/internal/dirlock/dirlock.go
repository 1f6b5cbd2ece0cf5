package dirlock

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hbasekv/hbasekv/kv"
)

// Lock is a directory's lock. A failed store whose cursors are still open shares it with the
// store that has replaced it.
type Lock struct {
	lock   *pebble.Lock
	fs     vfs.FS
	dir    string
	holder holder
	users  atomic.Int64
}

// Take locks a directory for this process; for reading only, if readOnly is set and the
// directory is not writable. The error is *kv.HeldError if another process has the lock, and
// kv.ErrLocked if this one has.
func Take(disk vfs.FS, dir string, readOnly bool) (*Lock, error) {
	lock, err := pebble.LockDirectory(dir, disk)
	if readOnly && err != nil && notWritable(err) {
		lock, err = lockForReading(disk, dir)
	}
	switch {
	case err == nil:
		l := &Lock{lock: lock, fs: disk, dir: dir}
		l.hold()
		return l, nil
	case heldElsewhere(err):
		return nil, held(disk, dir)
	case strings.Contains(err.Error(), "held by current process"):
		return nil, fmt.Errorf("%w: %s is still open in this process", kv.ErrLocked, dir)
	}
	return nil, fmt.Errorf("the directory %s cannot be written: %w", dir, err)
}

// heldElsewhere reports whether fcntl has refused the lock, as opposed to a failure to create
// the file.
func heldElsewhere(err error) bool {
	var path *fs.PathError
	return !errors.As(err, &path) && (errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES))
}

// Release releases the lock of a directory in which no database has been opened.
func (l *Lock) Release() error { return l.lock.Close() }

// Share returns the lock for one more database. Closing the last one releases the directory.
func (l *Lock) Share() (*pebble.Lock, error) {
	return pebble.LockDirectory(l.dir, lockLender{l.fs, l})
}

// lockLender is a file system that hands out a held lock.
type lockLender struct {
	vfs.FS
	lock *Lock
}

// Lock implements vfs.FS.
func (l lockLender) Lock(string) (io.Closer, error) {
	l.lock.users.Add(1)
	return l, nil
}

// Close ends a use of the lock; the last one releases it.
func (l lockLender) Close() error {
	if l.lock.users.Add(-1) > 0 {
		return nil
	}
	l.lock.holder.leave()
	return l.lock.lock.Close()
}
