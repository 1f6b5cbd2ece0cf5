package sqlfront

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TxOptions are what BEGIN may ask for.
type TxOptions = sysvar.TxOptions

// effective fills in the session's defaults.
func (s *Session) effective(o TxOptions) TxOptions {
	if o.Isolation == sysvar.DefaultIsolation {
		o.Isolation = s.vars.Isolation
	}
	if !s.engine.limits.Snapshots {
		o.Isolation = sysvar.ReadCommitted
	}
	o.ReadOnly = o.ReadOnly || !o.ReadWrite && s.vars.ReadOnly
	return o
}

// checkLevel refuses a level that somebody asks for and the store cannot give.
func (e *Engine) checkLevel(level sysvar.Isolation) error {
	if level > sysvar.ReadCommitted && !e.limits.Snapshots {
		return kv.ErrUnsupported{What: "transaction isolation level " + level.String() + " on this store: READ COMMITTED is its level"}
	}
	return nil
}

// takeNext is the options of a transaction that begins without saying any.
func (s *Session) takeNext() TxOptions {
	o := s.effective(s.nextTx)
	s.nextTx = TxOptions{}
	return o
}

func (s *Session) newTransaction(ctx context.Context, o TxOptions) (*transaction, error) {
	txn, err := s.beginTxn(ctx, o)
	if err != nil {
		return nil, err
	}
	return &transaction{Txn: txn, options: o, fresh: true}, nil
}

func (s *Session) beginTxn(ctx context.Context, o TxOptions) (kv.Txn, error) {
	return s.engine.store.Begin(ctx, s.txnOptions(o))
}

// beginSingle begins the transaction of a statement that is one.
func (s *Session) beginSingle(ctx context.Context, o TxOptions) (kv.Txn, error) {
	options := s.txnOptions(o)
	options.Single = true
	return s.engine.store.Begin(ctx, options)
}

func (s *Session) txnOptions(o TxOptions) kv.TxnOptions {
	return kv.TxnOptions{
		ReadOnly: o.ReadOnly || s.options.ReadOnly, LockTimeout: s.vars.LockTimeout,
		Serializable: o.Isolation == sysvar.Serializable,
	}
}

// setTransaction is SET [GLOBAL | SESSION] TRANSACTION: without a scope it is
// for the next transaction only.
func (s *Session) setTransaction(_ context.Context, st *parse.SetTransaction) error {
	if st.Isolation != "" && sysvar.LevelNamed(st.Isolation) == sysvar.DefaultIsolation {
		return mysqlerr.Unsupported("transaction isolation level " + st.Isolation)
	}
	if err := s.engine.checkLevel(sysvar.LevelNamed(st.Isolation)); err != nil {
		return err
	}
	if st.Scope == parse.ScopeDefault {
		return s.setNext(TxOptions{Isolation: sysvar.LevelNamed(st.Isolation), ReadOnly: st.ReadOnly, ReadWrite: st.ReadWrite})
	}
	set := s.vars.Store
	if st.Scope == parse.ScopeGlobal {
		set = s.engine.globals.Set
	}
	if st.Isolation != "" {
		set("tx_isolation", value.NewString(strings.ReplaceAll(st.Isolation, " ", "-")))
	}
	if st.ReadOnly || st.ReadWrite {
		set("tx_read_only", value.NewBool(st.ReadOnly))
	}
	return nil
}

// setNext keeps what the next transaction is to be.
func (s *Session) setNext(o TxOptions) error {
	if s.tx != nil {
		return mysqlerr.New(mysqlerr.CantChangeTxIsolation, "Transaction characteristics can't be changed while a "+
			"transaction is in progress")
	}
	if err := s.engine.checkLevel(o.Isolation); err != nil {
		return err
	}
	s.nextTx = s.nextTx.With(o)
	return nil
}
