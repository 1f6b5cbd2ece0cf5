package bounds

import (
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
)

// TestReadsOfStatements checks what EXPLAIN ANALYZE counts in the store.
// "cells" are all versions that were read.
func TestReadsOfStatements(t *testing.T) {
	tables := map[[2]int]*sql.DB{}
	for _, partitions := range []int{1, 7} {
		for _, versions := range []int{1, 50} {
			tables[[2]int{partitions, versions}] = suite.GuardTable(t, partitions, versions)
		}
	}
	for _, c := range []struct {
		versions int
		query    string
		whole    string // in one partition
		parted   string // in seven
	}{
		{1, "SELECT * FROM t WHERE K = 'row0042'",
			"rows 5, cells 5, seeks 1, partitions 1",
			"rows 5, cells 5, seeks 1, partitions 1"},
		{1, "SELECT * FROM t WHERE K = 'row0042' AND Q = 'c'",
			"rows 1, cells 1, seeks 1, partitions 1",
			"rows 1, cells 1, seeks 1, partitions 1"},
		{1, "SELECT * FROM t WHERE K = 'row0042x'",
			"rows 0, cells 0, seeks 1, partitions 1",
			"rows 0, cells 0, seeks 1, partitions 1"},
		{1, "SELECT * FROM t WHERE K IN ('row0001', 'row0002', 'row0099')",
			"rows 15, cells 15, seeks 3, partitions 1",
			"rows 15, cells 15, seeks 3, partitions 2"},
		{1, "SELECT * FROM t WHERE (K, Q) IN (('row0001', 'a'), ('row0001', 'c'), ('row0099', 'e'))",
			"rows 3, cells 3, seeks 3, partitions 1",
			"rows 3, cells 3, seeks 3, partitions 1"},
		{1, "SELECT * FROM t WHERE K LIKE 'row001%' ORDER BY K",
			"rows 50, cells 50, seeks 1, partitions 1",
			"rows 50, cells 50, seeks 7, partitions 7"},
		{1, "SELECT * FROM t WHERE (K, Q) > ('row0042', 'c') ORDER BY K, Q LIMIT 10",
			"rows 10, cells 10, seeks 1, partitions 1",
			"rows 10, cells 16, seeks 7, partitions 7"},
		{1, "SELECT * FROM t ORDER BY K LIMIT 10",
			"rows 10, cells 10, seeks 1, partitions 1",
			"rows 10, cells 16, seeks 7, partitions 7"},
		{1, "SELECT * FROM t ORDER BY K DESC LIMIT 10",
			"rows 10, cells 11, seeks 1, partitions 1",
			"rows 10, cells 23, seeks 7, partitions 7"},
		{1, "SELECT * FROM t ORDER BY K, V LIMIT 10",
			"rows 11, cells 11, seeks 1, partitions 1", "rows 11, cells 17, seeks 7, partitions 7"},
		{1, "SELECT * FROM t ORDER BY K DESC, V LIMIT 10",
			"rows 11, cells 12, seeks 1, partitions 1", "rows 11, cells 24, seeks 7, partitions 7"},
		{1, "SELECT * FROM t ORDER BY LEFT(K, 6), T, V LIMIT 10",
			"rows 51, cells 51, seeks 1, partitions 1", "rows 51, cells 57, seeks 7, partitions 7"},
		{1, "SELECT * FROM t ORDER BY LEFT(K, 6), V LIMIT 40 OFFSET 50",
			"rows 101, cells 101, seeks 1, partitions 1", "rows 101, cells 107, seeks 7, partitions 7"},
		{1, "SELECT * FROM t ORDER BY V, K LIMIT 10",
			"rows 500, cells 500, seeks 1, partitions 1", "rows 500, cells 500, seeks 7, partitions 7"},
		{1, "SELECT * FROM t",
			"rows 500, cells 500, seeks 1, partitions 1",
			"rows 500, cells 500, seeks 7, partitions 7"},
		{1, "SELECT * FROM t WHERE Q = 'c'",
			"rows 100, cells 500, seeks 1, partitions 1",
			"rows 100, cells 500, seeks 7, partitions 7"},
		{1, "SELECT DISTINCT K FROM t",
			"rows 100, cells 500, seeks 1, partitions 1",
			"rows 100, cells 500, seeks 7, partitions 7"},
		{1, "SELECT MIN(K), MAX(K) FROM t",
			"rows 1, cells 1, seeks 1, partitions 1; rows 1, cells 2, seeks 1, partitions 1",
			"rows 1, cells 7, seeks 7, partitions 7; rows 1, cells 14, seeks 7, partitions 7"},
		{1, "SELECT COUNT(*) FROM t",
			"rows 500, cells 500, seeks 1, partitions 1",
			"rows 500, cells 500, seeks 7, partitions 7"},
		{50, "SELECT * FROM t WHERE K = 'row0042'",
			"rows 5, cells 25, seeks 6, partitions 1",
			"rows 5, cells 25, seeks 6, partitions 1"},
		{50, "SELECT * FROM t WHERE K = 'row0042' AND Q = 'c'",
			"rows 1, cells 1, seeks 1, partitions 1",
			"rows 1, cells 1, seeks 1, partitions 1"},
		{50, "SELECT * FROM t",
			"rows 500, cells 569, seeks 501, partitions 1",
			"rows 500, cells 659, seeks 507, partitions 7"},
		{50, "SELECT * FROM t FOR SYSTEM_TIME AS OF 1010",
			"rows 500, cells 6513, seeks 501, partitions 1",
			"rows 500, cells 6591, seeks 507, partitions 7"},
		{50, "SELECT /*+ VERSIONS(ALL) */ * FROM t WHERE T = 1049",
			"rows 500, cells 1513, seeks 501, partitions 1",
			"rows 500, cells 1591, seeks 507, partitions 7"},
		{50, "SELECT /*+ VERSIONS(2) */ * FROM t",
			"rows 1000, cells 1069, seeks 501, partitions 1",
			"rows 1000, cells 1159, seeks 507, partitions 7"},
	} {
		for _, p := range []struct {
			partitions int
			want       string
		}{{1, c.whole}, {7, c.parted}} {
			db := tables[[2]int{p.partitions, c.versions}]
			got := harness.Reads.FindAllString(harness.Single(t, db, "EXPLAIN ANALYZE "+c.query), -1)
			require.Equal(t, p.want, strings.Join(got, "; "), "%s, %d partitions, %d versions", c.query, p.partitions, c.versions)
		}
	}
}

