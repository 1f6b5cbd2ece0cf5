package views

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// A transaction that only writes needs no snapshot: of a row that it has locked
// the newest state is its own to see. Looking for a key there would cost a new
// snapshot and a new iterator after each commit, several times what the look
// itself does. So one view is kept for such looks: it is as good as the newest
// for all rows that no commit has written since, which the history tells. For
// the others Pebble itself is asked, which does without the last level's
// filters: those rows are mostly above it.

// maxLooked is how many looks a view serves: it keeps what has been deleted or
// overwritten since, and what commits since have written in memory.
const maxLooked = 256

// Has reports whether the key is stored at present.
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

// UpToDate is the lookup view where it holds the newest state of the row, else
// nil. It is to be released.
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

// dropLookup lets go of the lookup view. mu is held.
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

// ForgetLookup is for those who want what was deleted to be gone.
func (vs *Views) ForgetLookup() {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	_ = vs.dropLookup() // a snapshot and idle iterators: nothing can be lost
}

// Renew has the next reader take a new snapshot, for those who want what was
// deleted to be gone. Nothing is committed meanwhile.
func (vs *Views) Renew() {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.advance()
	_ = vs.dropLookup() // a snapshot and idle iterators: nothing can be lost
}
