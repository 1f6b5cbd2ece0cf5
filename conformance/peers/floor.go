package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
)

// The floor is a driver that answers from memory: it measures the cost of
// database/sql itself. A query's text is the fold whose rows it returns, its
// argument their number.

func init() { sql.Register("floor", floorDriver{}) }

var floorDialect = &dialect{
	driver: "floor",
	dsn:    func(string, bool) (string, func() error, error) { return "", nil, nil },
	create: "create",
	args:   func(s scan) []any { return []any{int64(s.rows), int64(s.fold)} },
	writes: map[string]string{"insert": "insert", "insert row": "insert", "update": "update", "increment": "increment"},
	reads: map[string][]string{"row": {"q"}, "cell": {"q"}, "range": {"q"}, "limit": {"q"}, "scan": {"q"}, "qualifier": {"q"},
		"latest": {"q"}, "as of": {"q"}, "times": {"q"}, "count": {"q"}, "count range": {"q"}, "groups": {"q"}, "top": {"q"}, "locked": {"q"}},
}

type floorDriver struct{}

func (floorDriver) Open(string) (driver.Conn, error) { return floorConn{}, nil }

type floorConn struct{}

func (floorConn) Prepare(string) (driver.Stmt, error) { return floorStmt{}, nil }
func (floorConn) Close() error                        { return nil }
func (floorConn) Begin() (driver.Tx, error)           { return floorTx{}, nil }

type floorTx struct{}

func (floorTx) Commit() error   { return nil }
func (floorTx) Rollback() error { return nil }

type floorStmt struct{}

func (floorStmt) Close() error                               { return nil }
func (floorStmt) NumInput() int                              { return -1 }
func (floorStmt) Exec([]driver.Value) (driver.Result, error) { return driver.RowsAffected(1), nil }
func (floorStmt) Query(args []driver.Value) (driver.Rows, error) {
	return &floorRows{left: args[0].(int64), row: floorCells[fold(args[1].(int64))]}, nil
}

func (floorStmt) QueryContext(_ context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return &floorRows{left: args[0].Value.(int64), row: floorCells[fold(args[1].Value.(int64))]}, nil
}

type floorRows struct {
	left int64
	row  []driver.Value
}

var (
	floorCell  = []driver.Value{key(42), qualifier(0), int64(firstTime), make([]byte, 100)}
	floorCells = map[fold][]driver.Value{
		cells: floorCell, top: floorCell,
		values: {make([]byte, 100)},
		total:  {int64(1)},
		groups: {[]byte("0042"), int64(1)},
	}
)

func (r *floorRows) Columns() []string { return []string{"K", "Q", "T", "V"}[:len(r.row)] }
func (r *floorRows) Close() error      { return nil }

func (r *floorRows) Next(dest []driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	copy(dest, r.row)
	return nil
}
