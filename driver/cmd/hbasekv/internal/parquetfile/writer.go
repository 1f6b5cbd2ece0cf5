package parquetfile

import (
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// A row group is held in memory; it ends with that many bytes or rows.
const (
	groupBytes = 32 << 20
	groupRows  = 1 << 20
	batchRows  = 256 // passed to the library at once
	batchBytes = 1 << 20
)

// rowWriter writes rows, in which each value has its column.
type rowWriter struct {
	w       *parquet.GenericWriter[any]
	columns int

	values []parquet.Value // of rows not passed to the library yet
	rows   []parquet.Row
	arena  []byte // their bytes
	bytes  int    // of the row group
	grown  int    // rows of it
}

func newRowWriter(out io.Writer, columns *columns) *rowWriter {
	options := []parquet.WriterOption{
		parquet.NewSchema("hbasekv", columns), parquet.Compression(&parquet.Zstd), parquet.DictionaryMaxBytes(1 << 20),
	}
	for _, name := range columns.long {
		options = append(options, parquet.SkipPageBounds(name), parquet.SkipPageStatistics(name))
	}
	return &rowWriter{w: parquet.NewGenericWriter[any](out, options...), columns: len(columns.fields)}
}

// keep copies bytes until the library has them.
func (w *rowWriter) keep(b []byte) []byte {
	n := len(w.arena)
	w.arena = append(w.arena, b...)
	return w.arena[n:len(w.arena):len(w.arena)]
}

// add appends a value to the current row.
func (w *rowWriter) add(v parquet.Value, optional bool) {
	level := 0
	if optional && !v.IsNull() {
		level = 1
	}
	w.values = append(w.values, v.Level(0, level, len(w.values)%w.columns))
	w.bytes += 8
}

// endRow ends a row and, from time to time, a row group.
func (w *rowWriter) endRow() error {
	if len(w.values) < batchRows*w.columns && len(w.arena) < batchBytes {
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	if w.bytes < groupBytes && w.grown < groupRows {
		return nil
	}
	w.bytes, w.grown = 0, 0
	return w.w.Flush()
}

// flush passes the collected rows to the library.
func (w *rowWriter) flush() error {
	w.rows = w.rows[:0]
	for at := 0; at < len(w.values); at += w.columns {
		w.rows = append(w.rows, w.values[at:at+w.columns:at+w.columns])
	}
	_, err := w.w.WriteRows(w.rows)
	w.bytes += len(w.arena)
	w.grown += len(w.rows)
	w.values = w.values[:0]
	if w.arena = w.arena[:0]; cap(w.arena) > 2*batchBytes {
		w.arena = nil
	}
	return err
}

// Close writes what is left; it does not close the file.
func (w *rowWriter) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.w.Close()
}

// CellWriter writes cells; it is a cellio.Writer.
type CellWriter struct{ rowWriter }

// NewCellWriter writes cells to a file.
func NewCellWriter(out io.Writer) *CellWriter {
	return &CellWriter{*newRowWriter(out, cellColumns())}
}

// Write implements cellio.Writer.
func (w *CellWriter) Write(c cellio.Cell) error {
	w.add(parquet.ByteArrayValue(w.keep(c.Row)), false)
	w.add(parquet.ByteArrayValue(w.keep([]byte(c.Family))), false)
	w.add(parquet.ByteArrayValue(w.keep(c.Qualifier)), false)
	w.add(parquet.Int64Value(c.Timestamp), false)
	value := parquet.NullValue()
	if c.Value != nil {
		value = parquet.ByteArrayValue(w.keep(c.Value))
	}
	w.add(value, true)
	return w.endRow()
}

// RowWriter writes rows of any columns; it is a cellio.RowWriter.
type RowWriter struct {
	rowWriter
	types []Column
	row   int
}

// NewRowWriter writes rows to a file. It fails if two columns have the same
// name.
func NewRowWriter(out io.Writer, types []Column) (*RowWriter, error) {
	seen := map[string]bool{}
	for _, c := range types {
		if seen[c.Name] {
			return nil, fmt.Errorf("two columns have the name %s: Parquet needs distinct names; rename one with AS", c.Name)
		}
		seen[c.Name] = true
	}
	return &RowWriter{rowWriter: *newRowWriter(out, typedColumns(types)), types: types}, nil
}

// Write implements cellio.RowWriter: the fields are in SQL's text form.
func (w *RowWriter) Write(fields [][]byte) error {
	w.row++
	for i := range fields {
		v, err := w.value(&w.types[i], fields[i])
		if err != nil {
			return fmt.Errorf("row %d, column %s: %w: CAST it to CHAR", w.row, w.types[i].Name, err)
		}
		w.add(v, true)
	}
	return w.endRow()
}

func (w *RowWriter) value(c *Column, field []byte) (parquet.Value, error) {
	switch {
	case field == nil:
		return parquet.NullValue(), nil
	case c.Type == Bytes || c.Type == Text || c.Type == JSON:
		return parquet.ByteArrayValue(w.keep(field)), nil
	}
	return c.parse(strings.TrimSpace(string(field)))
}
