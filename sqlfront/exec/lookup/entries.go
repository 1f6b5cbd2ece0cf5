package lookup

import (
	"errors"
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// entries reads index entries one after the other.
type entries struct {
	x      *op.Frame
	of     *Way
	scan   kv.Scan
	table  [1]*kv.Table
	cursor kv.Cursor // nil if nothing is read
	stats  kv.ScanStats
	tuple  []value.Value // of the entry, as typed.IndexKey.Read sets them; its capacity is used
	// rowsOnly says that the tuple is not used.
	rowsOnly bool
	// kept says that the values of entries are read; scan.NeedValue is then set.
	kept bool
}

// open begins reading. The error is the store's.
func (e *entries) open() (err error) {
	if width := e.of.Key.Width(); width > cap(e.tuple) {
		e.tuple = make([]value.Value, width)
	} else {
		e.tuple = e.tuple[:width]
	}
	e.table[0] = e.of.Entries
	e.cursor, err = scanOf(e.x, e.table[:], &e.scan)
	return err
}

// scanOf opens a cursor of the statement.
func scanOf(x *op.Frame, t []*kv.Table, s *kv.Scan) (kv.Cursor, error) {
	s.At, s.Budget = x.Context.At, x.Context.Guard.Budget
	x.Stmt.Alone.Lock()
	defer x.Stmt.Alone.Unlock()
	return x.Context.Txn.Scan(x.Context.Ctx, t, s)
}

// next reads the next entry, and returns its row in the table, or nil after the last. The row and the tuple
// are valid until the next call.
func (e *entries) next() (row []byte, err error) {
	for e.cursor.Next() {
		row, ok := e.read(e.cursor.Cell())
		if !ok {
			continue
		}
		if !e.kept {
			return row, nil
		}
		texts, err := e.cursor.Value()
		if err != nil {
			return nil, err
		}
		return row, e.readKept(texts)
	}
	return nil, e.cursor.Err()
}

// read returns the row of an entry, and sets the tuple unless only rows are read.
func (e *entries) read(c *kv.Cell) (row []byte, ok bool) {
	if e.rowsOnly {
		return e.of.Key.Row(c.Row, c.Qualifier, e.tuple)
	}
	return e.of.Key.Read(c.Row, c.Qualifier, e.tuple)
}

// readKept sets the columns of the tuple whose texts are in the entry's value. They refer to its bytes.
func (e *entries) readKept(texts []byte) error {
	if e.of.Key.ReadKept(texts, e.tuple) {
		return nil
	}
	return fmt.Errorf("%w: an entry of the index %s has invalid column values: %x", kv.ErrFormat, e.of.Key.Name(), texts)
}

// close ends reading, and counts what was read.
func (e *entries) close() error {
	if e.cursor == nil {
		return nil
	}
	err := closeCursor(e.x, e.cursor, &e.scan, &e.stats)
	e.cursor = nil
	return err
}

// closeCursor ends a cursor, and adds its work to stats and to the statement's.
func closeCursor(x *op.Frame, c kv.Cursor, s *kv.Scan, stats *kv.ScanStats) error {
	done := c.Stats()
	x.Context.Work.Add(done, max(len(s.Ranges), 1))
	stats.Cells, stats.Seeks, stats.Requests = stats.Cells+done.Cells, stats.Seeks+done.Seeks, stats.Requests+done.Requests
	stats.Bytes, stats.Partitions = stats.Bytes+done.Bytes, max(stats.Partitions, done.Partitions)
	if r, ok := c.(kv.Releaser); ok {
		return r.Release()
	}
	return c.Close()
}

// rows returns the rows of a span's entries, at most atMost; more says that there are others.
func (s *span) rows(x *op.Frame, atMost int) (rows []place, more bool, err error) {
	return s.rowsIn(new(memory), x, atMost)
}

// rowsIn is rows in a memory, which is used until the rows are not any more.
func (s *span) rowsIn(m *memory, x *op.Frame, atMost int) (rows []place, more bool, err error) {
	m.entries = entries{x: x, of: s.Way, scan: kv.Scan{Ranges: s.Ranges, MaxVersions: 1}, tuple: m.tuple[:0], rowsOnly: true}
	e, one := &m.entries, s.one()
	if one {
		e.scan.Limit = 1
	}
	if err := e.open(); err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	rows = m.place[:0]
	for buf := m.row[:0]; ; {
		row, err := e.next()
		switch {
		case row == nil || err != nil:
			return rows, false, err
		case len(rows) == atMost:
			return rows, true, nil
		}
		at := place{}
		at.row, buf = kept(buf, row)
		if s.Key.OfCells() {
			at.qualifier, buf = kept(buf, e.cursor.Cell().Qualifier)
		}
		if rows = append(rows, at); one {
			return rows, false, nil
		}
	}
}

// one reports whether the span has at most one entry: that of all columns of a unique index, none of them NULL.
func (s *span) one() bool {
	r := s.Ranges
	return s.Key.Unique() && len(r) == 1 && r[0].Within() == kv.DepthRow
}

// kept appends a copy of bytes to a buffer. If that is reallocated, earlier copies keep the old one.
func kept(buf, b []byte) (kept, all []byte) {
	n := len(buf)
	buf = append(buf, b...)
	return buf[n:len(buf):len(buf)], buf
}
