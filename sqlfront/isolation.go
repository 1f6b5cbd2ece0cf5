package sqlfront

import (
	"context"
	"maps"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Isolation is a transaction's level.
type Isolation uint8

// The levels. READ UNCOMMITTED is run as READ COMMITTED.
const (
	// DefaultIsolation is the session's level.
	DefaultIsolation Isolation = iota
	// ReadCommitted takes a snapshot for each statement.
	ReadCommitted
	// RepeatableRead takes one snapshot, with the first statement.
	RepeatableRead
	// Serializable is RepeatableRead with a check at the commit that nothing
	// has changed of what was read.
	Serializable
)

// String is MySQL's name of the level.
func (i Isolation) String() string {
	return [...]string{"", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}[i]
}

// TxOptions are what BEGIN may ask for.
type TxOptions struct {
	Isolation Isolation
	ReadOnly  bool
	ReadWrite bool // whatever the session's default is
}

// isolations are MySQL's names of the levels.
var isolations = map[string]Isolation{
	"READ UNCOMMITTED": ReadCommitted, "READ COMMITTED": ReadCommitted,
	"REPEATABLE READ": RepeatableRead, "SERIALIZABLE": Serializable,
}

// levelNamed reads the value of transaction_isolation.
func levelNamed(v value.Value) (Isolation, bool) {
	level, ok := isolations[strings.ToUpper(strings.ReplaceAll(v.String(), "-", " "))]
	return level, ok
}

// with is the options with those that are given in next.
func (o TxOptions) with(next TxOptions) TxOptions {
	if next.Isolation != DefaultIsolation {
		o.Isolation = next.Isolation
	}
	if next.ReadOnly || next.ReadWrite {
		o.ReadOnly, o.ReadWrite = next.ReadOnly, next.ReadWrite
	}
	return o
}

// effective fills in the session's defaults.
func (s *Session) effective(o TxOptions) TxOptions {
	if o.Isolation == DefaultIsolation {
		o.Isolation = s.settings.isolation
	}
	if !s.engine.limits.Snapshots {
		o.Isolation = ReadCommitted
	}
	o.ReadOnly = o.ReadOnly || !o.ReadWrite && s.settings.readOnly
	return o
}

// checkLevel refuses a level that somebody asks for and the store cannot give.
func (e *Engine) checkLevel(level Isolation) error {
	if level > ReadCommitted && !e.limits.Snapshots {
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
		ReadOnly: o.ReadOnly || s.options.ReadOnly, LockTimeout: s.settings.lockTimeout,
		Serializable: o.Isolation == Serializable,
	}
}

// setTransaction is SET [GLOBAL | SESSION] TRANSACTION: without a scope it is
// for the next transaction only.
func (s *Session) setTransaction(st *parse.SetTransaction) error {
	if st.Isolation != "" && isolations[st.Isolation] == DefaultIsolation {
		return mysqlerr.Unsupported("transaction isolation level " + st.Isolation)
	}
	if err := s.engine.checkLevel(isolations[st.Isolation]); err != nil {
		return err
	}
	if st.Scope == parse.ScopeDefault {
		return s.setNext(TxOptions{Isolation: isolations[st.Isolation], ReadOnly: st.ReadOnly, ReadWrite: st.ReadWrite})
	}
	set := s.store
	if st.Scope == parse.ScopeGlobal {
		set = s.engine.setGlobal
	}
	if st.Isolation != "" {
		set("tx_isolation", textValue(strings.ReplaceAll(st.Isolation, " ", "-")))
	}
	if st.ReadOnly || st.ReadWrite {
		set("tx_read_only", boolValue(st.ReadOnly))
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
	s.nextTx = s.nextTx.with(o)
	return nil
}

// setGlobal sets a variable for the sessions that begin from now on.
func (e *Engine) setGlobal(name string, v value.Value) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.globals == nil {
		e.globals = map[string]value.Value{}
	}
	e.globals[name] = v
}

// defaults are the variables of a new session that SET GLOBAL has set.
func (e *Engine) defaults() map[string]value.Value {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.globals)
}

// global is a variable that SET GLOBAL has set.
func (e *Engine) global(name string) (value.Value, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v, ok := e.globals[name]
	return v, ok
}
