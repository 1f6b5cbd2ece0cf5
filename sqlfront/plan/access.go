package plan

import (
	"slices"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// Allow asks for rights on what a name stands for, whether it is there or not.
func (p *Planner) Allow(want rights.Privileges, table *ast.Table) error {
	return p.allow(p.Access.Table, want, table)
}

// allow is Allow by one of the methods of Access that ask.
func (p *Planner) allow(ask func(want rights.Privileges, database, table, group string) error,
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
	if t := p.Catalog.Table(database, name); t != nil && t.Temporary {
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

// Restrict makes the reading of each of the relation's columns ask for SELECT on it:
// the statement changes the relation, which takes no right to read it.
func (r *Relation) Restrict(p *Planner) {
	if p.Access != nil && !r.isTemporary() {
		r.access = p.Access
		r.groupName = GroupOf(p.Catalog, r.Database, r.Name)
	}
}

// Read asks for the right to read a column of a relation that is restricted.
func (r *Relation) Read(column string) error {
	if r.access == nil {
		return nil
	}
	return r.access.Column(rights.Select, r.Database, r.Name, r.groupName, column)
}

// mayRead asks for the right to read what FROM names: all of it at once, or the columns of
// what the statement changes one by one.
func (b *blockPlanner) mayRead(table *ast.Table, alias string) error {
	if b.isTarget(table, alias) {
		return nil
	}
	if b.lockClause() != "" {
		return b.allow(b.Access.LockedTable, rights.Select, table)
	}
	return b.Allow(rights.Select, table)
}

// isTarget is true of a table that the statement changes.
func (b *blockPlanner) isTarget(table *ast.Table, alias string) bool {
	if b.targets == nil || b.changed != sqlparser.SelectStatement(b.node) {
		return false
	}
	if alias == "" {
		alias = table.Name.String()
	}
	database := table.Database()
	if database == "" {
		database = b.Database
	}
	return slices.ContainsFunc(b.targets, func(r *Relation) bool {
		return alias == r.Alias && database == r.Database && table.Name.String() == r.Name
	})
}

// definerOf is whose rights count in a view; nil of what the embedded driver has made.
func definerOf(v *kv.View) *rights.Name {
	user, host, found := cutLast(schema.OfView(v).Definer, "@")
	if !found {
		return nil
	}
	return &rights.Name{User: user, Host: host}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
