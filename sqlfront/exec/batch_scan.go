package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// scanBatches are the batches of a scan.
type scanBatches struct {
	next    int // of the scan's cells, to be given one by one
	batch   *kernel.Batch
	filters []kernel.Filter
	madeFor kernel.Reader // the scan's reader when the batch was made
	columns [][]byte      // qualifiers by which whole rows are given, nil where cells are
}

const (
	// rowsFirst is how many cells are read one by one before there are batches: small
	// reads are not worth to prepare them.
	rowsFirst = 64
)

// mayBatch reports whether batches can be made.
func (s *scan) mayBatch() bool {
	if s.x.Context.BatchCells < 0 || s.x.Lock != nil || s.x.Nothing {
		return false
	}
	_, ok := s.cursor.(kv.Batcher)
	return ok
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
	if s.access.Twin != nil {
		for _, f := range out {
			out = append(out, kernel.Field{Index: f.Index - s.access.First + s.access.Twin.First, Kind: f.Kind})
		}
	}
	return out
}

// begin compiles the conditions that are left over, and reports whether there can be
// batches.
func (b *scanBatches) begin(s *scan) bool {
	if b.batch != nil && b.madeFor == s.above {
		return true
	}
	b.madeFor, b.filters = s.above, nil
	schema := s.batchSchema()
	if a, ok := s.above.(rowAsker); ok && b.columns == nil {
		b.columns = a.AsksRows(schema)
	}
	if b.columns != nil {
		b.beginRows(s)
		return true
	}
	c := &kernel.Compiler{Schema: schema, Env: &s.x.Env}
	for _, n := range append(s.keys[:len(s.keys):len(s.keys)], s.values...) {
		f := c.Condition(n)
		if f == nil {
			return false
		}
		b.filters = append(b.filters, f)
	}
	b.batch = kernel.NewBatch(schema, func(at int, v *value.Vector) { s.fillColumn(schema[at], v) })
	read := s.ColumnsRead()
	b.batch.LeaveOutUnread(read)
	s.cells.Reset()
	s.cells.Unread = s.unread(read)
	return true
}

// rowAsker is a reader of a scan's batches, which may ask for whole rows of some qualifiers instead
// of cells of a schema. It is asked before the first batch.
type rowAsker interface {
	// AsksRows gives these qualifiers, nil for cells.
	AsksRows(schema kernel.Schema) (qualifiers [][]byte)
}

// nextAhead is the next row of a batch whose cells are for rows, or the next batch; nil where a
// cell is to be looked at by itself, or there is none.
func (s *scan) nextAhead(want int) (*kernel.Batch, error) {
	if s.batch != nil {
		if ok, err := s.nextOfBatch(); ok || err != nil {
			return op.Single(ok, err)
		}
	}
	n := s.cellsAhead(want)
	if n == 0 {
		return nil, nil
	}
	b, err := s.readBatch(n)
	if b != nil || err != nil {
		return b, err
	}
	return op.Single(s.nextOfBatch())
}

// readBatch reads a batch of at most n cells, of those for which the conditions hold.
func (s *scan) readBatch(n int) (*kernel.Batch, error) {
	b, cursor := s.batch, s.cursor.(kv.Batcher)
	s.ahead = true
	for cursor.NextBatch(s.cells, n) {
		n, cells := s.cells.Len(), s.cells.Cells()
		b.next = n
		s.looked += cells
		if s.watch != nil {
			if err := s.watch(int64(cells)); err != nil {
				return nil, err
			}
		}
		b.batch.Start(n)
		if !b.narrow() {
			b.next = 0
			return nil, nil
		}
		if s.given += int64(len(b.batch.Rows) + cells - n); len(b.batch.Rows) > 0 {
			return b.batch, nil
		}
	}
	s.cells.Reset()
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

// fewPass is how many cells a row was found in, on average, where a scan whose rows are
// asked one by one reads ahead. It reads as many cells as it has looked at, so that who
// stops after a row has read at most twice as many as he needed. 555 rows of 300,000 cells
// take 25 ms of processor time so instead of 38, and none of them, by the day of T, 30
// instead of 507.
const fewPass = 8

// cellsAhead is how many cells are to be read as a batch now; 0 where one is to be looked at by
// itself. The pivot of one row takes a third fewer allocations by that, 51 instead of 80.
func (s *scan) cellsAhead(want int) (n int) {
	switch {
	case s.stepwise:
	case s.looked < rowsFirst && (want == 1 || s.x.Context.BatchCells == 0):
	case want > 1:
		n = s.x.Context.BatchSize()
	case int64(s.looked) >= s.given*fewPass && (s.batch == nil || s.batch.columns == nil):
		n = min(s.looked, s.x.Context.BatchSize())
	}
	if n > 0 && !s.beginBatch() {
		s.stepwise, n = true, 0
	}
	return n
}

// beginBatch makes a batch ready, and reports whether there can be one.
func (s *scan) beginBatch() bool {
	if s.batch == nil {
		if !s.mayBatch() {
			return false
		}
		s.batch = &scanBatches{}
		if s.cells == nil {
			s.cells = &kv.Batch{Shares: true}
		}
	}
	return s.batch.begin(s)
}

// nextOfBatch is the next row of the cells of a batch whose conditions are for rows.
func (s *scan) nextOfBatch() (bool, error) {
	b := s.batch
	for b.next < s.cells.Len() {
		b.next++
		c := s.cells.Cell(b.next - 1)
		ok, err := s.accept(&c, true)
		if ok || err != nil {
			s.given++
			return ok, err
		}
	}
	return false, nil
}

// fillColumn makes a column of the frame that of the cells, of which it has the memory
// where that is a part of them.
func (s *scan) fillColumn(f kernel.Field, v *value.Vector) {
	cells, at := s.cells, &s.access.Columns
	v.Kind, v.Nulls = f.Kind, nil
	switch index := s.access.own(f.Index); index {
	case at.K:
		v.Bytes = cells.Rows()
	case at.Q:
		v.Bytes, v.Codes = cells.Qualifiers(), cells.QualifierCodes()
	case at.V:
		v.Bytes = cells.Values()
	case at.T:
		v.Ints = cells.Timestamps()
	default:
		v.Start(f.Kind, cells.Len())
		s.fillOwn(index, v)
	}
}

// fillOwn is fillColumn of what is made of parts of the cells.
func (s *scan) fillOwn(index int, v *value.Vector) {
	cells, at := s.cells, &s.access.Columns
	switch index {
	case at.F:
		for i, f := range cells.Families() {
			v.Bytes[i] = s.families[f]
		}
	case at.G:
		for i, t := range cells.Timestamps() {
			v.Ints[i] = max(t, -t)
		}
	}
	for _, p := range at.Prefixes {
		if p.Index == index {
			for i, row := range cells.Rows() {
				v.Bytes[i] = row[:min(len(row), p.Length)]
			}
		}
	}
}

// givesRows reports whether the scan is of the newest cells of one table, and passes over
// none.
func (s *scan) givesRows() bool {
	return s.view.Versions == 1 && len(s.tables) == 1 && len(s.keys)+len(s.values) == 0
}

// beginRows makes the batch of rows, whose only column is K.
func (b *scanBatches) beginRows(s *scan) {
	schema := s.batchSchema()[:1]
	b.batch = kernel.NewBatch(schema, func(_ int, v *value.Vector) { s.fillColumn(schema[0], v) })
	s.cells.Reset()
	s.cells.Unread = s.unread(s.ColumnsRead()) &^ (kv.PartRow | kv.PartQualifier)
	s.cells.AskColumns(b.columns)
}
