package orm

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	mysqldriver "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/hints"
)

// gormCell names its columns, because gorm would call them k, q, t and v, while tables created otherwise call
// them K, Q, T and V. K and Q are strings, because gorm splits a []byte inside IN (?). T is a pointer,
// because nil lets the clock set it.
type gormCell struct {
	K string `gorm:"column:K;type:varbinary(1024);primaryKey"`
	Q string `gorm:"column:Q;type:varbinary(256);primaryKey"`
	T *int64 `gorm:"column:T;type:bigint;primaryKey"`
	V []byte `gorm:"column:V;type:varbinary(1024)"`
}

func (gormCell) TableName() string { return "shop$cells" }

// BeforeCreate makes gorm keep the sql.Result, from which AfterCreate takes the T that the store chose.
func (gormCell) BeforeCreate(tx *gorm.DB) error {
	gorm.WithResult().ModifyStatement(tx.Statement)
	return nil
}

// AfterCreate learns the T of a cell that a statement wrote alone: LastInsertId is that of the first cell.
func (c *gormCell) AfterCreate(tx *gorm.DB) (err error) {
	wrote, values := tx.Statement.Result, tx.Statement.ReflectValue
	if alone := values.Kind() == reflect.Struct || values.Len() == 1; c.T == nil && alone && wrote.RowsAffected == 1 {
		c.T = new(int64)
		*c.T, err = wrote.Result.LastInsertId()
	}
	return err
}

func gormAt(k, q string, t int64, v string) gormCell { return gormCell{k, q, &t, []byte(v)} }

func gormString(cells []gormCell) string {
	var all []string
	for _, c := range cells {
		all = append(all, fmt.Sprintf("%s/%s/%d=%s", c.K, c.Q, *c.T, c.V))
	}
	return strings.Join(all, " ")
}

func gormOpen(t *testing.T, dsn string) (*gorm.DB, *sql.DB) {
	t.Helper()
	db := open(t, dsn)
	return gormOver(t, db), db
}

func gormOver(t *testing.T, db *sql.DB) *gorm.DB {
	t.Helper()
	g, err := gorm.Open(mysql.New(mysql.Config{Conn: db}), &gorm.Config{
		TranslateError: true, Logger: logger.Discard,
		SkipDefaultTransaction: *hbaseFlag != "", // there, a transaction writes one row, and a statement several
	})
	require.NoError(t, err)
	return g
}

// gormMigrated is the table with a/p/1, a/q/1, a/q/2, b/p/3, c/p/4; the values
// are v and T.
func gormMigrated(t *testing.T, dsn string) (*gorm.DB, *sql.DB) {
	t.Helper()
	g, db := gormOpen(t, dsn)
	require.NoError(t, g.AutoMigrate(&gormCell{}))
	for _, row := range [][]gormCell{ // each is a transaction
		{gormAt("a", "p", 1, "v1"), gormAt("a", "q", 1, "v1"), gormAt("a", "q", 2, "v2")},
		{gormAt("b", "p", 3, "v3")}, {gormAt("c", "p", 4, "v4")},
	} {
		require.NoError(t, g.Create(row).Error)
	}
	return g, db
}

const filled = "a/p/1=v1 a/q/2=v2 a/q/1=v1 b/p/3=v3 c/p/4=v4"

func TestGormMigrate(t *testing.T) {
	notOnHBase(t, "partitions by key")
	g, db := gormOpen(t, memory)
	require.False(t, g.Migrator().HasTable(&gormCell{}))
	partitioned := g.Set("gorm:table_options", " PARTITION BY KEY(K) PARTITIONS 7")
	require.NoError(t, partitioned.AutoMigrate(&gormCell{}))
	first := definition(t, db)
	require.Contains(t, first, "PARTITIONS 7")

	executed := gormRecord(t, g)
	require.NoError(t, partitioned.AutoMigrate(&gormCell{}))
	require.Empty(t, *executed, "a second migration has nothing to do")
	require.Equal(t, first, definition(t, db))

	require.NoError(t, partitioned.AutoMigrate(&gormWider{}))
	require.Equal(t, strings.Replace(first, "`V` varbinary(1024)", "`V` varbinary(2048)", 1), definition(t, db))
}

