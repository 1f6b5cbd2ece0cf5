package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"math"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// wrapping is a program's driver that observes another, as sqlhooks does. It hides
// the methods that it does not know: CheckNamedValue always, ColumnConverter if set.
type wrapping struct {
	driver.Driver
	hidesConverter bool
}

func (d wrapping) Open(dsn string) (driver.Conn, error) {
	c, err := d.Driver.Open(dsn)
	return wrappingConn{c, d}, err
}

type wrappingConn struct {
	driver.Conn
	of wrapping
}

func (c wrappingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	st, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
	if err != nil || c.of.hidesConverter {
		return wrappingStmt{st}, err
	}
	return convertingStmt{wrappingStmt{st}}, nil
}

// wrappingStmt hides all but what every statement has.
type wrappingStmt struct{ driver.Stmt }

type convertingStmt struct{ wrappingStmt }

func (s convertingStmt) ColumnConverter(i int) driver.ValueConverter {
	//lint:ignore SA1019 wrappers of today call it
	return s.Stmt.(driver.ColumnConverter).ColumnConverter(i)
}

// dsnConnector opens connections of a driver that has no connectors.
type dsnConnector struct {
	of  driver.Driver
	dsn string
}

func (c dsnConnector) Connect(context.Context) (driver.Conn, error) { return c.of.Open(c.dsn) }
func (c dsnConnector) Driver() driver.Driver                        { return c.of }

// wrappersProgram sends numbers through wrappers.
func wrappersProgram(w *witness) {
	plain := w.open("")
	_, dsn := w.source(harness.CommonParameters)
	for _, d := range []wrapping{{Driver: plain.Driver()}, {Driver: plain.Driver(), hidesConverter: true}} {
		w.note("%s", map[bool]string{false: "CheckNamedValue is hidden", true: "ColumnConverter too"}[d.hidesConverter])
		db := sql.OpenDB(dsnConnector{d, dsn})
		db.SetMaxOpenConns(1)
		for _, v := range []any{uint64(0), uint64(7), uint64(math.MaxInt64), uint64(math.MaxInt64 + 1), uint64(math.MaxUint64), uint8(8), int64(math.MinInt64),
			1.5, true, "text", []byte("bytes"), nil, sql.Null[uint64]{V: math.MaxUint64, Valid: true}} {
			w.query(db, "SELECT CONCAT(?) AS digits", v)
		}
		require.NoError(w, db.Close())
	}
}
