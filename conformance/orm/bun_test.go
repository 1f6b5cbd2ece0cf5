package orm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
)

// bunCell has bytes for K, because bun drops what is not text from a string, and a pointer for T: nil
// lets the clock set it, where 0 would be the time of each version.
type bunCell struct {
	bun.BaseModel `bun:"table:shop$cells,alias:c"`

	K []byte `bun:"K,pk,type:varbinary(1024)"`
	Q string `bun:"Q,pk,type:varbinary(256)"`
	T *int64 `bun:"T,pk"`
	V []byte `bun:"V,type:varbinary(1024)"`
}

func bunAt(k, q string, t int64, v string) *bunCell {
	return &bunCell{K: []byte(k), Q: q, T: &t, V: []byte(v)}
}

func bunString(cells []bunCell) string {
	var all []string
	for _, c := range cells {
		all = append(all, fmt.Sprintf("%s/%s/%d=%s", c.K, c.Q, *c.T, c.V))
	}
	return strings.Join(all, " ")
}

// exec runs what bun has built and returns the number of rows.
func exec(t *testing.T, query interface {
	Exec(ctx context.Context, dest ...any) (sql.Result, error)
}) int64 {
	t.Helper()
	result, err := query.Exec(t.Context())
	require.NoError(t, err)
	n, err := result.RowsAffected()
	require.NoError(t, err)
	return n
}

func bunOpen(t *testing.T, dsn string) *bun.DB {
	t.Helper()
	b := bun.NewDB(open(t, dsn), mysqldialect.New())
	exec(t, b.NewCreateTable().Model((*bunCell)(nil)).IfNotExists())
	exec(t, b.NewInsert().Model(&[]*bunCell{
		bunAt("a", "p", 1, "v1"), bunAt("a", "q", 1, "v1"), bunAt("a", "q", 2, "v2"),
		bunAt("b", "p", 3, "v3"), bunAt("c", "p", 4, "v4"),
	}))
	return b
}

func TestBunCreateTable(t *testing.T) {
	notOnHBase(t, "partitions by key")
	b := bunOpen(t, memory)
	first := definition(t, b.DB)
	require.NotContains(t, first, "PARTITION")
	exec(t, b.NewCreateTable().Model((*bunCell)(nil)).IfNotExists())
	require.Equal(t, first, definition(t, b.DB))
	require.Equal(t, filled, stored(t, b.DB))
	exec(t, b.NewTruncateTable().Model((*bunCell)(nil)))
	require.Empty(t, stored(t, b.DB))
	require.NoError(t, b.ResetModel(t.Context(), (*bunCell)(nil)))
	require.Equal(t, first, definition(t, b.DB))
	exec(t, b.NewDropTable().Model((*bunCell)(nil)).IfExists())
	exec(t, b.NewCreateTable().Model((*bunCell)(nil)).PartitionBy("KEY(K) PARTITIONS 7"))
	require.Contains(t, definition(t, b.DB), "PARTITIONS 7")
}

func TestBunInsert(t *testing.T) {
	b := bunOpen(t, memory)
	require.Equal(t, filled, stored(t, b.DB))
	_, err := b.NewInsert().Model(&[]*bunCell{bunAt("new", "p", 1, "x"), bunAt("a", "p", 1, "other")}).Exec(t.Context())
	var duplicate *mysql.MySQLError
	require.ErrorAs(t, err, &duplicate)
	require.EqualValues(t, 1062, duplicate.Number)
	exec(t, b.NewInsert().Model(bunAt("a", "p", 1, "other")).Ignore())
	require.Equal(t, filled, stored(t, b.DB))

	exec(t, b.NewInsert().Model(bunAt("a", "p", 1, "other")).On("DUPLICATE KEY UPDATE"))
	exec(t, b.NewInsert().Model(bunAt("b", "p", 3, "!")).On("DUPLICATE KEY UPDATE").Set("V = CONCAT(V, VALUES(V))"))
	exec(t, b.NewInsert().Model(bunAt("c", "p", 4, "c")).Replace())
	require.Equal(t, "a/p/1=other a/q/2=v2 a/q/1=v1 b/p/3=v3! c/p/4=c", stored(t, b.DB))

	row := map[string]any{"K": "map", "Q": "q", "V": "v"}
	exec(t, b.NewInsert().Model(&row).TableExpr("shop$cells"))
	var version int64
	require.NoError(t, b.NewSelect().Model((*bunCell)(nil)).Column("T").Where("K = ?", "map").Scan(t.Context(), &version))
	require.Greater(t, version, int64(1_600_000_000_000), "the clock sets T where the columns leave it out")
}

