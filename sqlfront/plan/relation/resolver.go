package relation

import (
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// Resolver looks up the names of a statement's tables. It holds no values of placeholders.
type Resolver struct {
	// Catalog is the catalog of the snapshot that the plan will read.
	Catalog *kv.Catalog
	// ForView refuses what only this session sees: the plan is of a view's SELECT.
	ForView bool
	// Database is the current database, or empty.
	Database string
	// Virtual is the catalog table of that name, or a nil interface; owned
	// says that the database has no other tables than virtual ones. It may be
	// nil.
	Virtual func(database, table string) (t VirtualTable, owned bool)
	// Hidden reports whether a database of the catalog hides one of Virtual's.
	Hidden func(c *kv.Catalog, database string) bool
	// Arguments are the arguments that the statement is planned for.
	Arguments *bind.Arguments
	// Access is asked for the privileges that the statement needs; if nil, none are needed.
	Access *rights.Access
	// Uses notes the names that are looked up; nil if they are not needed.
	Uses *Uses
	// Meter counts the work of planning and ends it when its context is done.
	Meter cancelcheck.Meter
}

// Allow checks privileges on what a name stands for, whether it exists or not. The error is 1142 if one is
// missing, or 1356 within a view.
func (p *Resolver) Allow(want rights.Privileges, table *ast.Table) error {
	return p.Ask(p.Access.Table, want, table)
}

// Ask is Allow with one of the methods of Access. The error is that of ask.
func (p *Resolver) Ask(ask func(want rights.Privileges, database, table, group string) error,
	want rights.Privileges, table *ast.Table) error {
	if p.Access == nil {
		return nil
	}
	database, name := table.Database(), table.Name.String()
	if database == "" && strings.EqualFold(name, "dual") {
		return nil
	}
	if database == "" {
		database = p.Database
	}
	if database == "" {
		return nil // error 1046 follows
	}
	p.Uses.Note(p.Catalog, database, name)
	if t := schema.Stored(p.Catalog, database, name); t != nil && t.Temporary {
		return nil // no privileges are granted on it
	}
	return ask(want, database, name, GroupOf(p.Catalog, database, name))
}

// GroupOf is the table group that a table of that name is a family of, or would be; empty for none.
func GroupOf(c *kv.Catalog, database, name string) string {
	if t := c.Table(database, name); t != nil {
		return t.Group
	}
	group, _, _ := strings.Cut(name, "$")
	if group == name {
		return ""
	}
	return group
}
