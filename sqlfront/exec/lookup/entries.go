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
	cursor kv.Cursor // nil if nothing is read
	stats  kv.ScanStats
	tuple  []value.Value // of the entry, as typed.IndexKey.Read sets them
	// kept says that the values of entries are read; scan.NeedValue is then set.
	kept bool
}

// open begins reading. The error is the store's.
func (e *entries) open() (err error) {
	e.tuple = make([]value.Value, e.of.Key.Width())
	e.cursor, err = scanOf(e.x, e.of.Entries, &e.scan)
	return err
}

// scanOf opens a cursor of the statement.
func scanOf(x *op.Frame, t *kv.Table, s *kv.Scan) (kv.Cursor, error) {
	s.At, s.Budget = x.Context.At, x.Context.Guard.Budget
	x.Stmt.Alone.Lock()
	defer x.Stmt.Alone.Unlock()
	return x.Context.Txn.Scan(x.Context.Ctx, []*kv.Table{t}, s)
}

// next reads the next entry, and returns its row in the table, or nil after the last. The row and the tuple
// are valid until the next call.
func (e *entries) next() (row []byte, err error) {
	for e.cursor.Next() {
		c := e.cursor.Cell()
		row, ok := e.of.Key.Read(c.Row, c.Qualifier, e.tuple)
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
	e := entries{x: x, of: s.Way, scan: *s.scan()}
	if err := e.open(); err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	for {
		row, err := e.next()
		switch {
		case row == nil || err != nil:
			return rows, false, err
		case len(rows) == atMost:
			return rows, true, nil
		}
		at := place{row: append([]byte{}, row...)}
		if s.Key.OfCells() {
			at.qualifier = append([]byte{}, e.cursor.Cell().Qualifier...)
		}
		rows = append(rows, at)
	}
}
