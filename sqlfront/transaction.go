package sqlfront

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TxOptions are the options of BEGIN.
type TxOptions = sysvar.TxOptions

// Begin opens a transaction, and commits one that is open, as MySQL does. Options that o leaves unset are
// those of SET TRANSACTION, or the session's defaults. The error is 1317 if the session was killed, 1235 for
// an isolation level that the store does not have, that of committing, or the store's.
func (s *Session) Begin(ctx context.Context, o TxOptions) error {
	if err := s.underWay.Enter(); err != nil {
		return err
	}
	defer s.underWay.Leave()
	if err := s.engine.txns.CheckLevel(o.Isolation); err != nil {
		return storeerr.Map(ctx, err)
	}
	return s.txns.Begin(ctx, o)
}

// Commit commits the open transaction; without one it does nothing. The error is 1317 if the session was
// killed, 1213 for a conflict, or the store's.
func (s *Session) Commit(ctx context.Context) error {
	if err := s.underWay.Enter(); err != nil {
		return err
	}
	defer s.underWay.Leave()
	return s.txns.Commit(ctx)
}

// Rollback undoes the open transaction; without one it does nothing.
func (s *Session) Rollback() {
	if s.underWay.Enter() == nil {
		s.txns.Rollback()
		s.underWay.Leave()
	}
}

// commitStatement runs COMMIT.
func (s *Session) commitStatement(ctx context.Context, st *ast.Commit) error {
	tx := s.txns.Open
	return s.finish(ctx, tx, s.txns.Commit(ctx), st.Chain, st.Release)
}

// rollback runs ROLLBACK [TO SAVEPOINT].
func (s *Session) rollback(ctx context.Context, st *ast.Rollback) error {
	if st.To != "" {
		return s.txns.ToSavepoint(ctx, st.To, false, s.began)
	}
	tx := s.txns.Open
	s.txns.Rollback()
	return s.finish(ctx, tx, nil, st.Chain, st.Release)
}

// startTransaction runs BEGIN and START TRANSACTION.
func (s *Session) startTransaction(ctx context.Context, st *ast.Begin) error {
	if err := s.txns.Begin(ctx, TxOptions{ReadOnly: st.ReadOnly, ReadWrite: st.ReadWrite}); err != nil {
		return err
	}
	if !st.ConsistentSnapshot {
		return nil
	}
	if s.txns.Open.Options.Isolation == sysvar.ReadCommitted {
		s.warn(138, "hbasekv: WITH CONSISTENT SNAPSHOT was ignored because this phrase can only be used with REPEATABLE "+
			"READ isolation level.")
		return nil
	}
	s.txns.Open.Catalog() // takes the snapshot
	s.txns.Open.Fresh = false
	return nil
}

// finish handles the options of COMMIT and ROLLBACK: AND CHAIN opens a transaction like the one that
// has ended, RELEASE ends the session.
func (s *Session) finish(ctx context.Context, ended *transaction.Txn, err error, chain, release bool) error {
	switch {
	case err != nil:
		return err
	case release:
		s.underWay.Kill()
	case chain && ended != nil:
		s.txns.ForgetNext()
		return s.txns.BeginAt(ctx, ended.Options, s.began)
	case chain:
		return s.txns.Begin(ctx, TxOptions{})
	}
	return nil
}

// setSavepoint runs SAVEPOINT.
func (s *Session) setSavepoint(ctx context.Context, st *ast.Savepoint) error {
	return s.txns.SetSavepoint(ctx, st.Name, s.began)
}

// releaseSavepoint runs RELEASE SAVEPOINT.
func (s *Session) releaseSavepoint(ctx context.Context, st *ast.ReleaseSavepoint) error {
	return s.txns.ToSavepoint(ctx, st.Name, true, s.began)
}

// setTransaction runs SET [GLOBAL | SESSION] TRANSACTION: without a scope it applies to the next
// transaction only.
func (s *Session) setTransaction(_ context.Context, st *ast.SetTransaction) error {
	if st.Isolation != "" && sysvar.LevelNamed(st.Isolation) == sysvar.DefaultIsolation {
		return mysqlerr.Unsupported("transaction isolation level " + st.Isolation)
	}
	if err := s.engine.txns.CheckLevel(sysvar.LevelNamed(st.Isolation)); err != nil {
		return err
	}
	if st.Scope == ast.ScopeDefault {
		return s.txns.SetNext(TxOptions{Isolation: sysvar.LevelNamed(st.Isolation), ReadOnly: st.ReadOnly, ReadWrite: st.ReadWrite})
	}
	set := s.vars.Store
	if st.Scope == ast.ScopeGlobal {
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

// Transactions implements infoschema.Server.
func (e server) Transactions() (out []infoschema.Transaction) {
	for _, s := range e.ordered() {
		o := s.txns.Shown()
		if o.Txn == nil {
			continue
		}
		p, _ := s.process()
		t := infoschema.Transaction{ID: o.Number, Process: p, Started: o.Began, ReadOnly: o.Options.ReadOnly,
			Level: o.Options.Isolation.String()}
		if seen, ok := o.Txn.(kv.Observed); ok {
			t.State = seen.Observe()
		}
		out = append(out, t)
	}
	return out
}