// TestAllocationsOfStatements limits the allocations of a prepared statement,
// including those of database/sql and for the arguments.
func TestAllocationsOfStatements(t *testing.T) {
	if harness.RaceDetector {
		t.Skip("Pebble allocates more under the race detector, to find bytes that are kept too long")
	}
	db := suite.GuardTable(t, 7, 1)
	var k, q, v sql.RawBytes
	var ts int64
	dest := []any{&k, &q, &ts, &v}
	read := func(query string, rows int, args ...any) func() {
		stmt, err := db.Prepare(query)
		require.NoError(t, err)
		t.Cleanup(func() { stmt.Close() })
		return func() {
			result, err := stmt.Query(args...)
			n := 0
			for ; err == nil && result.Next(); n++ {
				err = result.Scan(dest...)
			}
			if err != nil || result.Err() != nil || n != rows {
				t.Fatal(query, n, err)
			}
		}
	}
	insert, err := db.Prepare("INSERT INTO t VALUES (?, 'q', ?, 'value')")
	require.NoError(t, err)
	defer insert.Close()
	update, err := db.Prepare("UPDATE t SET V = ? WHERE K = ? AND Q = 'a'")
	require.NoError(t, err)
	defer update.Close()
	harness.Must(t, db, "CREATE TABLE people (id bigint PRIMARY KEY, name varchar(100), age int, city text)",
		"INSERT INTO people VALUES (0, 'name', 0, 'city')")
	person, err := db.Prepare("INSERT INTO people VALUES (?, 'name', ?, 'city')")
	require.NoError(t, err)
	defer person.Close()
	ages, err := db.Prepare("UPDATE people SET age = ? WHERE id = 0")
	require.NoError(t, err)
	defer ages.Close()
	tx, err := db.Begin()
	require.NoError(t, err)
	defer tx.Rollback()
	inTx := tx.Stmt(insert)
	personInTx := tx.Stmt(person)
	n := int64(0)
	write := func(stmt *sql.Stmt, args ...any) {
		if _, err := stmt.Exec(args...); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		max  float64
		run  func()
	}{
		{"row get", 9, read("SELECT K, Q, T, V FROM t WHERE K = ?", 5, "row0042")},
		{"cell get", 9, read("SELECT K, Q, T, V FROM t WHERE K = ? AND Q = ?", 1, "row0042", "c")},
		{"missing row", 9, read("SELECT K, Q, T, V FROM t WHERE K = ?", 0, "row0042x")},
		{"scan of 500 rows", 20, read("SELECT K, Q, T, V FROM t", 500)},
		{"ordered scan of 500 rows", 16, read("SELECT K, Q, T, V FROM t ORDER BY K", 500)},
		// Of an INSERT's, 3 are for the view that readers have until it is durable, and 1 is for the
		// transaction that keeps index entries, as for each autocommit write.
		{"insert", 10, func() {
			n++
			write(insert, "new", n)
		}},
		{"insert in a transaction", 4, func() {
			n++
			write(inTx, "newer", n)
		}},
		// A typed row takes one more for what the store has of it, and one for its key; UPDATE reads its cells.
		{"insert of a typed row", 13, func() {
			n++
			write(person, n, n)
		}},
		{"insert of a typed row in a transaction", 8, func() {
			n++
			write(personInTx, n, n)
		}},
		{"update of a typed row", 19, func() {
			n++
			write(ages, n)
		}},
		{"insert of new text", 19, func() {
			n++
			if _, err := db.Exec(fmt.Sprintf("INSERT INTO t VALUES ('new', 'q', %d, 'value')", n)); err != nil {
				t.Fatal(err)
			}
		}},
		{"cell get of new text", 15, func() {
			n++
			rows, err := db.Query(fmt.Sprintf("SELECT K, Q, T, V FROM t WHERE K = 'row0042' AND Q = '%d'", n))
			if err != nil || rows.Next() || rows.Close() != nil {
				t.Fatal(err)
			}
		}},
		{"update of new text", 22, func() {
			n++
			if _, err := db.Exec(fmt.Sprintf("UPDATE t SET V = '%d' WHERE K = 'row0042' AND Q = 'a'", n)); err != nil {
				t.Fatal(err)
			}
		}},
		{"delete of new text", 14, func() {
			n++
			if _, err := db.Exec(fmt.Sprintf("DELETE FROM t WHERE K = 'none' AND Q = '%d'", n)); err != nil {
				t.Fatal(err)
			}
		}},
		{"update", 13, func() {
			n++
			write(update, strconv.FormatInt(n, 10), "row0042")
		}},
	} {
		// The minimum of several runs, because the store's own goroutines allocate too.
		allocs := math.Inf(1)
		for range 5 {
			allocs = min(allocs, testing.AllocsPerRun(50, c.run))
		}
		require.LessOrEqual(t, allocs, c.max, c.name)
	}
}

