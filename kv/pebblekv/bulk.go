package pebblekv

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/fill"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// A bulk load makes table files of the cells beside the store and has Pebble
// link them in, all by one change of its manifest, under the lock of the
// commits (bulk_commit.go). What takes part:
//
//	bulk.go         the load: where its cells go, and its directory
//	internal/fill   cells to files, whatever order they come in
//	bulk_commit.go  the moment in which all becomes visible

// How the rows of a load are remembered.
var (
	// maxExactRows bounds the rows that are known one by one.
	maxExactRows = 64 << 10
	// rowSetBits take 8 MiB, in which one of seven rows that are not in the load
	// is taken for one of ten million that are.
	rowSetBits = 1 << 26
)

// bulkLimits bound a load.
var bulkLimits = fill.DefaultLimits()

// bulkLoad is one load.
type bulkLoad struct {
	store   *Store
	options kv.BulkOptions
	tables  []*kv.Table // as they were when the keys were made
	dir     string
	filler  *fill.Filler
	files   []fill.File
	rows    rowlock.Set
	stats   kv.BulkStats
	writes  [][]int64 // by table and leaf of its partitioning
	owner   rowlock.Owner
	// impatient is set when it has waited long enough for a move of cells.
	impatient bool

	namespaces []rowlock.ID // of the tables
	// The cell before: its row and the key up to its end.
	family    int
	row       []byte
	partition int
	leaf      int
	key       []byte
	rowEnd    int
	sliced    bool // the table is cut by time
}

// BulkLoad implements kv.BulkLoader. Pebble's own table files are made, of which
// no byte is written twice where cells come in order.
func (s *Store) BulkLoad(ctx context.Context, tables []*kv.Table, cells iter.Seq2[kv.Cell, error], o kv.BulkOptions) (kv.BulkStats, error) {
	if err := s.enter(); err != nil {
		return kv.BulkStats{}, err
	}
	defer s.exit()
	if err := s.writable(ctx); err != nil {
		return kv.BulkStats{}, err
	}
	ctx, cancel := s.untilClose(ctx)
	defer cancel()
	l := s.newBulkLoad(tables, o)
	if err := l.run(ctx, cells); err != nil {
		return kv.BulkStats{}, s.orClosed(err)
	}
	go s.filesChanged()
	return l.stats, nil
}

func (s *Store) newBulkLoad(tables []*kv.Table, o kv.BulkOptions) *bulkLoad {
	if o.LockTimeout <= 0 {
		o.LockTimeout = s.opts.LockTimeout
	}
	l := &bulkLoad{store: s, options: o, tables: slices.Clone(tables), family: -1}
	l.rows = rowlock.NewSet(maxExactRows, rowSetBits)
	l.dir = s.opts.FS.PathJoin(s.opts.Dir, bulkPrefix+rand.Text()[:8])
	for _, t := range tables {
		l.namespaces = append(l.namespaces, s.engine.Hash.Namespace(t))
		l.writes = append(l.writes, make([]int64, t.Partitioning.NumLeaves()))
	}
	return l
}

// run does the load; its files are gone when it returns, or the store's.
func (l *bulkLoad) run(ctx context.Context, cells iter.Seq2[kv.Cell, error]) (err error) {
	fs := l.store.opts.FS
	if err := fs.MkdirAll(l.dir, 0o755); err != nil {
		return faultfs.DiskError(err)
	}
	l.filler = fill.New(l.store.files(), l.dir, l.store.pebble, bulkLimits)
	defer func() {
		_ = l.filler.End() // an error in it has been returned
		// What cannot be removed now the next Open removes.
		_ = fs.RemoveAll(l.dir)
	}()
	if err := l.takeAll(ctx, cells); err != nil {
		return err
	}
	if l.stats.Cells == 0 {
		return nil
	}
	if l.files, err = l.filler.Finish(ctx); err != nil {
		return faultfs.DiskError(err)
	}
	l.rows.Settle()
	return l.commit(ctx)
}

// takeAll takes the cells in. The error of the source comes out as it is.
func (l *bulkLoad) takeAll(ctx context.Context, cells iter.Seq2[kv.Cell, error]) error {
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

func (l *bulkLoad) take(c *kv.Cell) error {
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
	return faultfs.DiskError(l.filler.Add(key, cellkey.MarkOf(c.Value), c.Value))
}

// enter begins a row.
func (l *bulkLoad) enter(c *kv.Cell) error {
	if c.Family < 0 || c.Family >= len(l.tables) {
		return fmt.Errorf("a cell's family is %d, of %d tables", c.Family, len(l.tables))
	}
	t := l.tables[c.Family]
	i, ok := t.Partitioning.Locate(c.Row)
	if !ok {
		return kv.ErrNoPartition
	}
	l.family, l.partition, l.leaf = c.Family, i, t.Partitioning.Leaf(i, 0)
	l.row = append(l.row[:0], c.Row...)
	l.key = cellkey.AppendRow(l.key[:0], t.Space(i, 0), c.Row)
	l.rowEnd, l.sliced = len(l.key), t.Partitioning.Slices() != nil
	l.rows.Add(l.store.engine.Hash.Row(l.namespaces[c.Family], c.Row))
	return nil
}

// enterSlice gives the row's key the space of the timestamp's slice.
func (l *bulkLoad) enterSlice(timestamp int64) error {
	t := l.tables[l.family]
	slice, ok := t.Partitioning.Slice(timestamp)
	if !ok {
		return kv.ErrNoPartition
	}
	l.leaf = t.Partitioning.Leaf(l.partition, slice)
	cellkey.MoveTo(l.key, t.Spaces[l.leaf])
	return nil
}

// countWrites counts what was written to each leaf.
func (l *bulkLoad) countWrites() {
	for f, t := range l.tables {
		loads := l.store.engine.Loads.Of(t)
		for i, n := range l.writes[f] {
			loads[i].Writes.Add(n)
		}
	}
}

// rekey makes the files anew where the layout of the tables has changed.
func (l *bulkLoad) rekey(ctx context.Context, now []*kv.Table) error {
	f := l.filler.Next()
	place := layout.NewPlacer(l.tables, now)
	var buf []byte
	n := 0
	err := l.filler.EachCell(l.files, func(key, value []byte) error {
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
	var files []fill.File
	if err == nil {
		files, err = f.Finish(ctx)
	}
	if err != nil {
		return errors.Join(faultfs.DiskError(err), f.End())
	}
	err = l.filler.Remove(l.files)
	l.filler, l.files, l.tables = f, files, now
	return faultfs.DiskError(err)
}

// lookEvery is the number of cells between two looks at the context.
const lookEvery = 512
