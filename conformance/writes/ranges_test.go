package writes

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// rangeRows are enough rows for a range to be deleted as a whole, even in each of seven
// partitions.
const rangeRows = 8000

// openRanges creates a table of rows k00000, ... with two cells, the second of them with two
// versions.
func openRanges(t *testing.T, partitions string) *sql.DB {
	db := harness.OpenDB(t, "file:"+t.TempDir()+"?sync=false&lockTimeout=100ms")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+partitions)
	for from := 0; from < rangeRows; from += 1000 {
		var s strings.Builder
		for i := from; i < from+1000; i++ {
			fmt.Fprintf(&s, ",('k%05d','a',1,'x'),('k%05d','b',1,'x'),('k%05d','b',2,'y')", i, i, i)
		}
		harness.Must(t, db, "INSERT INTO t VALUES "+s.String()[1:])
	}
	return db
}

// TestDeleteRanges: deleting ranges as a whole has the same result as deleting their cells
// one by one.
func TestDeleteRanges(t *testing.T) {
	for name, partitions := range map[string]string{
		"one": "", "key": " PARTITION BY KEY(K) PARTITIONS 7",
		"range": " PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('k04000'), PARTITION p1 VALUES LESS THAN (MAXVALUE))",
	} {
		t.Run(name, func(t *testing.T) {
			db := openRanges(t, partitions)
			count := func(of harness.Execer) string {
				return strings.Join(harness.Lines(t, of, "SELECT COUNT(*), MIN(K), MAX(K) FROM t FOR SYSTEM_TIME ALL"), "")
			}
			all := count(db)
			tx := harness.Begin(t, db)
			require.EqualValues(t, 2*6000, harness.Affected(t, tx, "DELETE FROM t WHERE K >= 'k01000' AND K < 'k07000'"))
			require.Equal(t, "6000 k00000 k07999", count(tx))
			harness.Must(t, tx, "INSERT INTO t VALUES ('k03000', 'a', 5, 'again')")
			harness.Must(t, tx, "SAVEPOINT s")
			require.EqualValues(t, 2*2000+1, harness.Affected(t, tx, "DELETE FROM t"))
			require.Equal(t, "0 NULL NULL", count(tx))
			harness.Must(t, tx, "INSERT INTO t VALUES ('z', 'a', 5, 'new')")
			require.Equal(t, "1 z z", count(tx))
			harness.Must(t, tx, "ROLLBACK TO s")
			require.Equal(t, "6001 k00000 k07999", count(tx))
			require.Equal(t, []string{"k03000 again"}, harness.Lines(t, tx, "SELECT K, V FROM t WHERE K LIKE 'k03%' AND Q = 'a'"))
			require.Equal(t, all, count(db), "others see nothing of it")
			require.NoError(t, tx.Rollback())
			require.Equal(t, all, count(db))

			require.EqualValues(t, 3*4000, harness.Affected(t, db, "DELETE FROM t FOR SYSTEM_TIME ALL WHERE K < 'k04000'"))
			require.Equal(t, "12000 k04000 k07999", count(db))
			if name == "range" {
				require.EqualValues(t, 2*4000, harness.Affected(t, db, "DELETE FROM t PARTITION (p1)"))
				require.Equal(t, "0 NULL NULL", count(db))
			}
			harness.Must(t, db, "DELETE FROM t")
			require.Equal(t, "0 NULL NULL", count(db))
			harness.Must(t, db, "INSERT INTO t VALUES ('k00001', 'a', 1, 'x')")
			harness.Must(t, db, "FLUSH TABLES", "OPTIMIZE TABLE t", "CHECK TABLE t EXTENDED")
			require.Equal(t, "1 k00001 k00001", count(db))
		})
	}
}

