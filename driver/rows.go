package driver

import (
	"context"
	"database/sql/driver"
	"io"
	"reflect"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// rows is the result of a query: one result set and, of a script, what is
// still to run.
type rows struct {
	conn    *conn
	cursor  sqlfront.Rows
	columns []sqlfront.Column
	block   *sqlfront.Block // where the rows come in blocks
	started bool
	rest    *script // nil for a single statement
	encoder encoder
	binder  binder // of the arguments
	// Where there are few columns, their names are here, for the first who asks:
	// he may change them.
	inlineNames [4]string
	named       bool
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

// run makes the result of a statement the one to read. The arguments must stay
// as they are until the rows are closed.
func (r *rows) run(ctx context.Context, prepared *sqlfront.Statement, args []value.Value) error {
	if err := checkCount(prepared, args); err != nil {
		return err
	}
	cursor, err := r.conn.session.Query(ctx, prepared, args)
	if err != nil {
		return userError(err)
	}
	r.show(cursor)
	return nil
}

// show makes cursor the result set to read.
func (r *rows) show(cursor sqlfront.Rows) {
	r.cursor, r.columns, r.block, r.started = cursor, cursor.Columns(), nil, false
}

// Columns are the labels, as written.
func (r *rows) Columns() []string {
	var names []string
	if n := len(r.columns); !r.named && n <= len(r.inlineNames) {
		names, r.named = r.inlineNames[:n:n], true
	} else {
		names = make([]string, n)
	}
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
	if r.block != nil {
		if cell := r.block.Take(); cell != nil {
			r.encoder.encodeCell(dest, r.block.Columns, cell)
			return nil
		}
	}
	if err := r.next(dest); err != nil {
		if err != io.EOF && r.rest != nil {
			r.rest.stop()
		}
		return userError(err)
	}
	return nil
}

// next is Next where the rows come one by one, or a block has ended.
func (r *rows) next(dest []driver.Value) error {
	if !r.started {
		r.started = true
		if err := r.start(); err != nil {
			return err
		}
	}
	if r.block == nil {
		row, err := r.cursor.Next()
		if err == nil {
			r.encoder.encode(dest, row)
		}
		return err
	}
	if err := r.cursor.(sqlfront.BlockRows).NextBlock(); err != nil {
		return err
	}
	r.encoder.encodeCell(dest, r.block.Columns, r.block.Take())
	return nil
}

// start asks for the first row's block.
func (r *rows) start() (err error) {
	if blocks, ok := r.cursor.(sqlfront.BlockRows); ok {
		r.block, err = blocks.Block()
	}
	return err
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
