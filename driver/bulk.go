package driver

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Cell is a row of a cell table, for BulkLoad.
type Cell struct {
	K, Q []byte
	T    int64
	V    []byte // nil is NULL
	// Table is the index of the cell's table among those that are loaded.
	Table int
}

// BulkStats counts what a BulkLoad has done.
type BulkStats struct {
	Cells   int64 // taken from the source
	Written int64 // without those that later cells replaced
	Files   int
	Bytes   int64 // of the files
	// Sorted is true if the cells did not come in the order of K, Q and T
	// descending, and had to be sorted.
	Sorted bool
}

// BulkLoad writes cells into tables, all of them or none. It replaces existing
// versions, as REPLACE does, but bypasses the store's log and memtable: it builds
// table files, as HBase's HFileOutputFormat does, and the store takes them in as
// they are. It is the fastest way to load. Cells that come in the order K, Q, T
// descending are neither sorted nor kept; others are sorted, on disk if there are
// many. If a (K, Q, T) comes twice, the last one stays.
//
// The target is a *sql.DB or a *sql.Conn, whose database and variables apply. A
// *sql.Conn with an open transaction gives 1179. A table's name is not quoted,
// and may have its database and a dot in front. The bytes of a cell are not used
// after the next cell is requested.
//
// When BulkLoad returns, the cells are durable, whatever the DSN's sync is, and
// visible to others. An error of the source is returned unchanged, the context's
// too. Others are INSERT's (1406, 1048, 1526), 1205 if another transaction has
// locked one of the rows, and 1412 if a table was changed meanwhile. A
// transaction with an older snapshot gets 1213 when it writes a row that was
// loaded; after a load of millions it may get 1213 for other rows too.
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
