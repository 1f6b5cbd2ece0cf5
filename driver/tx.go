package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// isolationOf is MySQL's isolation level for one of database/sql.
func isolationOf(level sql.IsolationLevel) (sysvar.Isolation, error) {
	switch level {
	case sql.LevelDefault:
		return sysvar.DefaultIsolation, nil
	case sql.LevelReadUncommitted, sql.LevelReadCommitted:
		return sysvar.ReadCommitted, nil
	case sql.LevelRepeatableRead, sql.LevelSnapshot:
		return sysvar.RepeatableRead, nil
	case sql.LevelSerializable:
		return sysvar.Serializable, nil
	}
	return 0, mysqlerr.Unsupported("transaction isolation level " + level.String())
}

// tx is the session's transaction.
type tx struct{ conn *conn }

// Begin is BeginTx with the defaults.
func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx starts a transaction. Its first statement takes its snapshot.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	isolation, err := isolationOf(sql.IsolationLevel(opts.Isolation))
	if err != nil {
		return nil, err
	}
	if err := c.session.Begin(ctx, sqlfront.TxOptions{Isolation: isolation, ReadOnly: opts.ReadOnly}); err != nil {
		return nil, userError(err)
	}
	return &tx{c}, nil
}

// Commit is not interrupted by any context: what it returns is what happened.
func (t *tx) Commit() error {
	if t.conn.closed {
		return driver.ErrBadConn
	}
	if t.conn.connector.closed.Load() {
		t.conn.session.Rollback()
		return errShutdown()
	}
	return userError(t.conn.session.Commit(context.Background()))
}

// Rollback undoes what the transaction wrote. After the store is closed,
// nothing is left to undo.
func (t *tx) Rollback() error {
	if t.conn.closed {
		return driver.ErrBadConn
	}
	t.conn.session.Rollback()
	return nil
}
