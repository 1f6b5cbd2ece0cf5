package stores

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// collected returns the counts of a table in HBASEKV_FAMILIES.
func collected(t testing.TB, db *sql.DB, table string) (versions, ranges, partitions int64) {
	t.Helper()
	require.NoError(t, db.QueryRow("SELECT COLLECTED_VERSIONS, COLLECTED_RANGES, COLLECTED_PARTITIONS "+
		"FROM information_schema.HBASEKV_FAMILIES WHERE TABLE_NAME = ?", table).Scan(&versions, &ranges, &partitions))
	return versions, ranges, partitions
}

const cellColumns = "K varbinary(100), Q varbinary(100), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T)"

// TestOptimizeCollects: OPTIMIZE TABLE removes exactly what retention hides, so
// that no ALTER can show it again.
func TestOptimizeCollects(t *testing.T) {
	for _, layout := range []string{"", "PARTITION BY KEY(K) PARTITIONS 5", oracle.LayoutOf("time-key"), oracle.LayoutOf("key-time")} {
		db := harness.OpenDB(t, ":memory:?versions=all")
		harness.Must(t, db, "CREATE TABLE t ("+strings.Replace(cellColumns, "PRIMARY", oracle.TimeColumn+"PRIMARY", 1)+") "+layout+
			` KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 3}}'`)
		for k := range 20 {
			for v := range 10 {
				harness.Must(t, db, fmt.Sprintf("REPLACE INTO t (K, Q, T, V) VALUES ('k%d', '', %d, 'x')", k, v))
			}
		}
		harness.Must(t, db, "OPTIMIZE TABLE t")
		versions, _, _ := collected(t, db, "t")
		require.EqualValues(t, 20*7, versions, layout)
		harness.Must(t, db, `ALTER TABLE t KV_ATTRIBUTES = '{"Hbase": {}}'`)
		require.Equal(t, "60", harness.Single(t, db, "SELECT COUNT(*) FROM t"), layout)
	}
}

// TestDropExpiredPartitions drops partitions in which no version can be kept any
// more, never the last partition.
func TestDropExpiredPartitions(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?versions=all")
	harness.Must(t, db, "CREATE TABLE t ("+strings.Replace(cellColumns, "PRIMARY", oracle.TimeColumn+"PRIMARY", 1)+") "+oracle.LayoutOf("time"))
	harness.Must(t, db, "INSERT INTO t (K, Q, T, V) VALUES ('a', '', 5, 'x'), ('b', '', 1800000000000, 'x')")
	harness.Must(t, db, "ALTER TABLE t DROP EXPIRED PARTITIONS") // nothing expires
	require.Equal(t, 6, partitionsOf(t, db, "t"))
	harness.Must(t, db, "ALTER TABLE t TTL = 1000 MIN_VERSIONS = 1", "ALTER TABLE t DROP EXPIRED PARTITIONS")
	require.Equal(t, 6, partitionsOf(t, db, "t"), "the newest version of a cell may be as old as it likes")
	harness.Must(t, db, "ALTER TABLE t MIN_VERSIONS = 0", "ALTER TABLE t DROP EXPIRED PARTITIONS")
	require.Equal(t, 1, partitionsOf(t, db, "t"))
	_, _, partitions := collected(t, db, "t")
	require.EqualValues(t, 5, partitions)
	// Rows of the dropped partitions' range now go to the next one above.
	harness.Must(t, db, "REPLACE INTO t (K, Q, T, V) VALUES ('c', '', 7, 'x')", "ALTER TABLE t TTL = FOREVER")
	require.Equal(t, "b,c", harness.Single(t, db, "SELECT GROUP_CONCAT(K ORDER BY K) FROM t"))

	harness.Must(t, db, "CREATE TABLE one ("+strings.Replace(cellColumns, "PRIMARY", oracle.TimeColumn+"PRIMARY",
		1)+") TTL = 10 "+
		"PARTITION BY RANGE COLUMNS(G) (PARTITION p0 VALUES LESS THAN (1000))",
		"CREATE TABLE plain ("+cellColumns+") TTL = 10",
		"CREATE TABLE keyed ("+cellColumns+") TTL = 10 PARTITION BY KEY(K) PARTITIONS 3")
	for table, number := range map[string]uint16{"one": 1508, "plain": 1505, "keyed": 1512, "missing": 1146} {
		_, err := db.Exec("ALTER TABLE " + table + " DROP EXPIRED PARTITIONS")
		var e *mysql.MySQLError
		require.ErrorAs(t, err, &e, table)
		require.Equal(t, number, e.Number, table)
	}
}