// TestBunLearnsT: LastInsertId is the T that the clock set.
func TestBunLearnsT(t *testing.T) {
	b := bunOpen(t, memory)
	var last int64
	for range 3 {
		result, err := b.NewInsert().Model(&bunCell{K: []byte("x"), Q: "q", V: []byte("v")}).Exec(t.Context())
		require.NoError(t, err)
		id, err := result.LastInsertId()
		require.NoError(t, err)
		require.Greater(t, id, last)
		var got bunCell
		require.NoError(t, b.NewSelect().Model(&got).Where("K = ?", "x").Scan(t.Context()))
		require.Equal(t, id, *got.T)
		last = id
	}
}

func TestBunInsertOdd(t *testing.T) {
	notOnHBase(t, "a negative T, and NULL")
	b := bunOpen(t, memory)
	odd := bunAt(binary, "", -1<<63, "\x00\xff")
	exec(t, b.NewInsert().Model(odd))
	null := &bunCell{K: []byte("null"), Q: "it's a \\ \"text\" ü\n", T: at(1<<63 - 1)}
	exec(t, b.NewInsert().Model(null))
	var got []bunCell
	require.NoError(t, b.NewSelect().Model(&got).Where("K IN (?)", bun.List([][]byte{odd.K, null.K})).Scan(t.Context()))
	require.Equal(t, []bunCell{*odd, *null}, got)
}

func TestBunSelect(t *testing.T) {
	b := bunOpen(t, memory)
	var got []bunCell
	from := func() *bun.SelectQuery { got = nil; return b.NewSelect().Model(&got) }
	for name, c := range map[string]struct {
		query func() *bun.SelectQuery
		want  string
	}{
		"all": {from, "a/p/1=v1 a/q/2=v2 b/p/3=v3 c/p/4=v4"},
		"range": {func() *bun.SelectQuery {
			return from().Where("K >= ? AND K < ?", []byte("a"), "c").Order("K DESC", "Q")
		}, "b/p/3=v3 a/p/1=v1 a/q/2=v2"},
		"limit, offset": {func() *bun.SelectQuery { return from().Order("K", "Q").Limit(2).Offset(1) }, "a/q/2=v2 b/p/3=v3"},
		"keyset":        {func() *bun.SelectQuery { return from().Where("(K, Q) > (?, ?)", []byte("a"), "q").Limit(1) }, "b/p/3=v3"},
		"or":            {func() *bun.SelectQuery { return from().Where("Q = ?", "q").WhereOr("K = ?", "c") }, "a/q/2=v2 c/p/4=v4"},
		"group": {func() *bun.SelectQuery {
			return from().WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
				return q.Where("K = 'b'").WhereOr("K = 'c'")
			}).Where("T < 4")
		}, "b/p/3=v3"},
		"for update": {func() *bun.SelectQuery { return from().Where("K = ?", "b").For("UPDATE") }, "b/p/3=v3"},
		"comment":    {func() *bun.SelectQuery { return from().Where("K = ?", "b").Comment("trace") }, "b/p/3=v3"},
		"subquery": {func() *bun.SelectQuery {
			return from().Where("T = (?)", b.NewSelect().Model((*bunCell)(nil)).ColumnExpr("MAX(T)"))
		}, "c/p/4=v4"},
		"join": {func() *bun.SelectQuery { return from().Join("JOIN shop$cells AS o").JoinOn("o.K = c.K AND o.Q <> c.Q") }, "a/p/1=v1 a/q/2=v2"},
		"union": {func() *bun.SelectQuery {
			return from().Where("K = 'b'").UnionAll(b.NewSelect().Model((*bunCell)(nil)).Where("K = 'c'"))
		}, "b/p/3=v3 c/p/4=v4"},
	} {
		require.NoError(t, c.query().Scan(t.Context()), name)
		require.Equal(t, c.want, bunString(got), name)
	}

	one := bunAt("a", "q", 2, "")
	require.NoError(t, b.NewSelect().Model(one).WherePK().Scan(t.Context()))
	require.Equal(t, "v2", string(one.V))
	require.ErrorIs(t, b.NewSelect().Model(bunAt("none", "", 1, "")).WherePK().Scan(t.Context()), sql.ErrNoRows)
	many := []*bunCell{bunAt("a", "q", 2, ""), bunAt("b", "p", 3, "")}
	require.NoError(t, b.NewSelect().Model(&many).WherePK().Scan(t.Context()))
	require.Len(t, many, 2)
	exists, err := b.NewSelect().Model((*bunCell)(nil)).Where("K = ?", "a").Exists(t.Context())
	require.NoError(t, err)
	require.True(t, exists)
	got = nil
	require.NoError(t, b.NewRaw("SELECT * FROM shop$cells WHERE K = ?", []byte("b")).Scan(t.Context(), &got))
	require.Equal(t, "b/p/3=v3", bunString(got))
}

