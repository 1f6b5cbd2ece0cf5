package sqlfront

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// SessionOptions are what a connection starts with, and goes back to on Reset.
type SessionOptions struct {
	// ID is the session's number, one that NextID gave; 0 is the next.
	ID uint64
	// Encryption is that of the client's connection.
	Encryption Encryption
	// Account is whom the session acts for; the zero Account is root. Accounts are those
	// that say what it may do; nil is everything.
	Account  Account
	Accounts AccountSource
	Endpoint sysvar.Endpoint
	Database string
	// Versions is the session's view: latest, all, or the number of newest
	// versions. Empty is latest.
	Versions string
	// ClientFoundRows makes RowsAffected count the rows found instead of the
	// rows changed.
	ClientFoundRows bool
	ReadOnly        bool
	LockTimeout     time.Duration
	// QueryMemory is what a statement keeps in memory of sorts, groups and
	// joins, in bytes, before it goes to temporary files; 0 is
	// DefaultQueryMemory.
	QueryMemory int64
	// SessionMemory is what the session may keep in memory, in bytes, the statements
	// under way included; 0 is none for the program's own sessions, and for those of an
	// Account four times QueryMemory or max_allowed_packet, and at least 512 MiB.
	SessionMemory int64
	// MaxAllowedPacket is the longest statement and the longest string that a
	// function makes, in bytes; 0 is max_allowed_packet of SET GLOBAL, or
	// function.DefaultAllowedPacket.
	MaxAllowedPacket int
	// RefuseFullScan refuses statements that read a whole table, ScanLimit those
	// that read more cells; 0 is no limit.
	RefuseFullScan bool
	ScanLimit      int64
	// TempDir is the directory of these files; empty is the system's.
	TempDir string
	// Files are the files that statements may name; nil is none.
	Files Files
	// SlowLog, where it is not nil, is told of statements that take longer than
	// long_query_time, at the level of a warning.
	SlowLog *slog.Logger
	// Most are the greatest values that the session may give to variables that count
	// something, by name: a server grants its clients no more. What a variable begins with
	// is no more either.
	Most map[string]uint64
	// Parallelism is the number of goroutines that may read a table for an
	// aggregation or the first rows of an order; 0 is as many as there are
	// processors, where the table is large enough.
	Parallelism int
}

// Session is the state of one connection.
type Session struct {
	engine  *Engine
	id      uint64
	options SessionOptions
	base    function.Session

	database string
	vars     sysvar.Vars
	user     sysvar.UserVars
	prepared map[string]prepared // by PREPARE, by lower-case name

	memory quota.Memory
	parts  keptParts    // of memory
	claims quota.Claims // of the statement under way

	txns         transaction.State
	writes       execution   // of the writing statement under way
	writeMemory  exec.Memory // of the SELECT in it
	idle         *workspace  // for the next SELECT; nil while one runs in it
	plansFound   uint64      // by statements since the last one ended
	tablesLocked bool        // as MySQL has it: UNLOCK TABLES is a commit
	lastInsertID int64
	lastInfo     Info
	rowCount     int64
	foundRows    int64
	warnings     diagnostics
	warnedOf     map[string]bool // what is warned of once
	before       diagnostics     // what the statement before left, without what was kept
	diagnosing   bool            // the last statement showed them

	// accounts are those that authority is of, which is nil where the session may do
	// everything.
	accounts  *rights.Accounts
	authority *rights.Authority
	self      rights.Name // of the account; dropped says that it is none any more
	dropped   bool
	filling   parse.TableName // the table that CREATE TABLE ... SELECT is at, by its name of now

	mu sync.Mutex
	// What others may look at: the statements under way, of which several can
	// have their rows open, the current database as it was last, and when that
	// began.
	statements    []running
	counts        metrics.SessionCounts
	background    *interruptible // of those whose caller has no context of its own; nil before the first
	shownDatabase string
	since         time.Time
	began         time.Time       // by the engine's clock
	busy          int             // calls under way and rows that are open
	soFar         metrics.Reading // of the last statement
	killed        atomic.Bool
}

