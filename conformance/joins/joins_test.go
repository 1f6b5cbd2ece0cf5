package joins

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var joinN = flag.Int("join.n", 100, "number of random joins on each layout")

// joinTables are the families of one group, which are partitioned in the same
// way, and a table that is not.
var joinTables = []string{"g$a", "g$b", "u"}

// TestRandomJoins compares joins on equal keys, which are merged or looked up,
// with the same joins by <= and >=, which compare each row with each.
func TestRandomJoins(t *testing.T) {
	seed := testseed.Of(t)
	for layout, partitioning := range oracle.EveryLayout() {
		t.Run(layout, func(t *testing.T) {
			g := joinGenerator{rand.New(rand.NewPCG(seed, uint64(len(layout))))}
			db, err := sql.Open("hbasekv", fmt.Sprintf("file::memory:?parallelism=%d", *harness.Parallelism))
			require.NoError(t, err)
			defer db.Close()
			db.SetMaxOpenConns(1)
			for i, table := range joinTables {
				if i == 2 {
					partitioning = " PARTITION BY KEY(K) PARTITIONS 3"
				}
				_, err = db.Exec(oracle.ModelTable(table, layout, partitioning))
				require.NoError(t, err)
			}
			for i := range *joinN {
				if i%100 == 0 {
					g.fill(t, db)
				}
				g.compare(t, db)
			}
			// A transaction sees its own writes on both sides.
			tx, err := db.Begin()
			require.NoError(t, err)
			defer tx.Rollback()
			g.change(t, tx)
			for range *joinN / 4 {
				g.compare(t, tx)
			}
		})
	}
}

type joinGenerator struct{ *rand.Rand }

var (
	joinRows       = []string{"''", "'a'", "'ab'", "'abc'", "'ac'", "'b'", "'b\\0'", "'b\\0c'", "'c'", "X'ff'", "X'ffff'", "'m1'", "'m2'", "'m3'", "'m4'", "'m5'"}
	joinQualifiers = []string{"''", "'p'", "'q'", "'q1'", "X'00'"}
)

func (g joinGenerator) pick(of []string) string { return of[g.IntN(len(of))] }

// fill fills the tables again; one of them may stay empty.
func (g joinGenerator) fill(t *testing.T, db *sql.DB) {
	for _, table := range joinTables {
		_, err := db.Exec("TRUNCATE TABLE " + table)
		require.NoError(t, err)
	}
	g.change(t, db)
	if g.IntN(3) == 0 {
		_, err := db.Exec("FLUSH TABLES")
		require.NoError(t, err)
	}
}

func (g joinGenerator) change(t *testing.T, db harness.Execer) {
	for _, table := range joinTables {
		for range g.IntN(60) * g.IntN(3) / 2 {
			v := g.pick([]string{"NULL", g.pick(joinRows), g.pick(joinQualifiers), "'1'"})
			_, err := db.ExecContext(context.Background(), fmt.Sprintf("REPLACE INTO %s (K, Q, T, V) VALUES (%s, %s, %d, %s)",
				table, g.pick(joinRows), g.pick(joinQualifiers), g.IntN(4), v))
			require.NoError(t, err)
		}
		_, err := db.ExecContext(context.Background(), fmt.Sprintf("DELETE FROM %s WHERE K = %s AND Q = %s", table, g.pick(joinRows), g.pick(joinQualifiers)))
		require.NoError(t, err)
	}
}

// compare runs one join in both ways.
func (g joinGenerator) compare(t *testing.T, db harness.Execer) {
	sql, ordered := g.statement()
	equal, both := strings.ReplaceAll(sql, "==", "="), sql
	for strings.Contains(both, "==") {
		both = splitEquality(both)
	}
	harness.SetJoinRows(t, db, []int{0, 1, 2, 5, harness.OneByOne}[g.IntN(5)])
	settings := fmt.Sprintf("SET hbasekv_parallelism = %d, hbasekv_batch_cells = %d", []int{*harness.Parallelism, 1, 3}[g.IntN(3)], []int{0, 1, 7, 1024, harness.OneByOne}[g.IntN(5)])
	harness.Must(t, db, settings)
	want, got := harness.Lines(t, db, both), harness.Lines(t, db, equal)
	if !ordered {
		slices.Sort(want)
		slices.Sort(got)
	}
	require.Equal(t, want, got, "%s\n%s\n%s", equal, settings, strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+equal), "\n"))
}

// splitEquality replaces the first x==y by (x <= y AND x >= y).
func splitEquality(sql string) string {
	at := strings.Index(sql, "==")
	from := strings.LastIndexByte(sql[:at], ' ') + 1
	to := at + strings.IndexByte(sql[at:]+" ", ' ')
	x, y := sql[from:at], sql[at+2:to]
	return sql[:from] + "(" + x + " <= " + y + " AND " + x + " >= " + y + ")" + sql[to:]
}

