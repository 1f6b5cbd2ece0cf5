package orm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/orm/ent"
	"github.com/hbasekv/hbasekv/conformance/orm/ent/cell"
	entmigrate "github.com/hbasekv/hbasekv/conformance/orm/ent/migrate"
	"github.com/hbasekv/hbasekv/conformance/orm/ent/person"
	"github.com/hbasekv/hbasekv/conformance/orm/ent/predicate"
)

// The following uses the client that ent generates from ent/schema.

// entCells is the table as ent's migration must know it: ent orders the columns
// in its own way, omits T from the key and adds foreign keys.
func entCells() *schema.Table {
	table := *entmigrate.ShopCellsTable
	table.Columns, table.ForeignKeys = nil, nil
	for _, name := range []string{"k", "q", "t", "v"} {
		column, _ := entmigrate.ShopCellsTable.Column(name)
		copied := *column
		copied.Nullable = name == "v"
		table.Columns = append(table.Columns, &copied)
	}
	table.PrimaryKey = table.Columns[:3]
	return &table
}

// entViews are created in SQL: a pivot with typed columns, and the qualifiers.
var entViews = []string{
	`CREATE OR REPLACE VIEW persons AS SELECT k AS id,
		CAST(MAX(CASE WHEN q = 'name' THEN v END) AS CHAR) AS name,
		CAST(MAX(CASE WHEN q = 'age' THEN v END) AS SIGNED) AS age
	FROM shop_cells GROUP BY k`,
	"CREATE OR REPLACE VIEW qualifiers AS SELECT DISTINCT q AS id FROM shop_cells",
}

// entClientOpen returns a client on the migrated table, and the statements that
// the migration ran.
func entClientOpen(t *testing.T, dsn string) (*ent.Client, *sql.DB, []string) {
	t.Helper()
	db := open(t, dsn)
	client := ent.NewClient(ent.Driver(entsql.OpenDB(dialect.MySQL, db)))
	var ran []string
	require.NoError(t, entmigrate.Create(t.Context(), client.Schema, []*schema.Table{entCells()},
		schema.WithForeignKeys(false), schema.WithApplyHook(func(next schema.Applier) schema.Applier {
			return schema.ApplyFunc(func(ctx context.Context, conn dialect.ExecQuerier, plan *migrate.Plan) error {
				for _, c := range plan.Changes {
					ran = append(ran, c.Cmd)
				}
				return next.Apply(ctx, conn, plan)
			})
		})))
	for _, view := range entViews {
		_, err := db.Exec(view)
		require.NoError(t, err)
	}
	return client, db, ran
}

// entClientFilled has the cells of filled.
func entClientFilled(t *testing.T, dsn string) (*ent.Client, *sql.DB) {
	t.Helper()
	client, db, _ := entClientOpen(t, dsn)
	var all []*ent.CellCreate
	for _, c := range sqlxCells {
		all = append(all, client.Cell.Create().SetK(c.K).SetQ(c.Q).SetT(c.T).SetV(c.V))
	}
	require.NoError(t, client.Cell.CreateBulk(all...).Exec(t.Context()))
	require.Equal(t, filled, storedIn(t, db, "shop_cells"))
	return client, db
}

func entCellString(cells []*ent.Cell) string {
	var all []string
	for _, c := range cells {
		all = append(all, fmt.Sprintf("%s/%s/%d=%s", c.K, c.Q, c.T, c.V))
	}
	return strings.Join(all, " ")
}

func TestEntClientMigrate(t *testing.T) {
	dir := t.TempDir()
	client, _, ran := entClientOpen(t, dir)
	require.Len(t, ran, 1, "CREATE TABLE")
	require.NoError(t, client.Close())
	client, _, ran = entClientOpen(t, dir)
	require.Empty(t, ran, "a second migration has nothing to do")
	require.NoError(t, client.Close())
	_, db, _ := entClientOpen(t, dir)
	var name, text string
	require.NoError(t, db.QueryRow("SHOW CREATE TABLE shop_cells").Scan(&name, &text))
	require.Contains(t, text, "`v` varbinary(1024)")
	require.Contains(t, text, "PARTITIONS 7")
	require.Contains(t, text, " HBase")
}

