package orm

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"xorm.io/builder"
	"xorm.io/xorm"
	"xorm.io/xorm/contexts"
	"xorm.io/xorm/core"
	"xorm.io/xorm/dialects"
	"xorm.io/xorm/log"
	"xorm.io/xorm/names"
)

// xormCell has strings for K and Q, because xorm splits a []byte inside In(), and a pointer for T:
// nil lets the clock set it, where 0 would be the time of each version.
type xormCell struct {
	K string `xorm:"'K' varbinary(1024) pk"`
	Q string `xorm:"'Q' varbinary(256) pk"`
	T *int64 `xorm:"'T' bigint pk"`
	V []byte `xorm:"'V' varbinary(1024)"`
}

func (xormCell) TableName() string { return "shop$cells" }

func xormAt(k, q string, t int64, v string) xormCell { return xormCell{k, q, &t, []byte(v)} }

func xormString(cells []xormCell) string {
	var all []string
	for _, c := range cells {
		all = append(all, fmt.Sprintf("%s/%s/%d=%s", c.K, c.Q, *c.T, c.V))
	}
	return strings.Join(all, " ")
}

// recorder is a hook that records the statements.
type recorder []string

func (r *recorder) BeforeProcess(c *contexts.ContextHook) (context.Context, error) {
	*r = append(*r, c.SQL)
	return c.Ctx, nil
}
func (r *recorder) AfterProcess(*contexts.ContextHook) error { return nil }

func xormOpen(t *testing.T, dsn string) (*xorm.Engine, *sql.DB) {
	t.Helper()
	db := open(t, dsn)
	x := xormOver(t, db)
	x.SetMapper(names.SameMapper{})
	return x, db
}

func xormOver(t *testing.T, db *sql.DB) *xorm.Engine {
	t.Helper()
	dialect := dialects.QueryDialect("mysql")
	require.NoError(t, dialect.Init(&dialects.URI{DBType: "mysql", DBName: "default"}))
	x, err := xorm.NewEngineWithDialectAndDB("mysql", "", dialect, core.FromDB(db))
	require.NoError(t, err)
	x.SetLogger(log.DiscardLogger{})
	return x
}

func xormSynced(t *testing.T, dsn string) (*xorm.Engine, *sql.DB) {
	t.Helper()
	x, db := xormOpen(t, dsn)
	require.NoError(t, x.Sync(new(xormCell)))
	n, err := x.Insert([]xormCell{
		xormAt("a", "p", 1, "v1"), xormAt("a", "q", 1, "v1"), xormAt("a", "q", 2, "v2"),
		xormAt("b", "p", 3, "v3"), xormAt("c", "p", 4, "v4"),
	})
	require.NoError(t, err)
	require.EqualValues(t, 5, n)
	return x, db
}

func TestXormSync(t *testing.T) {
	x, db := xormOpen(t, memory)
	require.NoError(t, x.Ping())
	version, err := x.DBVersion()
	require.NoError(t, err)
	require.Equal(t, "5.7.25", version.Number)
	exists, err := x.IsTableExist(new(xormCell))
	require.NoError(t, err)
	require.False(t, exists)
	require.NoError(t, x.Sync(new(xormCell)))
	first := definition(t, db)

	var executed recorder
	x.AddHook(&executed)
	require.NoError(t, x.Sync(new(xormCell)))
	require.NotEmpty(t, executed)
	for _, statement := range executed {
		require.True(t, strings.HasPrefix(statement, "SELECT "), "a second sync only looks: %s", statement)
	}
	require.Equal(t, first, definition(t, db))

	exists, err = x.IsTableExist(new(xormCell))
	require.NoError(t, err)
	require.True(t, exists)
	empty, err := x.IsTableEmpty(new(xormCell))
	require.NoError(t, err)
	require.True(t, empty)
	tables, err := x.DBMetas()
	require.NoError(t, err)
	require.Len(t, tables, 1)
	require.Equal(t, []string{"K", "Q", "T", "V"}, tables[0].ColumnsSeq())
	require.Equal(t, []string{"K", "Q", "T"}, tables[0].PrimaryKeys)
	require.NoError(t, x.DropTables(new(xormCell)))
	require.NoError(t, x.CreateTables(new(xormCell)))
	require.Equal(t, first, definition(t, db))
}