// gormPlain leaves the names to gorm, which calls them k, q, t and v.
type gormPlain struct {
	K string `gorm:"type:varbinary(1024);primaryKey;comment:row"`
	Q string `gorm:"type:varbinary(256);primaryKey"`
	T int64  `gorm:"type:bigint;primaryKey;autoIncrement:false"`
	V []byte `gorm:"type:varbinary(1024);comment:value"`
}

func (gormPlain) TableName() string { return "shop$plain" }

// A migration finds the names and comments that an earlier one declared, also
// after the store was closed.
func TestGormMigratePlain(t *testing.T) {
	dir := t.TempDir()
	for round := range 3 {
		g, db := gormOpen(t, dir)
		executed := gormRecord(t, g)
		require.NoError(t, g.Set("gorm:table_options", "COLLATE utf8mb4_bin").AutoMigrate(&gormPlain{}))
		if round > 0 {
			require.Empty(t, *executed, "a later migration has nothing to do")
		}
		require.NoError(t, g.Create(&gormPlain{K: "a", Q: "q", T: int64(round), V: []byte("v")}).Error)
		var got gormPlain
		require.NoError(t, g.Where(&gormPlain{K: "a"}).Take(&got).Error)
		require.EqualValues(t, round, got.T)
		require.NoError(t, db.Close())
	}
}

// gormPrefixed has the generated column by which the table is partitioned.
type gormPrefixed struct {
	K      string `gorm:"column:K;type:varbinary(1024);primaryKey"`
	Q      string `gorm:"column:Q;type:varbinary(256);primaryKey"`
	T      *int64 `gorm:"column:T;type:bigint;primaryKey"`
	V      []byte `gorm:"column:V;type:varbinary(1024)"`
	Prefix string `gorm:"->;column:K_PREFIX;type:varbinary(4) GENERATED ALWAYS AS (substring(K, 1, 4))"`
}

func (gormPrefixed) TableName() string { return "shop$prefixed" }

func TestGormGeneratedColumn(t *testing.T) {
	notOnHBase(t, "partitions by key")
	g, _ := gormOpen(t, memory)
	executed := gormRecord(t, g)
	for range 2 {
		require.NoError(t, g.Set("gorm:table_options", "PARTITION BY KEY(K_PREFIX) PARTITIONS 7").AutoMigrate(&gormPrefixed{}))
	}
	require.Len(t, *executed, 1, "CREATE TABLE")
	require.NoError(t, g.Create(&gormPrefixed{K: "user1", Q: "q", V: []byte("v")}).Error)
	var got gormPrefixed
	require.NoError(t, g.Where(&gormPrefixed{Prefix: "user"}).Take(&got).Error)
	require.Equal(t, "user1 user", got.K+" "+got.Prefix)
}

// gormRecord records the statements of a migration that change something.
func gormRecord(t *testing.T, g *gorm.DB) *[]string {
	executed := &[]string{}
	require.NoError(t, g.Callback().Raw().Before("gorm:raw").Register("record", func(tx *gorm.DB) {
		*executed = append(*executed, tx.Statement.SQL.String())
	}))
	return executed
}

// gormWider is the model after it grew, which is an ALTER TABLE.
type gormWider struct {
	K string `gorm:"column:K;type:varbinary(1024);primaryKey"`
	Q string `gorm:"column:Q;type:varbinary(256);primaryKey"`
	T *int64 `gorm:"column:T;type:bigint;primaryKey"`
	V []byte `gorm:"column:V;type:varbinary(2048)"`
}

func (gormWider) TableName() string { return "shop$cells" }

