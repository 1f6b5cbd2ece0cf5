package privilege

import (
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/retention"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// alter checks ALTER TABLE: the privileges on the table itself, on others that actions name, and if
// partitions change, on all tables of the group, which share one layout.
func (c Checker) alter(st *ast.AlterTable) error {
	if want := upkeep(st); want != 0 {
		return c.table(want, st.Name)
	}
	want, layout := rights.Alter, false
	for _, a := range st.Actions {
		more, lays, err := c.action(st, a)
		if err != nil {
			return err
		}
		want, layout = want|more, layout || lays
	}
	if layout {
		return c.layout(want, st.Name)
	}
	return c.table(want, st.Name)
}

// upkeep is the privileges for maintaining or truncating partitions, which are those for whole tables; 0 if
// the table changes.
func upkeep(st *ast.AlterTable) rights.Privileges {
	if len(st.Actions) != 1 {
		return 0
	}
	switch a, _ := st.Actions[0].(*ast.AlterPartitions); {
	case a == nil:
	case a.Verb == "TRUNCATE":
		return rights.Drop
	case a.Verb == "CHECK":
		return rights.Select
	case a.Verb == "ANALYZE", a.Verb == "OPTIMIZE", a.Verb == "REPAIR":
		return rights.Select | rights.Insert
	}
	return 0
}

// action is the privileges on the table that an action needs besides ALTER, and whether they are needed on
// each table of the group. Its error is about another table.
func (c Checker) action(st *ast.AlterTable, action ast.AlterAction) (more rights.Privileges, layout bool, err error) {
	switch a := action.(type) {
	case *ast.AlterRename:
		return rights.Drop, false, c.table(rights.Create|rights.Insert, a.To)
	case *ast.AlterOptions:
		if t := c.existing(st.Name); t != nil && retention.Narrows(t.Retention, a.Options.Retention) {
			return rights.Drop, false, nil
		}
	case *ast.AlterPartitions:
		if a.Verb == "DROP" {
			return rights.Drop, true, nil
		}
	case *ast.AlterDropExpired:
		return rights.Drop, true, nil
	case *ast.AlterExchangePartition:
		return rights.Drop | rights.Insert, false, c.table(rights.Alter|rights.Drop|rights.Insert, a.Table)
	case *ast.AlterAddPartition, *ast.AlterCoalescePartition, *ast.AlterReorganizePartition,
		*ast.AlterPartitionBy, *ast.AlterRemovePartitioning:
		return 0, true, nil
	}
	return 0, false, nil
}

// layout requires privileges on a table and on the others of its group, which share its partitions. The error
// is about the group, since the account must not learn which tables it has.
func (c Checker) layout(want rights.Privileges, n ast.TableName) error {
	if err := c.table(want, n); err != nil {
		return err
	}
	t := c.existing(n)
	if t == nil || t.Group == "" {
		return nil
	}
	for _, each := range c.Catalog.Families(t.Database, t.Group) {
		if c.Table(want, each.Database, each.Name, each.Group) != nil {
			return c.Table(want, t.Database, t.Group, "")
		}
	}
	return nil
}

// retention is DROP if a table group, or one of its tables, is to keep less.
func (c Checker) retention(st *ast.AlterTableGroup) rights.Privileges {
	database := cmp.Or(st.Name.Database, c.Database)
	g := c.Catalog.Group(database, st.Name.Name)
	if g == nil {
		return 0
	}
	narrows := retention.Narrows(g.Retention, st.Retention)
	for _, t := range c.Catalog.Families(database, g.Name) {
		narrows = narrows || retention.Narrows(t.Retention, st.Retention)
	}
	if narrows {
		return rights.Drop
	}
	return 0
}

// existing is the table of that name, or nil.
func (c Checker) existing(n ast.TableName) *kv.Table {
	return c.Catalog.Table(cmp.Or(n.Database, c.Database), n.Name)
}
