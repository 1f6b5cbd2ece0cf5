package plan

import (
	"slices"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// mayRead checks the privilege to read a relation of FROM. For a table that the statement changes, it is
// checked for each column that is read, and not here.
func (b *blockPlanner) mayRead(table *ast.Table, alias string) error {
	if b.isTarget(table, alias) {
		return nil
	}
	if b.lockClause() != "" {
		return b.Ask(b.Access.LockedTable, rights.Select, table)
	}
	return b.Allow(rights.Select, table)
}

// isTarget reports whether the statement changes the table.
func (b *blockPlanner) isTarget(table *ast.Table, alias string) bool {
	if b.targets == nil || b.changed != sqlparser.SelectStatement(b.Node) {
		return false
	}
	if alias == "" {
		alias = table.Name.String()
	}
	database := table.Database()
	if database == "" {
		database = b.Database
	}
	return slices.ContainsFunc(b.targets, func(r *relation.Relation) bool {
		return alias == r.Alias && database == r.Database && table.Name.String() == r.Name
	})
}

// definerOf is the account whose privileges apply in a view; nil for a view made through the embedded
// driver.
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
