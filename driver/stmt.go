package driver

import (
	"context"
	"database/sql/driver"
	"math"
	"strconv"

	"github.com/hbasekv/hbasekv/driver/internal/values"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// stmt is a prepared statement. Its rows outlive its Close.
type stmt struct {
	conn     *conn
	prepared *sqlfront.Statement
	closed   bool
}

var (
	_ driver.Stmt              = (*stmt)(nil)
	_ driver.StmtQueryContext  = (*stmt)(nil)
	_ driver.StmtExecContext   = (*stmt)(nil)
	_ driver.NamedValueChecker = (*stmt)(nil)
	//lint:ignore SA1019 it is what database/sql asks where a wrapper hides the NamedValueChecker
	_ driver.ColumnConverter = (*stmt)(nil)
)

// NumInput is the number of placeholders.
func (s *stmt) NumInput() int { return s.prepared.Parsed.NumParams }

// Close closes the statement.
func (s *stmt) Close() error {
	s.closed = true
	return nil
}

// ready is called before anything else is done. database/sql does not use a
// closed statement.
func (s *stmt) ready(ctx context.Context) error {
	if s.closed {
		return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to EXECUTE: the statement is closed")
	}
	return s.conn.ready(ctx)
}

// QueryContext runs the statement, which need not have a result set.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	r := s.conn.newRows()
	values, err := r.binder.Bind(args)
	if err != nil {
		return nil, err
	}
	if err := r.run(ctx, s.prepared, values); err != nil {
		return nil, err // never a *rows in the interface
	}
	return r, nil
}

// ExecContext runs the statement, which may have a result set.
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	defer s.conn.binder.Release()
	values, err := s.conn.binder.Bind(args)
	if err != nil {
		return nil, err
	}
	return s.conn.exec(ctx, s.prepared, values)
}

// CheckNamedValue is the connection's, for programs that wrap the connection but
// not its statements.
func (s *stmt) CheckNamedValue(arg *driver.NamedValue) (err error) {
	arg.Value, err = values.CheckArg(arg.Value, 0)
	return err
}

// ColumnConverter is CheckNamedValue for programs whose wrapper hides that method.
func (s *stmt) ColumnConverter(int) driver.ValueConverter { return converter{} }

// converter makes an argument of a Go value. database/sql accepts no uint64 from
// a converter: one beyond int64 is passed as its digits.
type converter struct{}

func (converter) ConvertValue(v any) (driver.Value, error) {
	checked, err := values.CheckArg(v, 0)
	u, ok := checked.(uint64)
	switch {
	case !ok:
		return checked, err
	case u > math.MaxInt64:
		return strconv.FormatUint(u, 10), nil
	}
	return int64(u), nil
}

// Query is QueryContext without a context.
func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

// Exec is ExecContext without a context.
func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, v := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}
