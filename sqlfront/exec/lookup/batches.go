package lookup

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// batches are entries that have everything, as vectors. The first ones come one by one: preparing vectors does not pay for
// small reads.
type batches struct {
	cells   kv.Batch
	next    int // of cells, to be given one by one; all of them where that is not so
	out     *kernel.Batch
	own     []value.Vector // of out
	filters []kernel.Filter
	given   int  // entries that came one by one
	off     bool // there are no vectors
}

// mayBatch reports whether the next entries are to be read as vectors.
func (s *reading) mayBatch(want int) bool {
	b, size := &s.batches, s.x.Context.BatchCells
	return want > 1 && !b.off && b.next == b.cells.Len() && (b.given >= scan.RowsFirst || size > 0) && s.beginBatches()
}

// beginBatches makes what batches are filled into, once.
func (s *reading) beginBatches() bool {
	b := &s.batches
	if b.out != nil {
		return true
	}
	_, batcher := s.entries.cursor.(kv.Batcher)
	if b.off = !batcher || s.fetch != nil || len(s.Virtual) > 0 || s.x.Context.BatchCells < 0 || s.x.Nothing; b.off {
		return false
	}
	var schema kernel.Schema
	for _, h := range s.held {
		schema = append(schema, kernel.Field{Index: s.First + h.column, Kind: s.Face.Columns[h.column].VectorKind()})
	}
	c := &kernel.Compiler{Schema: schema, Env: &s.x.Env}
	for _, n := range s.Where {
		f := c.Condition(n)
		if b.off = f == nil; b.off {
			return false
		}
		b.filters = append(b.filters, f)
	}
	b.cells.Shares, b.cells.Unread = true, kv.PartValue|kv.PartValueBytes
	b.out, b.own = kernel.NewBatch(schema, nil), make([]value.Vector, len(schema))
	return true
}

// nextBatch is the next rows; nil behind the last, and where they are to be given one by one.
func (s *reading) nextBatch() (*kernel.Batch, error) {
	b, cursor := &s.batches, s.entries.cursor.(kv.Batcher)
	for cursor.NextBatch(&b.cells, s.x.Context.BatchSize()) {
		b.next = b.cells.Len()
		ok, err := s.fillBatch()
		for i := 0; ok && i < len(b.filters); i++ {
			b.out.Rows, ok = b.filters[i].Narrow(b.out, b.out.Rows)
		}
		switch {
		case err != nil:
			return nil, err
		case !ok:
			b.next = 0
			return nil, nil
		case len(b.out.Rows) > 0:
			s.given += int64(len(b.out.Rows))
			return b.out, nil
		}
	}
	b.cells.Reset()
	b.next = 0
	return nil, s.entries.cursor.Err()
}

// fillBatch makes vectors of the entries that were read; false where their kinds have not the values.
func (s *reading) fillBatch() (bool, error) {
	b, n := &s.batches, s.batches.cells.Len()
	b.out.Start(n)
	for i, f := range b.out.Schema() {
		b.own[i].Start(f.Kind, n)
		b.out.Share(i, &b.own[i])
	}
	b.out.Rows = b.out.Rows[:0]
	for i := range n {
		row, ok := s.entries.of.Key.Read(b.cells.Rows()[i], b.cells.Qualifiers()[i], s.entries.tuple)
		if !ok {
			continue
		}
		if err := s.readKey(row); err != nil {
			return false, err
		}
		for at, h := range s.held {
			if !b.own[at].Set(int32(i), s.valueOf(h)) {
				return false, nil
			}
		}
		b.out.Rows = append(b.out.Rows, int32(i))
	}
	return true, nil
}

// nextEntry is the next entry of those that are given one by one, and the row that it is of; nil behind the last.
func (s *reading) nextEntry() (row []byte, err error) {
	b := &s.batches
	for b.next < b.cells.Len() {
		i := b.next
		b.next++
		if row, ok := s.entries.of.Key.Read(b.cells.Rows()[i], b.cells.Qualifiers()[i], s.entries.tuple); ok {
			return row, nil
		}
	}
	b.given++
	return s.entries.next()
}
