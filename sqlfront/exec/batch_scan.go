package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// scanBatches are the batches of a scan.
type scanBatches struct {
	next    int // of the scan's cells, to be given one by one
	batch   *kernel.Batch
	filters []kernel.Filter
	left    leftRows      // of those that next gives
	above   kernel.Reader // nil where that is not known
	madeFor kernel.Reader // above, when the batch was made
	refused bool          // there are none: some condition is for rows
	columns [][]byte      // qualifiers by which whole rows are given, nil where cells are
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
	if s.batch == nil {
		s.batch = &scanBatches{}
	}
	if s.cells == nil {
		s.cells = &kv.Batch{Shares: true}
	}
	return s.batchSchema()
}

// readsMany reports whether batches of a source are worth to be prepared now: of a scan
// they are once it has read as much as it gives one by one. The pivot of one row takes a
// third fewer allocations by that, 51 instead of 80.
func readsMany(s source) bool {
	scan, ok := s.(*scan)
	return !ok || scan.x.c.BatchCells != 0 || scan.looked >= rowsFirst
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
	if b.refused || b.batch != nil && b.madeFor == b.above {
		return !b.refused
	}
	b.madeFor, b.filters = b.above, nil
	if b.columns != nil {
		b.beginRows(s)
		return true
	}
	schema := s.batchSchema()
	c := &kernel.Compiler{Schema: schema, Env: &s.x.env}
	for _, n := range append(s.keys[:len(s.keys):len(s.keys)], s.values...) {
		f := c.Condition(n)
		if f == nil {
			b.refused = true
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

// nextBatch is the next cells for which the conditions hold.
func (s *scan) nextBatch() (*kernel.Batch, error) {
	if b := s.batch.left.rest(); b != nil {
		return b, nil
	}
	return s.readBatch(s.x.c.batchSize())
}

// readBatch reads a batch of at most n cells.
func (s *scan) readBatch(n int) (*kernel.Batch, error) {
	b := s.batch
	if !readsMany(s) || b.next < s.cells.Len() {
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

// readsAhead reports whether few cells are rows, so that the next is to be looked for in
// batches.
func (s *scan) readsAhead() bool {
	if s.looked < rowsFirst || int64(s.looked) < s.given*fewPass || s.stepwise {
		return false
	}
	if s.batch == nil {
		s.stepwise = s.batches() == nil
	}
	return !s.stepwise
}

// nextAhead is the next row where few cells are; false where it is to be found one by
// one.
func (s *scan) nextAhead() (bool, error) {
	s.ahead = true
	b, err := s.readBatch(min(s.looked, s.x.c.batchSize()))
	if err != nil {
		return false, err
	}
	s.batch.left = leftRows{batch: b}
	return s.nextOfBatch()
}

// nextOfBatch is the next row of a batch whose rows are given one by one.
func (s *scan) nextOfBatch() (bool, error) {
	b := s.batch
	if b.left.next(s.x.env.Row) {
		return true, nil
	}
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
