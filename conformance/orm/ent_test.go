package orm

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/dialect/sql/sqlgraph"
	"entgo.io/ent/schema/field"
	"github.com/stretchr/testify/require"
)

// The following uses ent's dialect and migration below its generated code, for
// tables that the generator cannot name, such as shop$cells.

func entTable(width int64) *schema.Table {
	k := &schema.Column{Name: "K", Type: field.TypeBytes, SchemaType: map[string]string{dialect.MySQL: "varbinary(1024)"}}
	q := &schema.Column{Name: "Q", Type: field.TypeBytes, SchemaType: map[string]string{dialect.MySQL: "varbinary(256)"}}
	at := &schema.Column{Name: "T", Type: field.TypeInt64}
	v := &schema.Column{Name: "V", Type: field.TypeBytes, Nullable: true, SchemaType: map[string]string{dialect.MySQL: fmt.Sprintf("varbinary(%d)", width)}}
	return &schema.Table{Name: "shop$cells", Columns: []*schema.Column{k, q, at, v}, PrimaryKey: []*schema.Column{k, q, at}}
}

// entMigrate returns the statements that the migration ran.
func entMigrate(t *testing.T, drv dialect.Driver, table *schema.Table) []string {
	t.Helper()
	var ran []string
	m, err := schema.NewMigrate(drv, schema.WithApplyHook(func(next schema.Applier) schema.Applier {
		return schema.ApplyFunc(func(ctx context.Context, conn dialect.ExecQuerier, plan *migrate.Plan) error {
			for _, c := range plan.Changes {
				ran = append(ran, c.Cmd)
			}
			return next.Apply(ctx, conn, plan)
		})
	}))
	require.NoError(t, err)
	require.NoError(t, m.Create(t.Context(), table))
	return ran
}

func entOpen(t *testing.T, dsn string) (*entsql.Driver, *sql.DB) {
	db := open(t, dsn)
	return entsql.OpenDB(dialect.MySQL, db), db
}

// entFilled is the migrated table with the cells of filled.
func entFilled(t *testing.T, dsn string) (*entsql.Driver, *sql.DB) {
	drv, db := entOpen(t, dsn)
	entMigrate(t, drv, entTable(1024))
	insert := entsql.Dialect(dialect.MySQL).Insert("shop$cells").Columns("K", "Q", "T", "V")
	for _, c := range sqlxCells {
		insert.Values(c.K, c.Q, c.T, c.V)
	}
	require.NoError(t, entExec(t, drv, insert))
	return drv, db
}

func entExec(t *testing.T, drv dialect.ExecQuerier, q entsql.Querier) error {
	text, args := q.Query()
	var result sql.Result
	return drv.Exec(t.Context(), text, args, &result)
}

func entFind(t *testing.T, drv dialect.ExecQuerier, q entsql.Querier) string {
	t.Helper()
	text, args := q.Query()
	rows := &entsql.Rows{}
	require.NoError(t, drv.Query(t.Context(), text, args, rows), text)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var c sqlxCell
		require.NoError(t, rows.Scan(&c.K, &c.Q, &c.T, &c.V))
		all = append(all, sqlxString([]sqlxCell{c}))
	}
	require.NoError(t, rows.Err())
	return strings.Join(all, " ")
}

func TestEntMigrate(t *testing.T) {
	drv, db := entOpen(t, memory)
	require.Len(t, entMigrate(t, drv, entTable(1024)), 1)
	first := definition(t, db)
	require.Empty(t, entMigrate(t, drv, entTable(1024)), "a second migration has nothing to do")
	require.Equal(t, first, definition(t, db))
	require.Len(t, entMigrate(t, drv, entTable(2048)), 1)
	require.Equal(t, strings.Replace(first, "`V` varbinary(1024)", "`V` varbinary(2048)", 1), definition(t, db))
}

