package write

import (
	"bytes"
	"cmp"
	"math"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// version is one row to be written. Its bytes belong to the statement's values
// and are valid while the row is at hand.
type version struct {
	k, q []byte
	t    int64
	// clock is true where the server chooses t.
	clock bool
	// v is nil for NULL, and then only.
	v []byte
}

func (r *version) cell() kv.Cell {
	return kv.Cell{Row: r.k, Qualifier: r.q, Timestamp: r.t, Value: r.v}
}

// cell is the range of one version.
func cell(r *version) kv.Range {
	start := kv.Position{Row: r.k, Qualifier: r.q, Timestamp: r.t, Depth: kv.DepthCell}
	end := start
	end.After = true
	return kv.Range{Start: start, End: end}
}

// compare is HBase's order.
func (r *version) compare(o *version) int {
	return cmp.Or(bytes.Compare(r.k, o.k), bytes.Compare(r.q, o.q), cmp.Compare(o.t, r.t))
}

// values are the row as expressions see it: the first four columns of the
// table; the generated ones follow K and are not read by assignments.
func (r *version) values() [4]value.Value {
	out := [4]value.Value{value.NewBytes(r.k), value.NewBytes(r.q), value.NewInt(r.t), {}}
	if r.v != nil {
		out[colV] = value.NewBytes(r.v)
	}
	return out
}

// set stores a value in a column, converted as MySQL's strict mode does
// (https://dev.mysql.com/doc/refman/5.7/en/sql-mode.html#sql-mode-strict).
// rowNumber, from 1, is for the error's sentence.
func (r *version) set(t *kv.Table, column int, v *value.Value, rowNumber int) (err error) {
	switch column {
	case colK:
		r.k, err = toBytes(v, t, column, t.MaxRow, rowNumber)
	case colQ:
		r.q, err = toBytes(v, t, column, t.MaxQualifier, rowNumber)
	case colT:
		r.t, err = toTimestamp(v, t, rowNumber)
	case colV:
		if v.IsNull() && t.Value.Nullable {
			r.v = nil
			return nil
		}
		r.v, err = toBytes(v, t, column, t.Value.Max, rowNumber)
	}
	return err
}

// toBytes is never nil: nil would be NULL.
func toBytes(v *value.Value, t *kv.Table, column, max, rowNumber int) ([]byte, error) {
	if v.IsNull() {
		return nil, cannotBeNull(t, column)
	}
	b := v.Raw()
	if !v.Kind().IsString() {
		b = v.AsBytes()
	}
	if len(b) > max {
		return nil, dataTooLong(t, column, rowNumber)
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}

func cannotBeNull(t *kv.Table, column int) error {
	return mysqlerr.New(mysqlerr.BadNull, "Column '%s' cannot be null", schema.Of(t).ColumnNames()[column])
}

func dataTooLong(t *kv.Table, column, rowNumber int) error {
	return mysqlerr.New(mysqlerr.DataTooLong, "Data too long for column '%s' at row %d", schema.Of(t).ColumnNames()[column],
		rowNumber)
}

func toTimestamp(v *value.Value, t *kv.Table, rowNumber int) (int64, error) {
	switch v.Kind() {
	case value.Null:
		return 0, cannotBeNull(t, colT)
	case value.Text, value.Bytes:
		return textTimestamp(v.Raw(), t, rowNumber)
	}
	i, ok := v.ToInt()
	if !ok {
		return 0, outOfRange(t, rowNumber)
	}
	return i, nil
}

// textTimestamp reads a number written as text. Text that only starts with a
// number, or holds none, is refused rather than cut.
func textTimestamp(b []byte, t *kv.Table, rowNumber int) (int64, error) {
	if i, whole := value.ParseInt(b); whole { // as most are, and without memory
		return i, nil
	}
	d, whole := value.ParseDecimal(b)
	if f, _ := value.ParseFloat(b); !whole && math.Abs(f) > math.MaxInt64 {
		return 0, outOfRange(t, rowNumber)
	}
	if !whole && value.StartsWithNumber(b) {
		return 0, mysqlerr.New(mysqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d", schema.Of(t).ColumnNames()[colT],
			rowNumber)
	}
	if !whole {
		return 0, mysqlerr.New(mysqlerr.TruncatedWrongForField, "Incorrect integer value: '%s' for column '%s' at row %d", b,
			schema.Of(t).ColumnNames()[colT], rowNumber)
	}
	i, ok := value.NewDecimal(d).ToInt()
	if !ok {
		return 0, outOfRange(t, rowNumber)
	}
	return i, nil
}

// fitted puts into the row what a column takes of a value that it has refused with err, and
// warns, where the session's sql_mode is not strict
// (https://dev.mysql.com/doc/refman/5.7/en/sql-mode.html#sql-mode-strict).
func (w *writer) fitted(r *version, column int, v *value.Value, err error) error {
	if err == nil || !loose(w.Context) {
		return err
	}
	switch {
	case mysqlerr.Is(err, mysqlerr.BadNull):
		r.empty(column)
	case mysqlerr.Is(err, mysqlerr.DataTooLong):
		r.cut(w.table, column, v)
		err = mysqlerr.New(mysqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d",
			schema.Of(w.table).ColumnNames()[column], w.row)
	case column == colT:
		r.t = nearest(v)
	}
	w.warn(err)
	return nil
}

// empty gives a column the default of its type.
func (r *version) empty(column int) {
	switch column {
	case colK:
		r.k = []byte{}
	case colQ:
		r.q = []byte{}
	case colT:
		r.t = 0
	case colV:
		r.v = []byte{}
	}
}

// cut gives a column as much of a value as fits.
func (r *version) cut(t *kv.Table, column int, v *value.Value) {
	b := v.AsBytes()
	switch column {
	case colK:
		r.k = b[:t.MaxRow]
	case colQ:
		r.q = b[:t.MaxQualifier]
	case colV:
		r.v = b[:t.Value.Max]
	}
}

// nearest is the timestamp that is nearest to a number, or to that at the beginning of a text.
func nearest(v *value.Value) int64 {
	if !v.Kind().IsString() {
		i, _ := v.ToInt()
		return i
	}
	if f, _ := value.ParseFloat(v.Raw()); math.Abs(f) > math.MaxInt64 {
		i, _ := value.NewFloat(f).ToInt()
		return i
	}
	d, _ := value.ParseDecimal(v.Raw())
	i, _ := value.NewDecimal(d).ToInt()
	return i
}

func outOfRange(t *kv.Table, rowNumber int) error {
	return mysqlerr.New(mysqlerr.WarnDataOutOfRange, "Out of range value for column '%s' at row %d",
		schema.Of(t).ColumnNames()[colT], rowNumber)
}

// ignorable reports whether IGNORE turns the error into a warning and a
// skipped row.
func ignorable(err error) bool {
	return mysqlerr.Is(err, mysqlerr.DupEntry, mysqlerr.BadNull, mysqlerr.DataTooLong,
		mysqlerr.TruncatedWrongForField, mysqlerr.WarnDataTruncated, mysqlerr.WarnDataOutOfRange,
		mysqlerr.NoPartitionForValue, mysqlerr.RowNotInPartitions)
}