func TestGormMigrator(t *testing.T) {
	notOnHBase(t, "renaming")
	g, _ := gormMigrated(t, memory)
	m := g.Migrator()
	require.True(t, m.HasTable(&gormCell{}))
	require.True(t, m.HasTable("shop$cells"))
	require.False(t, m.HasTable("shop$none"))
	require.True(t, m.HasColumn(&gormCell{}, "V"))
	require.False(t, m.HasColumn(&gormCell{}, "W"))
	require.False(t, m.HasIndex(&gormCell{}, "idx"))
	require.False(t, m.HasConstraint(&gormCell{}, "chk"))
	require.Equal(t, "default", m.CurrentDatabase())
	tables, err := m.GetTables()
	require.NoError(t, err)
	require.Contains(t, tables, "shop$cells")
	indexes, err := m.GetIndexes(&gormCell{})
	require.NoError(t, err)
	require.Len(t, indexes, 1)
	require.Equal(t, []string{"K", "Q", "T"}, indexes[0].Columns())
	columns, err := m.ColumnTypes(&gormCell{})
	require.NoError(t, err)
	var types []string
	for _, c := range columns {
		text, _ := c.ColumnType()
		key, _ := c.PrimaryKey()
		types = append(types, fmt.Sprint(c.Name(), " ", text, " ", key))
	}
	require.Equal(t, []string{"K varbinary(1024) true", "Q varbinary(256) true", "T bigint(20) true", "V varbinary(1024) false"}, types)
	require.NoError(t, m.RenameTable("shop$cells", "shop$other"))
	require.NoError(t, m.RenameTable("shop$other", "shop$cells"))
	require.NoError(t, m.DropTable(&gormCell{}))
	require.False(t, m.HasTable(&gormCell{}))
	require.NoError(t, m.DropTable(&gormCell{}), "IF EXISTS")
}

func TestGormCreate(t *testing.T) {
	g, db := gormMigrated(t, memory)
	require.Equal(t, filled, stored(t, db))

	clock := gormCell{K: "clock", Q: "q", V: []byte("v")}
	require.NoError(t, g.Create(&clock).Error)
	require.NoError(t, g.Where(&gormCell{K: "clock"}).First(&clock).Error)
	require.Greater(t, *clock.T, int64(1_600_000_000_000))

	require.NoError(t, g.Model(&gormCell{}).Create(map[string]any{"K": "map", "Q": "q", "T": 1, "V": "v"}).Error)
	require.NoError(t, g.CreateInBatches([]gormCell{gormAt("batch", "1", 1, "x"), gormAt("batch", "2", 1, "y"), gormAt("batch", "3", 1, "z")}, 2).Error)
	var n int64
	require.NoError(t, g.Model(&gormCell{}).Where("K IN ?", []string{"map", "batch"}).Count(&n).Error)
	require.EqualValues(t, 4, n)
}

// gormCounted has the tag with which gorm would set T itself, and increment it
// in a batch.
type gormCounted struct {
	K string `gorm:"column:K;type:varbinary(1024);primaryKey"`
	Q string `gorm:"column:Q;type:varbinary(256);primaryKey"`
	T *int64 `gorm:"column:T;type:bigint;primaryKey;autoIncrement"`
	V []byte `gorm:"column:V;type:varbinary(1024)"`
}

func (gormCounted) TableName() string { return "shop$counted" }

// TestGormLearnsT: a model without T has the stored one after its own Create,
// even if a version is ahead of the clock, which stays the newest.
func TestGormLearnsT(t *testing.T) {
	const ahead = 4_000_000_000_000
	for _, dsn := range []string{memory, allVersions} {
		g, db := gormMigrated(t, dsn)
		require.NoError(t, g.Create(ptr(gormAt("x", "ahead", ahead, "v"))).Error)
		v := []byte("v") // HBase has no NULL
		cells := []gormCell{{K: "x", Q: "ahead", V: v}, {K: "x", Q: "ahead", V: v}, gormAt("x", "given", 7, ""), {K: binary, Q: "", V: v}}
		require.NoError(t, g.CreateInBatches(&cells, 1).Error)
		require.Less(t, *cells[0].T, *cells[1].T)
		require.Less(t, *cells[1].T, int64(ahead))
		require.EqualValues(t, 7, *cells[2].T)
		one := gormCell{K: binary, Q: "", V: []byte("second")}
		require.NoError(t, g.Create(&one).Error)
		require.Greater(t, *one.T, *cells[3].T)
		ignored := gormCell{K: "x", Q: "given", T: at(7), V: v}
		require.NoError(t, g.Clauses(clause.OnConflict{DoNothing: true}).Create(&ignored).Error)
		require.EqualValues(t, 7, *ignored.T)
		for _, c := range append(cells, one) {
			var n int
			require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM shop$cells FOR SYSTEM_TIME ALL WHERE K = ? AND Q = ? AND T = ?",
				c.K, c.Q, *c.T).Scan(&n))
			require.Equal(t, 1, n, "%q/%s/%d", c.K, c.Q, *c.T)
		}

		var refused *mysqldriver.MySQLError
		require.ErrorAs(t, g.AutoMigrate(&gormCounted{}), &refused)
		require.EqualValues(t, 1235, refused.Number)

		batch := []gormCell{{K: "y", Q: "1", V: v}, {K: "y", Q: "2", V: v}}
		require.NoError(t, g.Create(&batch).Error)
		require.Nil(t, batch[1].T, "the result has the first one's")
	}
}

