package change

import (
	"math"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Set stores a value in a column, converted as MySQL's strict mode does
// (https://dev.mysql.com/doc/refman/5.7/en/sql-mode.html#sql-mode-strict). rowNumber, from 1, is
// for error messages. The error is 1048, 1406, 1264, 1265 or 1366.
func (r *Version) Set(t *kv.Table, column int, v *value.Value, rowNumber int) (err error) {
	switch column {
	case ColK:
		r.K, err = toBytes(v, t, column, t.MaxRow, rowNumber)
	case ColQ:
		r.Q, err = toBytes(v, t, column, t.MaxQualifier, rowNumber)
	case ColT:
		r.T, err = toTimestamp(v, t, rowNumber)
	case ColV:
		if v.IsNull() && t.Value.Nullable {
			r.V = nil
			return nil
		}
		r.V, err = toBytes(v, t, column, t.Value.Max, rowNumber)
	}
	return err
}

// toBytes never returns nil, which would be NULL.
func toBytes(v *value.Value, t *kv.Table, column, max, rowNumber int) ([]byte, error) {
	if v.IsNull() {
		return nil, CannotBeNull(t, column)
	}
	b := v.Raw()
	if !v.Kind().IsString() {
		b = v.AsBytes()
	}
	if len(b) > max {
		return nil, DataTooLong(t, column, rowNumber)
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}

// CannotBeNull returns error 1048.
func CannotBeNull(t *kv.Table, column int) error {
	return mysqlerr.New(mysqlerr.BadNull, "Column '%s' cannot be null", schema.Of(t).ColumnNames()[column])
}

// DataTooLong returns error 1406.
func DataTooLong(t *kv.Table, column, rowNumber int) error {
	return mysqlerr.New(mysqlerr.DataTooLong, "Data too long for column '%s' at row %d", schema.Of(t).ColumnNames()[column],
		rowNumber)
}

func toTimestamp(v *value.Value, t *kv.Table, rowNumber int) (int64, error) {
	switch v.Kind() {
	case value.Null:
		return 0, CannotBeNull(t, ColT)
	case value.Text, value.Bytes:
		return textTimestamp(v.Raw(), t, rowNumber)
	}
	i, ok := v.ToInt()
	if !ok {
		return 0, OutOfRange(t, rowNumber)
	}
	return i, nil
}

// textTimestamp reads a number written as text. It returns an error for text that only starts with
// a number, or has none.
func textTimestamp(b []byte, t *kv.Table, rowNumber int) (int64, error) {
	if i, whole := value.ParseInt(b); whole { // the common case, without allocations
		return i, nil
	}
	d, whole := value.ParseDecimal(b)
	if f, _ := value.ParseFloat(b); !whole && math.Abs(f) > math.MaxInt64 {
		return 0, OutOfRange(t, rowNumber)
	}
	if !whole && value.StartsWithNumber(b) {
		return 0, mysqlerr.New(mysqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d", schema.Of(t).ColumnNames()[ColT],
			rowNumber)
	}
	if !whole {
		return 0, mysqlerr.New(mysqlerr.TruncatedWrongForField, "Incorrect integer value: '%s' for column '%s' at row %d", b,
			schema.Of(t).ColumnNames()[ColT], rowNumber)
	}
	i, ok := value.NewDecimal(d).ToInt()
	if !ok {
		return 0, OutOfRange(t, rowNumber)
	}
	return i, nil
}

// Fitted handles a value that a column has refused with err: if the session's sql_mode is not
// strict (https://dev.mysql.com/doc/refman/5.7/en/sql-mode.html#sql-mode-strict), it stores what
// fits of the value and warns; otherwise it returns err.
func (w *Writer) Fitted(r *Version, column int, v *value.Value, err error) error {
	if err == nil || !Loose(w.Context) {
		return err
	}
	switch {
	case mysqlerr.Is(err, mysqlerr.BadNull):
		r.empty(column)
	case mysqlerr.Is(err, mysqlerr.DataTooLong):
		r.cut(w.Table, column, v)
		err = mysqlerr.New(mysqlerr.WarnDataTruncated, "Data truncated for column '%s' at row %d",
			schema.Of(w.Table).ColumnNames()[column], w.Row)
	case column == ColT:
		r.T = nearest(v)
	}
	w.Warn(err)
	return nil
}

// empty sets a column to the default of its type.
func (r *Version) empty(column int) {
	switch column {
	case ColK:
		r.K = []byte{}
	case ColQ:
		r.Q = []byte{}
	case ColT:
		r.T = 0
	case ColV:
		r.V = []byte{}
	}
}

// cut sets a column to as much of a value as fits.
func (r *Version) cut(t *kv.Table, column int, v *value.Value) {
	b := v.AsBytes()
	switch column {
	case ColK:
		r.K = b[:t.MaxRow]
	case ColQ:
		r.Q = b[:t.MaxQualifier]
	case ColV:
		r.V = b[:t.Value.Max]
	}
}

// nearest returns the timestamp nearest to a number, or to the number at the beginning of a text.
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

// OutOfRange returns error 1264 for T.
func OutOfRange(t *kv.Table, rowNumber int) error {
	return mysqlerr.New(mysqlerr.WarnDataOutOfRange, "Out of range value for column '%s' at row %d",
		schema.Of(t).ColumnNames()[ColT], rowNumber)
}

// ignorable reports whether IGNORE turns the error into a warning and a
// skipped row.
func ignorable(err error) bool {
	return mysqlerr.Is(err, mysqlerr.DupEntry, mysqlerr.BadNull, mysqlerr.DataTooLong,
		mysqlerr.TruncatedWrongForField, mysqlerr.WarnDataTruncated, mysqlerr.WarnDataOutOfRange,
		mysqlerr.NoPartitionForValue, mysqlerr.RowNotInPartitions, mysqlerr.CheckViolated)
}
