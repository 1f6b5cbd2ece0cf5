package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// wrapped are the types of a program that observes a driver, as sqlhooks does:
// it passes on what every connection and statement has, and hides the rest.
type (
	wrappedConnector struct{ driver.Connector }
	wrappedConn      struct{ driver.Conn }
	wrappedStmt      struct{ driver.Stmt }
)

func (c wrappedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	return wrappedConn{inner}, err
}

func (c wrappedConn) Prepare(query string) (driver.Stmt, error) {
	inner, err := c.Conn.Prepare(query)
	return wrappedStmt{inner}, err
}

func (s wrappedStmt) ColumnConverter(i int) driver.ValueConverter {
	//lint:ignore SA1019 old wrappers pass it on
	return s.Stmt.(driver.ColumnConverter).ColumnConverter(i)
}

// TestWrapperWithoutNamedValueChecker: arguments are converted correctly
// through a wrapper that hides CheckNamedValue.
func TestWrapperWithoutNamedValueChecker(t *testing.T) {
	connector, err := NewConnector(NewConfig(MemoryPath))
	require.NoError(t, err)
	db := sql.OpenDB(wrappedConnector{connector})
	defer db.Close()
	defer connector.(io.Closer).Close()
	require.Equal(t, "18446744073709551615", one(t, db, "SELECT ?", uint64(math.MaxUint64)))
	require.Equal(t, "7", one(t, db, "SELECT ?", sql.Null[uint64]{V: 7, Valid: true}))
}
