package rights

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Authority is the account for which a statement acts. nil may do everything. Its checks have MySQL's errors.
type Authority struct {
	Accounts *Accounts
	Account  *Account
	// Client is the host from which the user connected; empty means the account's.
	Client string
}

// Of is the authority of another account, for the definer of a view; nil if it does not exist.
func (a *Authority) Of(n Name) *Authority {
	account := a.Accounts.Get(n)
	if account == nil {
		return nil
	}
	return &Authority{Accounts: a.Accounts, Account: account}
}

// All reports whether nothing has to be checked.
func (a *Authority) All() bool { return a == nil || a.Account.All() }

// who is 'user'@'host' as in MySQL's messages about tables.
func (a *Authority) who() string {
	n := a.Account.Name
	if a.Client != "" {
		n.Host = a.Client
	}
	return n.String()
}

// The databases that contain only catalog tables.
const (
	informationSchema = "information_schema"
	performanceSchema = "performance_schema"
)

// readable are the tables of performance_schema that all accounts may read.
var readable = map[string]bool{"global_status": true, "global_variables": true, "session_status": true, "session_variables": true}

// on is On plus what MySQL lets all accounts read.
func (a *Authority) on(database, table, group string) Privileges {
	switch {
	case strings.EqualFold(database, informationSchema):
		return Select
	case strings.EqualFold(database, performanceSchema) && readable[strings.ToLower(table)]:
		return Select | a.Account.On(performanceSchema, table, group)
	}
	return a.Account.On(database, table, group)
}

// Table requires all of want on a table, a view or a table group. group is the table group of which the table
// is a family, or empty. Its error is 1142.
func (a *Authority) Table(want Privileges, database, table, group string) error {
	if a == nil {
		return nil
	}
	missing := want &^ a.on(database, table, group)
	if missing == 0 {
		return nil
	}
	verb := missing.String()
	if missing == GrantOption {
		verb = "GRANT"
	}
	return mysqlerr.TableDenied(verb, a.who(), table)
}

// LockRows requires one of the privileges that locking reads need besides SELECT, so that accounts which may
// only read cannot block others
// (https://dev.mysql.com/doc/refman/8.0/en/privileges-provided.html#priv_lock-tables). Its error is 1142.
func (a *Authority) LockRows(database, table, group string) error {
	catalog := strings.EqualFold(database, informationSchema) // it has nothing to lock
	if a == nil || catalog || a.on(database, table, group)&(Update|Delete|LockTables) != 0 {
		return nil
	}
	return mysqlerr.TableDenied(Update.String(), a.who(), table)
}

// AnyOnTable requires some privilege on a table; without one, the table is hidden from the account. verb is
// for the error, 1142.
func (a *Authority) AnyOnTable(verb, database, table, group string) error {
	if a == nil || a.Sees(database, table, group) {
		return nil
	}
	return mysqlerr.TableDenied(verb, a.who(), table)
}

// Sees reports whether the account has some privilege on a table.
func (a *Authority) Sees(database, table, group string) bool {
	return a == nil || a.on(database, table, group)&(OnTable|GrantOption) != 0
}

// Column requires all of want on a column of a table. Its error is 1143.
func (a *Authority) Column(want Privileges, database, table, group, column string) error {
	if a == nil || a.on(database, table, group).Has(want) {
		return nil
	}
	return mysqlerr.New(mysqlerr.ColumnAccessDenied, "%s command denied to user %s for column '%s' in table '%s'", want,
		a.who(), column, table)
}

// Database requires all of want on a whole database. Its error is 1044.
func (a *Authority) Database(want Privileges, database string) error {
	if a == nil || a.Account.In(database).Has(want) {
		return nil
	}
	return a.denied(database)
}

// Pattern requires all of want on the databases of a pattern. For one with wildcards the same pattern must
// have been granted: another pattern that matches its text may cover less. Its error is 1044.
func (a *Authority) Pattern(want Privileges, pattern string) error {
	if a == nil {
		return nil
	}
	name, wild := plainName(pattern)
	has := a.Account.Global | a.Account.Given(pattern, "")
	if !wild {
		has = a.Account.In(name)
	}
	if has.Has(want) {
		return nil
	}
	return a.denied(pattern)
}

// Enter requires some privilege in a database. Its error is 1044.
func (a *Authority) Enter(database string) error {
	if a.Enters(database) {
		return nil
	}
	return a.denied(database)
}

// Enters reports whether the account may use something in a database.
func (a *Authority) Enters(database string) bool {
	return a == nil || strings.EqualFold(database, informationSchema) ||
		strings.EqualFold(database, performanceSchema) || a.Account.Enters(database)
}

// Lists reports whether the account sees a database in lists.
func (a *Authority) Lists(database string) bool {
	return a == nil || strings.EqualFold(database, informationSchema) ||
		a.Account.Global.Has(ShowDatabases) || a.Account.Enters(database)
}

func (a *Authority) denied(database string) error {
	return mysqlerr.New(mysqlerr.DBAccessDenied, "Access denied for user %s to database '%s'", a.Account.Name, database)
}

// Global requires one of anyOf on all databases. Its error is 1227.
func (a *Authority) Global(anyOf Privileges) error {
	if a.May(anyOf) {
		return nil
	}
	return mysqlerr.New(mysqlerr.SpecificAccessDenied,
		"Access denied; you need (at least one of) the %s privilege(s) for this operation", anyOf)
}

// May reports whether the account has one of anyOf on all databases.
func (a *Authority) May(anyOf Privileges) bool { return a == nil || a.Account.Global&anyOf != 0 }

// Denied is error 1045, MySQL's error for missing privileges on files or on everything.
func (a *Authority) Denied() error {
	using := "NO"
	if a.Account.Secret != "" {
		using = "YES"
	}
	return mysqlerr.New(mysqlerr.AccessDenied, "Access denied for user %s (using password: %s)", a.Account.Name, using)
}