func TestGormCreateOdd(t *testing.T) {
	notOnHBase(t, "a negative T, and NULL")
	g, _ := gormMigrated(t, memory)
	odd := gormAt(binary, "", -1<<63, "\x00\xff")
	require.NoError(t, g.Create(&odd).Error)
	null := gormCell{K: binary, Q: "null", T: new(int64)}
	require.NoError(t, g.Create(&null).Error)
	var got []gormCell
	require.NoError(t, g.Where("K = ?", binary).Order("Q").Find(&got).Error)
	require.Equal(t, []gormCell{odd, null}, got)
}

func TestGormDuplicateKey(t *testing.T) {
	g, db := gormMigrated(t, memory)
	again := gormAt("a", "p", 1, "other")
	err := g.Create(&again).Error
	require.ErrorIs(t, err, gorm.ErrDuplicatedKey)
	err = g.Create([]gormCell{gormAt("new", "p", 1, "x"), again}).Error
	require.ErrorIs(t, err, gorm.ErrDuplicatedKey)
	require.Equal(t, filled, stored(t, db))
}

func TestGormUpsert(t *testing.T) {
	g, db := gormMigrated(t, memory)
	again := gormAt("a", "p", 1, "other")
	require.NoError(t, g.Clauses(clause.OnConflict{DoNothing: true}).Create(&again).Error)
	require.NoError(t, g.Clauses(clause.Insert{Modifier: "IGNORE"}).Create(&again).Error)
	require.Equal(t, filled, stored(t, db))

	require.NoError(t, g.Clauses(clause.OnConflict{UpdateAll: true}).Create([]gormCell{again, gormAt("d", "p", 5, "v5")}).Error)
	require.Equal(t, strings.Replace(filled, "a/p/1=v1", "a/p/1=other", 1)+" d/p/5=v5", stored(t, db))
	require.NoError(t, g.Clauses(clause.OnConflict{DoUpdates: clause.AssignmentColumns([]string{"V"})}).Create(ptr(gormAt("a", "p", 1, "v1"))).Error)
	require.NoError(t, g.Clauses(clause.OnConflict{DoUpdates: clause.Assignments(map[string]any{"V": gorm.Expr("CONCAT(V, ?)", "!")})}).Create(ptr(gormAt("d", "p", 5, ""))).Error)
	require.Equal(t, filled+" d/p/5=v5!", stored(t, db))
}

// TestGormSave: Save is an UPDATE by the primary key, and an upsert if that
// matched nothing.
func TestGormSave(t *testing.T) {
	g, db := gormMigrated(t, allVersions)
	require.NoError(t, g.Save(ptr(gormAt("a", "q", 1, "old"))).Error)
	require.NoError(t, g.Save(ptr(gormAt("a", "q", 1, "old"))).Error)
	require.NoError(t, g.Save(ptr(gormAt("z", "q", 1, "new"))).Error)
	require.NoError(t, g.Save([]gormCell{gormAt("b", "p", 3, "b"), gormAt("z", "z", 1, "z")}).Error)
	require.Equal(t, "a/p/1=v1 a/q/2=v2 a/q/1=old b/p/3=b c/p/4=v4 z/q/1=new z/z/1=z", stored(t, db))
}