// xormPlain leaves the names to xorm, which calls them k, q, t and v.
type xormPlain struct {
	K string `xorm:"varbinary(1024) pk comment('row')"`
	Q string `xorm:"varbinary(256) pk"`
	T int64  `xorm:"bigint pk"`
	V []byte `xorm:"varbinary(1024)"`
}

func (xormPlain) TableName() string { return "shop$plain" }

// A Sync finds the names that an earlier one declared, also after the store was
// closed.
func TestXormSyncPlain(t *testing.T) {
	dir := t.TempDir()
	for round := range 3 {
		x, db := xormOpen(t, dir)
		x.SetMapper(names.SnakeMapper{})
		var executed recorder
		x.AddHook(&executed)
		require.NoError(t, x.Sync(new(xormPlain)))
		for _, statement := range executed {
			require.True(t, round == 0 || strings.HasPrefix(statement, "SELECT "), "a later sync only looks: %s", statement)
		}
		_, err := x.Insert(&xormPlain{K: "a", Q: "q", T: int64(round)})
		require.NoError(t, err)
		got := xormPlain{K: "a"}
		found, err := x.Get(&got)
		require.NoError(t, err)
		require.True(t, found)
		require.EqualValues(t, round, got.T)
		require.NoError(t, db.Close())
	}
}

func TestXormInsert(t *testing.T) {
	x, db := xormSynced(t, memory)
	require.Equal(t, filled, stored(t, db))
	_, err := x.Insert(xormAt("new", "p", 1, "x"), xormAt("a", "p", 1, "other"))
	var duplicate *mysql.MySQLError
	require.ErrorAs(t, err, &duplicate)
	require.EqualValues(t, 1062, duplicate.Number)
	_, err = x.Insert([]xormCell{xormAt("newer", "p", 1, "x"), xormAt("a", "p", 1, "other")})
	require.ErrorAs(t, err, &duplicate)
	require.Equal(t, filled+" new/p/1=x", stored(t, db), "the first Insert is two statements")

	// xorm has no upsert.
	_, err = x.Exec("INSERT INTO shop$cells (K, Q, T, V) VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE V = VALUES(V)", "new", "p", 1, "y")
	require.NoError(t, err)
	_, err = x.Table("shop$cells").Insert(map[string]any{"K": binary, "Q": "", "T": int64(-1 << 63), "V": []byte("\x00\xff")})
	require.NoError(t, err)
	got := xormCell{K: binary}
	found, err := x.Get(&got)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, xormAt(binary, "", -1<<63, "\x00\xff"), got)
	null := xormCell{K: "null", Q: "q", T: at(1)}
	_, err = x.Insert(&null)
	require.NoError(t, err)
	n, err := x.Where("V IS NULL").Count(new(xormCell))
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
}

// xormLearning learns the T that the store chose. xorm does not declare
// AUTO_INCREMENT if the key has several columns.
type xormLearning struct {
	K string `xorm:"'K' varbinary(1024) pk"`
	Q string `xorm:"'Q' varbinary(256) pk"`
	T *int64 `xorm:"'T' bigint pk autoincr"`
	V []byte `xorm:"'V' varbinary(1024)"`
}

func (xormLearning) TableName() string { return "shop$cells" }

