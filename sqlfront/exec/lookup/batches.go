package lookup

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// batches reads entries as vectors if they have all columns. The first entries are read one by one, because
// preparing vectors does not pay off for small reads.
type batches struct {
	cells   kv.Batch
	next    int // next of cells to be returned one by one; all of them otherwise
	out     *kernel.Batch
	own     []value.Vector // the columns of out
	filters []kernel.Filter
	given   int  // number of entries returned one by one
	off     bool // vectors are not possible
	// parts is how many columns of the index are read from entries in vectors; ofRow says that the table's
	// row key is read.
	parts int
	ofRow bool
	// group is the common prefix of the last entry's group; size is how many entries are read at a time to
	// find the next one.
	group []byte
	size  int
}

// fewAlike is the minimum number of entries of a group that are read before the rest is skipped: a seek takes
// about as long as ten steps.
const fewAlike = 8

// mayBatch reports whether to read the next entries as vectors.
func (s *reading) mayBatch(want int) bool {
	b, size := &s.batches, s.x.Context.BatchCells
	return want > 1 && !b.off && b.next == b.cells.Len() && (b.given >= scan.RowsFirst || size > 0) && s.beginBatches()
}

// beginBatches prepares the batches, once.
func (s *reading) beginBatches() bool {
	b := &s.batches
	if b.out != nil {
		return true
	}
	_, batcher := s.entries.cursor.(kv.Batcher)
	if b.off = !batcher || s.fetch != nil || len(s.by.Virtual) > 0 || s.x.Context.BatchCells < 0 || s.x.Nothing; b.off {
		return false
	}
	var schema kernel.Schema
	b.parts, b.size = s.by.alike, fewAlike
	for _, h := range s.held {
		schema = append(schema, kernel.Field{Index: s.First + h.column, Kind: s.Face.Columns[h.column].VectorKind()})
		if b.ofRow = b.ofRow || h.ofKey; !h.ofKey && !s.by.Key.Keeps(h.part) {
			b.parts = max(b.parts, h.part+1)
		}
	}
	c := &kernel.Compiler{Schema: schema, Env: &s.x.Env}
	for _, n := range s.by.Filter {
		f := c.Condition(n)
		if b.off = f == nil; b.off {
			return false
		}
		b.filters = append(b.filters, f)
	}
	if b.cells.Shares = true; !s.entries.kept {
		b.cells.Unread = kv.PartValue | kv.PartValueBytes
	}
	if !b.ofRow {
		b.cells.Unread |= kv.PartQualifier
		if b.parts == 0 {
			b.cells.Unread |= kv.PartRow
		}
	}
	b.out, b.own = kernel.NewBatch(schema, nil), make([]value.Vector, len(schema))
	return true
}

// nextBatch returns the next rows; nil after the last, and if they must be returned one by one.
func (s *reading) nextBatch() (*kernel.Batch, error) {
	b, cursor := &s.batches, s.entries.cursor.(kv.Batcher)
	for cursor.NextBatch(&b.cells, s.batchSize()) {
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

// batchSize is the number of entries of the next batch.
func (s *reading) batchSize() int {
	if s.by.alike == 0 {
		return s.x.Context.BatchSize()
	}
	return min(s.batches.size, s.x.Context.BatchSize())
}

// fillBatch makes vectors of the entries read; it returns false if a value is not of its vector's kind.
func (s *reading) fillBatch() (bool, error) {
	b, n := &s.batches, s.batches.cells.Len()
	b.out.Start(n)
	for i, f := range b.out.Schema() {
		b.own[i].Start(f.Kind, n)
		b.out.Share(i, &b.own[i])
	}
	b.out.Rows = b.out.Rows[:0]
	began := 0 // of the last group
	for i := range n {
		if s.by.alike > 0 {
			if s.isAlike(b.cells.Rows()[i]) {
				continue
			}
			began = i
		}
		ok, err := s.readEntry(i)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		for at, h := range s.held {
			if !b.own[at].Set(int32(i), s.valueOf(h)) {
				return false, nil
			}
		}
		b.out.Rows = append(b.out.Rows, int32(i))
	}
	if s.by.alike > 0 {
		s.skipAlike(n - began)
	}
	return true, nil
}

// readEntry reads the needed parts of an entry of the batch, and reports whether it is an entry.
func (s *reading) readEntry(i int) (bool, error) {
	b, e := &s.batches, &s.entries
	switch {
	case b.ofRow:
	case b.parts == 0:
		return true, s.readKept(i)
	default:
		if _, ok := e.of.Key.ReadFirst(b.cells.Rows()[i], e.tuple[:b.parts]); !ok {
			return false, nil
		}
		return true, s.readKept(i)
	}
	row, ok := e.of.Key.Read(b.cells.Rows()[i], b.cells.Qualifiers()[i], e.tuple)
	if !ok {
		return false, nil
	}
	if err := s.readKept(i); err != nil {
		return false, err
	}
	return true, s.readKey(row)
}

// readKept reads the texts in an entry of the batch, if they are needed.
func (s *reading) readKept(i int) error {
	if !s.entries.kept {
		return nil
	}
	return s.entries.readKept(s.batches.cells.Values()[i])
}

// isAlike reports whether an entry belongs to the same group as the one before; if not, it starts a new
// group.
func (s *reading) isAlike(entry []byte) bool {
	b, e := &s.batches, &s.entries
	if len(b.group) > 0 && bytes.HasPrefix(entry, b.group) {
		return true
	}
	head, _ := e.of.Key.ReadFirst(entry, e.tuple[:s.by.alike])
	b.group = append(b.group[:0], head...)
	return false
}

// skipAlike skips the rest of the group of a batch's last entry if groups seem to be large, as those of the
// batch were.
func (s *reading) skipAlike(seen int) {
	b := &s.batches
	if 2*seen < b.cells.Len() {
		b.size = min(2*b.size, s.x.Context.BatchSize())
		return
	}
	b.size = max(b.size/2, fewAlike)
	if c, ok := s.entries.cursor.(kv.Skipper); ok {
		c.SkipTo(s.entries.of.Key.Behind(b.group))
	}
}

// nextEntry reads the next entry of those that are returned one by one; it returns false after the last.
func (s *reading) nextEntry() (bool, error) {
	b := &s.batches
	for b.next < b.cells.Len() {
		i := b.next
		b.next++
		if ok, err := s.readEntry(i); ok || err != nil {
			return ok, err
		}
	}
	b.given++
	row, err := s.entries.next()
	if row == nil || err != nil {
		return false, err
	}
	return true, s.readKey(row)
}
