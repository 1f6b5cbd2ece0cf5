package hbasekvtest

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"strings"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cellio"
)

// loadLines is LoadLines.
func loadLines(db *sql.DB, table string, r io.Reader, columns string, timestamp int64) error {
	lines := cellio.NewLines(bufio.NewReader(r), ",")
	if columns == "" {
		header, _, err := lines.Next()
		if err != nil {
			return fmt.Errorf("the first line names the columns: %w", err)
		}
		columns = strings.Join(header, ",")
	}
	spec, err := cellio.ParseColumns(table, columns)
	if err != nil {
		return err
	}
	return put(db, func(put func(cell driver.Cell, table string) error) error {
		for {
			fields, line, err := lines.Next()
			if err == io.EOF {
				return nil
			}
			if err == nil {
				err = putLine(spec, fields, timestamp, put)
			}
			if err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
		}
	})
}

func putLine(spec *cellio.Columns, fields []string, timestamp int64, put func(driver.Cell, string) error) error {
	key, at, err := spec.Row(fields, timestamp)
	if err != nil {
		return err
	}
	for _, f := range spec.Families {
		for i, field := range f.Fields {
			cell := driver.Cell{K: []byte(key), Q: []byte(f.Qualifiers[i]), T: at, V: []byte(fields[field])}
			if err := put(cell, f.Table); err != nil {
				return err
			}
		}
	}
	return nil
}
