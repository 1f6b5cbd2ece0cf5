package ast

import "github.com/xwb1989/sqlparser"

// Use is USE db.
type Use struct{ Name string }

// Scope is where a SET takes effect.
type Scope uint8

// The scopes of SET.
const (
	ScopeDefault Scope = iota // SET x = ...: the session
	ScopeSession              // SET SESSION x, SET LOCAL x, SET @@session.x
	ScopeGlobal               // SET GLOBAL x, SET @@global.x
	ScopeUser                 // SET @x
	ScopeNames                // SET NAMES charset [COLLATE collation]: Name is empty
	ScopeCharset              // SET {CHARACTER SET | CHARSET} charset: Name is empty
)

// Set is SET with its assignments in order.
type Set struct{ Assignments []SetVar }

// SetVar is one assignment.
type SetVar struct {
	Scope Scope
	// Next is true for @@name without a scope, which MySQL applies to the next transaction only if the
	// variable is about transactions.
	Next  bool
	Name  string // lower case, without @; a user variable's as written
	Value SetValue
	// Collate is that of SET NAMES x COLLATE y.
	Collate string
}

// SetValue is one of DEFAULT, a bare word and an expression.
type SetValue struct {
	Default bool
	// Word is a bare word such as ON, OFF, utf8mb4 or ANSI, as written.
	Word string
	Expr sqlparser.Expr
}

// ShowKind is what a SHOW statement lists: its words in upper case, without
// FULL, EXTENDED, GLOBAL, SESSION and STORAGE; SCHEMAS is DATABASES, FIELDS is
// COLUMNS, INDEXES and KEYS are INDEX, CHARSET is CHARACTER SET.
type ShowKind string

// The kinds of SHOW.
const (
	ShowDatabases        ShowKind = "DATABASES"
	ShowTables           ShowKind = "TABLES"
	ShowOpenTables       ShowKind = "OPEN TABLES"
	ShowTableStatus      ShowKind = "TABLE STATUS"
	ShowColumns          ShowKind = "COLUMNS"
	ShowIndex            ShowKind = "INDEX"
	ShowCreateTable      ShowKind = "CREATE TABLE"
	ShowCreateView       ShowKind = "CREATE VIEW"
	ShowCreateDatabase   ShowKind = "CREATE DATABASE"
	ShowCreateTableGroup ShowKind = "CREATE TABLEGROUP"
	ShowCreateUser       ShowKind = "CREATE USER"
	ShowTableGroups      ShowKind = "TABLEGROUPS"
	ShowVariables        ShowKind = "VARIABLES"
	ShowStatus           ShowKind = "STATUS"
	ShowWarnings         ShowKind = "WARNINGS"
	ShowErrors           ShowKind = "ERRORS"
	ShowEngines          ShowKind = "ENGINES"
	ShowEngineStatus     ShowKind = "ENGINE STATUS"
	ShowCollation        ShowKind = "COLLATION"
	ShowCharset          ShowKind = "CHARACTER SET"
	ShowProcessList      ShowKind = "PROCESSLIST"
	ShowGrants           ShowKind = "GRANTS"
	ShowPrivileges       ShowKind = "PRIVILEGES"
	ShowPlugins          ShowKind = "PLUGINS"
	ShowTriggers         ShowKind = "TRIGGERS"
	ShowEvents           ShowKind = "EVENTS"
	ShowProcedureStatus  ShowKind = "PROCEDURE STATUS"
	ShowFunctionStatus   ShowKind = "FUNCTION STATUS"
	ShowMasterStatus     ShowKind = "MASTER STATUS"
	ShowReplicaStatus    ShowKind = "SLAVE STATUS"
	ShowReplicas         ShowKind = "SLAVE HOSTS"
	ShowBinaryLogs       ShowKind = "BINARY LOGS"
	ShowProfiles         ShowKind = "PROFILES"
	ShowProfile          ShowKind = "PROFILE"
	ShowPartitions       ShowKind = "PARTITIONS"
)

// Show is SHOW.
type Show struct {
	Kind     ShowKind
	Full     bool
	Extended bool
	Global   bool // for VARIABLES and STATUS
	Count    bool // SHOW COUNT(*) {WARNINGS | ERRORS}
	Status   bool // SHOW ENGINE name STATUS, else MUTEX or LOGS
	// Table is the table of FROM or after CREATE TABLE; its Database may come from a second FROM.
	Table TableName
	// Database is the database of FROM, for kinds that list a database.
	Database string
	// Name is the name after CREATE DATABASE or CREATE TABLEGROUP, or the engine.
	Name string
	// Account is the account of GRANTS and CREATE USER.
	Account     AccountName
	IfNotExists bool // SHOW CREATE DATABASE IF NOT EXISTS
	Like        *string
	// LikeParam is the placeholder of LIKE ?, from 0, or -1.
	LikeParam int
	Where     sqlparser.Expr
	Limit     *sqlparser.Limit
}