func TestEntClientCreate(t *testing.T) {
	client, db := entClientFilled(t, memory)
	one, err := client.Cell.Create().SetK(binary).SetQ("").SetT(-1 << 63).SetV([]byte("\x00\xff")).Save(t.Context())
	require.NoError(t, err)
	got, err := client.Cell.Query().Where(cell.K(binary)).Only(t.Context())
	require.NoError(t, err)
	require.Equal(t, []any{one.K, one.Q, one.T, one.V}, []any{got.K, got.Q, got.T, got.V})
	require.NoError(t, client.Cell.Create().SetK("clock").SetQ("q").Exec(t.Context()))
	got = client.Cell.Query().Where(cell.K("clock")).OnlyX(t.Context())
	require.Greater(t, got.T, int64(1_600_000_000_000), "the clock's")
	require.Nil(t, got.V)

	again := client.Cell.Create().SetK("a").SetQ("p").SetT(1).SetV([]byte("other"))
	require.True(t, ent.IsConstraintError(again.Exec(t.Context())))
	require.NoError(t, again.OnConflict().Ignore().Exec(t.Context()))
	require.Contains(t, storedIn(t, db, "shop_cells"), "a/p/1=v1")
	require.NoError(t, again.OnConflict().UpdateNewValues().Exec(t.Context()))
	require.NoError(t, client.Cell.CreateBulk(
		client.Cell.Create().SetK("b").SetQ("p").SetT(3).SetV([]byte("new")),
		client.Cell.Create().SetK("d").SetQ("p").SetT(5).SetV([]byte("v5")),
	).OnConflict(entsql.ResolveWithNewValues()).Exec(t.Context()))
	require.NoError(t, client.Cell.Create().SetK("c").SetQ("p").SetT(4).SetV([]byte("!")).OnConflict(
		entsql.ResolveWith(func(s *entsql.UpdateSet) {
			s.Set("v", entsql.ExprFunc(func(b *entsql.Builder) { b.WriteString("CONCAT(v, VALUES(v))") }))
		}),
	).Exec(t.Context()))
	_, err = client.Cell.Delete().Where(cell.KIn(binary, "clock")).Exec(t.Context())
	require.NoError(t, err)
	require.Equal(t, "a/p/1=other a/q/2=v2 a/q/1=v1 b/p/3=new c/p/4=v4! d/p/5=v5", storedIn(t, db, "shop_cells"))
}

func TestEntClientQuery(t *testing.T) {
	client, _ := entClientFilled(t, memory)
	for name, c := range map[string]struct {
		query *ent.CellQuery
		want  string
	}{
		"all":           {client.Cell.Query(), "a/p/1=v1 a/q/2=v2 b/p/3=v3 c/p/4=v4"},
		"cell":          {client.Cell.Query().Where(cell.K("a"), cell.Q("q")), "a/q/2=v2"},
		"range":         {client.Cell.Query().Where(cell.KGTE("a"), cell.KLT("c")).Order(cell.ByK(entsql.OrderDesc())), "b/p/3=v3 a/p/1=v1 a/q/2=v2"},
		"limit, offset": {client.Cell.Query().Limit(2).Offset(1), "a/q/2=v2 b/p/3=v3"},
		"in, or, not":   {client.Cell.Query().Where(cell.Or(cell.KIn("b", "x"), cell.And(cell.K("a"), cell.Not(cell.Q("p"))))), "a/q/2=v2 b/p/3=v3"},
		"prefix":        {client.Cell.Query().Where(cell.KHasPrefix("a"), cell.TGT(1)), "a/q/2=v2"},
		"value":         {client.Cell.Query().Where(cell.V([]byte("v3"))), "b/p/3=v3"},
		"keyset":        {client.Cell.Query().Where(predicate.Cell(func(s *entsql.Selector) { s.Where(entsql.CompositeGT([]string{"k", "q"}, "a", "q")) })).Limit(1), "b/p/3=v3"},
		"for update":    {client.Cell.Query().Where(cell.K("b")).ForUpdate(), "b/p/3=v3"},
	} {
		got, err := c.query.Order(cell.ByK(), cell.ByQ()).All(t.Context()) // after the query's own order
		require.NoError(t, err, name)
		require.Equal(t, c.want, entCellString(got), name)
	}
	_, err := client.Cell.Query().Where(cell.K("none")).Only(t.Context())
	require.True(t, ent.IsNotFound(err))
	require.True(t, client.Cell.Query().Where(cell.K("a")).ExistX(t.Context()))
	require.Equal(t, 2, client.Cell.Query().Where(cell.K("a")).Select(cell.FieldK, cell.FieldQ).CountX(t.Context()))
	var groups []struct {
		K   string
		N   int `sql:"n"`
		Max int64
	}
	client.Cell.Query().Order(cell.ByK()).GroupBy(cell.FieldK).Aggregate(ent.As(ent.Count(), "n"), ent.As(ent.Max(cell.FieldT), "max")).ScanX(t.Context(), &groups)
	require.Equal(t, "[{a 2 2} {b 1 3} {c 1 4}]", fmt.Sprint(groups))
	require.ElementsMatch(t, []string{"a", "b", "c"}, client.Cell.Query().Unique(true).Select(cell.FieldK).StringsX(t.Context()))
}

