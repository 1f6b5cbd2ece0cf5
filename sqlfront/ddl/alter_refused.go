package ddl

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// unsupportedAction is the error for an action that is recognized but not supported.
func unsupportedAction(t *kv.Table, action ast.AlterAction) error {
	switch a := action.(type) {
	case *ast.AlterAddColumn:
		if hasColumn(t, a.Column.Name) {
			return declare.DuplicateColumn(a.Column.Name)
		}
		return brokenBy("ADD COLUMN")
	case *ast.AlterDropColumn:
		return brokenBy("DROP COLUMN")
	case *ast.AlterRenameColumn:
		return brokenBy("RENAME COLUMN")
	case *ast.AlterColumnDefault:
		return brokenBy("ALTER COLUMN ... DEFAULT")
	case *ast.AlterAddPrimaryKey:
		return brokenBy("ADD PRIMARY KEY")
	case *ast.AlterDropPrimaryKey:
		return brokenBy("DROP PRIMARY KEY")
	case *ast.AlterAddKey:
		return brokenBy("ADD " + a.Key.Kind)
	case *ast.AlterDropKey:
		return brokenBy("DROP " + a.Kind)
	case *ast.AlterOrderBy:
		return mysqlerr.Unsupported("ALTER TABLE ... ORDER BY")
	}
	return mysqlerr.Unsupported("this ALTER TABLE")
}

func brokenBy(action string) error {
	return broken("ALTER TABLE ... " + action + ", for the columns are K, Q, T, V and the primary key is (K, Q, T)")
}