// TestDeleteNeighbours deletes cells by conditions on values and qualifiers that leave no cells between them:
// the transaction, others, savepoints and the commit see it as any other DELETE.
func TestDeleteNeighbours(t *testing.T) {
	for name, partitions := range map[string]string{"one": "", "key": " PARTITION BY KEY(K) PARTITIONS 3"} {
		t.Run(name, func(t *testing.T) {
			db := openRanges(t, partitions)
			count := func(of harness.Execer) string {
				return strings.Join(harness.Lines(t, of, "SELECT COUNT(*), MIN(K), MAX(K) FROM t FOR SYSTEM_TIME ALL"), "")
			}
			harness.Must(t, db, "UPDATE t SET V = 'other' WHERE K = 'k06000'")
			all := count(db)
			tx := harness.Begin(t, db)
			harness.Must(t, tx, "INSERT INTO t VALUES ('k03000', 'aa', 5, 'mine')", "SAVEPOINT s")
			require.EqualValues(t, 2*rangeRows-2, harness.Affected(t, tx, "DELETE FROM t WHERE V IN ('x', 'y')"))
			require.Equal(t, "6 k03000 k06000", count(tx))
			harness.Must(t, tx, "INSERT INTO t VALUES ('k00002', 'a', 1, 'again')")
			require.Equal(t, []string{"k00002 again", "k03000 mine", "k06000 other", "k06000 other"},
				harness.Lines(t, tx, "SELECT K, V FROM t ORDER BY K"))
			require.Equal(t, all, count(db), "others see nothing of it")
			harness.Must(t, tx, "ROLLBACK TO s")
			require.Equal(t, "24003 k00000 k07999", count(tx))
			require.EqualValues(t, rangeRows, harness.Affected(t, tx, "DELETE FROM t WHERE Q = 'b'"))
			require.EqualValues(t, rangeRows, harness.Affected(t, tx, "DELETE FROM t WHERE Q = 'a'"))
			require.Equal(t, "1 k03000 k03000", count(tx))
			require.NoError(t, tx.Rollback())

			tx = harness.Begin(t, db)
			require.EqualValues(t, rangeRows/10, harness.Affected(t, tx, "DELETE FROM t WHERE K LIKE '%3' AND Q = 'a'"))
			require.EqualValues(t, rangeRows/10, harness.Affected(t, tx, "DELETE FROM t WHERE V = 'y' AND K LIKE '%7'"))
			require.Equal(t, "21602 k00000 k07999", count(tx))
			require.Equal(t, []string{"k00003 y", "k00007 x"}, harness.Lines(t, tx, "SELECT K, V FROM t WHERE K IN ('k00003', 'k00007')"))
			require.EqualValues(t, 2*rangeRows-rangeRows/5, harness.Affected(t, tx, "DELETE FROM t WHERE V <> 'z'"))
			require.Equal(t, "0 NULL NULL", count(tx))
			harness.Must(t, tx, "INSERT INTO t VALUES ('k03000', 'aa', 5, 'mine')")
			require.NoError(t, tx.Commit())
			harness.Must(t, db, "FLUSH TABLES", "OPTIMIZE TABLE t", "CHECK TABLE t EXTENDED")
			require.Equal(t, "1 k03000 k03000", count(db))
		})
	}
}

// TestDeletedRangeIsLocked: nobody can write where a range has been deleted until the
// transaction ends, and if another transaction has written there, the cells are deleted one
// by one.
func TestDeletedRangeIsLocked(t *testing.T) {
	db := openRanges(t, "")
	ctx := context.Background()
	tx := harness.Begin(t, db)
	require.EqualValues(t, 2*rangeRows/2, harness.Affected(t, tx, "DELETE FROM t WHERE K < 'k04000'"))
	for _, statement := range []string{
		"INSERT INTO t VALUES ('k00000x', 'q', 1, 'new')", "UPDATE t SET V = 'z' WHERE K = 'k00007'",
		"DELETE FROM t WHERE K < 'k05000'",
	} {
		_, err := db.ExecContext(ctx, statement)
		harness.RequireErrorNumber(t, 1205, err)
	}
	harness.Must(t, db, "UPDATE t SET V = 'z' WHERE K = 'k04000'", "INSERT INTO t VALUES ('z', 'q', 1, 'new')")
	patient, err := db.Conn(ctx)
	require.NoError(t, err)
	defer patient.Close()
	harness.Must(t, patient, "SET innodb_lock_wait_timeout = 20")
	waited := make(chan error, 1)
	go func() {
		_, err := patient.ExecContext(ctx, "INSERT INTO t VALUES ('k00001', 'q', 7, 'after')")
		waited <- err
	}()
	time.Sleep(20 * time.Millisecond)
	require.NoError(t, tx.Commit())
	require.NoError(t, <-waited)
	require.Equal(t, []string{"k00001 after"}, harness.Lines(t, db, "SELECT K, V FROM t WHERE K < 'k04000'"))

	// A transaction that began before gets an error for rows that were deleted, and for no
	// others.
	harness.Must(t, db, "REPLACE INTO t SELECT CONCAT('a', K), Q, T, V FROM t")
	old := harness.Begin(t, db)
	harness.Lines(t, old, "SELECT COUNT(*) FROM t")
	require.EqualValues(t, 2*4000+2, harness.Affected(t, db, "DELETE FROM t WHERE K LIKE 'a%'"))
	harness.Must(t, old, "INSERT INTO t VALUES ('y', 'q', 1, 'mine')")
	_, err = old.Exec("UPDATE t SET V = 'mine' WHERE K = 'ak04444'")
	harness.RequireErrorNumber(t, 1213, err)
	require.NoError(t, old.Rollback())

	// A concurrent writer in the range does not block the rows that it does not write.
	writer := harness.Begin(t, db)
	harness.Must(t, writer, "INSERT INTO t VALUES ('k05000x', 'q', 1, 'written meanwhile')")
	require.EqualValues(t, 2*4000+2, harness.Affected(t, db, "DELETE FROM t"))
	require.NoError(t, writer.Commit())
	require.Equal(t, []string{"k05000x"}, harness.Lines(t, db, "SELECT K FROM t"))
}
