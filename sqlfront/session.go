package sqlfront

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
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
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
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
	Endpoint Endpoint
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

// MaxParallelism is the largest Parallelism.
const MaxParallelism = 256

// DefaultQueryMemory is a session's QueryMemory where nobody says, in bytes.
const DefaultQueryMemory = 64 << 20

// Session is the state of one connection.
type Session struct {
	engine  *Engine
	id      uint64
	options SessionOptions
	first   versions.View // of the options
	base    function.Session

	database  string
	view      versions.View
	variables map[string]value.Value // as set by the session, by lower-case name
	settings  settings               // of the variables
	settled   uint64                 // how often they were worked out
	user      map[string]value.Value // user variables, by lower-case name
	prepared  map[string]prepared    // by PREPARE, by lower-case name
	packet    int                    // max_allowed_packet, which only a new session takes over

	memory quota.Memory
	parts  keptParts    // of memory
	claims quota.Claims // of the statement under way

	tx           *transaction // nil outside one
	writes       execution    // of the writing statement under way
	writeMemory  exec.Memory  // of the SELECT in it
	alone        transaction  // of the writing statement that is one
	idle         *workspace   // for the next SELECT; nil while one runs in it
	running      *Statement   // the one under way
	plansFound   uint64       // by statements since the last one ended
	nextTx       TxOptions    // SET TRANSACTION for the next one
	tablesLocked bool         // as MySQL has it: UNLOCK TABLES is a commit
	publishing   bool         // it makes writes visible, which FLUSH TABLES WITH READ LOCK waits for
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

	shownMu sync.Mutex
	shown   openTransaction // what others see of tx or alone

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
	s.memory.All, s.claims.Memory = &e.kept, &s.memory
	var err error
	if s.first, err = parseVersions("hbasekv_versions", o.Versions); err != nil {
		return nil, err
	}
	own := s.options.Account == (Account{}) // the program's, which may take what memory it likes
	if own {
		s.options.Account = Account{Name: rights.Root, User: "root", Host: "localhost", Peer: "localhost"}
	}
	s.self = s.options.Account.Name
	if o.Database != "" {
		if err := s.checkFirst(ctx, o.Database); err != nil {
			return nil, mapError(ctx, err)
		}
	}
	s.clear()
	if s.memory.Limit = o.SessionMemory; o.SessionMemory == 0 && !own {
		s.memory.Limit = max(leastDefaultMemory, 4*max(s.settings.spill.Memory, int64(s.packet)))
	}
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
	s.view = s.first
	before := s.variables
	s.variables, s.user, s.warnings = s.engine.defaults(), nil, diagnostics{}
	s.memory.Shrink(&s.parts.user, 0)
	s.memory.Shrink(&s.parts.warnings, 0)
	s.memory.Shrink(&s.parts.variables, 0)
	s.nextTx, s.tablesLocked = TxOptions{}, false
	s.packet = s.options.MaxAllowedPacket
	if set, ok := s.variables[maxAllowedPacket]; ok && s.packet == 0 {
		s.packet = int(set.Int())
	}
	if s.packet == 0 {
		s.packet = function.DefaultAllowedPacket
	}
	if before != nil || s.variables != nil || s.settings.zone == nil {
		s.settle()
	}
	s.lastInsertID, s.rowCount, s.foundRows = 0, 0, 0
}

// parseVersions reads the value of a variable: latest, all or a number of versions.
func parseVersions(variable, text string) (versions.View, error) {
	switch strings.ToLower(text) {
	case "", "latest":
		return versions.Latest(), nil
	case "all":
		return versions.All(), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return versions.View{}, mysqlerr.New(mysqlerr.WrongValueForVar,
			"Variable '%s' can't be set to the value of '%s': use latest, all or a number from 1", variable, text)
	}
	return versions.View{Versions: n}, nil
}

// versionsText is parseVersions back.
func versionsText(v versions.View) string {
	switch v.Versions {
	case 0:
		return "all"
	case 1:
		return "latest"
	}
	return strconv.Itoa(v.Versions)
}

// ID is the connection's id.
func (s *Session) ID() uint64 { return s.id }

// InTransaction reports whether a transaction is open.
func (s *Session) InTransaction() bool { return s.tx != nil }

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

func (s *Session) takesNotes() bool {
	v, ok := s.variables["sql_notes"]
	return !ok || v.AsInt() != 0
}

// Limits is what the store can do.
func (s *Session) Limits() kv.Limits { return s.engine.limits }

// looksForNotes is false also where the store is a network away: to look there takes
// a statement longer than what it does.
func (s *Session) looksForNotes() bool { return s.takesNotes() && s.engine.limits.Snapshots }

func (s *Session) note(code mysqlerr.Number, format string, args ...any) {
	if s.takesNotes() {
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
	info.Database, info.Now = s.database, s.present().In(s.settings.zone)
	info.MaxAllowedPacket, info.MaxErrorCount = s.packet, s.settings.errorCount
	info.Loose, info.QuietDivision = s.settings.loose, s.settings.quietDivision
	info.LastInsertID, info.RowCount, info.FoundRows = s.lastInsertID, s.rowCount, s.foundRows
}

// present is the moment that NOW() tells: that at which the statement began, by the engine's
// clock, or what the session says that it is.
func (s *Session) present() time.Time {
	if s.settings.at.IsZero() {
		return s.began
	}
	return s.settings.at
}

// baseInfo is the part of info that stays the same for the session's life: its
// functions are made once, not for each statement.
func (s *Session) baseInfo() function.Session {
	return function.Session{
		User: s.options.Account.String(), CurrentUser: s.options.Account.Name.Plain(), Encryption: s.options.Encryption, Version: ServerVersion, ConnectionID: s.id,
		Variable:        s.variable,
		UserVariable:    func(name string) value.Value { return s.user[strings.ToLower(name)] },
		SetUserVariable: s.setUserVariable,
		SetLastInsertID: func(id int64) { s.lastInsertID = id },
		AddWarning:      s.warn,
		TakesNotes:      s.looksForNotes,
		AddNote:         func(code uint16, message string) { s.note(mysqlerr.Number(code), "%s", message) },
		Clock:           s.engine.clock,
		ReadFile:        s.readFile,
		Lock: func(ctx context.Context, call function.LockCall) (value.Value, error) {
			return s.engine.locks.call(ctx, s.id, &s.memory, call)
		},
	}
}

// userVariableBytes is about what a user variable takes beside its name and value.
const userVariableBytes = 160

func userVariableSize(name string, v value.Value) int64 {
	return int64(userVariableBytes + len(name) + len(v.Raw()))
}

// setUserVariable keeps a copy of the value; nothing is kept of NULL, which all others are.
func (s *Session) setUserVariable(name string, v value.Value) error {
	name, v = strings.ToLower(name), function.Assigned(v)
	bytes := s.parts.user
	if old, ok := s.user[name]; ok {
		bytes -= userVariableSize(name, old)
	}
	if v.IsNull() {
		delete(s.user, name)
		return s.memory.Resize(&s.parts.user, bytes)
	}
	if err := s.memory.Resize(&s.parts.user, bytes+userVariableSize(name, v)); err != nil {
		return err
	}
	if s.user == nil {
		s.user = map[string]value.Value{}
	}
	s.user[name] = v.Clone()
	return nil
}
