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
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/spill"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/tablebuild"
)

// The writes of a transaction that exceed its memory go to sorted runs on disk (package spill). The
// commit makes table files of all of them, which Pebble ingests by one change of its manifest, as for a
// bulk load. The written rows are then known only by bits, and the locks cover whole tables if nobody
// else has locks in these.

// Files says where to make files that the store ingests.
type Files struct {
	// Own is the store's file system as it is, Guarded as Pebble sees it.
	Own, Guarded vfs.FS
	Pebble       *pebble.Options
	// NewDir returns the name of a directory that does not exist yet, and that the next start removes.
	NewDir func() string
}

// ManyLocks is the number of rows that stay locked one by one even if their tables could be locked.
// Tests lower it.
var ManyLocks = 16 << 10

// recentBits is the size of the sets of rows that are written in memory.
const recentBits = 4 << 20

// maxWrites bounds the number of writes.
const maxWrites = math.MaxUint32 - 1<<20

// makeRoom moves the writes to disk if one more of n bytes would exceed the memory.
func (t *Txn) makeRoom(n int) error {
	switch {
	case t.own.BytesWith(n) <= t.m.maxBytes || t.own.InMemory() == 0:
		return nil
	case t.own.Len() > maxWrites:
		return kv.ErrTooLarge
	}
	return t.spill()
}

// ownFor returns those of the transaction's writes that a scan may find; nil if there are none. A scan of the row
// locked last takes those in memory only if the row may be among them: to put them in order takes a fifth of the
// time of inserting 4,000,000 typed rows in no order, of which one in a hundred seems to be written already.
func (t *Txn) ownFor(tables []*kv.Table, s *kv.Scan) (*overlay.Writes, error) {
	if t.isOfLastRow(tables, s) {
		switch {
		case t.unwritten:
			return nil, nil
		case s.At == nil && t.hasNotWrittenLately(t.lastRow):
			return t.own.WritesOnDisk(), nil
		}
	}
	return t.readable(s.At)
}

// readable returns the transaction's writes as of a savepoint, or all if at is nil, for a reader. Much of
// them goes to disk first: what a reader has of them in memory stays there as long as the reader, while other
// writes take the memory again.
func (t *Txn) readable(at kv.Savepoint) (*overlay.Writes, error) {
	if t.own.BytesInOrder() > t.m.maxBytes/2 && t.own.InMemory() > 0 {
		if err := t.spill(); err != nil {
			return nil, err
		}
	}
	return t.writesAt(at), nil
}

// spill moves the writes in memory to disk. It forgets the column deleted last, since the position keeps the memory.
func (t *Txn) spill() error {
	t.endDeleting()
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
	if err := t.own.Spill(t.m.openSpill); err != nil {
		return err
	}
	recent := rowlock.NewSet(0, recentBits)
	t.recent = &recent
	return nil
}

func (m *Manager) openSpill() (*spill.Store, error) {
	return spill.Open(m.Files.Own, m.Files.NewDir(), m.spillCache)
}

// hasNotWritten reports whether the transaction has certainly written nothing in a row; false unless
// some of its writes are on disk.
func (t *Txn) hasNotWritten(id rowlock.ID) bool {
	return t.written != nil && t.own.Deletions() == 0 && !t.written.MayHold(id)
}

// hasNotWrittenLately reports whether all writes to a row are certainly on disk.
func (t *Txn) hasNotWrittenLately(id rowlock.ID) bool {
	return t.recent != nil && t.own.Deletions() == 0 && !t.recent.MayHold(id)
}

// writeFiles commits all writes, of which some are on disk.
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

// withFiles calls fn with table files of all writes, and the spans that these cover. Files that fn does
// not hand to the store are removed when it returns.
func (t *Txn) withFiles(ctx context.Context, fn func(files []tablebuild.File, extent []cellkey.Span) error) error {
	in, dir := &t.m.Files, t.m.Files.NewDir()
	if err := in.Own.MkdirAll(dir, faultfs.DirMode); err != nil {
		return faultfs.DiskError(err)
	}
	b := tablebuild.New(in.Guarded, dir, in.Pebble, tablebuild.DefaultLimits()).Ordered(t.own.Deleted())
	defer func() {
		_ = b.End() // its error has been returned
		// The next start removes what cannot be removed now.
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

// takeIn hands the files to the store; false if the writes have been given other keys meanwhile.
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

// tryTakeIn hands the files to the store; false if they were made for an older catalog.
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

// roomTables is the number of memtables with which files can be ingested without waiting for a flush:
// below Pebble's limit.
const roomTables = 2

// MakeRoom flushes if an ingestion would have to wait for a flush, since commits wait for the ingestion.
// The error is the flush's or the context's.
func (m *Manager) MakeRoom(ctx context.Context) error {
	if m.engine.DB.Metrics().MemTable.Count <= roomTables {
		return nil
	}
	return m.host.Flush(ctx)
}

// TakeIn ingests files as a commit of these rows, which are settled, of these tables, within an extent.
// It is atomic. The caller holds Commits. The error is one of the disk; it is faultfs.Unknown if the
// outcome is not known.
func (m *Manager) TakeIn(paths []string, tables []*kv.Table, rows *rowlock.Set, extent []cellkey.Span) error {
	// Nothing that was committed before may be lost if this is kept.
	if err := errors.Join(m.engine.DB.LogData(nil, pebble.Sync), m.host.Failed()); err != nil {
		return faultfs.DiskError(err)
	}
	m.engine.WillLoad()
	// Not the caller's context: Pebble checks it after the point of no return.
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
