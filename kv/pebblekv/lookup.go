package pebblekv

import (
	"bytes"
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

// look reports whether the key, of the row that has just been locked, is stored at
// present; ok is false where the catalog is no longer the one whose layout the
// key has.
func (t *txn) look(key []byte) (found, ok bool, err error) {
	t.looks++
	vs := &t.store.views
	v, err := vs.upToDate(t.lastRow)
	if err != nil {
		return false, false, err
	}
	if v == nil {
		found, err = t.store.has(key)
		return found, vs.newestCatalog() == t.keyed, err // as it was before the look
	}
	if v.catalog != t.keyed {
		return false, false, vs.release(v, reader)
	}
	it, err := v.take()
	if err != nil {
		return false, false, errors.Join(err, vs.release(v, reader))
	}
	found = it.SeekPrefixGE(key) && bytes.Equal(it.Key(), key)
	err = faultfs.DiskError(it.Error())
	return found, true, errors.Join(err, v.put(it, true), vs.release(v, reader))
}

func (s *Store) has(key []byte) (bool, error) {
	_, found, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err == nil {
		err = found.Close()
	}
	return err == nil, faultfs.DiskError(err)
}

// upToDate is the lookup view where it holds the newest state of the row, else
// nil. It is to be released.
func (vs *views) upToDate(row rowlock.ID) (_ *view, err error) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.looked >= maxLooked {
		err = vs.dropLookup()
	}
	if v := vs.lookup; v != nil && vs.history.changedSince(v.clock, row) {
		vs.looked++
		return nil, err
	}
	if vs.lookup == nil {
		vs.lookup, vs.looked = vs.newest(writer), 0
	}
	vs.looked++
	vs.lookup.users.Add(1)
	return vs.lookup, err
}

// dropLookup lets go of the lookup view. mu is held.
func (vs *views) dropLookup() error {
	v := vs.lookup
	if v == nil {
		return nil
	}
	vs.lookup = nil
	if vs.leave(v, writer) {
		return v.dispose()
	}
	return nil
}

// forgetLookup is for those who want what was deleted to be gone.
func (vs *views) forgetLookup() {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	_ = vs.dropLookup() // a snapshot and idle iterators: nothing can be lost
}
