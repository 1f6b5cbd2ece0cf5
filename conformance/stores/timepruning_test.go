package stores

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

const (
	// hours is the number of hours with data, in one partition each, from
	// firstHour on.
	hours     = 100
	hourly    = int64(3_600_000)
	firstHour = int64(1_700_000_000_000)
	// cellsEach is the number of cells in each hour.
	cellsEach = 40
)

// hourRanges returns a partition for each hour.
func hourRanges(kind string) string {
	var out []string
	for i := range int64(hours) {
		out = append(out, fmt.Sprintf("%s h%d VALUES LESS THAN (%d)", kind, i, firstHour+(i+1)*hourly))
	}
	return strings.Join(out, ", ")
}

var hourLayouts = map[string]string{
	"time":     " PARTITION BY RANGE COLUMNS(G) (" + hourRanges("PARTITION") + ")",
	"time-key": " PARTITION BY RANGE COLUMNS(G) SUBPARTITION BY KEY(K) SUBPARTITIONS 3 (" + hourRanges("PARTITION") + ")",
	"key-time": " PARTITION BY KEY(K) PARTITIONS 3 SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (" + hourRanges("SUBPARTITION") + ")",
}

// fillHours writes cellsEach versions of the same cells in each hour.
func fillHours(t *testing.T, db *sql.DB, partitioning string) {
	harness.Must(t, db, oracle.ModelTable("t", oracle.TimedLayout, partitioning))
	for hour := range int64(hours) {
		var tuples []string
		for i := range cellsEach {
			tuples = append(tuples, fmt.Sprintf("('r%02d', 'q%d', %d, 'v')", i/2, i%2, firstHour+hour*hourly+int64(i)*1000))
		}
		harness.Must(t, db, "INSERT INTO t (K, Q, T, V) VALUES "+strings.Join(tuples, ", "))
	}
	harness.Must(t, db, "FLUSH TABLES")
}

