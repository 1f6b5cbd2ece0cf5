package sqlfront

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// Isolation is a transaction's level. Every level that is accepted gives
// snapshot isolation, which is at least as strong as what its name asks for.
type Isolation uint8

// The levels.
const (
	DefaultIsolation Isolation = iota
	ReadUncommitted
	ReadCommitted
	RepeatableRead
	Snapshot
	Serializable // refused: snapshots allow write skew
)

// TxOptions are what BEGIN may ask for.
type TxOptions struct {
	Isolation Isolation
	ReadOnly  bool
}

// transaction is an open transaction.
type transaction struct {
	kv.Txn
	readOnly   bool
	fresh      bool // no statement has read or written in it
	savepoints []namedSavepoint
	// aborted is why only a rollback is left, or nil.
	aborted error
}

type namedSavepoint struct {
	name string
	at   kv.Savepoint
}

// Begin opens a transaction. One that is open is committed, as MySQL does.
func (s *Session) Begin(ctx context.Context, o TxOptions) error {
	if o.Isolation == Serializable {
		return mysqlerr.Unsupported("transaction isolation level SERIALIZABLE")
	}
	if err := s.Commit(ctx); err != nil {
		return err
	}
	if o == (TxOptions{}) {
		o = s.nextTx
	}
	s.nextTx = TxOptions{}
	s.tx = s.newTransaction(o)
	return nil
}

func (s *Session) newTransaction(o TxOptions) *transaction {
	readOnly := o.ReadOnly || s.options.ReadOnly || s.flag("tx_read_only")
	return &transaction{Txn: s.beginTxn(readOnly), readOnly: readOnly, fresh: true}
}

func (s *Session) beginTxn(readOnly bool) kv.Txn {
	return s.engine.store.Begin(kv.TxnOptions{ReadOnly: readOnly, LockTimeout: s.lockTimeout()})
}

// Commit commits the open transaction; without one it does nothing.
func (s *Session) Commit(ctx context.Context) error {
	if s.tx == nil {
		return nil
	}
	tx := s.tx
	s.tx = nil
	if tx.aborted != nil {
		tx.Rollback()
		return tx.aborted
	}
	return mapError(ctx, tx.Commit(ctx))
}

// Rollback undoes the open transaction; without one it does nothing.
func (s *Session) Rollback() {
	s.endTransaction()
}

func (s *Session) endTransaction() {
	if s.tx != nil {
		s.tx.Rollback()
		s.tx = nil
	}
}

// current is the open transaction. With autocommit off a statement opens one.
// It is nil where the statement is to be a transaction of its own.
func (s *Session) current() (*transaction, error) {
	if s.tx == nil && !s.flag("autocommit") {
		s.tx = s.newTransaction(s.nextTx)
		s.nextTx = TxOptions{}
	}
	if s.tx != nil && s.tx.aborted != nil {
		return nil, s.tx.aborted
	}
	return s.tx, nil
}

// renew gives a transaction that holds no writes a new snapshot.
func (tx *transaction) renew(txn kv.Txn) {
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

// setSavepoint replaces a savepoint of the same name, as MySQL does.
func (s *Session) setSavepoint(name string) error {
	tx, err := s.current()
	if err != nil || tx == nil {
		return err
	}
	if i := tx.find(name); i >= 0 {
		tx.savepoints = append(tx.savepoints[:i], tx.savepoints[i+1:]...)
	}
	tx.savepoints = append(tx.savepoints, namedSavepoint{name, tx.Savepoint()})
	return nil
}

func (tx *transaction) find(name string) int {
	for i := range tx.savepoints {
		if strings.EqualFold(tx.savepoints[i].name, name) {
			return i
		}
	}
	return -1
}

// toSavepoint undoes what came after the savepoint and forgets the savepoints
// after it; release forgets the savepoint too and undoes nothing.
func (s *Session) toSavepoint(name string, release bool) error {
	tx, err := s.current()
	if err != nil {
		return err
	}
	i := -1
	if tx != nil {
		i = tx.find(name)
	}
	if i < 0 {
		return mysqlerr.New(mysqlerr.SavepointDoesNotExist, "SAVEPOINT %s does not exist", name)
	}
	if release {
		tx.savepoints = tx.savepoints[:i]
		return nil
	}
	tx.RollbackTo(tx.savepoints[i].at)
	tx.savepoints = tx.savepoints[:i+1]
	return nil
}

// transactionStatement runs the statements that begin and end transactions.
func (s *Session) transactionStatement(ctx context.Context, st parse.Statement) (bool, error) {
	switch st := st.(type) {
	case *parse.Begin:
		o := s.nextTx
		o.ReadOnly = st.ReadOnly || o.ReadOnly && !st.ReadWrite
		if err := s.Begin(ctx, o); err != nil {
			return true, err
		}
		if st.ConsistentSnapshot {
			s.tx.Catalog()
			s.tx.fresh = false
		}
		return true, nil
	case *parse.Commit:
		return true, s.finish(ctx, s.Commit(ctx), st.Chain)
	case *parse.Rollback:
		if st.To != "" {
			return true, s.toSavepoint(st.To, false)
		}
		s.endTransaction()
		return true, s.finish(ctx, nil, st.Chain)
	case *parse.Savepoint:
		return true, s.setSavepoint(st.Name)
	case *parse.ReleaseSavepoint:
		return true, s.toSavepoint(st.Name, true)
	case *parse.SetTransaction:
		return true, s.setTransaction(st)
	}
	return false, nil
}

// finish opens the next transaction where AND CHAIN asks for it.
func (s *Session) finish(ctx context.Context, err error, chain bool) error {
	if err != nil || !chain {
		return err
	}
	return s.Begin(ctx, TxOptions{})
}

// isolations are MySQL's names of the levels.
var isolations = map[string]Isolation{
	"READ UNCOMMITTED": ReadUncommitted, "READ COMMITTED": ReadCommitted,
	"REPEATABLE READ": RepeatableRead, "SERIALIZABLE": Serializable,
}

// setTransaction is SET [SESSION] TRANSACTION: without SESSION it is for the
// next transaction only.
func (s *Session) setTransaction(st *parse.SetTransaction) error {
	level, ok := isolations[st.Isolation]
	if st.Isolation != "" && !ok || level == Serializable {
		return mysqlerr.Unsupported("transaction isolation level " + st.Isolation)
	}
	if st.Scope == parse.ScopeDefault {
		if s.tx != nil {
			return mysqlerr.New(mysqlerr.CantChangeTxIsolation, "Transaction characteristics can't be changed while a transaction is in progress")
		}
		s.nextTx = TxOptions{Isolation: level, ReadOnly: st.ReadOnly || s.nextTx.ReadOnly && !st.ReadWrite}
		return nil
	}
	if st.Isolation != "" {
		s.store("tx_isolation", textValue(strings.ReplaceAll(st.Isolation, " ", "-")))
	}
	if st.ReadOnly || st.ReadWrite {
		s.store("tx_read_only", boolValue(st.ReadOnly))
	}
	return nil
}
