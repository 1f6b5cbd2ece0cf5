package stores

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var (
	killCells  = flag.Int("kill.cells", 8_000, "cells of the transactions of TestKillSpilled, a multiple of 4")
	killMemory = flag.String("kill.memory", "1MiB", "txnMemory in TestKillSpilled: a small part of the transactions")
)

// largeTransactions turn all cells and typed rows of one generation into those of the next, or do so in
// part and are rolled back.
var largeTransactions = [][]string{
	{"UPDATE /*+ VERSIONS(ALL) */ t SET V = '{new}' WHERE V = '{old}'", "UPDATE p SET n = {new}, s = REPEAT('{new} ', 5)"},
	{"DELETE FROM p WHERE n = {old}", "DELETE FROM t WHERE V = '{old}'", "INSERT INTO t SELECT K, Q, 1, '{new}' FROM origin",
		"INSERT INTO p SELECT CAST(K AS UNSIGNED), {new}, REPEAT('{new} ', 5) FROM origin WHERE Q = 'q0'"},
	{"DELETE FROM t WHERE V = '{old}' AND K >= '3'", "UPDATE /*+ VERSIONS(ALL) */ t SET V = '{new}' WHERE V = '{old}'", // neighbours
		"INSERT INTO t SELECT K, Q, 1, '{new}' FROM origin WHERE K >= '3'", "UPDATE p SET n = {new}, s = REPEAT('{new} ', 5)"},
	{"REPLACE INTO t SELECT K, Q, 1, 'no' FROM origin", "SAVEPOINT s", "DELETE FROM t WHERE V = 'no'", "UPDATE p SET n = 0", "ROLLBACK TO s",
		"REPLACE INTO t SELECT K, Q, 1, '{new}' FROM origin", "UPDATE p SET n = {new}, s = REPEAT('{new} ', 5)"},
	{"DELETE FROM t WHERE V = '{old}'", "UPDATE p SET n = n + 100000", "ROLLBACK"},
}

// largeChild commits one large transaction after the other until it is killed, and reports the generations
// that are committed.
func largeChild(dsn string) error {
	db, err := sql.Open("hbasekv", dsn)
	if err != nil {
		return err
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		return err
	}
	var generation int
	if err := conn.QueryRowContext(context.Background(), "SELECT MAX(n) FROM p").Scan(&generation); err != nil {
		return err
	}
	for i := rand.IntN(len(largeTransactions)); ; i++ {
		transaction := largeTransactions[i%len(largeTransactions)]
		generations := strings.NewReplacer("{old}", strconv.Itoa(generation), "{new}", strconv.Itoa(generation+1))
		for _, s := range slices.Concat([]string{"BEGIN"}, transaction, []string{"COMMIT"}) {
			if _, err := conn.ExecContext(context.Background(), generations.Replace(s)); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		if !slices.Contains(transaction, "ROLLBACK") {
			generation++
		}
		if _, err := fmt.Println(generation); err != nil {
			return err
		}
	}
}

// TestKillSpilled kills a process at random moments of transactions whose writes are spilled to disk:
// each has taken effect completely or not at all, by count and by CHECK, and no files are left over in
// the store's directory.
func TestKillSpilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	dsn := "file:" + path + "?sync=true&txnMemory=" + *killMemory
	largeTables(t, dsn)
	generation, took := 1, 2*time.Second+time.Duration(*killCells)*5*time.Microsecond
	for range *killRounds {
		generation, took = killDuring(t, dsn, generation, took, time.Duration(rng.Int64N(int64(took))))
		generation = requireOneGeneration(t, dsn, generation)
		requireNoneBeside(t, path)
	}
}

// largeTables creates a table of cells and a typed one, in generation 1, and the table that their keys come
// from.
func largeTables(t *testing.T, dsn string) {
	db := harness.OpenDB(t, dsn+"&cte_max_recursion_depth=1000000000")
	harness.Must(t, db, "CREATE TABLE origin "+harness.PlainTable, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 3",
		"CREATE TABLE p (id bigint PRIMARY KEY, n bigint, s varchar(100))",
		fmt.Sprintf("INSERT INTO origin WITH RECURSIVE r (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < %d), "+
			"q (j) AS (VALUES ROW(0), ROW(1), ROW(2), ROW(3)) SELECT CAST(i AS CHAR), CONCAT('q', j), 1, 'v' FROM r, q", *killCells/4-1),
		"INSERT INTO t SELECT K, Q, 1, '1' FROM origin",
		"INSERT INTO p SELECT CAST(K AS UNSIGNED), 1, REPEAT('1 ', 5) FROM origin WHERE Q = 'q0'")
	require.NoError(t, db.Close())
}

// killDuring kills a child some time after its start. It returns the last generation that is known to be committed,
// and twice the time that the child took to end its first transaction, if it ended one.
func killDuring(t *testing.T, dsn string, generation int, took, after time.Duration) (int, time.Duration) {
	cmd := child("large", dsn)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	start := time.Now()
	require.NoError(t, cmd.Start())
	time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	said := bufio.NewScanner(out)
	for n := 0; said.Scan(); n++ {
		generation, err = strconv.Atoi(said.Text())
		require.NoError(t, err, said.Text())
		if n == 0 {
			took = 2 * max(time.Since(start), 100*time.Millisecond)
		}
	}
	_ = cmd.Wait()
	t.Logf("killed after %v, at generation %d", after, generation)
	return generation, took
}

// requireOneGeneration checks that all cells and rows are of one generation, not older than one that was
// committed, and returns it.
func requireOneGeneration(t *testing.T, dsn string, committed int) int {
	db := harness.OpenDB(t, dsn)
	var of int
	require.NoError(t, db.QueryRow("SELECT MAX(n) FROM p").Scan(&of))
	require.GreaterOrEqual(t, of, committed)
	require.LessOrEqual(t, of, committed+1)
	rows := strconv.Itoa(*killCells / 4)
	require.Equal(t, rows, harness.Single(t, db, fmt.Sprintf("SELECT COUNT(*) FROM p WHERE n = %d AND s = REPEAT('%d ', 5)", of, of)))
	require.Equal(t, rows, harness.Single(t, db, "SELECT COUNT(*) FROM p"))
	cells := strconv.Itoa(*killCells)
	require.Equal(t, cells, harness.Single(t, db, fmt.Sprintf("SELECT COUNT(*) FROM t WHERE V = '%d'", of)))
	require.Equal(t, cells, harness.Single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"))
	requireSound(t, db)
	require.NoError(t, db.Close())
	return of
}

// requireNoneBeside checks that a closed store has no directory of a transaction beside its files.
func requireNoneBeside(t *testing.T, path string) {
	entries, err := os.ReadDir(path)
	require.NoError(t, err)
	for _, e := range entries {
		require.False(t, e.IsDir(), e.Name())
	}
}
