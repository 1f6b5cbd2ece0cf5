package lookup

import (
	"bytes"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// fetch reads the rows of entries, several at a time, and returns them in the order of the entries.
type fetch struct {
	*reading
	columns    []int // those that are read from cells
	qualifiers []kv.QualifierRange
	size       int // number of rows read at a time
	rows       [][]byte
	at         int  // the row to be returned next
	ended      bool // there are no entries after rows
	// memory has the bytes of rows; byRow has their indexes in the order of the table.
	memory []byte
	byRow  []int
	cells  [][]byte // of columns, for one row after the other; nil if absent
	has    []bool   // which of these cells exist
	scan   kv.Scan
	stats  kv.ScanStats
}

const (
	firstFetch = 16
	mostFetch  = 1024
)

func newFetch(s *reading) *fetch {
	f := &fetch{reading: s, size: firstFetch}
	if s.limit > 0 {
		f.size = int(min(s.limit, mostFetch))
	}
	for _, column := range s.by.Columns {
		if s.Face.HasCell(column) {
			f.columns = append(f.columns, column)
			q := s.Face.CellName(column)
			f.qualifiers = append(f.qualifiers, kv.QualifierRange{Start: q, End: append(slices.Clone(q), 0)})
		}
	}
	slices.SortFunc(f.qualifiers, func(a, b kv.QualifierRange) int { return bytes.Compare(a.Start, b.Start) })
	return f
}

// next copies the next row into the frame.
func (f *fetch) next() (bool, error) {
	if f.at == len(f.rows) {
		if err := f.read(); err != nil || len(f.rows) == 0 {
			return false, err
		}
	}
	i := f.at
	f.at++
	return true, f.give(i)
}

// give copies a row into the frame.
func (f *fetch) give(i int) error {
	if err := f.readKey(f.rows[i]); err != nil {
		return err
	}
	f.place()
	out := f.x.Env.Row[f.First:]
	for n, column := range f.columns {
		b := f.cells[i*len(f.columns)+n]
		if !f.has[i*len(f.columns)+n] {
			b = f.Face.Columns[column].Absent
		}
		out[column] = f.Face.CellRead(&f.x.Env, column, b)
	}
	return nil
}

// read reads the next rows, none after the last.
func (f *fetch) read() error {
	f.rows, f.at, f.memory = f.rows[:0], 0, f.memory[:0]
	for !f.ended && len(f.rows) < f.size {
		row, err := f.entries.next()
		if err != nil {
			return err
		}
		if f.ended = row == nil; !f.ended {
			f.rows = append(f.rows, f.keep(row))
		}
	}
	f.size = min(2*f.size, mostFetch)
	if len(f.rows) == 0 || len(f.columns) == 0 {
		return nil
	}
	return f.readCells()
}

// keep returns a copy of bytes that is valid until the next read.
func (f *fetch) keep(b []byte) []byte {
	start := len(f.memory)
	f.memory = append(f.memory, b...)
	return f.memory[start:len(f.memory):len(f.memory)]
}

// readCells reads the cells of the rows, in the order of the table.
func (f *fetch) readCells() (err error) {
	f.byRow = f.byRow[:0]
	for i := range f.rows {
		f.byRow = append(f.byRow, i)
	}
	slices.SortFunc(f.byRow, func(a, b int) int { return bytes.Compare(f.rows[a], f.rows[b]) })
	f.scan = kv.Scan{Ranges: f.scan.Ranges[:0], Qualifiers: f.qualifiers, MaxVersions: 1, NeedValue: true, Ordered: true}
	for _, i := range f.byRow {
		row := f.rows[i]
		f.scan.Ranges = append(f.scan.Ranges, kv.Range{Start: kv.Position{Row: row, Depth: kv.DepthRow},
			End: kv.Position{Row: row, Depth: kv.DepthRow, After: true}})
	}
	n := len(f.rows) * len(f.columns)
	f.cells, f.has = slices.Grow(f.cells[:0], n)[:n], slices.Grow(f.has[:0], n)[:n]
	clear(f.cells)
	clear(f.has)
	cursor, err := scanOf(f.x, []*kv.Table{f.Table}, &f.scan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeCursor(f.x, cursor, &f.scan, &f.stats)) }()
	return f.take(cursor)
}

// take keeps the cells of a cursor.
func (f *fetch) take(cursor kv.Cursor) error {
	at := 0
	for cursor.Next() {
		c := cursor.Cell()
		for at < len(f.byRow) && !bytes.Equal(f.rows[f.byRow[at]], c.Row) {
			at++
		}
		if at == len(f.byRow) {
			break
		}
		for n, column := range f.columns {
			if !bytes.Equal(f.Face.CellName(column), c.Qualifier) {
				continue
			}
			v, err := cursor.Value()
			if err != nil {
				return err
			}
			cell := f.byRow[at]*len(f.columns) + n
			if f.has[cell] = true; v != nil {
				f.cells[cell] = f.keep(v)
			}
		}
	}
	return cursor.Err()
}
