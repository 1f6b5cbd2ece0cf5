package driver

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Cell is a row of a table, for BulkLoad.
type Cell struct {
	K, Q []byte
	T    int64
	V    []byte // nil is NULL
	// Table is the index of the cell's table among those that are loaded.
	Table int
}

// BulkStats is what BulkLoad has done.
type BulkStats struct {
	Cells   int64 // taken from the source
	Written int64 // without those that later ones have replaced
	Files   int
	Bytes   int64 // of the files
	// Sorted is true where the cells did not come in the order of K, Q and T
	// descending, and had to be put in it.
	Sorted bool
}

// BulkLoad writes cells into tables, all of them or none, as REPLACE does but
// past the log and the memory of the store: it makes table files of them, as
// HBase's HFileOutputFormat does, which the store takes in as a whole. It is
// the fastest way to load; cells that come in the order K, Q, T descending
// are never sorted nor kept, and any others are sorted on disk where they are
// many. Where a (K, Q, T) comes twice the last one stays.
//
// The target is a *sql.DB or, with its database and its variables, a *sql.Conn
// without an open transaction (1179). A table's name may have its database and
// a point before it, and is not quoted. The bytes of a cell are not looked at
// after the next one is asked for.
//
// The cells are durable when BulkLoad returns, whatever the DSN says of sync,
// and visible to others at that moment. An error of the source is returned as it
// is, the context's too; others are as INSERT has them: 1406, 1048, 1526 and, of
// who has locked one of the rows, 1205. 1412 where a table was changed meanwhile.
// A transaction that has an older snapshot gets 1213 where it writes a row that
// was loaded; where millions were, it may get it for others too.
func BulkLoad[Target *sql.DB | *sql.Conn](ctx context.Context, target Target, tables []string, cells iter.Seq2[Cell, error]) (BulkStats, error) {
	switch to := any(target).(type) {
	case *sql.Conn:
		return bulkLoad(ctx, to, tables, cells)
	case *sql.DB:
		c, err := to.Conn(ctx)
		if err != nil {
			return BulkStats{}, err
		}
		defer c.Close()
		return bulkLoad(ctx, c, tables, cells)
	}
	panic("unreachable")
}

func bulkLoad(ctx context.Context, to *sql.Conn, tables []string, cells iter.Seq2[Cell, error]) (stats BulkStats, err error) {
	err = to.Raw(func(driverConn any) error {
		c, ok := driverConn.(*conn)
		if !ok {
			return fmt.Errorf("hbasekv: BulkLoad needs a connection of this driver, not a %T", driverConn)
		}
		stats, err = c.bulkLoad(ctx, tables, cells)
		return err
	})
	return stats, err
}

func (c *conn) bulkLoad(ctx context.Context, tables []string, cells iter.Seq2[Cell, error]) (BulkStats, error) {
	if err := c.ready(ctx); err != nil {
		return BulkStats{}, err
	}
	if len(tables) == 0 {
		return BulkStats{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to BULK LOAD: no table")
	}
	stats, err := c.session.BulkLoad(ctx, tables, func(yield func(kv.Cell, error) bool) {
		for cell, err := range cells {
			if !yield(kv.Cell{Family: cell.Table, Row: cell.K, Qualifier: cell.Q, Timestamp: cell.T, Value: cell.V}, err) {
				return
			}
		}
	})
	if err != nil {
		return BulkStats{}, userError(err)
	}
	return BulkStats(stats), nil
}