// NewSession opens a session. Its errors are 1049 for a database that does not
// exist and 1231 for bad Versions.
func (e *Engine) NewSession(ctx context.Context, o SessionOptions) (*Session, error) {
	s := &Session{engine: e, options: o}
	s.memory.All, s.claims.Memory, s.user.Memory = &e.kept, &s.memory, &s.memory
	if err := s.vars.Start(variableHost{s}, &e.globals, &s.memory, o.variables(e)); err != nil {
		return nil, err
	}
	own := s.options.Account == (Account{}) // the program's, which may take what memory it likes
	if own {
		s.options.Account = Account{Name: rights.Root, User: "root", Host: "localhost", Peer: "localhost"}
	}
	s.self = s.options.Account.Name
	if o.Database != "" {
		if err := s.checkFirst(ctx, o.Database); err != nil {
			return nil, storeerr.Map(ctx, err)
		}
	}
	s.database = o.Database
	if s.memory.Limit = o.SessionMemory; o.SessionMemory == 0 && !own {
		s.memory.Limit = max(leastDefaultMemory, 4*max(s.vars.Spill.Memory, int64(s.vars.Packet)))
	}
	if s.id = o.ID; s.id == 0 {
		s.id = e.NextID()
	}
	s.txns.Start(&e.txns, &s.vars.Settings, &s.memory, s.id, o.ReadOnly)
	e.add(s)
	s.base = s.baseInfo()
	return s, nil
}

// checkFirst refuses a database that does not exist, or that the session may not
// use.
func (s *Session) checkFirst(ctx context.Context, database string) error {
	if err := s.authorize(ctx); err != nil {
		return err
	}
	if err := s.authority.Enter(database); err != nil {
		return err
	}
	return s.engine.checkDatabase(ctx, database)
}

// clear puts the session in its first state. There is no transaction.
func (s *Session) clear() {
	s.database = s.options.Database
	s.vars.Reset()
	s.user.Clear()
	s.warnings = diagnostics{}
	s.memory.Shrink(&s.parts.warnings, 0)
	s.txns.ForgetNext()
	s.tablesLocked = false
	s.lastInsertID, s.rowCount, s.foundRows = 0, 0, 0
}

// ID is the connection's id.
func (s *Session) ID() uint64 { return s.id }

// InTransaction reports whether a transaction is open.
func (s *Session) InTransaction() bool { return s.txns.Open != nil }

// Reset rolls an open transaction back and puts the session in its first
// state, as MySQL's COM_RESET_CONNECTION does.
func (s *Session) Reset() {
	if s.enter() != nil {
		return // there is no transaction and no lock any more
	}
	defer s.leave()
	s.giveUp()
	s.clear()
}

// Close ends the session. Its open Rows must be closed before.
func (s *Session) Close() error {
	s.disconnect()
	s.engine.remove(s)
	s.memory.GiveAll()
	return nil
}

func (s *Session) warn(code uint16, message string) {
	s.diagnose(Warning{"Warning", code, message})
}

// Limits is what the store can do.
func (s *Session) Limits() kv.Limits { return s.engine.limits }

// looksForNotes is false also where the store is a network away: to look there takes
// a statement longer than what it does.
func (s *Session) looksForNotes() bool { return s.vars.TakesNotes() && s.engine.limits.Snapshots }

func (s *Session) note(code mysqlerr.Number, format string, args ...any) {
	if s.vars.TakesNotes() {
		s.diagnose(Warning{"Note", uint16(code), fmt.Sprintf(format, args...)})
	}
}

// info is what functions ask of the session while one statement runs.
func (s *Session) info() *function.Session {
	info := new(function.Session)
	s.describe(info)
	return info
}

// describe is info in memory that is there.
func (s *Session) describe(info *function.Session) {
	if info.AddWarning == nil { // else the memory is that of another statement of the session
		*info = s.base
	}
	now := s.began // by the engine's clock, unless the session says what it is
	if !s.vars.At.IsZero() {
		now = s.vars.At
	}
	info.Database, info.Now = s.database, now.In(s.vars.Zone)
	info.MaxAllowedPacket, info.MaxErrorCount = s.vars.Packet, s.vars.ErrorCount
	info.Loose, info.QuietDivision = s.vars.Loose, s.vars.QuietDivision
	info.LastInsertID, info.RowCount, info.FoundRows = s.lastInsertID, s.rowCount, s.foundRows
}

// baseInfo is the part of info that stays the same for the session's life: its
// functions are made once, not for each statement.
func (s *Session) baseInfo() function.Session {
	return function.Session{
		User: s.options.Account.String(), CurrentUser: s.options.Account.Name.Plain(), Encryption: s.options.Encryption, Version: sysvar.ServerVersion, ConnectionID: s.id,
		Variable:        s.vars.Value,
		UserVariable:    s.user.Value,
		SetUserVariable: s.user.Set,
		SetLastInsertID: func(id int64) { s.lastInsertID = id },
		AddWarning:      s.warn,
		TakesNotes:      s.looksForNotes,
		AddNote:         func(code uint16, message string) { s.note(mysqlerr.Number(code), "%s", message) },
		Clock:           s.engine.clock,
		ReadFile:        s.readFile,
		Lock: func(ctx context.Context, call function.LockCall) (value.Value, error) {
			return s.engine.locks.Call(ctx, s.id, &s.memory, call)
		},
	}
}
