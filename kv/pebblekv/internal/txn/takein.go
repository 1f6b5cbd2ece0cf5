package txn

import (
	"context"
	"errors"
	"math"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/spill"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/tablebuild"
)

// What a transaction writes beyond its memory goes to sorted runs on the disk (package spill). Its
// commit makes table files of all of them, which Pebble takes in by one change of its manifest, as those
// of a bulk load. The rows that it has written are then known by bits alone, and its locks are, where
// nobody else has any in the tables, those of whole tables.

// Files are where files are made that the store takes in.
type Files struct {
	// Own are the store's files as they are, Guarded as Pebble sees them.
	Own, Guarded vfs.FS
	Pebble       *pebble.Options
	// NewDir names a directory that is not there yet, and which the next start removes.
	NewDir func() string
}

// ManyLocks is how many rows stay locked one by one where the locks of their tables can be had. Tests
// make it smaller.
var ManyLocks = 16 << 10

// maxWrites bounds the numbers of writes.
const maxWrites = math.MaxUint32 - 1<<20

// makeRoom moves the writes to the disk where one more, of so many bytes, is too much for the memory.
func (t *Txn) makeRoom(n int) error {
	switch {
	case t.own.BytesWith(n) <= t.m.MaxBytes || t.own.InMemory() == 0:
		return nil
	case t.own.Len() > maxWrites:
		return kv.ErrTooLarge
	}
	return t.spill()
}

// spill moves the writes that are in memory to the disk.
func (t *Txn) spill() error {
	if t.written == nil {
		all := rowlock.NewSet(0, deletedBits)
		t.written = &all
	}
	for _, id := range t.own.Rows() {
		t.written.Add(id)
	}
	if t.owner.Held() > ManyLocks {
		t.m.Locks.Escalate(&t.owner)
	}
	return t.own.Spill(t.m.openSpill)
}

func (m *Manager) openSpill() (*spill.Store, error) { return spill.Open(m.Files.Own, m.Files.NewDir()) }

// hasNotWritten reports whether the transaction has surely written nothing in a row, where some of its
// writes are on the disk.
func (t *Txn) hasNotWritten(id rowlock.ID) bool {
	return t.written != nil && t.own.Deletions() == 0 && !t.written.MayHold(id)
}

// writeFiles commits what is on the disk, and the rest.
func (t *Txn) writeFiles(ctx context.Context) error {
	if t.own.InMemory() > 0 {
		if err := t.spill(); err != nil {
			return err
		}
	}
	rows := t.rowsDeleted()
	for done := false; !done; {
		if err := t.follow(); err != nil {
			return err
		}
		err := t.withFiles(ctx, func(files []tablebuild.File, extent []cellkey.Span) (err error) {
			done, err = t.takeIn(ctx, files, rows, extent)
			return err
		})
		if err != nil {
			return err
		}
	}
	t.m.Committed.Add(1)
	return nil
}

// withFiles calls fn with files of all writes, and the extent of these. They are gone when it returns,
// or the store's.
func (t *Txn) withFiles(ctx context.Context, fn func(files []tablebuild.File, extent []cellkey.Span) error) error {
	in, dir := &t.m.Files, t.m.Files.NewDir()
	if err := in.Own.MkdirAll(dir, faultfs.DirMode); err != nil {
		return faultfs.DiskError(err)
	}
	b := tablebuild.New(in.Guarded, dir, in.Pebble, tablebuild.DefaultLimits()).Ordered(t.own.Deleted())
	defer func() {
		_ = b.End() // an error in it has been returned
		// What cannot be removed now the next start removes.
		_ = in.Own.RemoveAll(dir)
	}()
	n := 0
	err := t.own.Each(func(key, stored []byte) error {
		if n++; n%countBatch == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return b.Add(key, stored)
	})
	var files []tablebuild.File
	if err == nil {
		files, err = b.Finish(ctx)
	}
	if err != nil {
		return faultfs.DiskError(err)
	}
	return fn(files, append(b.Written(), t.own.Deleted()...))
}

// takeIn makes the files the store's; it is not done where the writes have got other keys meanwhile.
func (t *Txn) takeIn(ctx context.Context, files []tablebuild.File, rows *rowlock.Set, extent []cellkey.Span) (bool, error) {
	for made := t.own.OnDisk(); made == t.own.OnDisk(); {
		if err := t.m.MakeRoom(ctx); err != nil {
			return false, err
		}
		if done, err := t.tryTakeIn(files, rows, extent); done || err != nil {
			return done, err
		}
		if err := t.follow(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// tryTakeIn is not done where the catalog is no longer the one for which the files were made.
func (t *Txn) tryTakeIn(files []tablebuild.File, rows *rowlock.Set, extent []cellkey.Span) (done bool, err error) {
	m := t.m
	m.Commits.Lock()
	defer m.Commits.Unlock()
	if newest, err := t.mayCommit(); !newest || err != nil {
		return false, err
	}
	paths, _, _ := tablebuild.Paths(files)
	return true, m.TakeIn(paths, t.wrote, rows, extent)
}

// roomTables is how many tables in memory there may be for files to be taken in
// without a wait for their flush: below Pebble's limit.
const roomTables = 2

// MakeRoom keeps Pebble from waiting for a flush, when it takes files in, while commits wait for it.
func (m *Manager) MakeRoom(ctx context.Context) error {
	if m.engine.DB.Metrics().MemTable.Count <= roomTables {
		return nil
	}
	return m.host.Flush(ctx)
}

// TakeIn makes files the store's, as a commit of rows, settled, of tables, within an extent. The lock of
// the commits is held.
func (m *Manager) TakeIn(paths []string, tables []*kv.Table, rows *rowlock.Set, extent []cellkey.Span) error {
	// What was committed before must not be lost where this is kept.
	if err := errors.Join(m.engine.DB.LogData(nil, pebble.Sync), m.host.Failed()); err != nil {
		return faultfs.DiskError(err)
	}
	m.engine.WillLoad()
	// Not a caller's context: Pebble looks at it where it can no longer go back.
	err := m.engine.DB.Ingest(context.Background(), paths)
	m.engine.TakenIn()
	if failed := m.host.Failed(); failed != nil {
		return faultfs.Unknown(errors.Join(err, failed))
	} else if err != nil {
		return faultfs.DiskError(err)
	}
	m.tellOfRanges(tables)
	m.engine.Views.Loaded(rows, tables, extent)
	return nil
}
