package stores

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// shownPartition is a line of SHOW PARTITIONS.
type shownPartition struct {
	Name, Bound   sql.NullString
	Rows, Bytes   int64
	Min, Max      []byte
	Reads, Writes int64
	Share         sql.NullFloat64
	Comment       string
}

func shownPartitions(t *testing.T, q harness.Querier, table string) []shownPartition {
	t.Helper()
	rows, err := q.QueryContext(t.Context(), "SHOW PARTITIONS FROM "+table)
	require.NoError(t, err)
	defer rows.Close()
	var out []shownPartition
	for rows.Next() {
		var p shownPartition
		require.NoError(t, rows.Scan(&p.Name, &p.Bound, &p.Rows, &p.Bytes, &p.Min, &p.Max, &p.Reads, &p.Writes, &p.Share, &p.Comment))
		out = append(out, p)
	}
	require.NoError(t, rows.Err())
	return out
}

// layoutText returns the names and bounds of a table's partitions with their
// rows.
func layoutText(t *testing.T, q harness.Querier, table string) (out string) {
	t.Helper()
	for _, p := range shownPartitions(t, q, table) {
		out += fmt.Sprintf("%s<%s:%d ", p.Name.String, p.Bound.String, p.Rows)
	}
	return out
}

func createRegions(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, family := range []string{"f1", "f2"} {
		harness.Must(t, db, "CREATE TABLE r$"+family+` (K varbinary(20), Q varbinary(10), T bigint, V blob, PRIMARY KEY (K, Q, T))
			PARTITION BY RANGE COLUMNS(K) SPLITS ('g', 'm')`)
	}
	for c := 'a'; c <= 'z'; c++ {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO r$f1 VALUES ('%c', 'q', 1, 'v')", c), fmt.Sprintf("INSERT INTO r$f2 VALUES ('%c', 'q', 1, 'v')", c))
	}
}

// TestSplitTable: what is split stays split, and the output of SHOW CREATE
// TABLE creates the same layout again.
func TestSplitTable(t *testing.T) {
	dir := t.TempDir()
	db := harness.OpenDB(t, dir)
	createRegions(t, db)
	tx, err := db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec("DELETE FROM r$f1 WHERE K = 'd'")
	require.NoError(t, err)
	_, err = tx.Exec("INSERT INTO r$f1 VALUES ('dd', 'q', 1, 'v')")
	require.NoError(t, err)
	var added int
	var ratio float64
	require.NoError(t, db.QueryRow("SPLIT TABLE r$f2 BY (?), ('c')", []byte("x")).Scan(&added, &ratio))
	require.Equal(t, 2, added)
	require.Equal(t, 1.0, ratio)
	require.NoError(t, tx.Commit(), "transactions go on")
	want := "p0_1<'c':2 p0<'g':4 p1<'m':6 p2_1<'x':11 p2<MAXVALUE:3 "
	require.Equal(t, want, layoutText(t, db, "r$f1"))
	require.NoError(t, db.Close())

	db = harness.OpenDB(t, dir)
	require.Equal(t, want, layoutText(t, db, "r$f1"))
	require.Equal(t, want, layoutText(t, db, "r$f2"))
	var name, text string
	require.NoError(t, db.QueryRow("SHOW CREATE TABLE r$f1").Scan(&name, &text))
	harness.Must(t, db, "CREATE DATABASE other", strings.Replace(text, "`r$f1`", "other.r$f1", 1))
	harness.Must(t, db, "INSERT INTO other.r$f1 SELECT * FROM r$f1")
	require.Equal(t, want, layoutText(t, db, "other.r$f1"))
	harness.Must(t, db, "ALTER TABLE r$f1 DROP PARTITION p0_1, p2_1")
	require.Equal(t, "p0<'g':4 p1<'m':6 p2<MAXVALUE:3 ", layoutText(t, db, "r$f2"))
	require.Equal(t, "13", harness.Single(t, db, "SELECT COUNT(*) FROM r$f1"))
}

// TestHotPartition: a hot partition stands out by its number of requests.
func TestHotPartition(t *testing.T) {
	db := harness.OpenDB(t, t.TempDir())
	createRegions(t, db)
	before := shownPartitions(t, db, "r")
	require.EqualValues(t, []int64{12, 12, 28}, []int64{before[0].Writes, before[1].Writes, before[2].Writes})
	for range 600 {
		require.Equal(t, "1", harness.Single(t, db, "SELECT COUNT(*) FROM r$f1 WHERE K = 'h'"))
		require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM r$f1 WHERE K = 'hh'"))
	}
	after := shownPartitions(t, db, "r")
	require.Equal(t, before[0].Reads, after[0].Reads)
	require.GreaterOrEqual(t, after[1].Reads, before[1].Reads+1200)
	require.Regexp(t, `^hot: [23]\.\d times the mean of the reads$`, after[1].Comment)
	require.Empty(t, after[0].Comment)
	require.Equal(t, before[2].Reads, after[2].Reads)
	require.Equal(t, []byte("a"), after[0].Min)
	require.Equal(t, []byte("f"), after[0].Max)
	require.InDelta(t, 12.0*3/52, after[0].Share.Float64, 0.01)

	harness.Must(t, db, "SPLIT TABLE r$f1 BY ('h')")
	split := shownPartitions(t, db, "r")
	require.Equal(t, after[0].Reads, split[0].Reads, "what is not split goes on counting")
	require.Zero(t, split[1].Reads)
}

// TestGrowingTable: a growing table is split while it is written and read,
// without any effect on these statements.
func TestGrowingTable(t *testing.T) {
	dir := t.TempDir()
	db := harness.OpenDB(t, "file:"+dir+"?maxRegionSize=256KiB&sync=false")
	harness.Must(t, db, `CREATE TABLE t (K varbinary(20), Q varbinary(10), T bigint, V blob, PRIMARY KEY (K, Q, T))
		PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN (MAXVALUE))`)
	const each = 300
	harness.AtOnce(t, func(worker int) error {
		value := make([]byte, 1000)
		for i := range each {
			_, _ = rand.Read(value)
			if _, err := db.Exec("INSERT INTO t VALUES (?, 'q', 1, ?)", fmt.Sprintf("k%d%05d", worker, i), value); err != nil {
				return err
			}
			if i%50 != 49 {
				continue
			}
			if _, err := db.Exec("FLUSH TABLES"); err != nil {
				return err
			}
			var n int
			err := db.QueryRow("SELECT COUNT(*) FROM t WHERE K LIKE ?", fmt.Sprintf("k%d%%", worker)).Scan(&n)
			if err != nil || n != i+1 {
				return fmt.Errorf("%d rows of %d: %w", n, i+1, err)
			}
		}
		return nil
	})
	require.Eventually(t, func() bool { return len(shownPartitions(t, db, "t")) >= 8 }, time.Minute, 10*time.Millisecond)
	require.NoError(t, db.Close())
	db = harness.OpenDB(t, dir)
	total := int64(0)
	for _, p := range shownPartitions(t, db, "t") {
		total += p.Rows
	}
	require.EqualValues(t, harness.Workers*each, total)
	require.Equal(t, fmt.Sprint(harness.Workers*each), harness.Single(t, db, "SELECT COUNT(*) FROM t"))
}
