// Package bulk loads cells into a store without its log: it makes table files of
// them beside the store (package tablebuild) and has Pebble link them in, all by one
// change of its manifest, under the lock of the commits. A gate keeps the rows of
// the load from being locked at that moment.
package bulk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/tablebuild"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/txn"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// Limits bound the memory of a load.
type Limits struct {
	tablebuild.Limits
	// ExactRows bounds the rows that are known one by one.
	ExactRows int
	// RowBits is the number of bits that represent the other rows: 8 MiB, with which
	// one of seven rows that are not in a load of ten million is taken for one of
	// these.
	RowBits int
}

// StoreLimits are the limits of each load of a store. Tests lower them.
var StoreLimits = Limits{Limits: tablebuild.DefaultLimits(), ExactRows: 64 << 10, RowBits: 1 << 26}

// Target is the store into which cells are loaded.
type Target struct {
	Engine *views.Engine
	Txns   *txn.Manager
	Host   Host
	Limits Limits
}

// Host is the store as a load calls it.
type Host interface {
	txn.Host
	// Writable returns the reason why nothing can be written now, or nil.
	Writable(context.Context) error
}

// load is one load.
type load struct {
	Target
	options kv.BulkOptions
	tables  []*kv.Table // as they were when the keys were made
	builder *tablebuild.Builder
	files   []tablebuild.File
	rows    rowlock.Set
	extents rowlock.Extents // of the rows
	stats   kv.BulkStats
	writes  [][]int64 // by table and leaf of its partitioning
	owner   rowlock.Owner
	// impatient is set once it has waited long enough for a move of cells.
	impatient bool

	namespaces []rowlock.ID // of the tables
	// The previous cell: its row and the key up to its end.
	family    int
	row       []byte
	partition int
	leaf      int
	key       []byte
	rowEnd    int
	sliced    bool // the table has slices of time
}

// Load loads cells into a store, atomically: it makes Pebble's own table files, and
// writes no byte twice if cells come in order. Errors of the source are returned as
// they are; others are kv.ErrCatalogChanged, kv.ErrNoPartition, kv.ErrLockTimeout,
// the context's and the disk's.
func Load(
	ctx context.Context, to Target, tables []*kv.Table, cells iter.Seq2[kv.Cell, error], o kv.BulkOptions,
) (kv.BulkStats, error) {
	l := &load{Target: to, options: o, tables: slices.Clone(tables), family: -1}
	l.rows = rowlock.NewSet(to.Limits.ExactRows, to.Limits.RowBits)
	for _, t := range tables {
		l.namespaces = append(l.namespaces, to.Engine.Hash.Namespace(t))
		l.writes = append(l.writes, make([]int64, t.Partitioning.NumLeaves()))
	}
	if err := l.run(ctx, cells); err != nil {
		return kv.BulkStats{}, err
	}
	return l.stats, nil
}

// run does the load. Files that the store has not ingested are removed when it returns.
func (l *load) run(ctx context.Context, cells iter.Seq2[kv.Cell, error]) (err error) {
	files, dir := &l.Txns.Files, l.Txns.Files.NewDir()
	if err := files.Own.MkdirAll(dir, faultfs.DirMode); err != nil {
		return faultfs.DiskError(err)
	}
	l.builder = tablebuild.New(files.Guarded, dir, files.Pebble, l.Limits.Limits)
	defer func() {
		_ = l.builder.End() // its error has been returned
		// The next Open removes what cannot be removed now.
		_ = files.Own.RemoveAll(dir)
	}()
	if err := l.takeAll(ctx, cells); err != nil {
		return err
	}
	if l.stats.Cells == 0 {
		return nil
	}
	if l.files, err = l.builder.Finish(ctx); err != nil {
		return faultfs.DiskError(err)
	}
	l.rows.Settle()
	return l.commit(ctx)
}

// takeAll adds the cells. Errors of the source are returned as they are.
func (l *load) takeAll(ctx context.Context, cells iter.Seq2[kv.Cell, error]) error {
	for c, err := range cells {
		if err != nil {
			return err
		}
		if err := l.take(&c); err != nil {
			return err
		}
		if l.stats.Cells%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	l.countWrites()
	return ctx.Err()
}

func (l *load) take(c *kv.Cell) error {
	if c.Family != l.family || !bytes.Equal(c.Row, l.row) {
		if err := l.enter(c); err != nil {
			return err
		}
	}
	if l.sliced {
		if err := l.enterSlice(c.Timestamp); err != nil {
			return err
		}
	}
	key := cellkey.AppendTimestamp(cellkey.AppendPart(l.key[:l.rowEnd], c.Qualifier), c.Timestamp)
	l.key = key
	l.stats.Cells++
	l.writes[c.Family][l.leaf]++
	return faultfs.DiskError(l.builder.Add(key, cellkey.MarkOf(c.Value), c.Value))
}

// enter begins a row.
func (l *load) enter(c *kv.Cell) error {
	if c.Family < 0 || c.Family >= len(l.tables) {
		return fmt.Errorf("a cell has family %d, but there are %d tables", c.Family, len(l.tables))
	}
	t := l.tables[c.Family]
	i, ok := t.Partitioning.Locate(c.Row)
	if !ok {
		return kv.ErrNoPartition
	}
	l.family, l.partition, l.leaf = c.Family, i, t.Partitioning.Leaf(i, 0)
	l.row = append(l.row[:0], c.Row...)
	l.key = cellkey.AppendRow(l.key[:0], keyspace.Space(t, i, 0), c.Row)
	l.rowEnd, l.sliced = len(l.key), t.Partitioning.Slices() != nil
	if !l.options.Unlocked {
		l.rows.Add(l.Engine.Hash.Row(l.namespaces[c.Family], c.Row))
		l.extents.Add(l.namespaces[c.Family], c.Row)
	}
	return nil
}

// enterSlice moves the row's key to the space of the timestamp's slice.
func (l *load) enterSlice(timestamp int64) error {
	t := l.tables[l.family]
	slice, ok := t.Partitioning.Slice(timestamp)
	if !ok {
		return kv.ErrNoPartition
	}
	l.leaf = t.Partitioning.Leaf(l.partition, slice)
	cellkey.MoveTo(l.key, keyspace.Of(t).Spaces[l.leaf])
	return nil
}

// countWrites counts what was written to each leaf.
func (l *load) countWrites() {
	for f, t := range l.tables {
		loads := l.Engine.Loads.Of(t)
		for i, n := range l.writes[f] {
			loads[i].Writes.Add(n)
		}
	}
}

// rekey makes the files again if the layout of the tables has changed.
func (l *load) rekey(ctx context.Context, now []*kv.Table) error {
	f := l.builder.Next()
	place := layout.NewPlacer(l.tables, now)
	var buf []byte
	n := 0
	err := l.builder.EachCell(l.files, func(key, value []byte) error {
		if n++; n%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var how layout.Placing
		switch buf, how = place.Key(buf[:0], key); how {
		case layout.Homeless:
			return kv.ErrNoPartition
		case layout.Goes:
			key = buf
		}
		return f.Add(key, nil, value)
	})
	var files []tablebuild.File
	if err == nil {
		files, err = f.Finish(ctx)
	}
	if err != nil {
		return errors.Join(faultfs.DiskError(err), f.End())
	}
	err = l.builder.Remove(l.files)
	l.builder, l.files, l.tables = f, files, now
	return faultfs.DiskError(err)
}

// lookEvery is the number of cells between two checks of the context.
const lookEvery = 512