func TestBunAggregates(t *testing.T) {
	b := bunOpen(t, memory)
	n, err := b.NewSelect().Model((*bunCell)(nil)).Where("K = ?", "a").Count(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	var page []bunCell
	n, err = b.NewSelect().Model(&page).Limit(1).ScanAndCount(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 4, n)
	require.Equal(t, "a/p/1=v1", bunString(page))
	var groups []struct {
		K string `bun:"K"`
		N int    `bun:"N"`
	}
	require.NoError(t, b.NewSelect().Model((*bunCell)(nil)).Column("K").ColumnExpr("COUNT(*) AS N").Group("K").Having("COUNT(*) > ?", 1).Scan(t.Context(), &groups))
	require.Equal(t, "[{a 2}]", fmt.Sprint(groups))
	var keys []string
	require.NoError(t, b.NewSelect().Model((*bunCell)(nil)).Distinct().Column("K").Scan(t.Context(), &keys))
	require.Equal(t, []string{"a", "b", "c"}, keys)
}

func TestBunUpdateDelete(t *testing.T) {
	b := bunOpen(t, allVersions)
	require.EqualValues(t, 1, exec(t, b.NewUpdate().Model(bunAt("a", "q", 1, "one")).WherePK()))
	require.EqualValues(t, 1, exec(t, b.NewUpdate().Model(bunAt("a", "q", 2, "two")).Column("V").WherePK()))
	require.EqualValues(t, 1, exec(t, b.NewUpdate().Model((*bunCell)(nil)).Set("V = CONCAT(V, ?)", "x").Where("K = ?", "b")))
	require.EqualValues(t, 1, exec(t, b.NewUpdate().Model((*bunCell)(nil)).Set("V = ?", []byte("\x00")).Where("K = ?", "a").Order("T DESC").Limit(1)))
	require.Equal(t, "a/p/1=v1 a/q/2=\x00 a/q/1=one b/p/3=v3x c/p/4=v4", stored(t, b.DB))

	require.EqualValues(t, 1, exec(t, b.NewDelete().Model(bunAt("a", "q", 2, "")).WherePK()))
	require.EqualValues(t, 1, exec(t, b.NewDelete().Model(&[]*bunCell{bunAt("b", "p", 3, ""), bunAt("none", "p", 3, "")}).WherePK()))
	require.EqualValues(t, 1, exec(t, b.NewDelete().Model((*bunCell)(nil)).Where("K >= ?", "a").Order("T DESC").Limit(1)))
	require.Equal(t, "a/p/1=v1 a/q/1=one", stored(t, b.DB))
}

// TestBunUpdateLatest: in the latest view an update adds a version, and a delete
// removes all versions.
func TestBunUpdateLatest(t *testing.T) {
	b := bunOpen(t, memory)
	require.EqualValues(t, 1, exec(t, b.NewUpdate().Model(bunAt("b", "p", 3, "new")).Column("V").WherePK()))
	var got bunCell
	require.NoError(t, b.NewSelect().Model(&got).Where("K = ?", "b").Scan(t.Context()))
	require.Equal(t, "new", string(got.V))
	require.Greater(t, *got.T, int64(3))
	require.Contains(t, stored(t, b.DB), "b/p/3=v3")
	require.EqualValues(t, 1, exec(t, b.NewDelete().Model((*bunCell)(nil)).Where("K = ?", "b")))
	require.NotContains(t, stored(t, b.DB), "b/p")
}

func TestBunTransaction(t *testing.T) {
	notOnHBase(t, "several rows in a transaction")
	b := bunOpen(t, memory)
	failed := errors.New("changed my mind")
	insert := func(ctx context.Context, tx bun.Tx, k string) {
		_, err := tx.NewInsert().Model(bunAt(k, "q", 1, k)).Exec(ctx)
		require.NoError(t, err)
	}
	err := b.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		insert(ctx, tx, "x")
		return failed
	})
	require.ErrorIs(t, err, failed)
	require.Equal(t, filled, stored(t, b.DB))

	require.NoError(t, b.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		insert(ctx, tx, "x")
		nested := tx.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			insert(ctx, tx, "y")
			return failed
		})
		require.ErrorIs(t, nested, failed)
		return tx.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			insert(ctx, tx, "z")
			return nil
		})
	}))
	require.Equal(t, filled+" x/q/1=x z/q/1=z", stored(t, b.DB))
}

