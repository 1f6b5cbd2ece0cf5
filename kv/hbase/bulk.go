package hbase

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/caught"
)

var _ kv.BulkLoader = (*Store)(nil)

// A load's cells are sent in batches of these sizes, a few of them concurrently.
const (
	bulkBytes    = 2 << 20
	bulkCells    = 5000
	bulkInFlight = 4
)

// BulkLoad implements kv.BulkLoader by batches of puts. It is neither atomic nor one
// commit, and therefore refused (kv.ErrUnsupported) unless Options.MultiRow is set:
// after an error some of the cells are there. A batch whose response was lost is put
// again.
func (s *Store) BulkLoad(ctx context.Context, tables []*kv.Table, cells iter.Seq2[kv.Cell, error], _ kv.BulkOptions) (kv.BulkStats, error) {
	if !s.options.MultiRow {
		return kv.BulkStats{}, errManyRows("a load of several rows")
	}
	if err := s.isClosed(); err != nil {
		return kv.BulkStats{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &bulk{store: s, ctx: ctx, cancel: cancel, seen: map[string]*pb.MutationProto_ColumnValue_QualifierValue{}, free: make(chan struct{}, bulkInFlight)}
	l, err := s.current(ctx)
	if err != nil {
		return kv.BulkStats{}, err
	}
	for _, t := range tables {
		f, ok := l.families[t.ID]
		if !ok {
			return kv.BulkStats{}, kv.ErrCatalogChanged
		}
		b.families = append(b.families, f)
	}
	if err = b.take(cells); err == nil {
		b.flush()
	}
	b.sending.Wait()
	if b.failed != nil {
		err = b.failed
	}
	return b.stats, err
}

// errManyRows returns the error for several rows unless Options.MultiRow is set.
func errManyRows(what string) error {
	return kv.ErrUnsupported{What: what + " on HBase, which is atomic only within a row: write each row in its own transaction, " +
		"or set multiRow=apply in the data source name to write the rows of a statement one by one"}
}

// bulk is a running load.
type bulk struct {
	store    *Store
	ctx      context.Context
	cancel   context.CancelFunc
	families []family
	free     chan struct{}
	sending  sync.WaitGroup

	batch map[string][]*rowAction // by table
	last  *rowAction              // the last of the batch
	table string                  // of last
	bytes int
	cells int64

	// unsorted is true once a cell has come after one that it belongs before. From
	// then on one batch is sent at a time, and seen are its cells: if one comes
	// twice, the last must stay.
	unsorted bool
	seen     map[string]*pb.MutationProto_ColumnValue_QualifierValue
	previous kv.Cell

	mu     sync.Mutex
	stats  kv.BulkStats
	failed error
}

// take reads the cells up to an error, and sends full batches.
func (b *bulk) take(cells iter.Seq2[kv.Cell, error]) error {
	for c, err := range cells {
		if err == nil {
			err = b.fits(&c)
		}
		if err == nil {
			err = b.ctx.Err()
		}
		if err != nil {
			return err
		}
		b.add(&c)
		if b.bytes >= bulkBytes || b.cells >= bulkCells {
			b.flush()
		}
	}
	return b.ctx.Err()
}

// fits refuses what HBase cannot store.
func (b *bulk) fits(c *kv.Cell) error {
	if len(c.Row) == 0 || len(c.Row) > maxRow {
		return kv.ErrLength
	}
	return b.families[c.Family].fits(c)
}

// add puts a cell in the batch: into the mutation of the previous cell if that has
// the same row.
func (b *bulk) add(c *kv.Cell) {
	f := &b.families[c.Family]
	if !b.unsorted && !inKeyOrder(&b.previous, c) {
		b.flush()
		b.unsorted = true
	}
	key := ""
	if b.unsorted {
		key = fmt.Sprintf("%d,%d,%d,%s%s", c.Family, c.Timestamp, len(c.Row), c.Row, c.Qualifier)
		if had := b.seen[key]; had != nil {
			had.Value = orEmpty(bytes.Clone(c.Value))
			return
		}
	}
	if b.last == nil || b.table != f.table || !bytes.Equal(b.last.row, c.Row) {
		row := bytes.Clone(c.Row)
		b.last, b.table = &rowAction{row: row, mutations: []*pb.MutationProto{newMutation(row, pb.MutationProto_PUT)}}, f.table
		if b.batch == nil {
			b.batch = map[string][]*rowAction{}
		}
		b.batch[f.table] = append(b.batch[f.table], b.last)
	}
	at := &column{family: f.name, qualifier: orEmpty(bytes.Clone(c.Qualifier))}
	put := addValue(b.last.mutations[0], at, c.Timestamp, orEmpty(bytes.Clone(c.Value)), nil)
	if b.unsorted {
		b.seen[key] = put
	} else {
		b.previous = kv.Cell{Family: c.Family, Row: b.last.row, Qualifier: at.qualifier, Timestamp: c.Timestamp}
	}
	b.bytes += len(c.Row) + len(c.Qualifier) + len(c.Value)
	b.cells++
}

// inKeyOrder reports whether a cell belongs before another and is not the same.
func inKeyOrder(a, b *kv.Cell) bool {
	if n := cmp.Or(bytes.Compare(a.Row, b.Row), a.Family-b.Family, bytes.Compare(a.Qualifier, b.Qualifier)); n != 0 {
		return n < 0
	}
	return a.Timestamp > b.Timestamp
}

// flush sends the batch while the next one is read.
func (b *bulk) flush() {
	if b.cells == 0 {
		return
	}
	batch, cells, bytes := b.batch, b.cells, b.bytes
	b.batch, b.last, b.cells, b.bytes, b.seen = nil, nil, 0, 0, map[string]*pb.MutationProto_ColumnValue_QualifierValue{}
	if b.unsorted {
		b.sending.Wait()
	}
	b.free <- struct{}{}
	b.sending.Go(func() {
		defer func() { <-b.free }()
		err := caught.Do(func() error { return b.send(batch) })
		b.mu.Lock()
		defer b.mu.Unlock()
		if err == nil {
			b.stats.Cells += cells
			b.stats.Written += cells
			b.stats.Bytes += int64(bytes)
		} else if b.failed == nil {
			b.failed = err
			b.cancel()
		}
	})
}

func (b *bulk) send(batch map[string][]*rowAction) error {
	for table, actions := range batch {
		if err := b.store.cluster.applyRows(b.ctx, table, actions, true); err != nil {
			return kvError(err)
		}
		for _, a := range actions {
			if a.err != nil {
				return kvError(a.err)
			}
		}
	}
	return nil
}