func (g joinGenerator) statement() (sql string, ordered bool) {
	names := []string{"a", "b", "c"}[:2+g.IntN(2)]
	hint := g.pick([]string{"", "", "/*+ VERSIONS(ALL) */ ", "/*+ VERSIONS(2) */ ", "/*+ TIMERANGE(1, 3) */ "})
	var items, keys []string
	for _, n := range names {
		for _, c := range []string{"K", "Q", "T", "V"} {
			items = append(items, fmt.Sprintf("HEX(%s.%s)", n, c))
		}
		keys = append(keys, n+".K", n+".Q", n+".T")
	}
	first := g.pick(joinTables)
	from := first + " a"
	for i, n := range names[1:] {
		kind := g.pick([]string{" JOIN ", " LEFT JOIN ", " RIGHT JOIN "})
		from += kind + g.pick(append(joinTables, first)) + " " + n + " ON " + g.on(names[:i+1], n)
	}
	from += g.where(names)
	sql = "SELECT " + hint + strings.Join(items, ", ") + " FROM " + from
	switch g.IntN(6) {
	case 4:
		return fmt.Sprintf("SELECT %sHEX(b.Q), COUNT(*), HEX(MAX(a.V)), SUM(b.T), COUNT(b.K) FROM %s GROUP BY b.Q", hint, from), false
	case 5:
		return fmt.Sprintf("SELECT %sCOUNT(*), COUNT(DISTINCT a.K), HEX(MIN(b.V)), SUM(a.T) FROM %s", hint, from), false
	case 0:
		return sql + g.pick([]string{" ORDER BY a.K", " ORDER BY b.K DESC", " ORDER BY a.K, a.Q", " ORDER BY a.K DESC, a.Q DESC, a.T"}), false
	case 1:
		desc := g.pick([]string{"", " DESC"})
		return sql + " ORDER BY " + strings.Join(keys, desc+", ") + desc, true
	case 2:
		return sql + " ORDER BY " + strings.Join(keys, ", ") + fmt.Sprintf(" LIMIT %d", 1+g.IntN(20)), true
	}
	return sql, false
}

// on joins a table with one of the previous ones.
func (g joinGenerator) on(before []string, n string) string {
	with := g.pick(before)
	out := g.pick([]string{"%s.K==%s.K", "%s.K==%s.K", "%s.K==%s.K", "%s.K==%s.V", "%s.V==%s.K", "%s.V==%s.V",
		"LEFT(%s.K,1)==%s.K", "%s.V==LOWER(%s.V)", "CONCAT(%s.Q,'1')==%s.V", "%s.T==%s.T"})
	if g.IntN(4) == 0 {
		out = "%s.K==%s.K AND " + with + ".Q==" + n + ".Q"
	}
	out = fmt.Sprintf(out, with, n)
	for _, also := range []string{
		with + ".Q==" + n + ".Q", n + ".T==" + with + ".T", n + ".Q = 'q'", with + ".Q > 'p'", n + ".V IS NOT NULL",
		with + ".K < 'b'", n + ".K >= 'ab'", with + ".V <> " + n + ".Q", n + ".K IN ('a','b','m3')", with + ".K = " + g.pick(joinRows),
	} {
		if g.IntN(9) == 0 {
			out += " AND " + also
		}
	}
	return out
}

func (g joinGenerator) where(names []string) string {
	var conds []string
	for _, n := range names {
		for _, c := range []string{n + ".K > 'a'", n + ".Q = 'q'", n + ".V IS NULL", n + ".K LIKE 'm%'", n + ".T < 2", n + ".K = " + g.pick(joinRows), "LENGTH(" + n + ".V) > 0"} {
			if g.IntN(16) == 0 {
				conds = append(conds, c)
			}
		}
	}
	if len(conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conds, " AND ")
}

// TestJoinOfALargeRow: a row that is too large to keep is read again.
func TestJoinOfALargeRow(t *testing.T) {
	db, err := sql.Open("hbasekv", ":memory:")
	require.NoError(t, err)
	defer db.Close()
	for _, table := range joinTables[:2] {
		_, err = db.Exec(oracle.ModelTable(table, "none", " PARTITION BY KEY(K) PARTITIONS 3"))
		require.NoError(t, err)
	}
	_, err = db.Exec("ALTER TABLE g$b MODIFY COLUMN V longblob")
	require.NoError(t, err)
	big := strings.Repeat("x", 100<<10)
	for _, k := range []string{"a", "b", "c", "d"} {
		for q := range 30 {
			if q < 3 {
				_, err = db.Exec("INSERT INTO g$a VALUES (?, ?, 1, 'v')", k, fmt.Sprintf("q%02d", q))
				require.NoError(t, err)
			}
			if k != "c" {
				_, err = db.Exec("INSERT INTO g$b VALUES (?, ?, 1, ?)", k, fmt.Sprintf("q%02d", q), big)
				require.NoError(t, err)
			}
		}
	}
	query := "SELECT a.K, a.Q, COUNT(*), COUNT(DISTINCT b.Q), SUM(LENGTH(b.V)) FROM g$a a LEFT JOIN g$b b ON a.K %s b.K AND a.K %s b.K GROUP BY a.K, a.Q ORDER BY 1, 2"
	require.Equal(t, harness.Lines(t, db, fmt.Sprintf(query, "<=", ">=")),
		harness.Lines(t, db, fmt.Sprintf(query, "=", "=")))
}
