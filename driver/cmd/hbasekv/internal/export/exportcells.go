package export

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/parquetfile"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/target"
)

// cells writes the cells of a table or a group.
func (e *exporter) cells(ctx context.Context, to *target.Target) error {
	var w cellio.Writer
	if e.format == fileformat.ParquetFile {
		w = parquetfile.NewCellWriter(e.out)
	} else {
		w = cellio.NewWriter(e.out, e.format.Text, to.Name)
	}
	total, err := e.estimate(ctx, to)
	if err != nil {
		return err
	}
	e.begin(total)
	defer e.end()
	if len(to.Tables) > 0 {
		err = e.writeCells(ctx, to, w)
	}
	if err != nil {
		return err
	}
	return w.Close()
}

// estimate is roughly the number of cells, -1 if it is unknown.
func (e *exporter) estimate(ctx context.Context, to *target.Target) (total int64, err error) {
	if e.versions != "" || e.isAsOf {
		return -1, nil
	}
	return EstimateCells(ctx, e.tx, to)
}

// EstimateCells is roughly the number of versions, -1 if it is unknown.
func EstimateCells(ctx context.Context, db cli.Querier, to *target.Target) (total int64, err error) {
	for _, table := range to.Tables {
		database, own, _ := cli.SplitName(table)
		var n int64
		err := cli.EachRow(ctx, db, func(field []sql.NullString) (err error) {
			n, err = strconv.ParseInt(field[0].String, 10, 64)
			return err
		}, `SELECT COALESCE(CELLS, 0) FROM information_schema.HBASEKV_FAMILIES
			WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?`, database, own)
		if err != nil {
			return 0, err
		}
		total += n
	}
	if total == 0 {
		total = -1
	}
	return total, nil
}

// writeCells writes cells in HBase's order.
func (e *exporter) writeCells(ctx context.Context, to *target.Target, w cellio.Writer) error {
	family, order := "''", "K, Q, T DESC"
	if to.Group {
		family, order = "F", "K, F, Q, T DESC"
	} else if to.Families[0] != "" {
		family = cli.QuoteString(to.Families[0])
	}
	rows, err := e.tx.QueryContext(ctx,
		"SELECT K, "+family+", Q, T, V FROM "+cli.QuoteName(to.Name)+e.seen()+" ORDER BY "+order)
	if err != nil {
		return err
	}
	defer rows.Close()
	var k, f, q, v sql.RawBytes
	var c cellio.Cell
	for rows.Next() {
		if err := rows.Scan(&k, &f, &q, &c.Timestamp, &v); err != nil {
			return err
		}
		if c.Family != string(f) {
			c.Family = string(f)
		}
		c.Row, c.Qualifier, c.Value = k, q, v
		if e.negate {
			if c.Timestamp == math.MinInt64 {
				return fmt.Errorf("the cell %s %s:%s: %s", cli.DisplayBytes(k), f, cli.DisplayBytes(q), fileformat.CannotNegate)
			}
			c.Timestamp = -c.Timestamp
		}
		if err := w.Write(c); err != nil {
			return err
		}
		e.wrote()
	}
	return errors.Join(rows.Err(), ctx.Err())
}
