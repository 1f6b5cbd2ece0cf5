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

// State is what a server tells its client about the session with the result of each statement.
type State struct {
	Database                        string
	Autocommit                      bool
	InTransaction, ReadsTransaction bool // ReadsTransaction means that it is read-only
	NoBackslashEscapes              bool
}

// State is the state of the session between two statements.
func (s *Session) State() State {
	return State{
		Database: s.database, Autocommit: s.vars.Autocommit,
		NoBackslashEscapes: s.vars.Text.NoBackslashEscapes,
		InTransaction:      s.txns.Open != nil, ReadsTransaction: s.txns.Open != nil && s.txns.Open.Options.ReadOnly,
	}
}

// Settled counts the assignments of the session's variables: while it stays the same, no variable has
// changed.
func (s *Session) Settled() uint64 { return s.vars.Settled }

// Variable is the session's value of a system variable; error 1193 for an unknown one.
func (s *Session) Variable(name string) (value.Value, error) { return s.vars.Value("", name) }

// MaxAllowedPacket is the longest statement of the session, in bytes.
func (s *Session) MaxAllowedPacket() int { return s.vars.Packet }

// Authority has the current privileges of the session's account; nil for one that may do everything. It must
// not be called concurrently with itself, but may be during Do. The error is that of reading the accounts.
func (s *Session) Authority(ctx context.Context) (*rights.Authority, error) {
	err := s.authorize(ctx)
	return s.authority, err
}

// Timeouts are the session's.
func (s *Session) Timeouts() sysvar.Timeouts { return s.vars.Timeouts }

// Describe checks a statement before it is executed, as a server does when it prepares one. It returns the
// columns of a SELECT, as far as they are known without the arguments, and errors of names. The error is 1295
// for a statement that cannot be prepared. The statement counts against max_prepared_stmt_count, and in the
// session's memory (1041), until Forget.
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

// columns are those of a SELECT; nil for any other statement. Errors that depend on the arguments are
// reported when it is executed.
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
	p := s.planner(ctx, catalog, make([]value.Value, st.Parsed.NumParams))
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

// Shape is a statement with ? instead of its literals, for a log.
func Shape(text string) string { return lex.Digest(text) }

// Shown is a statement as other users may see it: a text that may contain a password is cut off before it.
func Shown(text string) string { return lex.Shown(text) }

// nameErrors are the errors that PREPARE reports for a statement that reads or changes tables; others, which
// may depend on the arguments, are reported when it is executed.
var nameErrors = []mysqlerr.Number{mysqlerr.NoDB, mysqlerr.BadDB, mysqlerr.NoSuchTable, mysqlerr.BadField,
	mysqlerr.NonUniq, mysqlerr.NonUniqTable, mysqlerr.UnknownTable, mysqlerr.TableAccessDenied, mysqlerr.ColumnAccessDenied,
	mysqlerr.ViewInvalid, mysqlerr.NoSuchUser}
