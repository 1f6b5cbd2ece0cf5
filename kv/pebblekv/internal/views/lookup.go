package views

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// A transaction that only writes needs no snapshot: it may see the newest state
// of a row that it has locked. Looking up a key there would cost a new snapshot
// and a new iterator after each commit, several times as much as the lookup
// itself. So one view is kept for such lookups. It is up to date for all rows
// that no commit has written since, as the history tells. For the others
// Pebble's Get is used, without the filters of the last level: those rows are
// mostly above it.

// maxLooked is how many lookups a view serves: it keeps what has been deleted
// or overwritten since, and what later commits have written, in memory.
const maxLooked = 256

// Has reports whether the key is stored now.
func (e *Engine) Has(key []byte) (bool, error) {
	_, found, err := e.DB.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err == nil {
		err = found.Close()
	}
	return err == nil, faultfs.DiskError(err)
}

// UpToDate returns the lookup view if it has the newest state of the row, else
// nil. The caller releases it.
func (vs *Views) UpToDate(row rowlock.ID) (_ *View, err error) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.looked >= maxLooked {
		err = vs.dropLookup()
	}
	if v := vs.lookup; v != nil && vs.history.changedSince(v.Clock, row) {
		vs.looked++
		return nil, err
	}
	if vs.lookup == nil {
		vs.lookup, vs.looked = vs.newest(Writer), 0
	}
	vs.looked++
	vs.lookup.users.Add(1)
	return vs.lookup, err
}

// dropLookup releases the lookup view. mu is held.
func (vs *Views) dropLookup() error {
	v := vs.lookup
	if v == nil {
		return nil
	}
	vs.lookup = nil
	if vs.leave(v, Writer) {
		return v.dispose()
	}
	return nil
}

// ForgetLookup releases the lookup view, so that it keeps nothing deleted alive.
func (vs *Views) ForgetLookup() {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	_ = vs.dropLookup() // a snapshot and idle iterators: nothing can be lost
}

// Renew makes the next reader take a new snapshot, so that old ones keep
// nothing deleted alive. Nothing may be committed meanwhile.
func (vs *Views) Renew() {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.advance()
	_ = vs.dropLookup() // a snapshot and idle iterators: nothing can be lost
}
