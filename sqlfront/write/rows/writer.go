package rows

import (
	"bytes"
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// writer writes rows of a typed table as cells of its families.
type writer struct {
	change.Writer
	face      *typed.Table
	families  []*kv.Table
	writing   coltype.Writing
	rules     typed.Rules
	announced bool // the warnings about columns without default or value, before the first row
	// Reused for each cell or row.
	cell    []byte
	key     []byte        // for comparison
	tuple   []value.Value // of the key of a named row
	version change.Version
	scan    kv.Scan
	ranges  [1]kv.Range
}

// begin prepares the writer for a statement.
func (w *writer) begin(ctx *exec.Context, r *relation.Relation, ignore bool, exprs *plan.RowExprs) {
	w.Writer = change.Writer{Context: ctx, Table: r.Family(), Selection: r.Selected(), Ignore: ignore}
	w.face, w.families = r.Typed, r.Families()
	w.Start(exprs)
	w.writing.Env = &w.Values.Env
}

// convert returns a value as a column holds it.
func (w *writer) convert(column int, v value.Value) (value.Value, error) {
	w.writing.Row = w.Row
	return w.face.Converter(column).Convert(&w.writing, v)
}

// check returns error 3819 if a constraint is false for the values of a row.
func (w *writer) check(values []value.Value) error {
	if len(w.rules.Checks) == 0 {
		return nil
	}
	defer w.see(w.face.AllShown(&w.Values, values))()
	for i := range w.rules.Checks {
		if err := w.rules.Checks[i].Keep(&w.Values); err != nil {
			return err
		}
	}
	return nil
}

// see makes expressions read a row until the returned function is called.
func (w *writer) see(row []value.Value) func() {
	seen := w.Values.Row
	w.Values.Row = row
	return func() { w.Values.Row = seen }
}

// generate computes the generated columns of a row from the others.
func (w *writer) generate(values []value.Value) error {
	return w.compute(values, w.rules.Generated, func(int) bool { return true })
}

// compute sets columns of a row to the values of their expressions, each of which sees those before it.
func (w *writer) compute(values []value.Value, list []typed.BoundColumn, wanted func(column int) bool) error {
	if len(list) == 0 {
		return nil
	}
	seen := w.face.AllShown(&w.Values, values)
	defer w.see(seen)()
	for _, c := range list {
		if !wanted(c.Column) {
			continue
		}
		v, err := c.Node.Eval(&w.Values)
		if err != nil {
			return err
		}
		if values[c.Column], err = w.convert(c.Column, v); err != nil {
			return err
		}
		seen[c.Column] = w.face.Shown(&w.Values, c.Column, values[c.Column])
	}
	return nil
}

// storedRow is a row of a typed table as the store has it.
type storedRow struct {
	key   []byte
	there bool
	// newest is the largest timestamp of its cells; math.MinInt64 if it has none.
	newest int64
	// cells are the values of the columns' cells, nil if absent or NULL; has distinguishes the two.
	// Both are nil for a row without cells.
	cells [][]byte
	has   []bool
	// given are the columns that an assignment sets; nil means all. The others keep their cells, even
	// if these read as NULL because they are invalid for the column's type.
	given []bool
	// retired are the qualifiers of cells of dropped columns.
	retired []string
	read    int64  // number of cells that were read
	bytes   []byte // memory of cells
}

// lock locks a row and reads its cells. The error is 1406 for a key that is too long, or one of the
// store.
func (w *writer) lock(key []byte) (*storedRow, error) {
	if family := w.tooNarrow(key); family != nil {
		return nil, mysqlerr.New(mysqlerr.DataTooLong, "Data too long for the primary key at row %d: row keys of %s have "+
			"at most %d bytes", w.Row, family.Name, family.MaxRow)
	}
	if err := w.Txn.LockRow(w.Ctx, w.Table, key, kv.RowLock{}); err != nil {
		return nil, w.StoreError(err, &change.Version{K: key})
	}
	row := &storedRow{key: key, newest: math.MinInt64}
	var found []kv.Cell // if the table has indexes
	w.scan, w.ranges = w.face.Cells(), rowRange(key)
	w.scan.Ranges = w.ranges[:]
	err := w.EachOf(w.families, &w.scan, func(c *kv.Cell, v []byte) error {
		row.read++
		if row.cells == nil {
			row.cells, row.has = make([][]byte, len(w.face.Columns)), make([]bool, len(w.face.Columns))
			row.bytes = make([]byte, 0, fewBytes)
		}
		if len(w.Table.Indexes) > 0 {
			found = append(found, kv.Cell{Qualifier: bytes.Clone(c.Qualifier), Timestamp: c.Timestamp, Value: change.CloneValue(v)})
		}
		row.newest = max(row.newest, c.Timestamp)
		if w.face.IsMarker(c.Qualifier) {
			row.there = v != nil
			return nil
		}
		if i := w.face.OfCell(c.Family, c.Qualifier); i >= 0 {
			row.cells[i], row.has[i] = w.face.Renewed(i, row.copied(v)), true
			row.there = row.there || w.face.Mapped && v != nil
		} else if w.face.IsRetired(c.Qualifier) {
			row.retired = append(row.retired, string(c.Qualifier))
		}
		return nil
	})
	if err != nil {
		return row, err
	}
	if row.there {
		w.face.FillAbsent(row.cells, row.has)
	}
	if txn, ok := w.Txn.(kv.Indexed); ok {
		err = txn.Found(w.Table, key, found)
	}
	return row, err
}

// tooNarrow returns a family that cannot have a row with the key, nil for none.
func (w *writer) tooNarrow(key []byte) *kv.Table {
	at := slices.IndexFunc(w.families, func(family *kv.Table) bool { return len(key) > family.MaxRow })
	if at < 0 {
		return nil
	}
	return w.families[at]
}

// fewBytes is the memory for a row's cells that is allocated first.
const fewBytes = 256

// copied returns a copy of a value in the row's memory, nil for NULL.
func (row *storedRow) copied(v []byte) []byte {
	if v == nil {
		return nil
	}
	from := len(row.bytes)
	row.bytes = append(row.bytes, v...) // copies in memory that is left stay valid
	return slices.Clip(row.bytes[from:])
}

// rowRange returns the range of all cells of a row.
func rowRange(key []byte) [1]kv.Range {
	at := kv.Position{Row: key, Depth: kv.DepthRow}
	end := at
	end.After = true
	return [1]kv.Range{{Start: at, End: end}}
}

// cell returns the value of a column's cell, nil if absent or NULL.
func (row *storedRow) cell(column int) []byte {
	if row.cells == nil {
		return nil
	}
	return row.cells[column]
}

// next returns the timestamp for cells written to a row: now, or one after all that it has.
func (w *writer) next(row *storedRow) (int64, error) {
	if row.newest == math.MaxInt64 {
		return 0, mysqlerr.New(mysqlerr.WarnDataOutOfRange,
			"Out of range timestamp at row %d: the row already has cells with the largest timestamp", w.Row)
	}
	return max(w.Now(), row.newest+1), nil
}

// putRow writes a row with the values of all columns, which differ from those of an existing row. It writes only
// cells that differ; for a new row, and in families whose cells expire, it writes each cell, so that a row expires
// as a whole.
func (w *writer) putRow(row *storedRow, values []value.Value) error {
	all := !row.there
	if err := w.hasValue(row, values); err != nil {
		return err
	}
	t, err := w.next(row)
	if err != nil {
		return err
	}
	if !w.face.Mapped && w.anew(0, all) {
		if err := w.put(0, change.Version{K: row.key, Q: noName, T: t, V: typed.MarkerValue}); err != nil {
			return err
		}
	}
	// Pebble looks for the place of a key from that of the one before: INSERT of 1,000 rows of ten columns takes 0.85
	// of the processor time in this order (go -C conformance/peers test -bench Typed/hbasekv/insert1000, November 2026).
	for _, i := range w.face.InOrder() {
		if err := w.putCell(row, i, values[i], t, all); err != nil {
			return err
		}
	}
	return w.settle(row.key)
}

// noName has the bytes of typed.Marker.
var noName = []byte(typed.Marker)

// keeps reports whether a column has a cell that reads as NULL and is left as it is.
func (row *storedRow) keeps(column int, v value.Value) bool {
	return row.given != nil && !row.given[column] && v.IsNull() && row.cell(column) != nil
}

// hasValue returns error 1048 for a row of a mapped table that would have no cells.
func (w *writer) hasValue(row *storedRow, values []value.Value) error {
	if !w.face.Mapped {
		return nil
	}
	first := -1
	for i, v := range values {
		switch {
		case !w.face.HasCell(i):
		case !v.IsNull(), row.keeps(i, v):
			return nil
		case first < 0:
			first = i
		}
	}
	return mysqlerr.New(mysqlerr.BadNull, "Column '%s' cannot be null if all other columns outside the key are: "+
		"the row would have no cells", w.face.Columns[first].Name)
}

// It reports whether each cell of a family must be written.
func (w *writer) anew(family int, all bool) bool {
	return all || w.families[family].Retention.TTLSeconds > 0
}

// put writes a version of a cell of one of the families.
func (w *writer) put(family int, v change.Version) error {
	w.Table, w.version = w.families[family], v
	return w.Put(&w.version)
}

// deleteColumn removes all versions of a cell.
func (w *writer) deleteColumn(family int, row []byte, qualifier string) error {
	return w.Txn.DeleteColumn(w.Ctx, w.families[family], row, []byte(qualifier))
}

// putCell writes the cell of a column, unless it is unchanged.
func (w *writer) putCell(row *storedRow, column int, v value.Value, t int64, all bool) error {
	if row.keeps(column, v) {
		return nil
	}
	family := w.face.FamilyOf(column)
	all = w.anew(family, all)
	next, err := w.cellOf(column, v)
	if err != nil {
		return err
	}
	same := sameCell(next, row.cell(column))
	if w.face.TellsAbsent(column) {
		same = same && !all && row.there
	}
	if same && (!all || next == nil) {
		return nil
	}
	c := &w.face.Columns[column]
	switch {
	case next != nil || !w.face.Mapped:
	case !w.face.TellsAbsent(column):
		return w.deleteColumn(family, row.key, c.CellQualifier()) // other programs would read NULL as an empty value
	case !w.families[family].Value.Nullable:
		return mysqlerr.Unsupported("NULL in column '" + c.Name + "', which was added with a default, in the family " +
			w.families[family].Name + ", whose values cannot be NULL")
	}
	return w.put(family, change.Version{K: row.key, Q: w.face.CellName(column), T: t, V: next})
}

// sameCell reports whether two cells, nil for NULL, are equal.
func sameCell(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// cellOf returns the bytes of a column's cell, nil for NULL. They are valid until the next call.
func (w *writer) cellOf(column int, v value.Value) ([]byte, error) {
	if v.IsNull() {
		return nil, nil
	}
	if w.cell == nil {
		w.cell = make([]byte, 0, 128) // so that an empty cell is not nil
	}
	b, err := w.face.AppendCell(w.cell[:0], column, v)
	if cap(b) > cap(w.cell) {
		w.cell = b
	}
	if most := w.families[w.face.FamilyOf(column)].Value.Max; err == nil && len(b) > most {
		return nil, mysqlerr.New(mysqlerr.DataTooLong, "Data too long for column '%s' at row %d: values in its family have at most %d bytes",
			w.face.Columns[column].Name, w.Row, most)
	}
	return b, err
}

// deleteRow removes all versions of a row's cells.
func (w *writer) deleteRow(row *storedRow) error {
	if !w.face.Mapped {
		if err := w.deleteColumn(0, row.key, typed.Marker); err != nil {
			return err
		}
	}
	for _, qualifier := range row.retired {
		if err := w.deleteColumn(0, row.key, qualifier); err != nil {
			return err
		}
	}
	for i := range row.has {
		if !row.has[i] {
			continue
		}
		if err := w.deleteColumn(w.face.FamilyOf(i), row.key, w.face.Columns[i].CellQualifier()); err != nil {
			return err
		}
	}
	return w.settle(row.key)
}

// values returns a row's values of all columns, as statements see them.
func (w *writer) values(row *storedRow) ([]value.Value, error) {
	stored, err := w.face.Stored(row.key, row.cells)
	if err == nil {
		err = w.compute(stored, w.rules.Generated, w.face.IsVirtual)
	}
	if err != nil {
		return nil, err
	}
	return w.face.AllShown(&w.Values, stored), nil
}

// duplicateRow returns error 1062 for a row.
func (w *writer) duplicateRow(values []value.Value) error {
	parts := make([]value.Value, len(w.face.Key))
	for i, at := range w.face.Key {
		parts[i] = values[at]
	}
	return duplicateEntry(parts, "PRIMARY")
}

// duplicateEntry returns error 1062 for the values of a key's columns.
func duplicateEntry(parts []value.Value, key string) error {
	entry := []byte{}
	for i, v := range parts {
		if i > 0 {
			entry = append(entry, '-')
		}
		entry = append(entry, v.AsBytes()...)
	}
	return mysqlerr.New(mysqlerr.DupEntry, "Duplicate entry '%s' for key '%s'", change.Printable(entry), key)
}
