package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cellio"
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

// rowWriter writes rows in the format.
func (e *exporter) rowWriter(types []*sql.ColumnType) (cellio.RowWriter, error) {
	columns := make([]cellio.Column, len(types))
	for i, t := range types {
		columns[i] = cellio.Column{Name: t.Name(), Kind: kindOf(t)}
	}
	switch e.format {
	case sqlFile, scanFile, textFile:
		return nil, fmt.Errorf("--format %s is for the cells of a table or a table group, not for rows", e.format.name)
	}
	return cellio.NewRowWriter(e.out, e.format.text, columns)
}

func kindOf(t *sql.ColumnType) cellio.Kind {
	switch name := strings.TrimPrefix(t.DatabaseTypeName(), "UNSIGNED "); name {
	case "BIGINT", "INT", "MEDIUMINT", "SMALLINT", "TINYINT", "DOUBLE", "FLOAT", "DECIMAL", "YEAR":
		return cellio.Number
	case "JSON":
		return cellio.Document
	default:
		if strings.HasSuffix(name, "BINARY") || strings.HasSuffix(name, "BLOB") || name == "BIT" {
			return cellio.Bytes
		}
	}
	return cellio.Chars
}