// slicedGuardTable has 20 rows of one column with 1,000 versions each, in 100
// partitions by time; word declares a partition where the layout has SLICES.
func slicedGuardTable(t *testing.T, layout, word string) *sql.DB {
	db := harness.OpenDB(t, "file:"+t.TempDir())
	var bounds, rows []string
	for i := 1; i <= 100; i++ {
		bounds = append(bounds, fmt.Sprintf("%s p%d VALUES LESS THAN (%d)", word, i, 10*i))
	}
	columns := strings.Replace(harness.PlainTable, "PRIMARY KEY", "G bigint GENERATED ALWAYS AS (ABS(T)), PRIMARY KEY",
		1)
	harness.Must(t, db, "CREATE TABLE t "+columns+strings.Replace(layout, "SLICES", "("+strings.Join(bounds, ", ")+")",
		1))
	for i := range 20 {
		for v := range 1000 {
			rows = append(rows, fmt.Sprintf("('row%04d', 'a', %d, 'value')", i, v))
		}
	}
	harness.Must(t, db, "REPLACE INTO t (K, Q, T, V) VALUES "+strings.Join(rows, ", "), "FLUSH TABLES",
		"OPTIMIZE TABLE t")
	return db
}

// TestReadsOfSlices: reading a hundredth of the time of a table that is
// partitioned by time reads a hundredth of the cells. The latest cell is in the
// last partition.
func TestReadsOfSlices(t *testing.T) {
	for _, layout := range []struct {
		text, word string
		parts      int // in which a slice lies
	}{
		{" PARTITION BY RANGE COLUMNS(G) SLICES", "PARTITION", 1},
		{" PARTITION BY RANGE(G) SUBPARTITION BY KEY(K) SUBPARTITIONS 2 SLICES", "PARTITION", 2},
		{" PARTITION BY KEY(K) PARTITIONS 2 SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE SLICES", "SUBPARTITION", 2},
	} {
		db := slicedGuardTable(t, layout.text, layout.word)
		slice := fmt.Sprintf("rows 200, cells 200, seeks %d, partitions %d", layout.parts, layout.parts)
		for _, c := range []struct{ query, want string }{
			{"SELECT /*+ VERSIONS(ALL) */ * FROM t WHERE T BETWEEN 420 AND 429", slice},
			{"SELECT /*+ VERSIONS(ALL) */ * FROM t WHERE G BETWEEN 420 AND 429 AND T > 0", slice},
			{"SELECT /*+ VERSIONS(ALL) */ COUNT(*) FROM t WHERE G < 10", slice},
			{"SELECT * FROM t FOR SYSTEM_TIME FROM 420 TO 430", slice},
			{"SELECT * FROM t WHERE K = 'row0007' AND Q = 'a'", "rows 1, cells 1, seeks 1, partitions 1"},
			{"SELECT * FROM t FOR SYSTEM_TIME AS OF 425 WHERE K = 'row0007' AND Q = 'a'", "rows 1, cells 1, seeks 1, partitions 1"},
			{"SELECT /*+ VERSIONS(ALL) */ * FROM t WHERE K = 'row0007' AND Q = 'a' AND T = 425", "rows 1, cells 1, seeks 1, partitions 1"},
			{"SELECT /*+ VERSIONS(ALL) */ COUNT(*) FROM t",
				fmt.Sprintf("rows 20000, cells 20000, seeks %d, partitions %d", 100*layout.parts, 100*layout.parts)},
		} {
			got := harness.Reads.FindAllString(harness.Single(t, db, "EXPLAIN ANALYZE "+c.query), -1)
			require.Equal(t, c.want, strings.Join(got, "; "), "%s: %s", layout.text, c.query)
		}
	}
}
