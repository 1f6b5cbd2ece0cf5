package bench

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
)

// floorDriver answers from memory, to measure database/sql itself. A query's
// first argument is the number of rows of four columns.
type floorDriver struct{}

func openFloor() *sql.DB { return sql.OpenDB(floorConnector{}) }

type floorConnector struct{}

func (floorConnector) Connect(context.Context) (driver.Conn, error) { return &floorConn{}, nil }
func (floorConnector) Driver() driver.Driver                        { return floorDriver{} }

func (floorDriver) Open(string) (driver.Conn, error) { return &floorConn{}, nil }

type floorConn struct{}

func (c *floorConn) Prepare(string) (driver.Stmt, error) { return &floorStmt{}, nil }
func (c *floorConn) Close() error                        { return nil }
func (c *floorConn) Begin() (driver.Tx, error)           { return floorTx{}, nil }

type floorTx struct{}

func (floorTx) Commit() error   { return nil }
func (floorTx) Rollback() error { return nil }

type floorStmt struct{}

func (s *floorStmt) Close() error  { return nil }
func (s *floorStmt) NumInput() int { return -1 }

func (s *floorStmt) Exec([]driver.Value) (driver.Result, error) { return driver.RowsAffected(1), nil }

func (s *floorStmt) Query(args []driver.Value) (driver.Rows, error) {
	return &floorRows{left: args[0].(int64)}, nil
}

type floorRows struct{ left int64 }

var floorCell = []driver.Value{[]byte("row0000000000042"), []byte("q"), int64(1700000000000), make([]byte, 100)}

func (r *floorRows) Columns() []string { return []string{"K", "Q", "T", "V"} }
func (r *floorRows) Close() error      { return nil }

func (r *floorRows) Next(dest []driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	copy(dest, floorCell)
	return nil
}
