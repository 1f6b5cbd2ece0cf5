package subqueries

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// lateralGen draws lateral derived tables that return the first rows in some order, and
// equivalent queries that number the rows of a join.
type lateralGen struct{ memberGen }

func (g lateralGen) statement() (lateral, numbered string) {
	equal := g.one("b.V = a.V", "b.V = a.V", "b.K = a.K", "b.Q = a.Q AND b.V = a.V", "b.K = a.V", "LEFT(b.K, 4) = LEFT(a.K, 4) AND b.Q = a.Q", "b.T = a.T + 1 AND b.V = a.V")
	more := g.one("", "", " AND b.T > a.T", " AND b.K <> a.K", " AND b.T BETWEEN a.T - 1 AND a.T + 1", " AND (b.Q < a.Q OR b.T = 1)", " AND b.V LIKE '1%'")
	order := g.one("b.K, b.Q, b.T", "b.T DESC, b.K, b.Q", "b.Q DESC, b.T, b.K")
	from := g.one("t", "u", "u", "(SELECT K, MAX(V) AS V, MIN(Q) AS Q, MAX(T) AS T FROM u GROUP BY K)", "(SELECT * FROM u WHERE T < 4 UNION ALL SELECT CONCAT(K, 'x'), Q, T, V FROM t)")
	rows, left := 1+g.IntN(3), g.IntN(2) == 0
	where := g.one("", " WHERE a.Q = 'a'", " WHERE a.K < 'k0080'", " WHERE a.V IS NOT NULL AND a.T > 1")
	join, outer := " JOIN ", " JOIN "
	if left {
		join, outer = " LEFT JOIN ", " LEFT JOIN "
	}
	on := g.one("TRUE", "TRUE", "d.T > 1", "d.T >= a.T")
	lateral = fmt.Sprintf("SELECT a.K, a.Q, a.T, d.K, d.Q, d.T FROM t a%sLATERAL (SELECT b.K, b.Q, b.T, b.V FROM %s b WHERE %s%s ORDER BY %s LIMIT %d) d ON %s%s",
		join, from, equal, more, order, rows, on, where)
	numbered = fmt.Sprintf("SELECT a.K, a.Q, a.T, d.K, d.Q, d.T FROM t a%s(SELECT a.K AS aK, a.Q AS aQ, a.T AS aT, b.K, b.Q, b.T, ROW_NUMBER() OVER (PARTITION BY a.K, a.Q, a.T ORDER BY %s) AS n "+
		"FROM t a JOIN %s b ON %s%s) d ON d.aK = a.K AND d.aQ = a.Q AND d.aT = a.T AND d.n <= %d AND %s%s", outer, order, from, equal, more, rows, on, where)
	return lateral, numbered
}

// TestRandomLaterals compares lateral derived tables, by lookups and by buffered rows, with joins
// whose rows are numbered.
func TestRandomLaterals(t *testing.T) {
	for layout, partitioning := range map[string]string{"one": "", "key7": " PARTITION BY KEY(K) PARTITIONS 7"} {
		t.Run(layout, func(t *testing.T) {
			g := lateralGen{memberGen{rand.New(rand.NewPCG(testseed.Of(t), uint64(len(layout))))}}
			db := g.tables(t, 100, partitioning) // some of these ways read u once for each row of t
			harness.Must(t, db, "SET hbasekv_versions = 'all'")
			for range *memberN {
				g.compareLateral(t, db)
			}
		})
	}
}

func (g lateralGen) compareLateral(t *testing.T, db *sql.DB) {
	lateral, numbered := g.statement()
	want := harness.Lines(t, db, numbered)
	slices.Sort(want)
	for _, joinRows := range []int{0, 1, harness.OneByOne} {
		harness.Must(t, db, fmt.Sprintf("SET hbasekv_join_rows = %d, tmp_table_size = %d", joinRows, []int{1 << 26, 1 << 14}[g.IntN(2)]))
		got := harness.Lines(t, db, lateral)
		slices.Sort(got)
		require.Equal(t, want, got, "%s\n%s\njoin_rows=%d", lateral, numbered, joinRows)
	}
	harness.Must(t, db, "SET hbasekv_join_rows = 0, tmp_table_size = 67108864")
}

// TestLateralOfManyRows: reading the table for each outer row would take minutes.
func TestLateralOfManyRows(t *testing.T) {
	db := openPartners(t, 20_000)
	before := harness.CellsRead(t, db)
	require.Equal(t, []string{"15000 187492500"}, harness.Lines(t, db, "SELECT COUNT(*), SUM(d.T) FROM t a, LATERAL (SELECT b.T FROM t b WHERE b.V = a.V AND b.T > a.T ORDER BY b.T LIMIT 1) d"))
	require.Less(t, harness.CellsRead(t, db)-before, int64(8*20000), "cells read")
}
