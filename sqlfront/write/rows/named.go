package rows

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// A statement that changes the rows with some keys, without another condition, need not find the rows: they are
// locked, in the order of their keys, and read, each once. Writers of one row wait in its queue; otherwise each would
// read, find that another was faster, and read again.

// named returns a function for change.EachRow that changes the rows that the statement names, if it does; only one
// row, unless several is set. changeRow gets a row and the values of its key, as they are stored.
func (w *writer) named(several bool, changeRow func(row *storedRow, tuple []value.Value) error) func(*exec.Rows) (bool, error) {
	return func(found *exec.Rows) (done bool, err error) {
		rows := found.NamedRows()
		narrow := func(r kv.Range) bool { return w.tooNarrow(r.Start.Row) != nil }
		if len(rows) == 0 || len(rows) > 1 && !several || slices.ContainsFunc(rows, narrow) {
			return false, nil
		}
		n := len(w.face.Key)
		w.tuple = slices.Grow(w.tuple[:0], n)[:n]
		for i := range rows {
			if err := w.changeNamed(bytes.Clone(rows[i].Start.Row), changeRow); err != nil {
				return true, err
			}
		}
		return true, nil
	}
}

// changeNamed changes the row with a key, if it exists: there is none if the key cannot be one of the table's.
func (w *writer) changeNamed(key []byte, changeRow func(row *storedRow, tuple []value.Value) error) error {
	if !w.face.ReadRow(key, w.tuple) {
		return nil
	}
	row, err := w.lock(key)
	if err != nil {
		return err
	}
	w.Work.Add(kv.ScanStats{Cells: row.read, Partitions: 1}, 1)
	if !row.there {
		return nil
	}
	w.Found()
	return w.Skip(w.Whole(func() error { return changeRow(row, w.tuple) }))
}

// seen returns the values of some columns of a row as the statement sees them, the others NULL. tuple has the
// stored values of the key.
func (w *writer) seen(row *storedRow, tuple []value.Value, columns []int) []value.Value {
	out := make([]value.Value, len(w.face.Columns))
	for _, at := range columns {
		if w.face.HasCell(at) {
			out[at] = w.face.CellRead(&w.Values, at, row.cell(at))
		} else {
			out[at] = w.face.Shown(&w.Values, at, tuple[w.face.KeyPart(at)])
		}
	}
	return out
}
