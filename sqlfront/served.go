package sqlfront

import (
	"context"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// State is what a server tells its client of a session behind each statement.
type State struct {
	Database                        string
	Autocommit                      bool
	InTransaction, ReadsTransaction bool // the latter of a read-only one
}

// State is the session's, between two statements.
func (s *Session) State() State {
	return State{
		Database: s.database, Autocommit: s.vars.Autocommit,
		InTransaction: s.txns.Open != nil, ReadsTransaction: s.txns.Open != nil && s.txns.Open.Options.ReadOnly,
	}
}

// Settled counts how often a variable of the session was set: where it is as
// before, no variable has changed.
func (s *Session) Settled() uint64 { return s.vars.Settled }

// Variable is a system variable as the session has it; 1193 of an unknown one.
func (s *Session) Variable(name string) (value.Value, error) { return s.vars.Value("", name) }

// MaxAllowedPacket is the longest statement of the session, in bytes.
func (s *Session) MaxAllowedPacket() int { return s.vars.Packet }

// Authority is what the session's account may do now, nil of one that may do everything. It must
// not be called by several goroutines at once, though Do may be. The error is that of reading the
// accounts.
func (s *Session) Authority(ctx context.Context) (*rights.Authority, error) {
	err := s.authorize(ctx)
	return s.authority, err
}

// Timeouts are the session's.
func (s *Session) Timeouts() sysvar.Timeouts { return s.vars.Timeouts }

// Describe looks a statement over before it is executed, as a server does that
// prepares one: the columns of a SELECT, as far as they can be told without the
// arguments, and errors of what it names. A statement that cannot be prepared is
// 1295. It counts against max_prepared_stmt_count, and in the session's memory (1041), until
// Forget.
func (s *Session) Describe(ctx context.Context, st *Statement) ([]Column, error) {
	if !statement.Preparable(st.Parsed.Stmt) {
		return nil, statement.ErrNotPrepared()
	}
	columns, err := s.columns(ctx, st)
	if err != nil {
		return nil, storeerr.Map(ctx, err)
	}
	return columns, s.holdPrepared(st)
}

// columns are those of a SELECT, none of another statement. What depends on the
// arguments is said when it is executed.
func (s *Session) columns(ctx context.Context, st *Statement) ([]Column, error) {
	if !statement.HasPlan(st.Parsed.Stmt) {
		return nil, nil
	}
	if err := s.authorize(ctx); err != nil {
		return nil, err
	}
	catalog, err := s.temp.Store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	p := s.planner(ctx, catalog, make([]value.Value, st.NumInput()))
	made, _, err := statement.NewPlan(p, st.Parsed)
	if slices.ContainsFunc(nameErrors, func(n mysqlerr.Number) bool { return mysqlerr.Is(err, n) }) {
		return nil, err
	}
	sel, ok := st.Parsed.Stmt.(*ast.Select)
	if err != nil || !ok || sel.Into != nil {
		return nil, ctx.Err()
	}
	return made.Select.Columns, nil
}

// Shape is a statement without what its literals say, for a log.
func Shape(text string) string { return lex.Digest(text) }

// Shown is a statement as others than its sender may see it: one that may hold a
// password ends in front of that.
func Shown(text string) string { return lex.Shown(text) }

// nameErrors are what PREPARE says of a statement that reads or changes tables;
// what depends on the arguments is said when it is executed.
var nameErrors = []mysqlerr.Number{mysqlerr.NoDB, mysqlerr.BadDB, mysqlerr.NoSuchTable, mysqlerr.BadField,
	mysqlerr.NonUniq, mysqlerr.NonUniqTable, mysqlerr.UnknownTable, mysqlerr.TableAccessDenied, mysqlerr.ColumnAccessDenied,
	mysqlerr.ViewInvalid, mysqlerr.NoSuchUser}
