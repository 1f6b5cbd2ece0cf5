package txn

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/move"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// Commit implements kv.Txn.
func (t *Txn) Commit(ctx context.Context) error {
	if t.over {
		return kv.ErrClosed
	}
	defer t.end()
	switch {
	case t.stuck != nil:
		return t.stuck
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if err := t.m.host.Enter(); err != nil {
		return err
	}
	defer t.m.host.Exit()
	if t.own.Len() == 0 {
		return t.awaitSeen(ctx)
	}
	// Most of the check happens here, outside the lock.
	if err := t.CheckReads(); err != nil {
		return err
	}
	if t.own.IsOnDisk() {
		return t.writeFiles(ctx)
	}
	return t.write()
}

// awaitSeen waits until everything that a transaction without writes has seen is durable.
func (t *Txn) awaitSeen(ctx context.Context) error {
	var clock uint64
	switch {
	case t.opts.ReadOnly:
		return nil
	case t.view != nil:
		clock = t.view.Clock
	case t.looks > 0:
		clock = t.m.engine.Views.Now()
	}
	if !t.m.engine.Views.AwaitDurable(ctx, clock, t.m.host.Failure()) {
		return cmp.Or(t.m.host.Failed(), ctx.Err())
	}
	return nil
}

// CheckReads returns kv.ErrConflict if a commit since the snapshot wrote anything that the
// transaction has read.
func (t *Txn) CheckReads() error {
	if t.Reads == nil {
		return nil
	}
	err := t.Reads.Check(&t.m.engine.Views, t.view.Clock)
	if errors.Is(err, kv.ErrConflict) {
		t.m.Conflicts.Add(1)
	}
	return err
}

// write applies the overlay. It waits for the disk outside the lock, so that concurrent commits
// share one sync. The rows are unlocked before that, since a transaction that follows in the log
// becomes durable no sooner.
func (t *Txn) write() error {
	b, clock, err := t.applied()
	if b == nil {
		return err
	}
	t.m.Locks.Release(&t.owner)
	if t.m.sync {
		err = b.SyncWait()
	}
	if err = errors.Join(err, t.m.host.Failed()); err != nil {
		return faultfs.Unknown(err)
	}
	t.m.engine.Views.Durable(clock)
	return nil
}

// applied makes the writes visible to other writers, and returns their batch and its clock; a nil
// batch if nothing was written.
func (t *Txn) applied() (*pebble.Batch, uint64, error) {
	for {
		if err := t.follow(); err != nil || t.own.Len() == 0 {
			return nil, 0, err
		}
		b, err := t.own.Commit()
		if err != nil {
			return nil, 0, err
		}
		switch clock, err := t.apply(b); {
		case err != nil:
			t.own.Abandon() // it may already be on its way to the log
			return nil, 0, err
		case clock > 0:
			t.keepGaps(clock)
			if t.m.engine.Rewritten.Committed(&t.own) {
				go t.m.host.Flush(t.m.life) // only speeds up reads, so it may fail
			}
			t.m.Committed.Add(1)
			return b, clock, nil
		}
	}
}

// apply makes the batch visible to other writers, as the commit with the returned clock; the clock is
// 0 if the batch was made for an older catalog.
func (t *Txn) apply(b *pebble.Batch) (clock uint64, err error) {
	m := t.m
	w := views.Written{Own: &t.own, Rows: t.own.Rows(), Tables: t.wrote, Deleted: t.rowsDeleted()}
	soFar := m.Moves.MirrorSoFar(b, &t.own)
	m.Commits.Lock()
	defer m.Commits.Unlock()
	if newest, err := t.mayCommit(); !newest || err != nil {
		return 0, err
	}
	move.MirrorRest(b, &t.own, soFar)
	if m.engine.WillCommit(w.Rows); w.Deleted != nil {
		m.engine.WillLoad()
	}
	if err := m.applyNoSyncWait(b); err != nil {
		return 0, faultfs.Unknown(err)
	}
	move.Note(&t.own, soFar)
	m.Watches.Note(&t.own)
	m.Runs.committed(w.Rows, t.nexts)
	if w.Deleted != nil {
		m.tellOfRanges(t.wrote)
	}
	clock = m.engine.Views.Committed(t.view, t.Reads != nil, &w)
	return clock, faultfs.Unknown(m.host.Failed())
}

// mayCommit returns the reason why the transaction cannot commit now, or newest false if the catalog
// is no longer the one whose layout the writes have. The caller holds Commits.
func (t *Txn) mayCommit() (newest bool, err error) {
	m := t.m
	if err := m.host.Accepts(); err != nil {
		return false, err
	}
	if m.engine.Views.NewestCatalog() != t.keyLayout {
		return false, nil
	}
	if err := t.CheckReads(); err != nil {
		return false, err
	}
	if t.until < math.MaxInt64 && m.engine.Now() > t.until {
		return false, kv.ErrConflict
	}
	return true, nil
}

// tellOfRanges tells those that follow commits that rows of the tables were written without being
// named one by one. The caller holds Commits.
func (m *Manager) tellOfRanges(tables []*kv.Table) {
	for _, move := range m.Moves.Of(tables) {
		move.Overtake()
	}
	m.Watches.NoteLoad()
	m.Runs.Forget()
}

func (m *Manager) applyNoSyncWait(b *pebble.Batch) error {
	m.engine.Fresh.Written(b)
	defer m.engine.Written(b)
	if m.sync {
		return m.engine.DB.ApplyNoSyncWait(b, pebble.Sync)
	}
	return m.engine.DB.Apply(b, pebble.NoSync)
}