func TestGormFind(t *testing.T) {
	g, _ := gormMigrated(t, memory)
	for name, c := range map[string]struct {
		query *gorm.DB
		want  string
	}{
		"all":           {g, "a/p/1=v1 a/q/2=v2 b/p/3=v3 c/p/4=v4"},
		"struct":        {g.Where(&gormCell{K: "a", Q: "q"}), "a/q/2=v2"},
		"map":           {g.Where(map[string]any{"K": []string{"a", "c"}, "Q": "p"}), "a/p/1=v1 c/p/4=v4"},
		"range":         {g.Where("K >= ? AND K < ?", "a", "c").Order("K DESC, Q"), "b/p/3=v3 a/p/1=v1 a/q/2=v2"},
		"limit, offset": {g.Order("K, Q").Limit(2).Offset(1), "a/q/2=v2 b/p/3=v3"},
		"column desc":   {g.Order(clause.OrderByColumn{Column: clause.Column{Name: "T"}, Desc: true}).Limit(2), "c/p/4=v4 b/p/3=v3"},
		"in":            {g.Where("K IN ?", []string{"b", "c"}), "b/p/3=v3 c/p/4=v4"},
		"tuples":        {g.Where("(K, Q) IN ?", [][]any{{"a", "q"}, {"c", "p"}}), "a/q/2=v2 c/p/4=v4"},
		"keyset":        {g.Where("(K, Q) > (?, ?)", "a", "q").Limit(1), "b/p/3=v3"},
		"like":          {g.Where("K LIKE ?", "a%").Order("Q DESC"), "a/q/2=v2 a/p/1=v1"},
		"between":       {g.Where("T BETWEEN ? AND ?", 2, 3), "a/q/2=v2 b/p/3=v3"},
		"not, or":       {g.Not("Q = ?", "p").Or("K = ?", "c"), "a/q/2=v2 c/p/4=v4"},
		"named":         {g.Where("K = @k AND Q = @q", sql.Named("k", "a"), sql.Named("q", "p")), "a/p/1=v1"},
		"bytes":         {g.Where("K = ?", []byte("b")), "b/p/3=v3"},
		"clause":        {g.Where(clause.Eq{Column: "K", Value: []byte("b")}), "b/p/3=v3"},
		"subquery":      {g.Where("T = (?)", g.Model(&gormCell{}).Select("MAX(T)")), "c/p/4=v4"},
		"derived":       {g.Table("(?) AS u", g.Model(&gormCell{}).Where("Q = ?", "p")).Where("T < ?", 4), "a/p/1=v1 b/p/3=v3"},
		"for update":    {g.Clauses(clause.Locking{Strength: "UPDATE"}).Where("K = ?", "b"), "b/p/3=v3"},
		"for share":     {g.Clauses(clause.Locking{Strength: "SHARE"}).Where("K = ?", "b"), "b/p/3=v3"},
		"comment":       {g.Clauses(hints.Comment("select", "trace=1")).Where("K = ?", "b"), "b/p/3=v3"},
		"join":          {g.Select("`shop$cells`.*").Joins("JOIN shop$cells AS o ON o.K = `shop$cells`.K AND o.Q <> `shop$cells`.Q"), "a/p/1=v1 a/q/2=v2"},
		"raw":           {g.Raw("SELECT * FROM shop$cells WHERE K = ?", "b"), "b/p/3=v3"},
		"prepared":      {g.Session(&gorm.Session{PrepareStmt: true}).Where("K = ?", "b"), "b/p/3=v3"},
	} {
		var got []gormCell
		require.NoError(t, c.query.Find(&got).Error, name)
		require.Equal(t, c.want, gormString(got), name)
	}
}

func TestGormFindOne(t *testing.T) {
	g, _ := gormMigrated(t, memory)
	var first, last, taken, none gormCell
	require.NoError(t, g.First(&first).Error)
	require.Equal(t, gormAt("a", "p", 1, "v1"), first)
	require.NoError(t, g.Last(&last).Error)
	require.Equal(t, gormAt("c", "p", 4, "v4"), last)
	require.NoError(t, g.Take(&taken, "K = ? AND Q = ?", "a", "q").Error)
	require.Equal(t, gormAt("a", "q", 2, "v2"), taken)
	require.ErrorIs(t, g.First(&none, "K = ?", "none").Error, gorm.ErrRecordNotFound)
	made := gormAt("made", "q", 1, "")
	require.NoError(t, g.Attrs(&gormCell{V: []byte("m")}).FirstOrCreate(&made, &gormCell{K: "made", Q: "q"}).Error)
	require.NoError(t, g.FirstOrCreate(&made, &gormCell{K: "made", Q: "q"}).Error)
	var n int64
	require.NoError(t, g.Model(&gormCell{}).Where("K = ?", "made").Count(&n).Error)
	require.EqualValues(t, 1, n)
}

