package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// scanBatches are the batches of a scan.
type scanBatches struct {
	next    int // next of the scan's cells to be returned one by one
	batch   *kernel.Batch
	filters []kernel.Filter
	madeFor kernel.Reader // the scan's reader when the batch was made
	columns [][]byte      // qualifiers of the whole rows that are read, nil for cells
}

const (
	// RowsFirst is the number of cells that are read one by one before there are batches: preparing
	// these does not pay off for small reads.
	RowsFirst = 64
)

// mayBatch reports whether batches are possible.
func (s *Scan) mayBatch() bool {
	if s.X.Context.BatchCells < 0 || s.X.Lock != nil || s.X.Nothing {
		return false
	}
	_, ok := s.cursor.(kv.Batcher)
	return ok
}

// BatchSchema returns the columns of the relation.
func (s *Scan) BatchSchema() kernel.Schema {
	at := &s.Access.Columns
	out := kernel.Schema{{Index: at.K, Kind: value.Bytes}, {Index: at.Q, Kind: value.Bytes},
		{Index: at.T, Kind: value.Int}}
	if s.StoreScan.NeedValue {
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
	if s.Access.Twin != nil {
		for _, f := range out {
			out = append(out, kernel.Field{Index: f.Index - s.Access.First + s.Access.Twin.First, Kind: f.Kind})
		}
	}
	return out
}

// begin compiles the conditions that the store does not check, and reports whether batches are
// possible.
func (b *scanBatches) begin(s *Scan) bool {
	if b.batch != nil && b.madeFor == s.above {
		return true
	}
	b.madeFor, b.filters = s.above, nil
	schema := s.BatchSchema()
	if a, ok := s.above.(rowAsker); ok && b.columns == nil {
		b.columns = a.AsksRows(schema)
	}
	if b.columns != nil {
		b.beginRows(s)
		return true
	}
	c := &kernel.Compiler{Schema: schema, Env: &s.X.Env}
	for _, n := range append(s.Keys[:len(s.Keys):len(s.Keys)], s.Values...) {
		f := c.Condition(n)
		if f == nil {
			return false
		}
		b.filters = append(b.filters, f)
	}
	b.batch = kernel.NewBatch(schema, func(at int, v *value.Vector) { s.fillColumn(schema[at], v) })
	read := s.ColumnsRead()
	b.batch.LeaveOutUnread(read)
	s.Cells.Reset()
	s.Cells.AskCells()
	s.Cells.Unread, s.Cells.NoteGaps = s.unread(read), s.notesGaps
	return true
}

// rowAsker is a reader of a scan's batches that may want one entry for each row, with its cells of
// some qualifiers, instead of one for each cell. AsksRows is called before the first batch.
type rowAsker interface {
	// AsksRows returns these qualifiers; nil requests cells.
	AsksRows(schema kernel.Schema) (qualifiers [][]byte)
}

// nextAhead returns the next row of a batch that is evaluated row by row, or the next batch; nil if
// one cell must be read by itself, or there is none.
func (s *Scan) nextAhead(want int) (*kernel.Batch, error) {
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

// readBatch reads a batch of at most n cells, and keeps those for which the conditions are true.
func (s *Scan) readBatch(n int) (*kernel.Batch, error) {
	b, cursor := s.batch, s.cursor.(kv.Batcher)
	s.ahead = true
	for cursor.NextBatch(s.Cells, n) {
		n, cells := s.Cells.Len(), s.Cells.Cells()
		b.next = n
		s.looked += cells
		if s.Watch != nil {
			if err := s.Watch(int64(cells)); err != nil {
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
	s.Cells.Reset()
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

// fewPass is the average number of cells per row from which a scan that is read row by row reads
// ahead. It reads ahead as many cells as it has read so far: a reader that stops after a row has
// caused at most twice the necessary reads.
const fewPass = 8

// cellsAhead is the number of cells to read now as a batch; 0 if one must be read by itself.
func (s *Scan) cellsAhead(want int) (n int) {
	switch {
	case s.stepwise:
	case s.looked < RowsFirst && (want == 1 || s.X.Context.BatchCells == 0):
	case want > 1:
		n = s.X.Context.BatchSize()
	case int64(s.looked) >= s.given*fewPass && (s.batch == nil || s.batch.columns == nil):
		n = min(s.looked, s.X.Context.BatchSize())
	}
	if n > 0 && !s.beginBatch() {
		s.stepwise, n = true, 0
	}
	return n
}

// beginBatch prepares a batch, and reports whether batches are possible.
func (s *Scan) beginBatch() bool {
	if s.batch == nil {
		if !s.mayBatch() {
			return false
		}
		s.batch = &scanBatches{}
		if s.Cells == nil {
			s.Cells = &kv.Batch{Shares: true}
		}
	}
	return s.batch.begin(s)
}

// nextOfBatch returns the next row of a batch whose conditions are evaluated row by row.
func (s *Scan) nextOfBatch() (bool, error) {
	b := s.batch
	for b.next < s.Cells.Len() {
		b.next++
		c := s.Cells.Cell(b.next - 1)
		ok, err := s.accept(&c, true)
		if ok || err != nil {
			s.given++
			return ok, err
		}
	}
	return false, nil
}

// fillColumn fills a column of the frame from the cells; it shares their memory if the column is a
// part of them.
func (s *Scan) fillColumn(f kernel.Field, v *value.Vector) {
	cells, at := s.Cells, &s.Access.Columns
	v.Kind, v.Nulls = f.Kind, nil
	switch index := s.Access.own(f.Index); index {
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

// fillOwn is fillColumn for columns that are computed from parts of the cells.
func (s *Scan) fillOwn(index int, v *value.Vector) {
	cells, at := s.Cells, &s.Access.Columns
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

// GivesRows reports whether the scan reads the newest cells of one table, and skips none.
func (s *Scan) GivesRows() bool {
	return s.view.Versions == 1 && len(s.Tables) == 1 && len(s.Keys)+len(s.Values) == 0
}

// beginRows prepares the batch of rows, whose only column is K.
func (b *scanBatches) beginRows(s *Scan) {
	schema := s.BatchSchema()[:1]
	b.batch = kernel.NewBatch(schema, func(_ int, v *value.Vector) { s.fillColumn(schema[0], v) })
	s.Cells.Reset()
	s.Cells.Unread = s.unread(s.ColumnsRead()) &^ (kv.PartRow | kv.PartQualifier)
	s.Cells.AskColumns(b.columns)
}