// TestTimePruning: reading a hundredth of the times reads a hundredth of the
// cells and of the partitions, however the times are selected: there are 4,000
// cells in 100 partitions by time, each of which has 3 subpartitions if there is
// also a hash.
func TestTimePruning(t *testing.T) {
	from, to := firstHour+70*hourly, firstHour+71*hourly
	span := fmt.Sprintf("T >= %d AND T < %d", from, to)
	cases := []struct {
		query string
		slice string // the only one read
		row   bool   // the query is for one row, whose partition is p0
		cells int
	}{
		{"/*+ VERSIONS(ALL) */ * FROM t WHERE " + span, "h70", false, 40},
		{"/*+ VERSIONS(ALL) */ * FROM t WHERE " + strings.ReplaceAll(span, "T", "G"), "h70", false, 40},
		{fmt.Sprintf("/*+ VERSIONS(ALL) */ * FROM t WHERE G BETWEEN %d AND %d", from, to-1), "h70", false, 40},
		{fmt.Sprintf("/*+ VERSIONS(ALL) */ * FROM t WHERE G IN (%d, %d)", from, from+1000), "h70", false, 40},
		{fmt.Sprintf("/*+ VERSIONS(ALL) */ * FROM t WHERE G >= %d", firstHour+99*hourly), "h99", false, 40},
		{fmt.Sprintf("/*+ TIMERANGE(%d, %d) */ * FROM t", from, to), "h70", false, 40},
		{fmt.Sprintf("* FROM t FOR SYSTEM_TIME FROM %d TO %d", from, to), "h70", false, 40},
		{fmt.Sprintf("* FROM t WHERE T >= %d", firstHour+99*hourly), "h99", false, 40}, // the latest view
		{"/*+ VERSIONS(ALL) */ COUNT(*) FROM t WHERE " + span, "h70", false, 40},
		{"/*+ VERSIONS(ALL) */ * FROM t WHERE " + span + " ORDER BY K DESC, Q DESC, T", "h70", false, 40},
		{"/*+ VERSIONS(ALL) */ * FROM t WHERE K = 'r07' AND " + span, "h70", true, 2},
		{fmt.Sprintf("/*+ VERSIONS(ALL) */ * FROM t WHERE K = 'r07' AND Q = 'q0' AND T = %d", from+14_000), "h70", true, 1},
	}
	for layout, partitioning := range hourLayouts {
		t.Run(layout, func(t *testing.T) {
			db := harness.OpenDB(t, ":memory:")
			fillHours(t, db, partitioning)
			for _, c := range cases {
				tree := harness.Single(t, db, "EXPLAIN ANALYZE SELECT "+c.query)
				names := hourLeaves(layout, c.slice, c.row)
				require.Contains(t, tree, "partitions: "+names+"\n", c.query)
				leaves := 3
				if layout == "time" || c.row {
					leaves = 1
				}
				require.Contains(t, tree, fmt.Sprintf("cells %d,", c.cells), c.query)
				require.Contains(t, tree, fmt.Sprintf("partitions %d)", leaves), c.query)
			}
			// A partition that has, or may have, the newest version of a cell is
			// read.
			tree := harness.Single(t, db, fmt.Sprintf("EXPLAIN ANALYZE SELECT * FROM t WHERE T < %d", to))
			require.Contains(t, tree, fmt.Sprintf("rows 0, cells %d,", hours*cellsEach))
			// A partition that no cell is selected from is not read.
			harness.Must(t, db, "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE "+span)
			require.Equal(t, []string{fmt.Sprint((hours - 1) * cellsEach)}, harness.Lines(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"))
		})
	}
}

// hourLeaves returns a slice's leaves in EXPLAIN's names.
func hourLeaves(layout, slice string, row bool) string {
	switch {
	case layout == "time-key" && row:
		return slice + "sp0"
	case layout != "key-time":
		return slice
	case row:
		return "p0s" + slice
	}
	return fmt.Sprintf("p0s%s,p1s%s,p2s%s", slice, slice, slice)
}

// TestDropOldTimes: old data disappears with its partitions, for every reader,
// and what is written there later is kept.
func TestDropOldTimes(t *testing.T) {
	for layout, partitioning := range hourLayouts {
		t.Run(layout, func(t *testing.T) {
			db := harness.OpenDB(t, ":memory:")
			fillHours(t, db, partitioning)
			reader, err := db.Begin()
			require.NoError(t, err)
			defer reader.Rollback()
			const count = "SELECT /*+ VERSIONS(ALL) */ COUNT(*), MIN(T) FROM t"
			before := harness.Lines(t, reader, count)
			level := "PARTITION"
			if layout == "key-time" {
				level = "SUBPARTITION"
			}
			harness.Must(t, db, "ALTER TABLE t DROP "+level+" h0, h1", "ALTER TABLE t TRUNCATE "+level+" h2",
				fmt.Sprintf("ALTER TABLE t ADD %s (%s h100 VALUES LESS THAN (MAXVALUE))", level, level))
			after := []string{fmt.Sprintf("%d %d", (hours-3)*cellsEach, firstHour+3*hourly)}
			require.Equal(t, after, harness.Lines(t, db, count))
			require.Equal(t, before, harness.Lines(t, reader, count),
				"a transaction reads on what it has begun to read")
			harness.Must(t, db, "INSERT INTO t (K, Q, T, V) VALUES ('old', 'q', 1, 'v')", "INSERT INTO t (K, Q, V) VALUES ('new', 'q', 'v')")
			require.Equal(t, []string{"old 1"}, harness.Lines(t, db, "SELECT K, G FROM t WHERE K = 'old'"))
			require.Equal(t, []string{"new"}, harness.Lines(t, db, "SELECT K FROM t WHERE K = 'new' AND T > ?", firstHour+100*hourly))
		})
	}
}

// TestNoPartitionForNow: a version that the server's clock places above the
// last partition is refused, as is one that the statement places there.
func TestNoPartitionForNow(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, oracle.ModelTable("t", oracle.TimedLayout, hourLayouts["time"]))
	for _, statement := range []string{"INSERT INTO t (K, Q, V) VALUES ('k', 'q', 'v')", "REPLACE INTO t (K, Q, V) VALUES ('k', 'q', 'v')",
		fmt.Sprintf("INSERT INTO t (K, Q, T, V) VALUES ('k', 'q', %d, 'v')", firstHour+hours*hourly)} {
		_, err := db.Exec(statement)
		harness.RequireErrorNumber(t, 1526, err)
	}
	harness.Must(t, db, "INSERT INTO t (K, Q, T, V) VALUES ('k', 'q', 5, 'v')")
	_, err := db.Exec("UPDATE t SET V = 'w'")
	harness.RequireErrorNumber(t, 1526, err)
	_, err = db.Exec("ALTER TABLE t PARTITION BY RANGE COLUMNS(G) (PARTITION p VALUES LESS THAN (5))")
	harness.RequireErrorNumber(t, 1526, err)
	require.Equal(t, []string{"k 5 v"}, harness.Lines(t, db, "SELECT K, T, V FROM t FOR SYSTEM_TIME ALL"))
}

// TestExchangeByTime: an exchange moves cells into the one partition that they
// belong to, by row and by time.
func TestExchangeByTime(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, oracle.ModelTable("t", oracle.TimedLayout, hourLayouts["time-key"]),
		oracle.ModelTable("x", oracle.TimedLayout, ""),
		fmt.Sprintf("INSERT INTO x (K, Q, T, V) VALUES ('r07', 'q', %d, 'v'), ('r07', 'q', %d, 'w')", firstHour+3*hourly, -firstHour-3*hourly-1))
	for _, wrong := range []string{"h2sp0", "h3sp1", "h4sp0"} {
		_, err := db.Exec("ALTER TABLE t EXCHANGE PARTITION " + wrong + " WITH TABLE x")
		harness.RequireErrorNumber(t, 1737, err)
	}
	harness.Must(t, db, "ALTER TABLE t EXCHANGE PARTITION h3sp0 WITH TABLE x")
	require.Equal(t, []string{"2"}, harness.Lines(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL WHERE K = 'r07'"))
	require.Equal(t, []string{"0"}, harness.Lines(t, db, "SELECT COUNT(*) FROM x"))
	require.Equal(t, []string{"default.t check status OK", "default.x check status OK"}, harness.Lines(t, db, "CHECK TABLE t, x"))
	require.Equal(t, []string{"default.t check status OK"},
		harness.Lines(t, db, "ALTER TABLE t CHECK PARTITION h3sp0, h4"))
}
