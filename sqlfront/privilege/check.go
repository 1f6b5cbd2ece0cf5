package privilege

import (
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/schema"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Checker checks statements of one session.
type Checker struct {
	*rights.Authority
	Catalog  *kv.Catalog
	Database string // the current database, or empty
}

// Check requires the privileges that a statement needs; none for one that is planned. A table without a
// database when none is current is refused elsewhere.
func (c Checker) Check(st ast.Statement) error {
	switch st := st.(type) {
	case *ast.Select:
		return c.into(st)
	case *ast.LoadData:
		return c.file(!st.Local)
	case *ast.Set:
		return c.set(st)
	case *ast.SetTransaction:
		return c.globally(st.Scope == ast.ScopeGlobal, rights.Super)
	case *ast.Use:
		return c.Enter(st.Name)
	case *ast.Show:
		return c.show(st)
	case *ast.Describe:
		return c.any("SELECT", st.Table)
	case *ast.Flush:
		return cmp.Or(c.Global(rights.Reload), c.tables(rights.Select, st.Tables))
	case *ast.CheckStore, *ast.Backup:
		return c.Global(rights.Super)
	}
	return cmp.Or(c.maintenance(st), c.databases(st), c.definitions(st))
}

// maintenance checks statements that maintain tables.
func (c Checker) maintenance(st ast.Statement) error {
	switch st := st.(type) {
	case *ast.AnalyzeTable:
		return c.tables(rights.Select|rights.Insert, c.others(st.Names))
	case *ast.OptimizeTable:
		return c.tables(rights.Select|rights.Insert, c.others(st.Names))
	case *ast.RepairTable:
		return c.tables(rights.Select|rights.Insert, c.others(st.Names))
	case *ast.CheckTable:
		return c.tables(rights.Select, c.others(st.Names))
	case *ast.ChecksumTable:
		return c.tables(rights.Select, c.others(st.Names))
	case *ast.LockTables:
		for _, l := range st.Locks {
			if database := cmp.Or(l.Name.Database, c.Database); database != "" && !c.owns(l.Name) {
				err := cmp.Or(c.Authority.Database(rights.LockTables, database), c.table(rights.Select, l.Name))
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// databases checks statements that create and change databases.
func (c Checker) databases(st ast.Statement) error {
	switch st := st.(type) {
	case *ast.CreateDatabase:
		return c.Authority.Database(rights.Create, st.Name)
	case *ast.AlterDatabase:
		if name := cmp.Or(st.Name, c.Database); name != "" {
			return c.Authority.Database(rights.Alter, name)
		}
	case *ast.DropDatabase:
		return c.Authority.Database(rights.Drop, st.Name)
	}
	return nil
}

// definitions checks statements that create and change tables, views and table groups.
func (c Checker) definitions(st ast.Statement) error {
	switch st := st.(type) {
	case *ast.CreateTable:
		if st.Temporary {
			return c.temporary(st.Name)
		}
		if st.Fill != nil {
			return c.table(rights.Create|rights.Insert, st.Name)
		}
		return c.table(rights.Create, st.Name)
	case *ast.CreateTableLike:
		create := c.temporary
		if !st.Temporary {
			create = func(n ast.TableName) error { return c.table(rights.Create, n) }
		}
		return cmp.Or(create(st.Name), c.tables(rights.Select, c.others([]ast.TableName{st.Like})))
	case *ast.CreateTableGroup:
		return c.table(rights.Create, st.Name)
	case *ast.AlterTableGroup:
		return cmp.Or(c.table(rights.Alter|c.retention(st), st.Name), c.tables(rights.Alter, st.AddTables))
	case *ast.DropTableGroup:
		return c.table(rights.Drop, st.Name)
	case *ast.AlterTable:
		if c.owns(st.Name) {
			return nil
		}
		return c.alter(st)
	case *ast.SplitTable:
		return c.layout(rights.Alter, st.Name)
	case *ast.DropTable:
		if st.Temporary {
			return nil // a temporary one, as in MySQL
		}
		return c.tables(rights.Drop, c.others(st.Names))
	case *ast.DropView:
		return c.tables(rights.Drop, st.Names)
	case *ast.TruncateTable:
		return c.tables(rights.Drop, c.others([]ast.TableName{st.Name}))
	case *ast.RenameTable:
		for _, pair := range st.Pairs {
			err := cmp.Or(c.table(rights.Alter|rights.Drop, pair.From), c.table(rights.Create|rights.Insert, pair.To))
			if err != nil {
				return err
			}
		}
	case *ast.CreateView:
		return c.view(st)
	}
	return nil
}

// view checks CREATE VIEW and ALTER VIEW, except for what the SELECT reads.
func (c Checker) view(st *ast.CreateView) error {
	want := rights.CreateView
	if st.OrReplace || st.Alter {
		want |= rights.Drop
	}
	if d := st.Definer; d != nil && !d.Current && !c.isSelf(*d) {
		if err := c.Global(rights.Super); err != nil {
			return err
		}
	}
	return c.table(want, st.Name)
}

func (c Checker) isSelf(n ast.AccountName) bool {
	return c.Authority == nil || c.Account.Name == rights.Name{User: n.User, Host: n.Host}
}

// into checks SELECT ... INTO OUTFILE.
func (c Checker) into(st *ast.Select) error {
	return c.file(st.Into != nil && st.Into.File != "")
}

// file is error 1045 for a statement that reads or writes a file of the server without FILE.
func (c Checker) file(does bool) error {
	if !does || c.May(rights.File) {
		return nil
	}
	return c.Denied()
}

// set checks SET GLOBAL.
func (c Checker) set(st *ast.Set) error {
	for _, a := range st.Assignments {
		if err := c.globally(a.Scope == ast.ScopeGlobal, rights.Super); err != nil {
			return err
		}
	}
	return nil
}

func (c Checker) globally(does bool, anyOf rights.Privileges) error {
	if !does {
		return nil
	}
	return c.Global(anyOf)
}

// show checks SHOW; other kinds show only what the session may see.
func (c Checker) show(st *ast.Show) error {
	if c.owns(st.Table) {
		return nil
	}
	switch st.Kind {
	case ast.ShowColumns, ast.ShowIndex, ast.ShowPartitions:
		return c.any("SELECT", st.Table)
	case ast.ShowCreateTable:
		return c.any("SHOW", st.Table)
	case ast.ShowCreateTableGroup:
		return c.any("SHOW", st.Table)
	case ast.ShowCreateView:
		return c.table(rights.Select|rights.ShowView, st.Table)
	case ast.ShowCreateDatabase:
		return c.Enter(st.Name)
	case ast.ShowTables, ast.ShowTableStatus, ast.ShowOpenTables, ast.ShowTriggers, ast.ShowEvents:
		if database := cmp.Or(st.Database, st.Table.Database, c.Database); database != "" {
			return c.Enter(database)
		}
	case ast.ShowEngineStatus:
		return c.Global(rights.Process)
	case ast.ShowReplicas:
		return c.Global(rights.ReplicationSlave)
	case ast.ShowMasterStatus, ast.ShowReplicaStatus, ast.ShowBinaryLogs:
		return c.Global(rights.Super | rights.ReplicationClient)
	}
	return nil
}

func (c Checker) tables(want rights.Privileges, names []ast.TableName) error {
	for _, n := range names {
		if err := c.table(want, n); err != nil {
			return err
		}
	}
	return nil
}

func (c Checker) table(want rights.Privileges, n ast.TableName) error {
	database := cmp.Or(n.Database, c.Database)
	if database == "" {
		return nil
	}
	return c.Table(want, database, n.Name, relation.GroupOf(c.Catalog, database, n.Name))
}

// owns reports whether a name is that of a temporary table of the session, on which there are no privileges.
// What statements do to a table of the store hidden by it is checked by them.
func (c Checker) owns(n ast.TableName) bool {
	t := schema.Stored(c.Catalog, cmp.Or(n.Database, c.Database), n.Name)
	return t != nil && t.Temporary
}

// others are the names that are not temporary tables of the session.
func (c Checker) others(names []ast.TableName) []ast.TableName {
	return slices.DeleteFunc(slices.Clone(names), c.owns)
}

// temporary checks that the session may have temporary tables in a database.
func (c Checker) temporary(n ast.TableName) error {
	database := cmp.Or(n.Database, c.Database)
	if database == "" {
		return nil
	}
	return c.Authority.Database(rights.CreateTemporary, database)
}

// any requires some privilege on a table.
func (c Checker) any(verb string, n ast.TableName) error {
	database := cmp.Or(n.Database, c.Database)
	if database == "" || c.owns(n) {
		return nil
	}
	return c.AnyOnTable(verb, database, n.Name, relation.GroupOf(c.Catalog, database, n.Name))
}