func TestEntWrite(t *testing.T) {
	drv, db := entFilled(t, allVersions)
	require.Equal(t, filled, stored(t, db))
	b := entsql.Dialect(dialect.MySQL)
	insert := func() *entsql.InsertBuilder {
		return b.Insert("shop$cells").Columns("K", "Q", "T", "V").Values("a", "p", 1, "other")
	}
	require.True(t, sqlgraph.IsUniqueConstraintError(entExec(t, drv, insert())))
	require.NoError(t, entExec(t, drv, insert().OnConflict(entsql.DoNothing())))
	require.Equal(t, filled, stored(t, db))
	require.NoError(t, entExec(t, drv, insert().OnConflict(entsql.ResolveWithNewValues())))
	require.NoError(t, entExec(t, drv, b.Update("shop$cells").Set("V", "new").Where(entsql.And(entsql.EQ("K", "a"), entsql.EQ("T", 2)))))
	require.NoError(t, entExec(t, drv, b.Delete("shop$cells").Where(entsql.Or(entsql.In("K", "b", "c"), entsql.And(entsql.EQ("Q", "q"), entsql.LT("T", 2))))))
	require.Equal(t, "a/p/1=other a/q/2=new", stored(t, db))
}

func TestEntSelect(t *testing.T) {
	drv, _ := entFilled(t, memory)
	b := entsql.Dialect(dialect.MySQL)
	from := func(columns ...string) *entsql.Selector { return b.Select(columns...).From(b.Table("shop$cells")) }
	for name, c := range map[string]struct {
		query *entsql.Selector
		want  string
	}{
		"all":           {from("K", "Q", "T", "V"), "a/p/1=v1 a/q/2=v2 b/p/3=v3 c/p/4=v4"},
		"range":         {from("*").Where(entsql.And(entsql.GTE("K", "a"), entsql.LT("K", "c"))).OrderBy(entsql.Desc("K"), "Q"), "b/p/3=v3 a/p/1=v1 a/q/2=v2"},
		"limit, offset": {from("*").OrderBy("K", "Q").Limit(2).Offset(1), "a/q/2=v2 b/p/3=v3"},
		"prefix":        {from("*").Where(entsql.HasPrefix("K", "a")), "a/p/1=v1 a/q/2=v2"},
		"keyset":        {from("*").Where(entsql.CompositeGT([]string{"K", "Q"}, "a", "q")), "b/p/3=v3 c/p/4=v4"},
		"not":           {from("*").Where(entsql.Not(entsql.EQ("Q", "p"))), "a/q/2=v2"},
		"for update":    {from("*").Where(entsql.EQ("K", "b")).ForUpdate(), "b/p/3=v3"},
		"versions":      {from("/*+ VERSIONS(ALL) */ *"), filled},
		"group":         {from("K", entsql.As(entsql.Max("Q"), "Q"), entsql.As(entsql.Count("*"), "T"), entsql.As(entsql.Max("V"), "V")).GroupBy("K").Having(entsql.GT(entsql.Count("*"), 1)), "a/q/2=v2"},
		"distinct":      {from("K", "Q", "T", "Q").Distinct().Where(entsql.EQ("K", "a")), "a/p/1=p a/q/2=q"},
	} {
		require.Equal(t, c.want, entFind(t, drv, c.query), name)
	}
	drv, _ = entFilled(t, allVersions)
	require.Equal(t, filled, entFind(t, drv, from("*")))
	ctx := entsql.WithVar(t.Context(), "hbasekv_versions", "1")
	rows := &entsql.Rows{}
	require.NoError(t, drv.Query(ctx, "SELECT COUNT(*) FROM shop$cells", []any{}, rows))
	n, err := entsql.ScanInt(rows)
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	require.Equal(t, 4, n, "a session variable for one statement")
}

func TestEntTransaction(t *testing.T) {
	drv, db := entFilled(t, memory)
	tx, err := drv.Tx(t.Context())
	require.NoError(t, err)
	require.NoError(t, entExec(t, tx, entsql.Dialect(dialect.MySQL).Delete("shop$cells").Where(entsql.EQ("K", "a"))))
	require.Equal(t, "b/p/3=v3 c/p/4=v4", entFind(t, tx, entsql.Dialect(dialect.MySQL).Select("*").From(entsql.Table("shop$cells"))))
	require.NoError(t, tx.Rollback())
	require.Equal(t, filled, stored(t, db))
}