func TestXormLearnsT(t *testing.T) {
	x, db := xormSynced(t, memory)
	first, second := xormLearning{K: "x", Q: "q", V: []byte("1")}, xormLearning{K: "x", Q: "q", V: []byte("2")}
	given := xormLearning{K: "x", Q: "given", T: at(7), V: []byte("3")}
	_, err := x.Insert(&first, &second, &given)
	require.NoError(t, err)
	require.Greater(t, *second.T, *first.T)
	require.EqualValues(t, 7, *given.T)
	want := fmt.Sprintf("x/given/7=3 x/q/%d=2 x/q/%d=1", *second.T, *first.T)
	require.Equal(t, filled+" "+want, stored(t, db))
	latest := xormLearning{K: "x", Q: "q"}
	_, err = x.Get(&latest)
	require.NoError(t, err)
	require.Equal(t, second, latest)

	unknown := []xormLearning{{K: "y", Q: "p"}, {K: "y", Q: "q"}}
	_, err = x.Insert(&unknown)
	require.NoError(t, err)
	require.Nil(t, unknown[0].T, "a slice is one statement")

	before := definition(t, db)
	require.NoError(t, x.Sync(new(xormLearning)))
	require.Equal(t, before, definition(t, db))
	require.NoError(t, x.DropTables(new(xormLearning)))
	require.NoError(t, x.Sync(new(xormLearning)))
	require.Equal(t, before, definition(t, db))
}

func TestXormFind(t *testing.T) {
	x, _ := xormSynced(t, memory)
	for name, c := range map[string]struct {
		query *xorm.Session
		want  string
	}{
		"all":           {x.NewSession(), "a/p/1=v1 a/q/2=v2 b/p/3=v3 c/p/4=v4"},
		"range":         {x.Where("K >= ? AND K < ?", "a", "c").OrderBy("K DESC, Q"), "b/p/3=v3 a/p/1=v1 a/q/2=v2"},
		"limit, offset": {x.Asc("K", "Q").Limit(2, 1), "a/q/2=v2 b/p/3=v3"},
		"desc":          {x.Desc("T").Limit(2), "c/p/4=v4 b/p/3=v3"},
		"in":            {x.In("K", "b", "c"), "b/p/3=v3 c/p/4=v4"},
		"builder":       {x.Where(builder.Eq{"Q": "p"}.And(builder.Gt{"T": 1}).And(builder.Like{"K", "b"}).And(builder.Between{Col: "T", LessVal: 1, MoreVal: 9})), "b/p/3=v3"},
		"or":            {x.Where("Q = ?", "q").Or("K = ?", "c"), "a/q/2=v2 c/p/4=v4"},
		"not in":        {x.NotIn("K", "a", "b"), "c/p/4=v4"},
		"bytes":         {x.Where("K = ?", []byte("b")), "b/p/3=v3"},
		"for update":    {x.Where("K = ?", "b").ForUpdate(), "b/p/3=v3"},
		"sql":           {x.SQL("SELECT * FROM shop$cells WHERE K = ?", "b"), "b/p/3=v3"},
		"prepared":      {x.Prepare().Where("K = ?", "b"), "b/p/3=v3"},
	} {
		var got []xormCell
		require.NoError(t, c.query.Find(&got), name)
		require.Equal(t, c.want, xormString(got), name)
		require.NoError(t, c.query.Close())
	}
	one := xormCell{K: "a", Q: "q"}
	found, err := x.Get(&one)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, xormAt("a", "q", 2, "v2"), one)
	found, err = x.Get(&xormCell{K: "none"})
	require.NoError(t, err)
	require.False(t, found)
	found, err = x.Exist(&xormCell{K: "b"})
	require.NoError(t, err)
	require.True(t, found)
	maps, err := x.QueryString("SELECT * FROM shop$cells WHERE K = ?", "b")
	require.NoError(t, err)
	require.Equal(t, []map[string]string{{"K": "b", "Q": "p", "T": "3", "V": "v3"}}, maps)
	seen := 0
	require.NoError(t, x.BufferSize(2).Asc("K").Iterate(new(xormCell), func(int, any) error { seen++; return nil }))
	require.Equal(t, 4, seen)
}

