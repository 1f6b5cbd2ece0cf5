package bulk

import (
	"context"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/tablebuild"
)

// commit makes the store ingest the files. Until it is done nobody else can lock one of the rows.
func (l *load) commit(ctx context.Context) error {
	defer l.Txns.Locks.Release(&l.owner)
	for {
		for _, step := range []func(context.Context) error{l.Host.Writable, l.follow, l.awaitMoves, l.Txns.MakeRoom} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		done, err := l.ingestAlone(ctx)
		if done || err != nil {
			return err
		}
	}
}

// ingestAlone is ingest while nobody else has locks on the rows, unless the load is Unlocked.
func (l *load) ingestAlone(ctx context.Context) (done bool, err error) {
	if l.options.Unlocked {
		return l.ingest()
	}
	gate, err := l.Txns.Locks.CloseGate(ctx, &l.owner, &l.rows, l.extents, l.options.LockTimeout, l.Txns.Life())
	if err != nil {
		return false, err
	}
	defer l.Txns.Locks.OpenGate(gate)
	return l.ingest()
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

// awaitMoves waits for moves of the tables' cells: they do not see what does not come through
// the log. A move that takes longer than the lock timeout has to begin again.
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

// ingest makes the files visible; done is false if the catalog or the moves have changed meanwhile.
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
	if err := l.Txns.TakeIn(paths, l.tables, &l.rows, l.builder.Written()); err != nil {
		return false, err
	}
	return true, nil
}
