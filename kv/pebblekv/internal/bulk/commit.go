package bulk

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/move"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/tablebuild"
)

// commit makes the files the store's. Until it is done nobody else can get a
// lock on one of the rows.
func (l *load) commit(ctx context.Context) error {
	defer l.Txns.Locks.Release(&l.owner)
	for {
		for _, step := range []func(context.Context) error{l.Host.Writable, l.follow, l.awaitMoves, l.makeRoom} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		gate, err := l.Txns.Locks.CloseGate(ctx, &l.owner, &l.rows, l.namespaces, l.options.LockTimeout, l.Txns.Life())
		if err != nil {
			return err
		}
		done, err := l.ingest()
		l.Txns.Locks.OpenGate(gate)
		if done || err != nil {
			return err
		}
	}
}

// follow gives the cells the keys of the newest catalog's layout.
func (l *load) follow(ctx context.Context) error {
	newest := l.Engine.Views.NewestCatalog()
	now := make([]*kv.Table, len(l.tables))
	for i, t := range l.tables {
		if now[i] = newest.Table(t.Database, t.Name); !t.SameButLayout(now[i]) {
			return kv.ErrCatalogChanged
		}
	}
	if (&keyspace.Move{Before: l.tables, After: now}).Needed() {
		return l.rekey(ctx, now)
	}
	l.tables = now
	return nil
}

// awaitMoves waits for those who move cells of the tables: they do not see what
// does not come by the log. One that takes longer than a lock may has to begin
// anew.
func (l *load) awaitMoves(ctx context.Context) error {
	for !l.impatient {
		moves := l.Txns.Moves.Of(l.tables)
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
func (l *load) makeRoom(ctx context.Context) error {
	if l.Engine.DB.Metrics().MemTable.Count <= roomTables {
		return nil
	}
	return l.Host.Flush(ctx)
}

// ingest makes the files visible; done is false where something has come
// between.
func (l *load) ingest() (done bool, err error) {
	l.Txns.Commits.Lock()
	defer l.Txns.Commits.Unlock()
	if err := l.Host.Accepts(); err != nil {
		return false, err
	}
	newest, moves := l.Engine.Views.NewestCatalog(), l.Txns.Moves.Of(l.tables)
	if slices.ContainsFunc(l.tables, func(t *kv.Table) bool { return newest.Table(t.Database, t.Name) != t }) ||
		len(moves) > 0 && !l.impatient {
		return false, nil
	}
	paths, written, bytes := tablebuild.Paths(l.files)
	l.stats.Written, l.stats.Bytes = written, bytes
	l.stats.Files, l.stats.Sorted = len(paths), l.builder.HasSorted()
	// What was committed before must not be lost where this is kept.
	if err := errors.Join(l.Engine.DB.LogData(nil, pebble.Sync), l.Host.Failed()); err != nil {
		return false, faultfs.DiskError(err)
	}
	l.Engine.WillLoad()
	// Not the load's context: Pebble looks at it where it can no longer go back.
	err = l.Engine.DB.Ingest(context.Background(), paths)
	l.Engine.TakenIn()
	if failed := l.Host.Failed(); failed != nil {
		return false, faultfs.Unknown(errors.Join(err, failed))
	} else if err != nil {
		return false, faultfs.DiskError(err)
	}
	for _, m := range moves {
		m.Failed = move.ErrOvertaken
	}
	l.Txns.Runs.Forget()
	l.Txns.Watches.NoteLoad()
	l.Engine.Views.Loaded(&l.rows, l.builder.Written())
	return true, nil
}
