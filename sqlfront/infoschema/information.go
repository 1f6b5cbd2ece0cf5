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

// IsVirtual reports whether a database holds catalog tables alone.
func IsVirtual(database string) bool { return virtualName(database) != "" }

// virtualName is the name of a database of catalog tables, empty for another. The
// names of MySQL's two schemas are not case-sensitive, unlike those of databases.
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

// virtualIn is virtualName unless the catalog has a database of the name that hides it.
func virtualIn(c *kv.Catalog, database string) string {
	if Hidden(c, database) {
		return ""
	}
	return virtualName(database)
}

// Hidden reports whether a database of the catalog has the name of one of catalog tables that
// gives way to it.
func Hidden(c *kv.Catalog, database string) bool {
	return database == sysDatabase && c.Database(database) != nil
}

// Reserved reports whether a database holds catalog tables alone, and nobody may make one of
// its name.
func Reserved(database string) bool { return IsVirtual(database) && database != sysDatabase }

// Server is what the catalog tables show besides the catalog. Its methods are
// safe for concurrent use.
type Server interface {
	// Processes are the open sessions.
	Processes() []Process
	// Variables are the system variables by name, with the values of that
	// session or the global ones, as SHOW VARIABLES prints them.
	Variables(session *function.Session, global bool) [][2]string
	// StoredAccounts are the accounts that the store's catalog keeps.
	StoredAccounts(context.Context) (*rights.Accounts, error)
	// Transactions are those that are open, by their sessions.
	Transactions() []Transaction
	// Status are the status variables by name, with the values of that session or the
	// global ones.
	Status(session *function.Session, global bool) [][2]string
}

// Process is a session.
type Process struct {
	ID       uint64
	User     string // as the client says
	Host     string
	Account  rights.Identity
	Database string // the current one, or empty
	System   bool   // it is no session's: the store does it by itself
	Command  string // Query or Sleep, or Daemon
	Seconds  int64  // since the command began
	State    string // what the statement is at, or empty
	Text     string // the running statement, or empty
}

// Information answers questions about the catalog of a store: SHOW, DESCRIBE
// and the tables of information_schema. It always looks at the newest catalog,
// also inside a transaction, as MySQL does. It is safe for concurrent use.
type Information struct {
	store  kv.Store
	server Server
	// tables are those of each database by their names in upper case.
	tables map[string]map[string]*infoTable
}

// Table is the catalog table of that name; owned says that the database has no
// other tables. It serves as plan.Planner.Virtual.
func (i *Information) Table(database, name string) (t relation.VirtualTable, owned bool) {
	of := virtualName(database)
	if found := i.tables[of][strings.ToUpper(name)]; found != nil {
		return found, true
	}
	return nil, of != ""
}

// The databases that MySQL has for itself, beside information_schema.
const (
	mysqlDatabase     = "mysql"
	performanceSchema = "performance_schema"
	// sysDatabase is not listed, since dumps of all databases would copy it, and gives
	// way to a database of that name.
	sysDatabase = "sys"
)

// Transaction is one that a session has open.
type Transaction struct {
	ID       uint64
	Process  Process // whose it is
	Started  time.Time
	Level    string // of isolation, as in REPEATABLE READ
	ReadOnly bool
	State    kv.TxnState
}
