package transaction

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// effective fills in the session's defaults.
func (s *State) effective(o sysvar.TxOptions) sysvar.TxOptions {
	if o.Isolation == sysvar.DefaultIsolation {
		o.Isolation = s.settings.Isolation
	}
	if !s.shared.Limits.Snapshots {
		o.Isolation = sysvar.ReadCommitted
	}
	o.ReadOnly = o.ReadOnly || !o.ReadWrite && s.settings.ReadOnly
	return o
}

// CheckLevel returns kv.ErrUnsupported for a requested level that the store does not have.
func (e *Shared) CheckLevel(level sysvar.Isolation) error {
	if level > sysvar.ReadCommitted && !e.Limits.Snapshots {
		return kv.ErrUnsupported{What: "transaction isolation level " + level.String() + " on this store: READ COMMITTED is its level"}
	}
	return nil
}

// TakeNext returns the options of a transaction that begins without stating any.
func (s *State) TakeNext() sysvar.TxOptions {
	o := s.effective(s.next)
	s.next = sysvar.TxOptions{}
	return o
}

// New is a transaction that is not the session's. The errors are the store's.
func (s *State) New(ctx context.Context, o sysvar.TxOptions) (*Txn, error) {
	txn, err := s.BeginTxn(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Txn{Txn: txn, Options: o, Fresh: true}, nil
}

// BeginTxn begins a transaction of the session's store. The errors are the store's.
func (s *State) BeginTxn(ctx context.Context, o sysvar.TxOptions) (kv.Txn, error) {
	return (*s.store).Begin(ctx, s.TxnOptions(o))
}

// BeginSingle begins the transaction of a statement that is a transaction of its own. The errors are the
// store's.
func (s *State) BeginSingle(ctx context.Context, o sysvar.TxOptions) (kv.Txn, error) {
	options := s.TxnOptions(o)
	options.Single = true
	return (*s.store).Begin(ctx, options)
}

// TxnOptions are the options that are passed to the store.
func (s *State) TxnOptions(o sysvar.TxOptions) kv.TxnOptions {
	return kv.TxnOptions{
		ReadOnly: o.ReadOnly || s.readOnly, LockTimeout: s.settings.LockTimeout,
		Serializable: o.Isolation == sysvar.Serializable,
	}
}

// SetNext keeps the options of the next transaction: the error is 1568 in a transaction, 1235 for a level
// that the store does not have.
func (s *State) SetNext(o sysvar.TxOptions) error {
	if s.Open != nil {
		return mysqlerr.New(mysqlerr.CantChangeTxIsolation, "Transaction characteristics can't be changed while a "+
			"transaction is in progress")
	}
	if err := s.shared.CheckLevel(o.Isolation); err != nil {
		return err
	}
	s.next = s.next.With(o)
	return nil
}

// CheckWritable refuses writes, with error 1290 or 1792, if the transaction, or without one the next one, is
// read-only.
func (s *State) CheckWritable(tx *Txn) error {
	if s.readOnly {
		return mysqlerr.New(mysqlerr.OptionPreventsStmt, "The MySQL server is running with the --read-only option so it "+
			"cannot execute this statement")
	}
	var o sysvar.TxOptions
	if tx != nil {
		o = tx.Options
	} else {
		o = s.effective(s.next)
	}
	if o.ReadOnly {
		return mysqlerr.New(mysqlerr.CantExecuteInReadOnly, "Cannot execute statement in a READ ONLY transaction.")
	}
	return nil
}
