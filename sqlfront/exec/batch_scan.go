package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// scanBatches are the batches of a scan.
type scanBatches struct {
	cells   kv.Batch
	next    int // of cells, to be given one by one
	batch   *kernel.Batch
	filters []kernel.Filter
}

const (
	// rowsFirst is how many cells are read one by one before there are batches: small
	// reads are not worth to prepare them.
	rowsFirst = 64
	// batchCells is how many cells a batch has at most.
	batchCells = 1024
)

// batchSize is how many rows a batch has at most.
func (c *Context) batchSize() int {
	if c.BatchCells > 0 {
		return c.BatchCells
	}
	return batchCells
}

// batches makes a scan of many rows give them in batches.
func (s *scan) batches() kernel.Schema {
	if s.x.c.BatchCells < 0 || s.x.lock != nil || s.tally != nil || s.empty() || s.x.nothing {
		return nil
	}
	s.batch = &scanBatches{cells: kv.Batch{SharesRows: true}}
	return s.batchSchema()
}

// batchSchema is the columns of the relation.
func (s *scan) batchSchema() kernel.Schema {
	at := &s.access.Columns
	out := kernel.Schema{{Index: at.K, Kind: value.Bytes}, {Index: at.Q, Kind: value.Bytes}, {Index: at.T, Kind: value.Int}}
	if s.kv.NeedValue {
		out = append(out, kernel.Field{Index: at.V, Kind: value.Bytes})
	}
	if at.F >= 0 {
		out = append(out, kernel.Field{Index: at.F, Kind: value.Bytes})
	}
	for _, p := range at.Prefixes {
		out = append(out, kernel.Field{Index: p.Index, Kind: value.Bytes})
	}
	if at.G >= 0 {
		out = append(out, kernel.Field{Index: at.G, Kind: value.Int})
	}
	return out
}

// begin compiles the conditions that are left over, and reports whether there can be
// batches.
func (b *scanBatches) begin(s *scan) bool {
	if b.batch != nil {
		return true
	}
	schema := s.batchSchema()
	c := &kernel.Compiler{Schema: schema, Env: &s.x.env}
	for _, n := range append(s.keys[:len(s.keys):len(s.keys)], s.values...) {
		f := c.Condition(n)
		if f == nil {
			return false
		}
		b.filters = append(b.filters, f)
	}
	b.batch = kernel.NewBatch(schema, func(at int, v *value.Vector) { s.fillColumn(schema[at].Index, v) })
	return true
}

// nextBatch is the next cells for which the conditions hold.
func (s *scan) nextBatch() (*kernel.Batch, error) {
	b := s.batch
	if s.x.c.BatchCells == 0 && s.looked < rowsFirst || b.next < len(b.cells.Cells) {
		return nil, nil
	}
	if !s.opened {
		if err := s.openCursor(); err != nil {
			return nil, err
		}
	}
	cursor, ok := s.cursor.(kv.Batcher)
	if !ok || !b.begin(s) {
		return nil, nil
	}
	for cursor.NextBatch(&b.cells, s.x.c.batchSize()) {
		n := len(b.cells.Cells)
		b.next = n
		if s.watch != nil {
			if err := s.watch(int64(n)); err != nil {
				return nil, err
			}
		}
		b.batch.Start(n)
		if !b.narrow() {
			b.next = 0
			return nil, nil
		}
		if s.given += int64(len(b.batch.Rows)); len(b.batch.Rows) > 0 {
			return b.batch, nil
		}
	}
	b.cells.Reset()
	return nil, s.cursor.Err()
}

func (b *scanBatches) narrow() (ok bool) {
	for _, f := range b.filters {
		if b.batch.Rows, ok = f.Narrow(b.batch, b.batch.Rows); !ok {
			return false
		}
	}
	return true
}

// nextOfBatch is the next row of a batch whose rows are given one by one.
func (s *scan) nextOfBatch() (bool, error) {
	b := s.batch
	for b.next < len(b.cells.Cells) {
		b.next++
		ok, err := s.accept(&b.cells.Cells[b.next-1], true)
		if ok || err != nil {
			s.given++
			return ok, err
		}
	}
	return false, nil
}

// fillColumn fills a column of the frame with those of the cells.
func (s *scan) fillColumn(index int, v *value.Vector) {
	cells, at := s.batch.cells.Cells, &s.access.Columns
	switch index {
	case at.K:
		for i := range cells {
			v.Bytes[i] = cells[i].Row
		}
	case at.Q:
		for i := range cells {
			v.Bytes[i] = cells[i].Qualifier
		}
	case at.V:
		for i := range cells {
			v.Bytes[i] = cells[i].Value
		}
	case at.F:
		for i := range cells {
			v.Bytes[i] = s.families[cells[i].Family]
		}
	case at.T:
		for i := range cells {
			v.Ints[i] = cells[i].Timestamp
		}
	case at.G:
		for i := range cells {
			v.Ints[i] = max(cells[i].Timestamp, -cells[i].Timestamp)
		}
	}
	for _, p := range at.Prefixes {
		if p.Index == index {
			for i := range cells {
				v.Bytes[i] = cells[i].Row[:min(len(cells[i].Row), p.Length)]
			}
		}
	}
}
