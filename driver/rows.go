package driver

import (
	"database/sql/driver"
	"io"
	"reflect"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// rows is the result of a query: one result set and, of a script, what is
// still to run.
type rows struct {
	conn    *conn
	cursor  sqlfront.Rows
	columns []sqlfront.Column
	rest    *script // nil for a single statement
	encoder encoder
}

var (
	_ driver.Rows                           = (*rows)(nil)
	_ driver.RowsNextResultSet              = (*rows)(nil)
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypeLength           = (*rows)(nil)
	_ driver.RowsColumnTypeNullable         = (*rows)(nil)
	_ driver.RowsColumnTypePrecisionScale   = (*rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
)

func newRows(c *conn, cursor sqlfront.Rows) *rows {
	r := &rows{conn: c}
	r.show(cursor)
	return r
}

// show makes cursor the result set to read.
func (r *rows) show(cursor sqlfront.Rows) {
	r.cursor, r.columns = cursor, cursor.Columns()
}

// Columns are the labels, as written.
func (r *rows) Columns() []string {
	names := make([]string, len(r.columns))
	for i := range r.columns {
		names[i] = r.columns[i].Name
	}
	return names
}

// Next reads a row. io.EOF is the end of the result set and nothing else.
func (r *rows) Next(dest []driver.Value) error {
	if r.conn.connector.closed.Load() {
		return errShutdown()
	}
	row, err := r.cursor.Next()
	if err != nil {
		if err != io.EOF && r.rest != nil {
			r.rest.stop()
		}
		return userError(err)
	}
	r.encoder.encode(dest, row)
	return nil
}

// Close ends the query; of a script it runs what is left, as a MySQL server
// does without being asked.
func (r *rows) Close() error {
	err := userError(r.cursor.Close())
	if r.rest == nil || err != nil {
		return err
	}
	_, err = r.rest.exec()
	return err
}

// HasNextResultSet reports whether statements of a script are left; whether
// one of them has a result set is known when it runs.
func (r *rows) HasNextResultSet() bool { return r.rest != nil && r.rest.left() }

// NextResultSet runs the script on to its next result set, and gives io.EOF
// where there is none.
func (r *rows) NextResultSet() error {
	if r.rest == nil {
		return io.EOF
	}
	if err := r.cursor.Close(); err != nil {
		return userError(err)
	}
	for r.rest.left() {
		next, err := r.rest.query()
		if err != nil {
			return err
		}
		r.show(next.cursor)
		if len(r.columns) > 0 {
			return nil
		}
	}
	return io.EOF
}

// ColumnTypeDatabaseName is MySQL's name of the type.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return databaseTypeName(r.columns[i].Type) }

// ColumnTypeLength is the longest value of a string type.
func (r *rows) ColumnTypeLength(i int) (int64, bool) { return typeLength(r.columns[i].Type) }

// ColumnTypeNullable is always known.
func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) { return r.columns[i].Type.Nullable, true }

// ColumnTypePrecisionScale is known of decimals, doubles and times.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	return precisionScale(r.columns[i].Type)
}

// ColumnTypeScanType is a type that each value of the column can be scanned
// into, never sql.RawBytes.
func (r *rows) ColumnTypeScanType(i int) reflect.Type { return scanType(r.columns[i].Type) }