func TestEntClientUpdateDelete(t *testing.T) {
	client, db := entClientFilled(t, allVersions)
	require.Equal(t, 1, client.Cell.Update().Where(cell.K("a"), cell.Q("q"), cell.T(1)).SetV([]byte("one")).SaveX(t.Context()))
	require.Equal(t, 2, client.Cell.Delete().Where(cell.Or(cell.K("b"), cell.TGT(3))).ExecX(t.Context()))
	require.Equal(t, "a/p/1=v1 a/q/2=v2 a/q/1=one", storedIn(t, db, "shop_cells"))

	// In the latest view (K, Q) is the ID of a cell, and its update is a new version.
	client, db = entClientFilled(t, memory)
	b := client.Cell.Query().Where(cell.K("b")).OnlyX(t.Context())
	require.Equal(t, 1, client.Cell.Update().Where(cell.K(b.K), cell.Q(b.Q)).SetV([]byte("new")).SaveX(t.Context()))
	after := b.Update().SetV([]byte("newer")).SaveX(t.Context())
	require.Equal(t, "newer", string(after.V))
	require.Greater(t, after.T, b.T)
	require.Contains(t, storedIn(t, db, "shop_cells"), "b/p/3=v3", "the version before is still there")
	require.Equal(t, 1, client.Cell.Delete().Where(cell.K("b")).ExecX(t.Context()), "the cell with all its versions")
	require.NotContains(t, storedIn(t, db, "shop_cells"), "b/p")
}

func TestEntClientTransaction(t *testing.T) {
	client, db := entClientFilled(t, memory)
	tx, err := client.Tx(t.Context())
	require.NoError(t, err)
	tx.Cell.Delete().Where(cell.K("a")).ExecX(t.Context())
	tx.Cell.Create().SetK("x").SetQ("q").SetT(1).ExecX(t.Context())
	require.Equal(t, 3, tx.Cell.Query().Select(cell.FieldK).CountX(t.Context()))
	require.NoError(t, tx.Rollback())
	require.Equal(t, filled, storedIn(t, db, "shop_cells"))

	tx, err = client.Tx(t.Context())
	require.NoError(t, err)
	tx.Cell.Delete().Where(cell.K("a")).ExecX(t.Context())
	require.NoError(t, tx.Commit())
	require.Equal(t, "b/p/3=v3 c/p/4=v4", storedIn(t, db, "shop_cells"))
}

func TestEntClientViews(t *testing.T) {
	const latest = "a/p/1=v1 a/q/2=v2 b/p/3=v3 c/p/4=v4"
	client, _ := entClientFilled(t, memory)
	find := func(ctx context.Context, with ...func(*entsql.Selector)) string {
		query := client.Cell.Query().Order(cell.ByK(), cell.ByQ(), cell.ByT(entsql.OrderDesc()))
		for _, modify := range with {
			query.Modify(modify)
		}
		return entCellString(query.AllX(ctx))
	}
	require.Equal(t, latest, find(t.Context()))
	session := entsql.WithVar(t.Context(), "hbasekv_versions", "all")
	require.Equal(t, filled, find(session))
	require.Equal(t, latest, find(t.Context()), "the variable was the statement's")
	hint := func(s *entsql.Selector) {
		columns := s.SelectedColumns()
		s.Select(append([]string{"/*+ VERSIONS(ALL) */ " + columns[0]}, columns[1:]...)...)
	}
	require.Equal(t, filled, find(t.Context(), hint))

	client, _ = entClientFilled(t, allVersions)
	require.Equal(t, filled, find(t.Context()))
}

// TestEntClientPivot reads a view that turns the cells of a row into fields.
func TestEntClientPivot(t *testing.T) {
	client, _, _ := entClientOpen(t, memory)
	set := func(k, q, v string) {
		client.Cell.Create().SetK(k).SetQ(q).SetV([]byte(v)).ExecX(t.Context())
	}
	set("p1", "name", "Ada")
	set("p1", "age", "36")
	set("p2", "name", "Böb")
	set("p1", "age", "37")

	ada := client.Person.GetX(t.Context(), "p1")
	require.Equal(t, "Ada", ada.Name)
	require.EqualValues(t, 37, *ada.Age)
	bob := client.Person.Query().Where(person.Name("Böb")).OnlyX(t.Context())
	require.Equal(t, "p2", bob.ID)
	require.Nil(t, bob.Age)
	all := client.Person.Query().Order(person.ByName(entsql.OrderDesc())).WithCells().AllX(t.Context())
	require.Equal(t, "p2 p1", all[0].ID+" "+all[1].ID)
	require.Len(t, all[1].Edges.Cells, 2)
	var names []string
	for _, q := range ada.QueryQualifiers().AllX(t.Context()) {
		names = append(names, q.ID)
	}
	require.ElementsMatch(t, []string{"age", "name"}, names)
	require.Equal(t, 2, ada.QueryCells().Select(cell.FieldK).CountX(t.Context()))

	err := client.Person.Create().SetID("p3").SetName("Eve").Exec(t.Context())
	require.ErrorContains(t, err, "1288", "a view over cells is read only")
	var other *ent.ConstraintError
	require.False(t, errors.As(err, &other))
}
