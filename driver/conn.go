package driver

import (
	"context"
	"database/sql/driver"

	"github.com/hbasekv/hbasekv/driver/internal/values"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// conn is one connection: a session with its variables and its transaction.
// database/sql calls a connection, its statements and its rows from one
// goroutine at a time.
type conn struct {
	connector *connector
	owns      *connector // closed with the connection; usually nil
	session   *sqlfront.Session
	binder    values.Binder // for statements that end before the call returns
	idle      *reading      // for the next rows; nil while rows use it
	closed    bool
}

var (
	_ driver.Conn               = (*conn)(nil)
	_ driver.ConnPrepareContext = (*conn)(nil)
	_ driver.ConnBeginTx        = (*conn)(nil)
	_ driver.QueryerContext     = (*conn)(nil)
	_ driver.ExecerContext      = (*conn)(nil)
	_ driver.Pinger             = (*conn)(nil)
	_ driver.SessionResetter    = (*conn)(nil)
	_ driver.Validator          = (*conn)(nil)
	_ driver.NamedValueChecker  = (*conn)(nil)
)

// ready is called before anything else is done. Only here is database/sql asked
// to try another connection.
func (c *conn) ready(ctx context.Context) error {
	switch {
	case c.closed || c.session.Killed():
		return driver.ErrBadConn
	case c.connector.closed.Load():
		return errShutdown()
	}
	return ctx.Err()
}

// Prepare is PrepareContext without a context.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext parses a statement: only one, even if MultiStatements is on.
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	prepared, err := c.session.Prepare(ctx, query)
	if err == nil {
		err = prepared.CheckPreparable()
	}
	if err != nil {
		return nil, userError(err)
	}
	return &stmt{conn: c, prepared: prepared}, nil
}

// QueryContext runs a statement, which need not have a result set.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	r := c.newRows()
	values, err := r.binder.Bind(args)
	if err != nil {
		return nil, err
	}
	if c.connector.cfg.MultiStatements {
		return c.queryScript(ctx, query, values)
	}
	prepared, err := c.session.Prepare(ctx, query)
	if err != nil {
		return nil, userError(err)
	}
	if err := r.run(ctx, prepared, values); err != nil {
		return nil, err // never a *rows in the interface
	}
	return r, nil
}

// ExecContext runs a statement, which may have a result set.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	defer c.binder.Release()
	values, err := c.binder.Bind(args)
	if err != nil {
		return nil, err
	}
	if c.connector.cfg.MultiStatements {
		return c.execScript(ctx, query, values)
	}
	prepared, err := c.session.Prepare(ctx, query)
	if err != nil {
		return nil, userError(err)
	}
	return c.exec(ctx, prepared, values)
}

func (c *conn) exec(ctx context.Context, prepared *sqlfront.Statement, args []value.Value) (driver.Result, error) {
	r, err := c.session.Exec(ctx, prepared, args)
	if err != nil {
		return nil, userError(err)
	}
	info := c.session.LastInfo()
	if r == oneRow.of {
		switch info {
		case oneRow.info:
			return oneRow, nil
		case oneChanged.info:
			return oneChanged, nil
		}
	}
	return &result{r, info}, nil
}

// CheckNamedValue accepts every argument type that go-sql-driver/mysql accepts.
// Names are refused later, so that the error reaches the caller unwrapped.
func (c *conn) CheckNamedValue(arg *driver.NamedValue) (err error) {
	arg.Value, err = values.CheckArg(arg.Value, 0)
	return err
}

// Ping fails if the store is closed.
func (c *conn) Ping(ctx context.Context) error {
	return c.ready(ctx)
}

// ResetSession keeps the session as its last user left it, with its variables
// and its transaction, as github.com/go-sql-driver/mysql does: with a pool of
// one connection, BEGIN, SET and USE apply to the calls that follow. The
// context is not checked, because it is the next request's.
func (c *conn) ResetSession(context.Context) error {
	if c.closed || c.session.Killed() {
		return driver.ErrBadConn
	}
	return nil
}

// IsValid reports whether the connection may be returned to the pool.
func (c *conn) IsValid() bool {
	return !c.closed && !c.session.Killed() && !c.connector.closed.Load()
}

// Close ends the session and rolls its transaction back.
func (c *conn) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	err := userError(c.session.Close())
	if c.owns != nil {
		if closeErr := c.owns.Close(); err == nil {
			err = closeErr
		}
	}
	return err
}
