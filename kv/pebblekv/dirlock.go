package pebblekv

import (
	"io"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// dirLock is a directory's lock, which a store that has failed, and whose cursors are
// still open, shares with the one that has replaced it.
type dirLock struct {
	*pebble.Lock
	holder *holder
	users  atomic.Int64
}

// share is the lock as one more database wants it. The last one that is closed frees the
// directory.
func (l *dirLock) share(o *Options) (*pebble.Lock, error) {
	return pebble.LockDirectory(o.Dir, lockLender{o.FS, l})
}

// lockLender is a file system that gives a lock which is held.
type lockLender struct {
	vfs.FS
	lock *dirLock
}

// Lock implements vfs.FS.
func (l lockLender) Lock(string) (io.Closer, error) {
	l.lock.users.Add(1)
	return l, nil
}

// Close gives the lock back.
func (l lockLender) Close() error {
	if l.lock.users.Add(-1) > 0 {
		return nil
	}
	l.lock.holder.leave()
	return l.lock.Lock.Close()
}
