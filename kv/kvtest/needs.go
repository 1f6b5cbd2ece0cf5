package kvtest

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// need is what a test needs of a store beyond what every store can do.
type need uint64

// The needs of tests, which kv.Limits tell of.
const (
	manyRows  need = 1 << iota // in one transaction
	snapshots                  // of one moment, over several reads
	rowLocks
	nulls
	anyTime // any int64 for a timestamp
	anyRow  // of any length, the empty one among them
	ownTime // the store has the clock that it is given, and counts at once
	bounded // a last partition below MAXVALUE
	ddlNeeds
)

// ddl is the need of changes of the catalog, which are in the bits behind the others.
func ddl(changes kv.DDL) need { return need(changes) * ddlNeeds }

// lacks are the needs that a store cannot meet.
func lacks(l kv.Limits) (n need) {
	for each, has := range map[need]bool{
		manyRows: !l.OneRow, snapshots: l.Snapshots, rowLocks: l.RowLocks, nulls: l.Nulls,
		anyTime: l.MinTimestamp == math.MinInt64 && l.MaxTimestamp == math.MaxInt64,
		anyRow:  l.MinRow == 0 && l.MaxRow == 0 && l.MaxQualifier == 0,
		ownTime: l.OwnClock, bounded: l.Bounded,
	} {
		if !has {
			n |= each
		}
	}
	return n | ddl(kv.AllDDL&^l.DDL)
}

// lays reports whether tables can be laid out so.
func lays(l kv.Limits, s *partition.Scheme) bool {
	return slices.Contains(l.Partitionings, s.Method()) && (s.Slices() == nil || l.Slices)
}

// inOrder are those of inOrder that the store can hold.
func (f *fixture) inOrder() (out []string) {
	for _, text := range inOrder {
		c := parseCell(f, text)
		if len(c.Row) >= f.limits.MinRow && c.Timestamp >= f.limits.MinTimestamp {
			out = append(out, text)
		}
	}
	return out
}

// lowest and highest are the timestamps between which the store and the layout
// hold all.
func (f *fixture) lowest() int64  { return max(f.layout.oldest(), f.limits.MinTimestamp) }
func (f *fixture) highest() int64 { return f.limits.MaxTimestamp }

// null is how the store shows a value that is put as null.
func (f *fixture) null() string {
	if f.limits.Nulls {
		return null
	}
	return ""
}

// within is a transaction as the store's limits have it: where there is no null,
// the empty value is written in its place.
func (f *fixture) within(tx kv.Txn) kv.Txn {
	if f.limits.Nulls {
		return tx
	}
	return notNull{tx}
}

type notNull struct{ kv.Txn }

func filled(c kv.Cell) kv.Cell {
	if c.Value == nil {
		c.Value = []byte{}
	}
	return c
}

func (t notNull) Put(ctx context.Context, table *kv.Table, c kv.Cell) error {
	return t.Txn.Put(ctx, table, filled(c))
}

func (t notNull) PutIfAbsent(ctx context.Context, table *kv.Table, c kv.Cell) (bool, error) {
	return t.Txn.PutIfAbsent(ctx, table, filled(c))
}

func (t notNull) PutNext(ctx context.Context, table *kv.Table, c kv.Cell) (int64, error) {
	return t.Txn.PutNext(ctx, table, filled(c))
}

// byRow are transactions of one row each, one behind the other.
type byRow struct {
	kv.Txn
	f     *fixture
	row   []byte
	table *kv.Table
}

// of begins the next transaction where the last one is of another row.
func (t *byRow) of(table *kv.Table, row []byte) kv.Txn {
	if t.table != nil && (t.table.Group != table.Group || table.Group == "" && t.table.ID != table.ID || !bytes.Equal(t.row, row)) {
		require.NoError(t.f, t.Txn.Commit(t.f.ctx))
		t.Txn = t.f.begin()
	}
	t.table, t.row = table, bytes.Clone(row)
	return t.Txn
}

func (t *byRow) Put(ctx context.Context, table *kv.Table, c kv.Cell) error {
	return t.of(table, c.Row).Put(ctx, table, c)
}

func (t *byRow) PutIfAbsent(ctx context.Context, table *kv.Table, c kv.Cell) (bool, error) {
	return t.of(table, c.Row).PutIfAbsent(ctx, table, c)
}

func (t *byRow) PutNext(ctx context.Context, table *kv.Table, c kv.Cell) (int64, error) {
	return t.of(table, c.Row).PutNext(ctx, table, c)
}

func (t *byRow) DeleteVersion(ctx context.Context, table *kv.Table, row, qualifier []byte, timestamp int64) error {
	return t.of(table, row).DeleteVersion(ctx, table, row, qualifier, timestamp)
}

func (t *byRow) DeleteColumn(ctx context.Context, table *kv.Table, row, qualifier []byte) error {
	return t.of(table, row).DeleteColumn(ctx, table, row, qualifier)
}
