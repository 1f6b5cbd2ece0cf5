package orm

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"xorm.io/xorm"
)

type xormUser struct {
	Id      int64
	Name    string         `xorm:"varchar(25) notnull unique"`
	Salary  string         `xorm:"decimal(10,2)"`
	Tags    []string       `xorm:"json"`
	Born    time.Time      `xorm:"date"`
	City    sql.NullString `xorm:"varchar(50) index(place)"`
	Land    string         `xorm:"char(2) index(place)"`
	Created time.Time      `xorm:"created"`
	Updated time.Time      `xorm:"updated"`
	Deleted time.Time      `xorm:"deleted"`
	Version int            `xorm:"version"`
	hooked  int
}

func (u *xormUser) BeforeInsert() { u.Land = "NO" }
func (u *xormUser) AfterLoad()    { u.hooked++ }

type xormOrder struct {
	Id     int64
	UserId int64 `xorm:"index"`
	Total  float64
}

func xormModels(t *testing.T, db *sql.DB) *xorm.Engine {
	t.Helper()
	x := xormOver(t, db)
	require.NoError(t, x.Sync(new(xormUser), new(xormOrder)))
	before := definitions(t, db)
	require.NoError(t, x.Sync(new(xormUser), new(xormOrder)), "which are there already")
	require.Equal(t, before, definitions(t, db))
	return x
}

// TestXormModels uses models with hooks, an optimistic version, soft delete, joins, sessions, pages and
// earlier versions of rows.
func TestXormModels(t *testing.T) {
	onStores(t, func(t *testing.T, db *sql.DB) {
		x := xormModels(t, db)
		born := time.Date(1999, 12, 31, 0, 0, 0, 0, time.Local)
		ann := xormUser{Name: "Ann", Salary: "1234.56", Tags: []string{"x"}, Born: born}
		_, err := x.Insert(&ann)
		require.NoError(t, err)
		require.EqualValues(t, 1, ann.Id)
		n, err := x.Insert([]xormUser{{Name: "Bob", Salary: "2", City: sql.NullString{String: "Oslo", Valid: true}},
			{Name: "Eve", Salary: "3.5"}})
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
		_, err = x.Insert(&xormUser{Name: "ANN", Salary: "1"})
		require.ErrorContains(t, err, "1062")
		_, err = x.Insert([]xormOrder{{UserId: 1, Total: 5}, {UserId: 1, Total: 6.25}, {UserId: 2, Total: 1}})
		require.NoError(t, err)

		found := xormUser{Id: 1}
		has, err := x.Get(&found)
		require.NoError(t, err)
		require.True(t, has)
		require.Equal(t, []any{"Ann", "1234.56", []string{"x"}, 1, "NO", false, 1, "1999-12-31"},
			[]any{found.Name, found.Salary, found.Tags, found.Version, found.Land, found.City.Valid,
				found.hooked, found.Born.Format(time.DateOnly)})
		require.WithinDuration(t, time.Now(), found.Created, time.Minute)

		before := time.Now()
		time.Sleep(5 * time.Millisecond)
		found.Name = "Anna"
		n, err = x.ID(1).Update(&found)
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
		n, err = x.ID(1).Update(&xormUser{Name: "stale", Version: 1})
		require.NoError(t, err)
		require.EqualValues(t, 0, n, "by the version before")
		var was string
		has, err = x.SQL("SELECT name FROM xorm_user FOR SYSTEM_TIME AS OF ? WHERE id = 1", before.UnixMilli()).
			Get(&was)
		require.NoError(t, err)
		require.Equal(t, []any{true, "Ann"}, []any{has, was})

		var rich []xormUser
		require.NoError(t, x.Where("salary > ?", 2.5).Desc("salary").Limit(1, 1).Find(&rich))
		require.Equal(t, "Eve", rich[0].Name)
		var joined []struct {
			User  xormUser `xorm:"extends"`
			Total float64
		}
		require.NoError(t, x.Table("xorm_user").Select("xorm_user.*, SUM(xorm_order.total) AS total").
			Join("INNER", "xorm_order", "xorm_order.user_id = xorm_user.id").GroupBy("xorm_user.id").
			Asc("xorm_user.id").Find(&joined))
		require.Equal(t, []any{"Anna", 11.25, "Bob", 1.0},
			[]any{joined[0].User.Name, joined[0].Total, joined[1].User.Name, joined[1].Total})
		total, err := x.Where("name <> ?", "Bob").SumsInt(new(xormOrder), "total")
		require.ErrorContains(t, err, "1054", total)
		sum, err := x.Sum(new(xormUser), "salary")
		require.NoError(t, err)
		require.InDelta(t, 1240.06, sum, 1e-9)
		_, err = x.ID(2).NoVersionCheck().Incr("salary", 10).Nullable("city").Update(new(xormUser))
		require.NoError(t, err)

		_, err = x.Transaction(func(s *xorm.Session) (any, error) {
			if _, err := s.ID(3).ForUpdate().Get(&xormUser{}); err != nil {
				return nil, err
			}
			_, err := s.Delete(&xormOrder{UserId: 1})
			require.NoError(t, err)
			return nil, errRefused
		})
		require.ErrorIs(t, err, errRefused)
		n, err = x.Count(&xormOrder{UserId: 1})
		require.NoError(t, err)
		require.EqualValues(t, 2, n)

		n, err = x.Delete(&xormUser{Name: "Bob"})
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
		has, err = x.Exist(&xormUser{Name: "Bob"})
		require.NoError(t, err)
		require.False(t, has, "it is marked as deleted")
		gone := xormUser{Name: "Bob"}
		has, err = x.Unscoped().Get(&gone)
		require.NoError(t, err)
		require.Equal(t, []any{true, "12.00", false}, []any{has, gone.Salary, gone.City.Valid})
		seen := 0
		require.NoError(t, x.BufferSize(1).Iterate(new(xormUser), func(int, any) error { seen++; return nil }))
		require.Equal(t, 2, seen)
	})
}