func partitionsOf(t testing.TB, db *sql.DB, table string) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRow("SELECT COUNT(PARTITION_NAME) FROM information_schema.PARTITIONS WHERE TABLE_NAME = ?",
		table).Scan(&n))
	return n
}

// TestOptimizeCancelled: a collection stops when its statement's context ends,
// and the next one does the rest.
func TestOptimizeCancelled(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t ("+cellColumns+") TTL = 10")
	for from := range 10 {
		var rows []string
		for i := range 1000 {
			rows = append(rows, fmt.Sprintf("('%dk%d', '', %d, 'x')", i, from, i))
		}
		harness.Must(t, db, "INSERT INTO t (K, Q, T, V) VALUES "+strings.Join(rows, ", "))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := db.ExecContext(ctx, "OPTIMIZE TABLE t")
	require.ErrorIs(t, err, context.Canceled)
	harness.Must(t, db, "OPTIMIZE TABLE t", "ALTER TABLE t TTL = FOREVER")
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM t"))
}

// collectingKeys is the number of cells that collectChild writes, one after the
// other.
const collectingKeys = 20

// collectChild writes ever newer versions of some cells, and reports which it
// has written, while the excess versions are collected.
func collectChild(dsn string) error {
	db, err := sql.Open("hbasekv", dsn)
	if err != nil {
		return err
	}
	var next int64
	if err := db.QueryRow("SELECT COALESCE(MAX(T) + 1, 0) FROM t").Scan(&next); err != nil {
		return err
	}
	errs := make(chan error, 1)
	go func() {
		for {
			if _, err := db.Exec("OPTIMIZE TABLE t"); err != nil {
				errs <- err
				return
			}
		}
	}()
	for ; ; next++ {
		_, err := db.Exec("REPLACE INTO t (K, Q, T, V) VALUES (?, 'q', ?, ?)", next%collectingKeys, next, next)
		if err != nil {
			return err
		}
		if _, err := fmt.Println(next); err != nil {
			return err
		}
		select {
		case err := <-errs:
			return err
		default:
		}
	}
}

// TestKillCollecting: a process that is killed while it collects has lost no
// version that is kept: of each cell the newest two, the last of which may be one
// that was not acknowledged yet.
func TestKillCollecting(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "store") + "?sync=true&versions=all"
	killTable(t, dsn, "MAX_VERSIONS = 2")
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range *killRounds {
		said := killAfter(t, "collect", dsn, 2*collectingKeys+rng.IntN(150))
		last, err := strconv.ParseInt(said[len(said)-1], 10, 64)
		require.NoError(t, err)
		db, err := sql.Open("hbasekv", dsn)
		require.NoError(t, err)
		for n := last - collectingKeys + 1; n <= last; n++ {
			rows := harness.Lines(t, db, "SELECT T, V FROM t WHERE K = ? ORDER BY T DESC", n%collectingKeys)
			newest := n
			if unsaid := n + collectingKeys; unsaid == last+1 && strings.HasPrefix(rows[0], fmt.Sprint(unsaid)) {
				newest = unsaid
			}
			older := newest - collectingKeys
			want := []string{fmt.Sprintf("%d %d", newest, newest), fmt.Sprintf("%d %d", older, older)}
			require.GreaterOrEqual(t, len(rows), 2)
			require.Equal(t, want, rows[:2])
		}
		requireSound(t, db)
		harness.Must(t, db, "OPTIMIZE TABLE t")
		harness.Must(t, db, "ALTER TABLE t MAX_VERSIONS = 0") // would show what was not collected
		require.Equal(t, strconv.Itoa(2*collectingKeys), harness.Single(t, db, "SELECT COUNT(*) FROM t"))
		harness.Must(t, db, "ALTER TABLE t MAX_VERSIONS = 2")
		require.NoError(t, db.Close())
	}
}
