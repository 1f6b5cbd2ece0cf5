package txn

import (
	"bytes"
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// existsKept reports whether the transaction sees a version at the key that the table's
// retention keeps. The row is locked.
func (t *Txn) existsKept(ctx context.Context, table *kv.Table, key []byte, c kv.Cell) (bool, error) {
	found, err := t.exists(key)
	if err != nil || !found || table.Retention == (kv.Retention{}) {
		return found, err
	}
	at := kv.Position{Row: c.Row, Qualifier: c.Qualifier, Timestamp: c.Timestamp, Depth: kv.DepthCell}
	behind := at
	behind.After = true
	found = false
	err = t.each(ctx, table, kv.Range{Start: at, End: behind}, false,
		func(*kv.Cell) error { found = true; return nil })
	return found, err
}

// toBeKept returns the cell's key. If the column already has as many newer versions as the
// table keeps, it first moves the cell to the oldest of these, so that PutNext finds a place
// behind that.
func (t *Txn) toBeKept(ctx context.Context, table *kv.Table, key []byte, c *kv.Cell) ([]byte, error) {
	if table.Retention.MaxVersions == 0 {
		return key, nil
	}
	newest := kv.Position{Row: c.Row, Qualifier: c.Qualifier, Depth: kv.DepthColumn}
	at := kv.Position{Row: c.Row, Qualifier: c.Qualifier, Timestamp: c.Timestamp, Depth: kv.DepthCell}
	newer, oldest := 0, int64(0)
	err := t.each(ctx, table, kv.Range{Start: newest, End: at}, false, func(have *kv.Cell) error {
		newer, oldest = newer+1, have.Timestamp
		return nil
	})
	if err != nil || newer < table.Retention.MaxVersions {
		return key, err
	}
	c.Timestamp = oldest
	slices, err := slicesOf(table, c.Row)
	if err != nil {
		return nil, err
	}
	return slices.at(key, oldest)
}

// each calls fn with the cells of a range in a locked row, as they were before the first call.
// If all is set, these include cells that the table's retention hides.
func (t *Txn) each(ctx context.Context, table *kv.Table, r kv.Range, all bool, fn func(*kv.Cell) error) error {
	v, err := t.ownView()
	if err != nil {
		return err
	}
	if err := t.m.host.Enter(); err != nil { // for the cursor, which exits by itself
		return errors.Join(err, v.Release(views.Reader))
	}
	cur, err := read.Open(ctx, v, t.own.Writes(), nil, []*kv.Table{table}, &kv.Scan{Ranges: []kv.Range{r}},
		read.Moment{Now: t.now, All: all})
	if err != nil {
		t.m.host.Exit()
		return errors.Join(err, v.Release(views.Reader))
	}
	for err == nil && cur.Next() {
		err = fn(cur.Cell())
	}
	return errors.Join(err, cur.Err(), cur.Close())
}

// deleteCounted deletes the version at the key, and all versions of its column that the
// table's retention hides: they would reappear with one newer version less.
func (t *Txn) deleteCounted(ctx context.Context, table *kv.Table, key, row, qualifier []byte) error {
	before := t.Savepoint()
	err := t.sweep(ctx, table, row, qualifier)
	if err == nil {
		err = t.delete(table, key)
	}
	if err != nil {
		t.RollbackTo(before)
	}
	return err
}

// sweep deletes the versions of a column that the table's retention hides.
func (t *Txn) sweep(ctx context.Context, table *kv.Table, row, qualifier []byte) error {
	column := cellkey.AppendColumn(nil, keyspace.Of(table).Spaces[0], row, qualifier)
	if bytes.Equal(column, t.swept) {
		return nil
	}
	at := kv.Position{Row: row, Qualifier: qualifier, Depth: kv.DepthColumn}
	behind := at
	behind.After = true
	rank := 0
	err := t.each(ctx, table, kv.Range{Start: at, End: behind}, true, func(c *kv.Cell) error {
		if rank++; table.Retention.Keeps(rank-1, c.Timestamp, t.now) {
			t.mindExpiry(&table.Retention, rank, c.Timestamp)
			return nil
		}
		leaf, _ := table.Partitioning.Place(row, c.Timestamp)
		return t.delete(table, cellkey.AppendCell(nil, keyspace.Of(table).Spaces[leaf], row, qualifier, c.Timestamp))
	})
	if err == nil {
		t.swept = column
	}
	return err
}

// mindExpiry is called with each kept version of a column of which a version is deleted. A
// version that is kept only because it is young must not expire before the commit: it would be
// hidden by then, and reappear as one of the newest.
func (t *Txn) mindExpiry(r *kv.Retention, nth int, timestamp int64) {
	if r.MinVersions > 0 && nth > r.MinVersions {
		t.until = min(t.until, r.LastsUntil(timestamp))
	}
}
