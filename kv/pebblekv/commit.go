package pebblekv

import (
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// Commit implements kv.Txn.
func (t *txn) Commit(ctx context.Context) error {
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
		if t.store.closed.Load() {
			return kv.ErrClosed
		}
		return nil
	}
	if err := t.store.enter(); err != nil {
		return err
	}
	defer t.store.exit()
	// Most of the check happens here, outside the lock.
	if err := t.checkReads(); err != nil {
		return err
	}
	return t.write()
}

// checkReads is kv.ErrConflict where a commit since the snapshot wrote what the
// transaction has read.
func (t *txn) checkReads() error {
	if t.reads == nil {
		return nil
	}
	return t.reads.Check(&t.store.engine.Views, t.view.Clock)
}

// write applies the overlay. Waiting for the disk happens outside the lock, so
// that concurrent commits share one sync; the rows are unlocked before it, for
// whoever follows in the log is durable no sooner.
func (t *txn) write() error {
	b, err := t.applied()
	if b == nil {
		return err
	}
	t.store.locks.Release(&t.owner)
	if t.store.opts.Sync {
		err = b.SyncWait()
	}
	return errors.Join(err, t.store.failed.Err())
}

// applied is the batch that has been made visible; nil where there is none.
func (t *txn) applied() (*pebble.Batch, error) {
	for {
		if err := t.follow(); err != nil || t.own.Len() == 0 {
			return nil, err
		}
		b, err := t.own.Commit()
		if err != nil {
			return nil, err
		}
		switch done, err := t.apply(b, t.own.Rows()); {
		case err != nil:
			t.own.Abandon() // it may be on its way to the log
			return nil, err
		case done:
			if t.store.engine.Rewritten.Committed(&t.own) {
				go t.store.Flush(t.store.life) // for the sake of reads alone: it may fail
			}
			return b, nil
		}
	}
}

// apply makes the batch visible; done is false where the catalog is no longer
// the one for which the batch was made.
func (t *txn) apply(b *pebble.Batch, rows []rowlock.ID) (done bool, err error) {
	s := t.store
	soFar := s.mirrorSoFar(b, &t.own)
	s.commits.Lock()
	defer s.commits.Unlock()
	if err := s.accepts(); err != nil {
		return false, err
	}
	if s.Catalog() != t.keyed {
		return false, nil
	}
	if err := t.checkReads(); err != nil {
		return false, err
	}
	mirrorRest(b, &t.own, soFar)
	s.engine.WillCommit(rows)
	if err := s.applyNoSyncWait(b); err != nil {
		return false, err
	}
	note(&t.own, soFar)
	s.runs.committed(rows, t.nexts)
	s.engine.Views.Committed(t.view, t.reads != nil, &t.own, rows)
	return true, s.failed.Err()
}

// accepts is why the store takes no writes at present, or nil.
func (s *Store) accepts() error {
	if err := s.failed.Err(); err != nil {
		return err
	}
	return s.background.FlushError()
}

func (s *Store) applyNoSyncWait(b *pebble.Batch) error {
	if s.opts.Sync {
		return s.db.ApplyNoSyncWait(b, pebble.Sync)
	}
	return s.db.Apply(b, pebble.NoSync)
}
