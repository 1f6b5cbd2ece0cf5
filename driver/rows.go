package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"reflect"

	"github.com/hbasekv/hbasekv/driver/internal/values"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// rows is the result of a query: one result set and, for a script, the
// statements still to run. After Close it is empty.
type rows struct {
	*reading // nil once they are closed
	// inBlock says that the last row's bytes are in the block's memory; large
	// is the last row's value if only that is.
	inBlock bool
	large   []byte
	// The names of few columns are stored here for the first call of Columns, whose caller may
	// change them.
	inlineNames [4]string
	named       bool
}

// reading is the state of rows. The connection's next rows reuse it: a prepared
// read of one cell takes 8 % longer with a new one.
type reading struct {
	conn    *conn
	cursor  sqlfront.Rows
	columns []sqlfront.Column
	block   *answers.Block // if the rows come in blocks
	blocks  int            // how many have begun
	started bool
	rest    *script        // nil for a single statement
	binder  values.Binder  // of the arguments
	encoder values.Encoder // its memory belongs to the rows
	numbers values.Numbers
}

// newRows makes rows without a result set.
func (c *conn) newRows() *rows {
	r := c.idle
	if c.idle = nil; r == nil {
		r = &reading{conn: c, binder: values.Binder{Times: c.binder.Times, Outlives: true}}
	}
	return &rows{reading: r}
}

