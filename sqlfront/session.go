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

// SessionOptions are the initial state of a session, to which Reset returns.
type SessionOptions struct {
	// ID is a session number from NextID; 0 allocates one.
	ID uint64
	// Encryption is the encryption of the client's connection.
	Encryption Encryption
	// Account is the user for whom the session acts; the zero Account is root. Accounts has its privileges;
	// nil allows everything.
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
	// IgnoreForeignKeys treats foreign keys of typed tables as comments; otherwise they are refused.
	IgnoreForeignKeys bool
	ReadOnly          bool
	LockTimeout       time.Duration
	// QueryMemory is the memory for the sorts, groups and joins of a statement, in bytes, before it uses
	// temporary files; 0 is DefaultQueryMemory.
	QueryMemory int64
	// SessionMemory bounds the memory of the session and its statements, in bytes. 0 is no bound for sessions
	// of the embedded driver; for a client's it is four times QueryMemory or max_allowed_packet, and at least
	// 512 MiB.
	SessionMemory int64
	// MaxAllowedPacket bounds the length of a statement and of a string that a function returns, in bytes; 0
	// is max_allowed_packet of SET GLOBAL, or function.DefaultAllowedPacket.
	MaxAllowedPacket int
	// RefuseFullScan refuses statements that read a whole table. ScanLimit refuses those that read more cells
	// than this; 0 is no limit.
	RefuseFullScan bool
	ScanLimit      int64
	// TempDir is the directory of temporary files; empty is the system's.
	TempDir string
	// Files is the file system that statements such as LOAD DATA may use; nil is none.
	Files fileio.Files
	// SlowLog, if not nil, gets a record, at the level of a warning, of each statement that takes longer than
	// long_query_time.
	SlowLog *slog.Logger
	// Most bounds the numeric variables of the session, by name, including their initial values, so that a
	// server can limit its clients.
	Most map[string]uint64
	// Parallelism is the number of goroutines that may read a table for an aggregation or the first rows of
	// an order; 0 is as many as there are processors, if the table is large enough.
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
	parsing int64        // bytes of memory for parsing the current statement
	claims  quota.Claims // memory claimed by the running statement

	txns         transaction.State
	writes       execution   // in which writing statements run
	writeMemory  exec.Memory // of the SELECT in a writing statement
	idle         *workspace  // for the next SELECT; nil while one runs in it
	plansFound   uint64      // cached plans used since the last statement ended
	tablesLocked bool        // since LOCK TABLES: UNLOCK TABLES then commits, as in MySQL
	lastInsertID int64
	idTold       bool // LAST_INSERT_ID(id) was called in the last writing statement
	lastInfo     answers.Info
	rowCount     int64
	foundRows    int64
	warnings     diagnostics.Area
	warnedOf     map[string]bool // warnings that are given once per session

	// accounts are those in which authority was looked up; authority is nil if the session may do everything.
	accounts  *rights.Accounts
	authority *rights.Authority
	self      rights.Name // the account's name; dropped says that the account no longer exists
	dropped   bool
	filling   ast.TableName // the hidden table that CREATE TABLE ... SELECT is filling

	underWay process.Process
	began    time.Time // when the last statement began, by the engine's clock
}

// ID is the connection's id.
func (s *Session) ID() uint64 { return s.id }

// InTransaction reports whether a transaction is open.
func (s *Session) InTransaction() bool { return s.txns.Open != nil }

// Limits is what the store can do.
func (s *Session) Limits() kv.Limits { return s.engine.limits }

// prepared is a statement of PREPARE. It runs in the database that was the current one at PREPARE, as in
// MySQL.
type prepared struct {
	statement *Statement
	database  string
}

// Statement is a parsed statement.
type Statement = statement.Statement
