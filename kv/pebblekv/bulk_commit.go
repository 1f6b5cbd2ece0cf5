package pebblekv

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/fill"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/move"
)

// commit makes the files the store's. Until it is done nobody else can get a
// lock on one of the rows.
func (l *bulkLoad) commit(ctx context.Context) error {
	s := l.store
	defer s.txns.Locks.Release(&l.owner)
	for {
		for _, step := range []func(context.Context) error{s.writable, l.follow, l.awaitMoves, s.makeRoom} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		gate, err := s.txns.Locks.CloseGate(ctx, &l.owner, &l.rows, l.options.LockTimeout, s.life)
		if err != nil {
			return err
		}
		done, err := l.ingest()
		s.txns.Locks.OpenGate(gate)
		if done || err != nil {
			return err
		}
	}
}

// follow gives the cells the keys of the newest catalog's layout.
func (l *bulkLoad) follow(ctx context.Context) error {
	newest := l.store.Catalog()
	now := make([]*kv.Table, len(l.tables))
	for i, t := range l.tables {
		if now[i] = newest.Table(t.Database, t.Name); !t.SameButLayout(now[i]) {
			return kv.ErrCatalogChanged
		}
	}
	if (&kv.Move{Before: l.tables, After: now}).Needed() {
		return l.rekey(ctx, now)
	}
	l.tables = now
	return nil
}

// awaitMoves waits for those who move cells of the tables: they do not see what
// does not come by the log. One that takes longer than a lock may has to begin
// anew.
func (l *bulkLoad) awaitMoves(ctx context.Context) error {
	for !l.impatient {
		moves := l.store.txns.Moves.Of(l.tables)
		if len(moves) == 0 {
			return nil
		}
		select {
		case <-moves[0].Done:
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(l.options.LockTimeout):
			l.impatient = true
		}
	}
	return nil
}

// roomTables is how many tables in memory there may be for files to be taken in
// without a wait for their flush: below Pebble's limit.
const roomTables = 2

// makeRoom keeps Pebble from waiting for a flush while commits wait for it.
func (s *Store) makeRoom(ctx context.Context) error {
	if s.db.Metrics().MemTable.Count <= roomTables {
		return nil
	}
	return s.flush(ctx)
}

// ingest makes the files visible; done is false where something has come
// between.
func (l *bulkLoad) ingest() (done bool, err error) {
	s := l.store
	s.txns.Commits.Lock()
	defer s.txns.Commits.Unlock()
	if err := s.accepts(); err != nil {
		return false, err
	}
	newest, moves := s.Catalog(), s.txns.Moves.Of(l.tables)
	if slices.ContainsFunc(l.tables, func(t *kv.Table) bool { return newest.Table(t.Database, t.Name) != t }) ||
		len(moves) > 0 && !l.impatient {
		return false, nil
	}
	paths, written, bytes := fill.Paths(l.files)
	l.stats.Written, l.stats.Bytes = written, bytes
	l.stats.Files, l.stats.Sorted = len(paths), l.filler.HasSorted()
	// What was committed before must not be lost where this is kept.
	if err := errors.Join(s.db.LogData(nil, pebble.Sync), s.failed.Err()); err != nil {
		return false, faultfs.DiskError(err)
	}
	s.engine.WillLoad()
	// Not the load's context: Pebble looks at it where it can no longer go back.
	if err := errors.Join(s.db.Ingest(context.Background(), paths), s.failed.Err()); err != nil {
		return false, faultfs.DiskError(err)
	}
	for _, m := range moves {
		m.Failed = move.ErrOvertaken
	}
	s.txns.Runs.Forget()
	s.engine.Views.Loaded(&l.rows, l.filler.Written())
	return true, nil
}