func TestGormAggregates(t *testing.T) {
	g, _ := gormMigrated(t, memory)
	m := func() *gorm.DB { return g.Model(&gormCell{}) }
	var n int64
	require.NoError(t, m().Count(&n).Error)
	require.EqualValues(t, 4, n)
	require.NoError(t, m().Distinct("K").Count(&n).Error)
	require.EqualValues(t, 3, n)
	require.NoError(t, m().Group("K").Count(&n).Error)
	require.EqualValues(t, 3, n)
	var groups []struct {
		K string
		N int
	}
	require.NoError(t, m().Select("K, COUNT(*) AS n").Group("K").Having("COUNT(*) > ?", 1).Find(&groups).Error)
	require.Equal(t, "[{a 2}]", fmt.Sprint(groups))
	var max int64
	require.NoError(t, m().Select("MAX(T)").Scan(&max).Error)
	require.EqualValues(t, 4, max)
	var keys []string
	require.NoError(t, m().Distinct().Order("K DESC").Pluck("K", &keys).Error)
	require.Equal(t, []string{"c", "b", "a"}, keys)
}

// TestGormUpdate updates in place, in the view of all versions.
func TestGormUpdate(t *testing.T) {
	g, db := gormMigrated(t, allVersions)
	require.NoError(t, g.Model(ptr(gormAt("a", "q", 1, ""))).Update("V", []byte("one")).Error)
	require.NoError(t, g.Model(ptr(gormAt("a", "q", 2, ""))).Updates(gormCell{V: []byte("two")}).Error)
	updated := g.Model(&gormCell{}).Where("K IN ?", []string{"b", "c"}).Updates(map[string]any{"V": gorm.Expr("CONCAT(V, ?)", "+")})
	require.NoError(t, updated.Error)
	require.EqualValues(t, 2, updated.RowsAffected)
	require.Equal(t, "a/p/1=v1 a/q/2=two a/q/1=one b/p/3=v3+ c/p/4=v4+", stored(t, db))
	require.ErrorIs(t, g.Model(&gormCell{}).Update("V", "x").Error, gorm.ErrMissingWhereClause)
	require.NoError(t, g.Session(&gorm.Session{AllowGlobalUpdate: true}).Model(&gormCell{}).Update("V", "x").Error)
	require.Equal(t, "a/p/1=x a/q/2=x a/q/1=x b/p/3=x c/p/4=x", stored(t, db))
}

// TestGormUpdateLatest: in the latest view an update adds a version.
func TestGormUpdateLatest(t *testing.T) {
	g, _ := gormMigrated(t, memory)
	require.NoError(t, g.Model(&gormCell{}).Where("K = ? AND Q = ?", "a", "q").Update("V", "v3").Error)
	var got []gormCell
	require.NoError(t, g.Clauses(hints.New("VERSIONS(ALL)")).Where(&gormCell{K: "a", Q: "q"}).Find(&got).Error)
	require.Len(t, got, 3)
	require.Equal(t, "v3", string(got[0].V))
	require.Equal(t, "a/q/2=v2 a/q/1=v1", gormString(got[1:]))
}

// TestGormVersionsOfWrites: the hint chooses the versions that a write changes.
// gorm's hints.New does not reach DELETE, whose clause has a modifier.
func TestGormVersionsOfWrites(t *testing.T) {
	g, db := gormMigrated(t, memory)
	require.NoError(t, g.Clauses(hints.New("VERSIONS(ALL)")).Model(&gormCell{}).Where("K = ? AND Q = ?", "a", "q").Update("V", "w").Error)
	require.NoError(t, g.Clauses(clause.Delete{Modifier: "/*+ VERSIONS(ALL) */"}).Where("K = ? AND T = ?", "a", 1).Delete(&gormCell{}).Error)
	require.Equal(t, "a/q/2=w b/p/3=v3 c/p/4=v4", stored(t, db))
}

