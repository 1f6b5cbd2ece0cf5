package ddl

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// unsupportedAction names an action that is known and not supported.
func unsupportedAction(t *kv.Table, action parse.AlterAction) error {
	switch a := action.(type) {
	case *parse.AlterAddColumn:
		if hasColumn(t, a.Column.Name) {
			return duplicateColumn(a.Column.Name)
		}
		return brokenBy("ADD COLUMN")
	case *parse.AlterDropColumn:
		return brokenBy("DROP COLUMN")
	case *parse.AlterRenameColumn:
		return brokenBy("RENAME COLUMN")
	case *parse.AlterColumnDefault:
		return brokenBy("ALTER COLUMN ... DEFAULT")
	case *parse.AlterAddPrimaryKey:
		return brokenBy("ADD PRIMARY KEY")
	case *parse.AlterDropPrimaryKey:
		return brokenBy("DROP PRIMARY KEY")
	case *parse.AlterAddKey:
		return brokenBy("ADD " + a.Key.Kind)
	case *parse.AlterDropKey:
		return brokenBy("DROP " + a.Kind)
	case *parse.AlterOrderBy:
		return mysqlerr.Unsupported("ALTER TABLE ... ORDER BY")
	}
	return mysqlerr.Unsupported("this ALTER TABLE")
}

func brokenBy(action string) error {
	return broken("ALTER TABLE ... " + action + ", for the columns are K, Q, T, V and the primary key is (K, Q, T)")
}