// release drops what the rows refer to and leaves the memory to the next rows.
func (r *rows) release() {
	reading := r.reading
	r.reading = nil
	reading.cursor, reading.columns, reading.block, reading.rest = nil, nil, nil, nil
	reading.binder.Release()
	reading.encoder = values.Encoder{}
	reading.conn.idle = reading
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

// run makes the result of a statement the current one. The arguments must not
// change until the rows are closed: they come from a binder with Outlives. If
// run fails, it releases the rows.
func (r *rows) run(ctx context.Context, prepared *sqlfront.Statement, args []value.Value) error {
	cursor, _, err := r.conn.session.Run(ctx, prepared, args)
	switch {
	case err != nil:
		r.release()
		return userError(err)
	case cursor == nil: // the statement has no result set
		cursor = &answers.Table{}
	}
	r.show(cursor)
	return nil
}

// show makes cursor the current result set.
func (r *reading) show(cursor sqlfront.Rows) {
	r.cursor, r.columns, r.block, r.started = cursor, cursor.Columns(), nil, false
	r.encoder.Columns, r.blocks = r.columns, 0
}

// Columns are the labels as written; with ColumnsWithAlias, after their table and a dot.
func (r *rows) Columns() []string {
	if r.reading == nil {
		return nil
	}
	var names []string
	if n := len(r.columns); !r.named && n <= len(r.inlineNames) {
		names, r.named = r.inlineNames[:n:n], true
	} else {
		names = make([]string, n)
	}
	for i := range r.columns {
		names[i] = r.columns[i].Name
		if table := r.columns[i].Table; table != "" && r.conn.connector.cfg.ColumnsWithAlias {
			names[i] = table + "." + names[i]
		}
	}
	return names
}

// Next reads a row. It returns io.EOF at the end of the result set, and only then.
func (r *rows) Next(dest []driver.Value) error {
	if r.reading == nil {
		return io.EOF
	}
	if r.conn.connector.closed.Load() {
		return errShutdown()
	}
	if r.block != nil && r.giveCell(dest) {
		return nil
	}
	err := r.next(dest)
	if err == nil || err == io.EOF {
		return err
	}
	if r.rest != nil {
		r.rest.stop()
	}
	return userError(err)
}

// giveCell reads a row of the block, if there is one. Its bytes are not copied,
// except those of rows that may be the result's last, which are the first ones
// and the last of a block: their reader may look at them when another query
// already uses the block's memory. A large value has memory of its own in the
// block, and is never copied.
func (r *rows) giveCell(dest []driver.Value) bool {
	b := r.block
	cell, more := b.Take()
	if cell == nil {
		return false
	}
	early := r.blocks == 1 && len(cell.Value) <= values.FewCopied
	if r.large = nil; len(cell.Value) >= answers.LargeValue {
		r.large = cell.Value
	}
	if r.inBlock = more && !early && r.large == nil; r.inBlock {
		r.encodeCell(dest, b.Columns, cell)
	} else {
		r.encoder.EncodeCell(dest, b.Columns, cell, &r.numbers)
	}
	return true
}

// next is Next when the rows come one by one, or when a block has ended.
func (r *rows) next(dest []driver.Value) error {
	if !r.started {
		r.started = true
		if blocks, ok := r.cursor.(answers.BlockRows); ok {
			var err error
			if r.block, err = blocks.Block(); err != nil {
				return err
			}
		}
	}
	if r.block == nil {
		row, err := r.cursor.Next()
		if err == nil {
			r.encoder.Encode(dest, row, &r.numbers)
			if r.binder.Times.Parse {
				r.binder.Times.ParseTimes(dest, r.columns, row)
			}
		}
		return err
	}
	if err := r.cursor.(answers.BlockRows).NextBlock(); err != nil {
		return err
	}
	r.blocks++
	r.giveCell(dest)
	return nil
}

// Close ends the query. It also runs the rest of a script, as a MySQL server
// does without being asked.
func (r *rows) Close() error {
	if r.reading == nil {
		return nil
	}
	if r.inBlock || r.large != nil {
		r.leaveBlock()
	}
	err, rest := r.cursor.Close(), r.rest
	r.release()
	if err != nil {
		return userError(err)
	}
	if rest != nil {
		_, err = rest.exec()
	}
	return err
}

// leaveBlock gives up the block's memory, to which the last row may still refer.
func (r *rows) leaveBlock() {
	if r.inBlock {
		r.block.Forget()
		r.inBlock = false
	}
	if r.large != nil {
		r.block.ForgetValue(r.large)
		r.large = nil
	}
}

// HasNextResultSet reports whether a script has statements left; whether one of
// them has a result set is known only when it runs.
func (r *rows) HasNextResultSet() bool {
	return r.reading != nil && r.rest != nil && r.rest.left()
}

// NextResultSet runs the script up to its next result set, and returns io.EOF
// if there is none.
func (r *rows) NextResultSet() error {
	if r.reading == nil || r.rest == nil {
		return io.EOF
	}
	r.leaveBlock()
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

// ColumnTypeDatabaseTypeName is MySQL's name of the type.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return values.TypeName(r.columns[i].Type) }

// ColumnTypeLength is the maximum length of a string type, as typeLength says.
func (r *rows) ColumnTypeLength(i int) (int64, bool) { return typeLength(r.columns[i].Type) }

// ColumnTypeNullable is always known.
func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) { return r.columns[i].Type.Nullable, true }

// ColumnTypePrecisionScale is known for decimals, doubles and times.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	return values.PrecisionScale(r.columns[i].Type)
}

// ColumnTypeScanType is a type that each value of the column can be scanned
// into, never sql.RawBytes.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	if r.binder.Times.Parse && values.IsDate(r.columns[i].Type) {
		return reflect.TypeFor[sql.NullTime]()
	}
	return values.ScanType(r.columns[i].Type)
}

// encodeCell writes a row that is a cell. The row's bytes are the cell's, and
// valid as long as the cell's are.
func (r *reading) encodeCell(dest []driver.Value, places []answers.Place, c *answers.Cell) {
	for i := range dest {
		switch places[i] {
		case answers.InRow:
			dest[i] = values.Box(&c.Row)
		case answers.InQualifier:
			dest[i] = values.Box(&c.Qualifier)
		case answers.InTimestamp:
			dest[i] = r.numbers.Box(i, c.Timestamp)
		default:
			if dest[i] = nil; c.Value != nil {
				dest[i] = values.Box(&c.Value)
			}
		}
	}
}
