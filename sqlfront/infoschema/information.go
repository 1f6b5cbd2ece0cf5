package infoschema

import (
	"context"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Name is the database of the catalog tables.
const Name = "information_schema"

// IsVirtual reports whether a database contains only catalog tables.
func IsVirtual(database string) bool { return virtualName(database) != "" }

// virtualName is the name of a database of catalog tables, empty for any other. The names of MySQL's two
// schemas are not case-sensitive, unlike those of databases.
func virtualName(database string) string {
	switch {
	case strings.EqualFold(database, Name):
		return Name
	case strings.EqualFold(database, performanceSchema):
		return performanceSchema
	case database == mysqlDatabase, database == sysDatabase:
		return database
	}
	return ""
}

// virtualIn is virtualName unless a database in the catalog hides it.
func virtualIn(c *kv.Catalog, database string) string {
	if Hidden(c, database) {
		return ""
	}
	return virtualName(database)
}

// Hidden reports whether a database in the catalog hides one of catalog tables.
func Hidden(c *kv.Catalog, database string) bool {
	return database == sysDatabase && c.Database(database) != nil
}

// Reserved reports whether a database contains only catalog tables, and none of its name may be created.
func Reserved(database string) bool { return IsVirtual(database) && database != sysDatabase }

// Server has what the catalog tables show besides the catalog. Its methods are safe for concurrent use.
type Server interface {
	// Processes are the open sessions.
	Processes() []Process
	// Variables are the system variables by name, with the values of that
	// session or the global ones, as SHOW VARIABLES prints them.
	Variables(session *function.Session, global bool) [][2]string
	// StoredAccounts are the accounts in the store's catalog.
	StoredAccounts(context.Context) (*rights.Accounts, error)
	// Transactions are the open ones, by their sessions.
	Transactions() []Transaction
	// Status are the status variables by name, with the values of that session or the
	// global ones.
	Status(session *function.Session, global bool) [][2]string
}

// Process is a session.
type Process struct {
	ID       uint64
	User     string // as the client gave it
	Host     string
	Account  rights.Identity
	Database string // the current database, or empty
	System   bool   // not a session: background work of the store
	Command  string // Query or Sleep, or Daemon
	Seconds  int64  // since the command began
	State    string // what the statement is doing, or empty
	Text     string // the running statement, or empty
}

// Information answers questions about the catalog of a store: SHOW, DESCRIBE and the tables of
// information_schema. It always reads the newest catalog, also inside a transaction, as MySQL does. It is
// safe for concurrent use.
type Information struct {
	store  kv.Store
	server Server
	// tables are the tables of each database, by their names in upper case.
	tables map[string]map[string]*infoTable
}

// Table is the catalog table of that name; owned says that the database has no other tables. It serves as
// plan.Planner.Virtual.
func (i *Information) Table(database, name string) (t relation.VirtualTable, owned bool) {
	of := virtualName(database)
	if found := i.tables[of][strings.ToUpper(name)]; found != nil {
		return found, true
	}
	return nil, of != ""
}

// MySQL's system databases besides information_schema.
const (
	mysqlDatabase     = "mysql"
	performanceSchema = "performance_schema"
	// sysDatabase is not listed, since dumps of all databases would copy it, and is hidden by a database of
	// that name.
	sysDatabase = "sys"
)

// Transaction is an open transaction of a session.
type Transaction struct {
	ID       uint64
	Process  Process // its session
	Started  time.Time
	Level    string // the isolation level, such as REPEATABLE READ
	ReadOnly bool
	State    kv.TxnState
}
