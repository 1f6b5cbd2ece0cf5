package txn

import (
	"context"
	"errors"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/move"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
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
	case t.own.Len() == 0:
		if t.m.host.Closed() {
			return kv.ErrClosed
		}
		return nil
	}
	if err := t.m.host.Enter(); err != nil {
		return err
	}
	defer t.m.host.Exit()
	// Most of the check happens here, outside the lock.
	if err := t.CheckReads(); err != nil {
		return err
	}
	return t.write()
}

// CheckReads is kv.ErrConflict where a commit since the snapshot wrote what the
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

// write applies the overlay. Waiting for the disk happens outside the lock, so
// that concurrent commits share one sync; the rows are unlocked before it, for
// whoever follows in the log is durable no sooner.
func (t *Txn) write() error {
	b, err := t.applied()
	if b == nil {
		return err
	}
	t.m.Locks.Release(&t.owner)
	if t.m.sync {
		err = b.SyncWait()
	}
	return errors.Join(err, t.m.host.Failed())
}

// applied is the batch that has been made visible; nil where there is none.
func (t *Txn) applied() (*pebble.Batch, error) {
	for {
		if err := t.follow(); err != nil || t.own.Len() == 0 {
			return nil, err
		}
		b, err := t.own.Commit()
		if err != nil {
			return nil, err
		}
		switch clock, err := t.apply(b, t.own.Rows()); {
		case err != nil:
			t.own.Abandon() // it may be on its way to the log
			return nil, err
		case clock > 0:
			t.keepGaps(clock)
			if t.m.engine.Rewritten.Committed(&t.own) {
				go t.m.host.Flush(t.m.life) // for the sake of reads alone: it may fail
			}
			t.m.Committed.Add(1)
			return b, nil
		}
	}
}

// apply makes the batch visible, as the commit of that clock; it is 0 where the
// catalog is no longer the one for which the batch was made.
func (t *Txn) apply(b *pebble.Batch, rows []rowlock.ID) (clock uint64, err error) {
	m := t.m
	soFar := m.Moves.MirrorSoFar(b, &t.own)
	m.Commits.Lock()
	defer m.Commits.Unlock()
	if err := m.host.Accepts(); err != nil {
		return 0, err
	}
	if m.engine.Views.NewestCatalog() != t.keyed {
		return 0, nil
	}
	if err := t.CheckReads(); err != nil {
		return 0, err
	}
	if t.until < math.MaxInt64 && m.engine.Now() > t.until {
		return 0, kv.ErrConflict
	}
	move.MirrorRest(b, &t.own, soFar)
	m.engine.WillCommit(rows)
	if err := m.applyNoSyncWait(b); err != nil {
		return 0, err
	}
	move.Note(&t.own, soFar)
	m.Watches.Note(&t.own)
	m.Runs.committed(rows, t.nexts)
	clock = m.engine.Views.Committed(t.view, t.Reads != nil, &t.own, rows)
	return clock, m.host.Failed()
}

func (m *Manager) applyNoSyncWait(b *pebble.Batch) error {
	m.engine.Fresh.Written(b)
	defer m.engine.Written(b)
	if m.sync {
		return m.engine.DB.ApplyNoSyncWait(b, pebble.Sync)
	}
	return m.engine.DB.Apply(b, pebble.NoSync)
}