// Describe is {DESCRIBE | DESC | EXPLAIN} table [column | 'pattern'].
type Describe struct {
	Table  TableName
	Column string // a LIKE pattern, or empty
}

// Begin is BEGIN or START TRANSACTION.
type Begin struct{ ReadOnly, ReadWrite, ConsistentSnapshot bool }

// Commit is COMMIT.
type Commit struct{ Chain, Release bool }

// Rollback is ROLLBACK; To is the savepoint of ROLLBACK TO.
type Rollback struct {
	To             string
	Chain, Release bool
}

// Savepoint is SAVEPOINT.
type Savepoint struct{ Name string }

// ReleaseSavepoint is RELEASE SAVEPOINT.
type ReleaseSavepoint struct{ Name string }

// SetTransaction is SET [GLOBAL | SESSION] TRANSACTION.
type SetTransaction struct {
	Scope               Scope
	Isolation           string // upper case, as in REPEATABLE READ; or empty
	ReadOnly, ReadWrite bool
}

// Flush is FLUSH; What is its words in upper case.
type Flush struct {
	What   string
	Tables []TableName
}

// AnalyzeTable is ANALYZE TABLE.
type AnalyzeTable struct{ Names []TableName }

// OptimizeTable is OPTIMIZE TABLE.
type OptimizeTable struct{ Names []TableName }

// CheckTable is CHECK TABLE.
type CheckTable struct {
	Names   []TableName
	Options []string // upper case
}

// CheckStore is CHECK STORE, which checks all tables and the data that belongs to none.
type CheckStore struct {
	Options []string // like CheckTable's
}

// RepairTable is REPAIR TABLE.
type RepairTable struct{ Names []TableName }

// ChecksumTable is CHECKSUM TABLE.
type ChecksumTable struct {
	Names []TableName
	Quick bool // only a checksum that is stored already
}

// LockTables is LOCK TABLES.
type LockTables struct{ Locks []TableLock }

// TableLock is one table of LOCK TABLES.
type TableLock struct {
	Name  TableName
	Alias string
	Write bool
}

// UnlockTables is UNLOCK TABLES.
type UnlockTables struct{}

// Kill is KILL [CONNECTION | QUERY] id.
type Kill struct {
	Query bool
	ID    sqlparser.Expr
}

// Do is DO expr, ....
type Do struct{ Exprs []sqlparser.Expr }

// Backup is BACKUP TO 'dir'.
type Backup struct {
	Dir string
	// DirParam is the placeholder of BACKUP TO ?, from 0, or -1.
	DirParam int
}

// Prepare is PREPARE name FROM {'text' | @variable}.
type Prepare struct {
	Name string
	// Text is the statement, Variable the user variable that holds it; one of them is empty.
	Text, Variable string
}

// Execute is EXECUTE name [USING @a, @b].
type Execute struct {
	Name  string
	Using []string // user variables
}

// Deallocate is {DEALLOCATE | DROP} PREPARE name.
type Deallocate struct{ Name string }

// Nothing is a text of comments only.
type Nothing struct{}

func (*Nothing) statement()          {}
func (*Prepare) statement()          {}
func (*Execute) statement()          {}
func (*Deallocate) statement()       {}
func (*Use) statement()              {}
func (*Set) statement()              {}
func (*Show) statement()             {}
func (*Describe) statement()         {}
func (*Begin) statement()            {}
func (*Commit) statement()           {}
func (*Rollback) statement()         {}
func (*Savepoint) statement()        {}
func (*ReleaseSavepoint) statement() {}
func (*SetTransaction) statement()   {}
func (*Flush) statement()            {}
func (*AnalyzeTable) statement()     {}
func (*OptimizeTable) statement()    {}
func (*CheckTable) statement()       {}
func (*CheckStore) statement()       {}
func (*RepairTable) statement()      {}
func (*ChecksumTable) statement()    {}
func (*LockTables) statement()       {}
func (*UnlockTables) statement()     {}
func (*Kill) statement()             {}
func (*Do) statement()               {}
func (*Backup) statement()           {}
