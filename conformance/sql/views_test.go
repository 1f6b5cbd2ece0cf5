package sql

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
)

func TestViews(t *testing.T) {
	for layout, partitioning := range oracle.EveryLayout() {
		t.Run(layout, func(t *testing.T) {
			db := harness.OpenDB(t, ":memory:")
			harness.Must(t, db, oracle.ModelTable("t", layout, partitioning))
			harness.PutVersions(t, db, harness.Viewed)
			checkViews(t, db)
			harness.Must(t, db, "FLUSH TABLES")
			checkViews(t, db)
		})
	}
}

func checkViews(t *testing.T, db *sql.DB) {
	for _, c := range suite.ViewCases {
		conn, err := db.Conn(context.Background())
		require.NoError(t, err)
		if c.Session != "" {
			harness.Must(t, conn, c.Session)
		}
		c.Check(t, conn)
		if c.Session != "" {
			harness.Must(t, conn, "SET hbasekv_versions = DEFAULT")
		}
		require.NoError(t, conn.Close())
		if c.Session != "" {
			continue
		}
		tx := harness.Begin(t, db)
		harness.Must(t, tx, "REPLACE INTO t (K, Q, T, V) VALUES ('a', 'q', 6, 'mine')", "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T = 6")
		c.Check(t, tx)
		require.NoError(t, tx.Rollback())
	}
}

// TestViewOfTheDSN: the DSN's view has the lowest precedence, and is what a
// session returns to with DEFAULT; in the pool a session keeps what it was set
// to.
func TestViewOfTheDSN(t *testing.T) {
	for versions, want := range map[string]int{"latest": 4, "all": 7, "2": 6} {
		db := harness.OpenDB(t, ":memory:?versions="+versions)
		db.SetMaxOpenConns(1)
		harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
		harness.PutVersions(t, db, harness.Viewed)
		for range 2 {
			require.Len(t, harness.Lines(t, db, "SELECT K FROM t"), want)
			require.Len(t, harness.Lines(t, db, "SELECT /*+ VERSIONS(1) */ K FROM t"), 4)
			require.Len(t, harness.Lines(t, db, "SELECT K FROM t FOR SYSTEM_TIME AS OF 4"), 3)
			require.Equal(t, versions, harness.Single(t, db, "SELECT @@hbasekv_versions"))
			conn, err := db.Conn(context.Background())
			require.NoError(t, err)
			harness.Must(t, conn, "SET hbasekv_versions = 'all'")
			require.Len(t, harness.Lines(t, conn, "SELECT K FROM t"), 7)
			harness.Must(t, conn, "SET hbasekv_versions = DEFAULT")
			require.Len(t, harness.Lines(t, conn, "SELECT K FROM t"), want)
			harness.Must(t, conn, "SET hbasekv_versions = 2")
			require.NoError(t, conn.Close())
			require.Len(t, harness.Lines(t, db, "SELECT K FROM t"), 6)
			harness.Must(t, db, "SET hbasekv_versions = DEFAULT")
		}
		require.EqualValues(t, want, harness.Affected(t, db, "UPDATE t SET V = CONCAT(V, 'x')"))
		require.EqualValues(t, map[string]int64{"latest": 4, "all": 7, "2": 6}[versions], harness.Affected(t, db, "DELETE FROM t"))
	}
}

// TestViewsOfOneStatementText: a cached plan does not keep the session's view
// or the placeholders that it was made for.
func TestViewsOfOneStatementText(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		harness.PutVersions(t, db, harness.Viewed)
		conn, err := db.Conn(context.Background())
		require.NoError(t, err)
		defer conn.Close()
		require.Equal(t, []string{"latest<5: 2", "all<5: 5", "2<5: 4", "latest<100: 4", "all<0: 1", "1<5: 2",
			"1: 4", "2: 6", "3: 7", "1: 4", "as of -6: 0", "as of -5: 1", "as of 1: 2", "as of 4: 3", "as of 7: 4"}, suite.ViewsOfOneText(t, conn))
	})
}

// TestGroupIsOneTable tests the virtual table's columns, order, views and
// errors over families with and without partitions.
func TestGroupIsOneTable(t *testing.T) {
	for layout, partitioning := range oracle.EveryLayout() {
		t.Run(layout, func(t *testing.T) {
			db := harness.OpenDB(t, ":memory:")
			for _, family := range []string{"g$b", "g$a", "g$c"} {
				harness.Must(t, db, oracle.ModelTable(family, layout, partitioning))
			}
			for family, cells := range suite.GroupCells {
				harness.Must(t, db, "INSERT INTO "+family+" (K, Q, T, V) VALUES "+strings.Join(cells, ", "))
			}
			for _, c := range suite.GroupCases {
				require.Equal(t, c.Want, harness.Lines(t, db, c.Query), c.Query)
			}
			for _, statement := range suite.GroupWrites {
				_, err := db.Exec(statement)
				harness.RequireErrorNumber(t, 1288, err)
			}
			harness.Must(t, db, "DROP TABLE g$b")
			require.Equal(t, []string{"b a q 1 a4", "k1 a q 2 a2", "k3 a q 1 a3"}, harness.Lines(t, db, "SELECT * FROM g"+suite.GroupOrder))
			harness.Must(t, db, "DROP TABLE g$a, g$c")
			_, err := harness.TryLines(db, "SELECT * FROM g")
			harness.RequireErrorNumber(t, 1146, err)
		})
	}
}

// TestViewsAcrossManyVersions compares the views of a cell with many versions,
// flushed in parts, with computed results.
func TestViewsAcrossManyVersions(t *testing.T) {
	db := harness.OpenDB(t, "file:"+url.PathEscape(t.TempDir())+"?sync=false")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 3")
	const n = 900
	st, err := db.Prepare("INSERT INTO t VALUES (?, 'q', ?, ?)")
	require.NoError(t, err)
	defer st.Close()
	for version := range n {
		at := (version * 7) % n // not in order
		for _, k := range []string{"x", "y"} {
			_, err := st.Exec(k, at, at)
			require.NoError(t, err)
		}
		if version%300 == 299 {
			harness.Must(t, db, "FLUSH TABLES")
		}
	}
	suite.CheckManyVersions(t, db)
	require.EqualValues(t, 1, harness.Affected(t, db, "DELETE FROM t WHERE K = 'x'"))
	require.Equal(t, []string{"y 900"},
		harness.Lines(t, db, "SELECT K, COUNT(*) FROM t FOR SYSTEM_TIME ALL GROUP BY K"))
	require.EqualValues(t, 890, harness.Affected(t, db, "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T < 890"))
	require.EqualValues(t, 1, harness.Affected(t, db, "INSERT INTO t VALUES ('x', 'q', -1, 'visible')"), "nothing masks a later write")
	require.Equal(t, []string{"x visible", "y 899"}, harness.Lines(t, db, "SELECT K, V FROM t ORDER BY K"))
}
