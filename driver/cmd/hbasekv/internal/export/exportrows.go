package export

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/parquetfile"
)

// rows writes the rows of a query.
func (e *exporter) rows(ctx context.Context, query string) error {
	if e.isAsOf || e.negate {
		return errors.New("--as-of and --negate-timestamps are for a table or a table group: " +
			"a statement says FOR SYSTEM_TIME AS OF, and -T")
	}
	rows, err := e.tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	w, err := e.rowWriter(types)
	if err != nil {
		return err
	}
	e.begin(-1)
	defer e.end()
	scanned, fields, pointers := make([]sql.RawBytes, len(types)), make([][]byte, len(types)), make([]any, len(types))
	for i := range scanned {
		pointers[i] = &scanned[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		for i, b := range scanned {
			fields[i] = b
		}
		if err := w.Write(fields); err != nil {
			return err
		}
		e.wrote()
	}
	if err := errors.Join(rows.Err(), ctx.Err()); err != nil {
		return err
	}
	return w.Close()
}

// rowWriter returns a writer of rows in the format.
func (e *exporter) rowWriter(types []*sql.ColumnType) (cellio.RowWriter, error) {
	columns := make([]Column, len(types))
	for i, t := range types {
		columns[i] = Column{Name: t.Name(), Type: t.DatabaseTypeName()}
		if precision, scale, ok := t.DecimalSize(); ok {
			columns[i].Precision, columns[i].Scale = precision, scale
		}
	}
	return NewRowWriter(e.out, e.format, columns)
}

// Column is a column of exported rows: Type is MySQL's name, Precision and Scale those of a DECIMAL.
type Column struct {
	Name, Type       string
	Precision, Scale int64
}

// NewRowWriter writes rows to out. The error says that the format has no rows, or that two columns have
// the same name.
func NewRowWriter(out io.Writer, format *fileformat.Format, columns []Column) (cellio.RowWriter, error) {
	switch format {
	case fileformat.SqlFile, fileformat.ScanFile, fileformat.TextFile:
		return nil, fmt.Errorf("--format %s is for the cells of a table or a table group, not for rows", format.Name)
	case fileformat.ParquetFile:
		typed := make([]parquetfile.Column, len(columns))
		for i, c := range columns {
			typed[i] = parquetfile.Column{Name: c.Name, Type: parquetType(c.Type)}
			if typed[i].Type == parquetfile.Decimal {
				typed[i].Precision, typed[i].Scale = int(c.Precision), int(c.Scale)
			}
		}
		return parquetfile.NewRowWriter(out, typed)
	}
	named := make([]cellio.Column, len(columns))
	for i, c := range columns {
		named[i] = cellio.Column{Name: c.Name, Kind: kinds[parquetType(c.Type)]}
	}
	return cellio.NewRowWriter(out, format.Text, named)
}

// parquetType is the Parquet type for one of MySQL's.
func parquetType(name string) parquetfile.Type {
	name, unsigned := strings.CutPrefix(name, "UNSIGNED ")
	switch name {
	case "BIGINT", "INT", "MEDIUMINT", "SMALLINT", "TINYINT", "YEAR":
		if unsigned {
			return parquetfile.Uint
		}
		return parquetfile.Int
	case "DOUBLE", "FLOAT":
		return parquetfile.Double
	case "DECIMAL":
		return parquetfile.Decimal
	case "JSON":
		return parquetfile.JSON
	case "DATE":
		return parquetfile.Date
	case "DATETIME", "TIMESTAMP":
		return parquetfile.DateTime
	case "TIME":
		return parquetfile.Time
	}
	if strings.HasSuffix(name, "BINARY") || strings.HasSuffix(name, "BLOB") || name == "BIT" {
		return parquetfile.Bytes
	}
	return parquetfile.Text
}

// kinds are the types that text formats distinguish; any other is text.
var kinds = map[parquetfile.Type]cellio.Kind{
	parquetfile.Bytes: cellio.Bytes, parquetfile.Text: cellio.Chars, parquetfile.JSON: cellio.Document,
	parquetfile.Int: cellio.Number, parquetfile.Uint: cellio.Number, parquetfile.Double: cellio.Number,
	parquetfile.Decimal: cellio.Number, parquetfile.Date: cellio.Chars, parquetfile.DateTime: cellio.Chars,
	parquetfile.Time: cellio.Chars,
}