func TestBunViews(t *testing.T) {
	const latest = "a/p/1=v1 a/q/2=v2 b/p/3=v3 c/p/4=v4"
	b := bunOpen(t, memory)
	find := func(q *bun.SelectQuery) string {
		t.Helper()
		var got []bunCell
		require.NoError(t, q.Scan(t.Context(), &got))
		return bunString(got)
	}
	require.Equal(t, latest, find(b.NewSelect().Model((*bunCell)(nil))))
	require.Equal(t, filled, find(b.NewSelect().Table("shop$cells").ColumnExpr("/*+ VERSIONS(ALL) */ *")))
	require.Equal(t, filled, find(b.NewSelect().Model((*bunCell)(nil)).ModelTableExpr("shop$cells FOR SYSTEM_TIME ALL AS c")))
	require.Equal(t, "a/p/1=v1 a/q/1=v1", find(b.NewSelect().Model((*bunCell)(nil)).ModelTableExpr("shop$cells FOR SYSTEM_TIME AS OF ? AS c", 1)))

	conn, err := b.Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "SET hbasekv_versions = ?", "all")
	require.NoError(t, err)
	require.Equal(t, filled, find(conn.NewSelect().Model((*bunCell)(nil))))
	_, err = conn.ExecContext(t.Context(), "SET hbasekv_versions = DEFAULT") // the connection keeps what is set
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Equal(t, latest, find(b.NewSelect().Model((*bunCell)(nil))))

	b = bunOpen(t, allVersions)
	require.Equal(t, filled, find(b.NewSelect().Model((*bunCell)(nil))))
}

// TestBunBulk updates rows that are all given at once, and reads through a
// common table expression.
func TestBunBulk(t *testing.T) {
	b := bunOpen(t, allVersions)
	n := exec(t, b.NewUpdate().Model(&[]*bunCell{bunAt("a", "q", 2, "w2"), bunAt("c", "p", 4, "w4"), bunAt("zz", "p", 4, "none")}).Column("V").Bulk())
	require.EqualValues(t, 2, n)
	var cells []bunCell
	require.NoError(t, b.NewSelect().With("x", b.NewSelect().Model((*bunCell)(nil)).Where("T > 1")).
		TableExpr("x").Column("K", "Q", "T", "V").OrderExpr("K").Scan(t.Context(), &cells))
	require.Equal(t, "a/q/2=w2 b/p/3=v3 c/p/4=w4", bunString(cells))
}