func TestGormDelete(t *testing.T) {
	g, db := gormMigrated(t, allVersions)
	require.NoError(t, g.Delete(ptr(gormAt("a", "q", 2, ""))).Error)
	require.NoError(t, g.Delete([]gormCell{gormAt("b", "p", 3, ""), gormAt("none", "p", 3, "")}).Error)
	require.NoError(t, g.Where("K = ?", "c").Delete(&gormCell{}).Error)
	require.Equal(t, "a/p/1=v1 a/q/1=v1", stored(t, db))
	require.ErrorIs(t, g.Delete(&gormCell{}).Error, gorm.ErrMissingWhereClause)

	g, db = gormMigrated(t, memory)
	require.NoError(t, g.Where("K = ? AND Q = ?", "a", "q").Delete(&gormCell{}).Error)
	require.Equal(t, "a/p/1=v1 b/p/3=v3 c/p/4=v4", stored(t, db), "the latest view deletes the cell with its versions")
}

func TestGormTransaction(t *testing.T) {
	notOnHBase(t, "several rows in a transaction")
	g, db := gormMigrated(t, memory)
	failed := errors.New("changed my mind")
	err := g.Transaction(func(tx *gorm.DB) error {
		require.NoError(t, tx.Create(ptr(gormAt("x", "q", 1, "x"))).Error)
		require.NoError(t, tx.First(&gormCell{}, "K = ?", "x").Error)
		return failed
	})
	require.ErrorIs(t, err, failed)
	require.Equal(t, filled, stored(t, db))

	require.NoError(t, g.Transaction(func(tx *gorm.DB) error {
		require.NoError(t, tx.Create(ptr(gormAt("x", "q", 1, "x"))).Error)
		nested := tx.Transaction(func(tx *gorm.DB) error {
			require.NoError(t, tx.Create(ptr(gormAt("y", "q", 1, "y"))).Error)
			return failed
		})
		require.ErrorIs(t, nested, failed)
		require.ErrorIs(t, tx.Create(ptr(gormAt("x", "q", 1, "x"))).Error, gorm.ErrDuplicatedKey)
		return tx.Create(ptr(gormAt("z", "q", 1, "z"))).Error
	}))
	require.Equal(t, filled+" x/q/1=x z/q/1=z", stored(t, db))

	tx := g.Begin(&sql.TxOptions{ReadOnly: true})
	require.Error(t, tx.Create(ptr(gormAt("ro", "q", 1, "x"))).Error)
	require.NoError(t, tx.Rollback().Error)
}

func TestGormViews(t *testing.T) {
	const latest = "a/p/1=v1 a/q/2=v2 b/p/3=v3 c/p/4=v4"
	find := func(g *gorm.DB) string {
		var got []gormCell
		require.NoError(t, g.Find(&got).Error)
		return gormString(got)
	}
	g, _ := gormMigrated(t, memory)
	require.Equal(t, latest, find(g))
	require.Equal(t, filled, find(g.Clauses(hints.New("VERSIONS(ALL)"))))
	require.Equal(t, filled, find(g.Table("shop$cells FOR SYSTEM_TIME ALL")))
	require.Equal(t, "a/p/1=v1 a/q/1=v1", find(g.Table("shop$cells FOR SYSTEM_TIME AS OF ?", 1)))
	require.Equal(t, "a/q/2=v2 a/q/1=v1", find(g.Clauses(hints.New("VERSIONS(2) TIMERANGE(1, 3)")).Where("K = ? AND Q = ?", "a", "q")))
	require.NoError(t, g.Connection(func(conn *gorm.DB) error {
		require.NoError(t, conn.Exec("SET hbasekv_versions = ?", "all").Error)
		require.Equal(t, filled, find(conn))
		return conn.Exec("SET hbasekv_versions = DEFAULT").Error
	}))
	require.Equal(t, latest, find(g))

	g, _ = gormMigrated(t, allVersions)
	require.Equal(t, filled, find(g))
	require.Equal(t, latest, find(g.Clauses(hints.New("VERSIONS(1)"))))
}
