package pebblekv

import (
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// Pebble's Open writes what it finds in the log to a table, and tries that
// until it succeeds. Where the disk is full, Store's Open says so and leaves
// Pebble's behind. Once there is space again it ends, and the store is closed;
// until then the directory is held, and stuckOpens tells why.
var stuckOpens sync.Map // of place to error

type place struct {
	fs  vfs.FS
	dir string
}

// errStuck is the error of an open that was left behind, which still uses the
// store's lock.
type errStuck struct{ error }

func (e errStuck) Unwrap() error { return e.error }

func isStuck(err error) bool { return errors.As(err, new(errStuck)) }

func (s *Store) openPebble(p *pebble.Options) (*pebble.DB, error) {
	var db *pebble.DB
	var err error
	trouble, opened := s.background.FlushFailure(), make(chan struct{})
	go func() {
		defer close(opened)
		db, err = pebble.Open(s.opts.Dir, p)
	}()
	select {
	case <-opened:
		return db, err
	case <-trouble:
	}
	why := errStuck{faultfs.DiskError(s.background.FlushError())}
	at := place{s.opts.FS, s.opts.Dir}
	stuckOpens.Store(at, why)
	go func() {
		<-opened
		if err == nil {
			_ = db.Close() // nobody has written to it
		}
		s.kill()
		_ = s.lock.Close()
		stuckOpens.Delete(at)
	}()
	return nil, why
}
