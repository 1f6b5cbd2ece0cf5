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

// rows is the result of a query: one result set and, of a script, what is
// still to run. After Close it is empty.
type rows struct {
	*reading // nil once they are closed
	// inBlock tells that the row given last is in the memory of the block, and
	// large is its value where that alone is.
	inBlock bool
	large   []byte
	// Where there are few columns, their names are here, for the first caller, which may change
	// them.
	inlineNames [4]string
	named       bool
}

// reading is what rows work with. It goes to the next rows of the connection: a
// prepared read of one cell takes 8 % longer with one of its own.
type reading struct {
	conn    *conn
	cursor  sqlfront.Rows
	columns []sqlfront.Column
	block   *answers.Block // where the rows come in blocks
	blocks  int            // begun
	started bool
	rest    *script        // nil for a single statement
	binder  values.Binder  // of the arguments
	encoder values.Encoder // whose memory is the rows' own
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

// release lets go of what the rows have read, and leaves the memory to the next.
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

// run makes the result of a statement the one to read. The arguments must stay
// as they are until the rows are closed: they come from a binder that outlives.
// Where it fails, the rows are.
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

// show makes cursor the result set to read.
func (r *reading) show(cursor sqlfront.Rows) {
	r.cursor, r.columns, r.block, r.started = cursor, cursor.Columns(), nil, false
	r.encoder.Bits = values.BitsOf(r.columns)
	r.blocks = 0
}

// Columns are the labels, as written; with ColumnsWithAlias behind their table.
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

// Next reads a row. io.EOF is the end of the result set and nothing else.
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

// giveCell reads a row of the block, where there is one. Its bytes are used
// where they are, but for those rows that may well be the last of all, which are
// the first ones and the last of the block: their readers may look at them when
// the block's memory is already with another query. A large value has memory of
// its own in the block, and is never copied.
func (r *rows) giveCell(dest []driver.Value) bool {
	b := r.block
	cell := b.Take()
	if cell == nil {
		return false
	}
	early := r.blocks == 1 && len(cell.Value) <= values.FewCopied
	r.large = values.LargeValue(cell)
	if r.inBlock = b.Left() > 0 && !early && r.large == nil; r.inBlock {
		r.encodeCell(dest, b.Columns, cell)
	} else {
		r.encoder.EncodeCell(dest, b.Columns, cell, &r.numbers)
	}
	return true
}

// next is Next where the rows come one by one, or a block has ended.
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

// Close ends the query; of a script it runs what is left, as a MySQL server
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

// leaveBlock gives up the block's memory, which the row given last may still refer to.
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

// HasNextResultSet reports whether statements of a script are left; whether
// one of them has a result set is known when it runs.
func (r *rows) HasNextResultSet() bool {
	return r.reading != nil && r.rest != nil && r.rest.left()
}

// NextResultSet runs the script on to its next result set, and gives io.EOF
// where there is none.
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

// ColumnTypeDatabaseName is MySQL's name of the type.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return values.TypeName(r.columns[i].Type) }

// ColumnTypeLength is the longest value of a string type.
func (r *rows) ColumnTypeLength(i int) (int64, bool) { return typeLength(r.columns[i].Type) }

// ColumnTypeNullable is always known.
func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) { return r.columns[i].Type.Nullable, true }

// ColumnTypePrecisionScale is known of decimals, doubles and times.
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

// encodeCell writes a row that is a cell. Its bytes are the cell's: they are
// good as long as those.
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
