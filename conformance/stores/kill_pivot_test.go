package stores

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// torn are queries that count rows whose three cells are not all there, or not equal, as
// read from the store's rows, by joins on keys and by groups.
var torn = []string{
	"SELECT COUNT(*) FROM (SELECT K, MAX(CASE WHEN Q = 'a' THEN V END) AS a, MAX(CASE WHEN Q = 'b' THEN V END) AS b, " +
		"MAX(CASE WHEN Q = 'c' THEN V END) AS c FROM t GROUP BY K) p WHERE NOT (a <=> b AND b <=> c AND a IS NOT NULL)",
	"SELECT COUNT(*) FROM t x LEFT JOIN t y ON y.K = x.K AND y.Q = 'c' WHERE x.Q = 'a' AND NOT x.V <=> y.V",
	"SELECT COUNT(*) FROM (SELECT K, V, COUNT(*) AS n FROM t GROUP BY K, V HAVING n <> 3) g",
	"SELECT COUNT(*) - 3 * COUNT(DISTINCT K) FROM t",
}

// requireRowsWhole runs the queries with batches of several sizes.
func requireRowsWhole(t *testing.T, db *sql.DB) {
	for _, batch := range []int{harness.OneByOne, 0, 7} {
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		harness.Must(t, conn, fmt.Sprintf("SET hbasekv_batch_cells = %d", batch))
		for _, q := range torn {
			require.Equal(t, "0", harness.Single(t, conn, q), q)
		}
		require.NoError(t, conn.Close())
	}
}

// pivotChild writes rows of three cells, and removes some, with concurrent flushes and
// queries that must find the rows complete.
func pivotChild(dsn string) error {
	db, err := sql.Open("hbasekv", dsn)
	if err != nil {
		return err
	}
	errs := make(chan error)
	for range 3 {
		go func() { errs <- writeRowsUntilKilled(db) }()
	}
	go func() { errs <- readRowsUntilKilled(db) }()
	return <-errs
}

func writeRowsUntilKilled(db *sql.DB) error {
	for {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if err := writeRows(tx); harness.NumberOf(err) == 1213 {
			continue // another worker has written the row, and this transaction is undone
		} else if err != nil {
			return err
		}
		if err := tx.Commit(); err != nil && harness.NumberOf(err) != 1213 {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, "committed"); err != nil {
			return err
		}
	}
}

// writeRows writes some rows; of one of them it writes a part and undoes it.
func writeRows(tx *sql.Tx) error {
	for i := range 4 {
		key, v := fmt.Sprintf("k%03d", rand.IntN(200)), fmt.Sprint(rand.Uint64())
		do := [][]string{{"DELETE FROM t WHERE K = '" + key + "'"},
			{"SAVEPOINT s", "DELETE FROM t WHERE K = '" + key + "' AND Q > 'a'", "ROLLBACK TO s"}}[i%2]
		if i > 1 {
			do = []string{fmt.Sprintf("INSERT INTO t (K, Q, V) VALUES ('%[1]s', 'a', '%[2]s'), ('%[1]s', 'b', '%[2]s'), ('%[1]s', 'c', '%[2]s')", key, v)}
		}
		for _, statement := range do {
			if _, err := tx.Exec(statement); err != nil {
				_ = tx.Rollback()
				return err
			}
		}
	}
	return nil
}

func readRowsUntilKilled(db *sql.DB) error {
	for i := 0; ; i++ {
		var n int
		q := torn[i%len(torn)]
		if err := db.QueryRow(q).Scan(&n); err != nil || n != 0 {
			return fmt.Errorf("%d rows, %v: %s", n, err, q)
		}
		if i%9 == 0 {
			if _, err := db.Exec("FLUSH TABLES"); err != nil {
				return err
			}
		}
	}
}

// TestKillBesidePivots: queries of many cells at once never see a part of a transaction,
// neither while others write, flush and roll back, nor after the process was killed.
func TestKillBesidePivots(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for _, layout := range []string{"", "PARTITION BY KEY(K) PARTITIONS 5", "MAX_VERSIONS = 2"} {
		dsn := "file:" + filepath.Join(t.TempDir(), "store") + "?sync=false"
		killTable(t, dsn, layout)
		for range *killRounds {
			killAfter(t, "pivot", dsn, 1+r.IntN(300))
			db, err := sql.Open("hbasekv", dsn)
			require.NoError(t, err)
			requireRowsWhole(t, db)
			requireSound(t, db)
			require.NoError(t, db.Close())
		}
	}
}
