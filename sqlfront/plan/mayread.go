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

// mayRead asks for the right to read what FROM names: all of it at once, or the columns of
// what the statement changes one by one.
func (b *blockPlanner) mayRead(table *ast.Table, alias string) error {
	if b.isTarget(table, alias) {
		return nil
	}
	if b.lockClause() != "" {
		return b.Ask(b.Access.LockedTable, rights.Select, table)
	}
	return b.Allow(rights.Select, table)
}

// isTarget is true of a table that the statement changes.
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
