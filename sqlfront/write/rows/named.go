package rows

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// A statement that changes the row with a key, without another condition, need not find the row: it is locked and
// read, once. Writers of one row wait in its queue; otherwise each would read, find that another was faster, and
// read again.

// named returns a function for change.EachRow that changes the row that the statement names, if it does.
// changeRow gets the row and the values of its key, as they are stored.
func (w *writer) named(changeRow func(row *storedRow, tuple []value.Value) error) func(*exec.Rows) (bool, error) {
	return func(found *exec.Rows) (done bool, err error) {
		key := bytes.Clone(found.NamedRow())
		if key == nil || w.tooNarrow(key) != nil {
			return false, nil
		}
		tuple := make([]value.Value, len(w.face.Key))
		if !w.face.ReadRow(key, tuple) {
			return false, nil
		}
		row, err := w.lock(key)
		if err != nil {
			return true, err
		}
		w.Work.Add(kv.ScanStats{Cells: row.read, Partitions: 1}, 1)
		if !row.there {
			return true, nil
		}
		w.Found()
		return true, w.Skip(w.Whole(func() error { return changeRow(row, tuple) }))
	}
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
