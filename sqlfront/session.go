package sqlfront

import (
	"log/slog"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/diagnostics"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/fileio"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
	"github.com/hbasekv/hbasekv/sqlfront/process"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/temptable"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
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
	Accounts privilege.Source
	Endpoint sysvar.Endpoint
	Database string
	// Versions is the session's view: latest, all, or the number of newest
	// versions. Empty is latest.
	Versions string
	// ClientFoundRows makes RowsAffected count the rows found instead of the
	// rows changed.
	ClientFoundRows bool
	// IgnoreForeignKeys takes foreign keys of typed tables as comments; else they are refused.
	IgnoreForeignKeys bool
	ReadOnly          bool
	LockTimeout       time.Duration
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
	Files fileio.Files
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

	temp    temptable.Tables
	memory  quota.Memory
	parsing int64        // bytes of memory that reading the text takes
	claims  quota.Claims // of the statement under way

	txns         transaction.State
	writes       execution   // of the writing statement under way
	writeMemory  exec.Memory // of the SELECT in it
	idle         *workspace  // for the next SELECT; nil while one runs in it
	plansFound   uint64      // by statements since the last one ended
	tablesLocked bool        // as MySQL has it: UNLOCK TABLES is a commit
	lastInsertID int64
	idTold       bool // by LAST_INSERT_ID(id) in the writing statement under way, or in the last one
	lastInfo     answers.Info
	rowCount     int64
	foundRows    int64
	warnings     diagnostics.Area
	warnedOf     map[string]bool // what is warned of once

	// accounts are those that authority is of, which is nil where the session may do
	// everything.
	accounts  *rights.Accounts
	authority *rights.Authority
	self      rights.Name // of the account; dropped says that it is none any more
	dropped   bool
	filling   ast.TableName // the table that CREATE TABLE ... SELECT is at, by its name of now

	underWay process.Process
	began    time.Time // of the last statement, by the engine's clock
}

// ID is the connection's id.
func (s *Session) ID() uint64 { return s.id }

// InTransaction reports whether a transaction is open.
func (s *Session) InTransaction() bool { return s.txns.Open != nil }

// Limits is what the store can do.
func (s *Session) Limits() kv.Limits { return s.engine.limits }

// prepared is a statement of PREPARE. It runs in the database in which it was
// prepared, as in MySQL.
type prepared struct {
	statement *Statement
	database  string
}

// Statement is a parsed statement.
type Statement = statement.Statement
