package sqlfront

import (
	"context"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Account is whom a session acts for.
type Account struct {
	// Name and ID are the account's, User and Host what the client says that it is and where
	// it comes from.
	Name       rights.Name
	ID         uint64
	User, Host string
	// Peer is where the client is, as the process list has it: an address with its
	// port.
	Peer string
}

// identity is what the account is found by: its name may change, and be another's.
func (a Account) identity() rights.Identity { return rights.IdentityOf(a.ID, a.Name) }

// owns reports whether the sessions of two are one's own. Those who log in by an account for
// everybody are strangers to each other, whatever they say that they are.
func (a Account) owns(b Account) bool { return a.Name.User != "" && a.identity() == b.identity() }

// String is what USER() answers.
func (a Account) String() string { return a.User + "@" + a.Host }

// Encryption is the protocol and the cipher of a client's connection, both empty where
// it is not encrypted.
type Encryption = function.Encryption

// NextID gives a session's number before there is the session: a server says it
// in its greeting.
func (e *Engine) NextID() uint64 { return e.lastID.Add(1) }

// CountAborted counts a client that was not let in, for SHOW STATUS.
func (e *Engine) CountAborted() { e.wire.Aborted.Add(1) }

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

// holdPrepared counts a statement that is kept prepared.
func (s *Session) holdPrepared(st *Statement) error {
	return s.engine.statements.Hold(st, &s.memory, s.engine.globals.MaxPrepared())
}

// Forget gives up a statement that Describe has counted.
func (s *Session) Forget(st *Statement) { s.engine.statements.LetGo(st, &s.memory) }

// columns are those of a SELECT, none of another statement. What depends on the
// arguments is said when it is executed.
func (s *Session) columns(ctx context.Context, st *Statement) ([]Column, error) {
	if !statement.HasPlan(st.Parsed.Stmt) {
		return nil, nil
	}
	if err := s.authorize(ctx); err != nil {
		return nil, err
	}
	catalog, err := s.engine.store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	p := s.planner(ctx, catalog, make([]value.Value, st.NumInput()))
	made, _, err := statement.NewPlan(p, st.Parsed)
	if slices.ContainsFunc(nameErrors, func(n mysqlerr.Number) bool { return mysqlerr.Is(err, n) }) {
		return nil, err
	}
	sel, ok := st.Parsed.Stmt.(*parse.Select)
	if err != nil || !ok || sel.Into != nil {
		return nil, ctx.Err()
	}
	return made.Select.Columns, nil
}

// Shape is a statement without what its literals say, for a log.
func Shape(text string) string { return parse.Digest(text) }

// Shown is a statement as others than its sender may see it: one that may hold a
// password ends in front of that.
func Shown(text string) string { return parse.Shown(text) }