func TestXormAggregates(t *testing.T) {
	x, _ := xormSynced(t, memory)
	n, err := x.Count(&xormCell{K: "a"})
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	sum, err := x.Sum(new(xormCell), "T")
	require.NoError(t, err)
	require.EqualValues(t, 10, sum)
	var groups []struct {
		K string `xorm:"'K'"`
		N int    `xorm:"'n'"`
	}
	require.NoError(t, x.Table("shop$cells").Select("K, COUNT(*) AS n").GroupBy("K").Having("COUNT(*) > 1").Find(&groups))
	require.Equal(t, "[{a 2}]", fmt.Sprint(groups))
	var keys []string
	require.NoError(t, x.Table("shop$cells").Distinct("K").Find(&keys))
	require.Equal(t, []string{"a", "b", "c"}, keys)
	var page []xormCell
	n, err = x.Limit(1).FindAndCount(&page)
	require.NoError(t, err)
	require.EqualValues(t, 4, n)
	require.Len(t, page, 1)
}

func TestXormUpdateDelete(t *testing.T) {
	x, db := xormSynced(t, allVersions)
	n, err := x.ID([]any{"a", "q", 1}).Update(&xormCell{V: []byte("one")})
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	_, err = x.Where("K = ?", "a").Cols("V").OrderBy("T").Limit(1).Where("Q = ?", "p").Update(&xormCell{V: []byte("p")})
	require.NoError(t, err)
	_, err = x.Where("K = ?", "b").SetExpr("V", "CONCAT(V, 'x')").Update(new(xormCell))
	require.NoError(t, err)
	_, err = x.Where("K = ?", "c").Incr("T", 5).Update(new(xormCell))
	require.NoError(t, err)
	require.Equal(t, "a/p/1=p a/q/2=v2 a/q/1=one b/p/3=v3x c/p/9=v4", stored(t, db))

	n, err = x.Delete(&xormCell{K: "a", Q: "q", T: at(2)})
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	_, err = x.Where("K = ?", "b").Limit(3).Delete(new(xormCell))
	require.NoError(t, err)
	require.Equal(t, "a/p/1=p a/q/1=one c/p/9=v4", stored(t, db))
	_, err = x.Truncate(new(xormCell))
	require.NoError(t, err)
	require.Empty(t, stored(t, db))
}

func TestXormTransaction(t *testing.T) {
	x, db := xormSynced(t, memory)
	tx := x.NewSession()
	defer tx.Close()
	require.NoError(t, tx.Begin())
	_, err := tx.Insert(xormAt("x", "q", 1, "x"))
	require.NoError(t, err)
	found, err := tx.Exist(&xormCell{K: "x"})
	require.NoError(t, err)
	require.True(t, found)
	require.NoError(t, tx.Rollback())
	require.Equal(t, filled, stored(t, db))

	_, err = x.Transaction(func(tx *xorm.Session) (any, error) { return tx.Insert(xormAt("x", "q", 1, "x")) })
	require.NoError(t, err)
	require.Equal(t, filled+" x/q/1=x", stored(t, db))
}

func TestXormViews(t *testing.T) {
	const latest = "a/p/1=v1 a/q/2=v2 b/p/3=v3 c/p/4=v4"
	find := func(s *xorm.Session) string {
		t.Helper()
		var got []xormCell
		require.NoError(t, s.Find(&got))
		return xormString(got)
	}
	x, _ := xormSynced(t, memory)
	require.Equal(t, latest, find(x.Table("shop$cells")))
	require.Equal(t, filled, find(x.Table("shop$cells").Select("/*+ VERSIONS(ALL) */ *")))
	require.Equal(t, filled, find(x.SQL("SELECT * FROM shop$cells FOR SYSTEM_TIME ALL")))

	// A transaction keeps its connection, and thus its session variables.
	_, err := x.Transaction(func(tx *xorm.Session) (any, error) {
		_, err := tx.Exec("SET hbasekv_versions = 'all'")
		require.NoError(t, err)
		require.Equal(t, filled, find(tx))
		_, err = tx.Exec("SET hbasekv_versions = DEFAULT") // it keeps what is set
		return nil, err
	})
	require.NoError(t, err)
	require.Equal(t, latest, find(x.Table("shop$cells")))

	x, _ = xormSynced(t, allVersions)
	require.Equal(t, filled, find(x.Table("shop$cells")))
	require.Equal(t, latest, find(x.Select("/*+ VERSIONS(1) */ *")))
}
