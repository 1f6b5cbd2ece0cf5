package sqlfront

import (
	"context"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// transaction is an open transaction.
type transaction struct {
	kv.Txn
	options    TxOptions // with the session's defaults
	fresh      bool      // no statement has read or written in it
	writes     bool      // a statement that writes has begun in it
	savepoints []namedSavepoint
	// aborted is why only a rollback is left, or nil.
	aborted error
}

// Begin opens a transaction. One that is open is committed, as MySQL does.
// What o leaves open is as SET TRANSACTION said, or as the session has it.
func (s *Session) Begin(ctx context.Context, o TxOptions) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.engine.checkLevel(o.Isolation); err != nil {
		return mapError(ctx, err)
	}
	return s.begin(ctx, o)
}

func (s *Session) begin(ctx context.Context, o TxOptions) error {
	if err := s.commit(ctx); err != nil {
		return err
	}
	s.nextTx = s.nextTx.With(o)
	return s.openTransaction(ctx, s.takeNext(), s.engine.now())
}

// openTransaction opens a transaction, which others see since a moment.
func (s *Session) openTransaction(ctx context.Context, o TxOptions, since time.Time) error {
	tx, err := s.newTransaction(ctx, o)
	if err != nil {
		return mapError(ctx, err)
	}
	s.opens(tx, since)
	return nil
}

// Commit commits the open transaction; without one it does nothing.
func (s *Session) Commit(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.commit(ctx)
}

func (s *Session) commit(ctx context.Context) error {
	if s.tx == nil {
		return nil
	}
	tx := s.tx
	if tx.writes && tx.aborted == nil {
		first, err := s.publish(ctx)
		if err != nil {
			s.endTransaction() // a commit that fails leaves nothing open
			return mapError(ctx, err)
		}
		defer s.published(first)
	}
	s.tx = nil
	s.memory.Shrink(&s.parts.savepoints, 0)
	defer s.hides()
	if tx.aborted != nil {
		tx.Rollback()
		return tx.aborted
	}
	return mapError(ctx, tx.Commit(ctx))
}

// Rollback undoes the open transaction; without one it does nothing.
func (s *Session) Rollback() {
	if s.enter() == nil {
		s.endTransaction()
		s.leave()
	}
}

func (s *Session) endTransaction() {
	if s.tx != nil {
		s.tx.Rollback()
		s.tx = nil
		s.memory.Shrink(&s.parts.savepoints, 0)
		s.hides()
	}
}

// current is the open transaction. With autocommit off a statement opens one.
// It is nil where the statement is to be a transaction of its own.
func (s *Session) current(ctx context.Context) (*transaction, error) {
	if s.tx == nil && !s.vars.Autocommit {
		if err := s.openTransaction(ctx, s.takeNext(), s.began); err != nil {
			return nil, err
		}
	}
	if s.tx != nil && s.tx.aborted != nil {
		return nil, s.tx.aborted
	}
	return s.tx, nil
}

// restart begins a transaction anew that holds no writes.
func (tx *transaction) restart(txn kv.Txn) {
	tx.Rollback()
	tx.Txn = txn
	for i := range tx.savepoints {
		tx.savepoints[i].at = txn.Savepoint()
	}
}

// abort leaves the transaction only its rollback.
func (tx *transaction) abort(err error) {
	tx.Rollback()
	tx.aborted = err
}

// abortIf aborts the transaction, where there is one, after an error that
// leaves nothing else.
func (tx *transaction) abortIf(err error) {
	if tx != nil && fatal(err) {
		tx.abort(mapError(context.Background(), err))
	}
}

// commitStatement is COMMIT.
func (s *Session) commitStatement(ctx context.Context, st *parse.Commit) error {
	tx := s.tx
	return s.finish(ctx, tx, s.commit(ctx), st.Chain, st.Release)
}

// rollback is ROLLBACK [TO SAVEPOINT].
func (s *Session) rollback(ctx context.Context, st *parse.Rollback) error {
	if st.To != "" {
		return s.toSavepoint(ctx, st.To, false)
	}
	tx := s.tx
	s.endTransaction()
	return s.finish(ctx, tx, nil, st.Chain, st.Release)
}

// startTransaction is BEGIN and START TRANSACTION.
func (s *Session) startTransaction(ctx context.Context, st *parse.Begin) error {
	if err := s.begin(ctx, TxOptions{ReadOnly: st.ReadOnly, ReadWrite: st.ReadWrite}); err != nil {
		return err
	}
	if !st.ConsistentSnapshot {
		return nil
	}
	if s.tx.options.Isolation == sysvar.ReadCommitted {
		s.warn(138, "hbasekv: WITH CONSISTENT SNAPSHOT was ignored because this phrase can only be used with REPEATABLE "+
			"READ isolation level.")
		return nil
	}
	s.tx.Catalog() // takes the snapshot
	s.tx.fresh = false
	return nil
}

// finish does what COMMIT and ROLLBACK may ask for besides: AND CHAIN opens
// a transaction like the one that has ended, RELEASE ends the session.
func (s *Session) finish(ctx context.Context, ended *transaction, err error, chain, release bool) error {
	switch {
	case err != nil:
		return err
	case release:
		s.disconnect()
	case chain && ended != nil:
		s.nextTx = TxOptions{}
		return s.openTransaction(ctx, ended.options, s.began)
	case chain:
		return s.begin(ctx, TxOptions{})
	}
	return nil
}
