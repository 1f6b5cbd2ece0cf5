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

// Resolver is what the names of a statement's tables are looked up with. It holds no values
// of placeholders.
type Resolver struct {
	// Catalog is the catalog of the snapshot that the plan will read.
	Catalog *kv.Catalog
	// ForView refuses what nobody but the session would see: the plan is of a view's SELECT.
	ForView bool
	// Database is the current database, or empty.
	Database string
	// Virtual is the catalog table of that name, or a nil interface; owned
	// says that the database has no other tables than virtual ones. It may be
	// nil.
	Virtual func(database, table string) (t VirtualTable, owned bool)
	// Hidden reports whether a database of the catalog takes the place of one of Virtual's.
	Hidden func(c *kv.Catalog, database string) bool
	// Arguments are what the statement is planned for.
	Arguments *bind.Arguments
	// Access is asked for the rights that the statement takes; nil needs none.
	Access *rights.Access
	// Uses notes the names that are looked up; nil where nobody asks.
	Uses *Uses
	// Meter counts the work of planning; its context ends it.
	Meter cancelcheck.Meter
}

// Allow asks for rights on what a name stands for, whether it is there or not. The error is 1142
// where one is missing, or 1356 within a view.
func (p *Resolver) Allow(want rights.Privileges, table *ast.Table) error {
	return p.Ask(p.Access.Table, want, table)
}

// Ask is Allow by one of the methods of Access that ask. The error is that of ask.
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
		return nil // which is 1046
	}
	p.Uses.Note(p.Catalog, database, name)
	if t := schema.Stored(p.Catalog, database, name); t != nil && t.Temporary {
		return nil // nobody else has any
	}
	return ask(want, database, name, GroupOf(p.Catalog, database, name))
}

// GroupOf is the table group that a table of that name is a family of, or would be;
// empty where it is in none.
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
