package writes

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// counters are the single statements that docs/writing.md gives for HBase's Increment and
// Append, which create the cell if there is none; ? is the increment. shown is how the value
// is read.
var counters = map[string]struct{ statement, shown string }{
	"text":                  {counted("IFNULL(MAX(CAST(V AS SIGNED)), 0) + ?"), "V"},
	"bytes":                 {counted("LONG_TO_BYTES(IFNULL(MAX(BYTES_TO_LONG(V)), 0) + ?)"), "BYTES_TO_LONG(V)"},
	"append":                {counted("CONCAT(IFNULL(MAX(V), ''), REPEAT('x', ?))"), "LENGTH(V)"},
	"text in one version":   {"INSERT INTO t VALUES ('n', 'q', 1, ?) ON DUPLICATE KEY UPDATE V = CAST(V AS SIGNED) + VALUES(V)", "V"},
	"bytes in one version":  {"INSERT INTO t VALUES ('n', 'q', 1, LONG_TO_BYTES(?)) ON DUPLICATE KEY UPDATE V = LONG_TO_BYTES(BYTES_TO_LONG(V) + BYTES_TO_LONG(VALUES(V)))", "BYTES_TO_LONG(V)"},
	"append to one version": {"INSERT INTO t VALUES ('n', 'q', 1, REPEAT('x', ?)) ON DUPLICATE KEY UPDATE V = CONCAT(V, VALUES(V))", "LENGTH(V)"},
}

// counted adds a version with such a value: newer than the one that it is computed from, as
// in HBase, even if that is of the current millisecond or of the future.
func counted(value string) string {
	return "INSERT INTO t SELECT 'n', 'q', GREATEST(IFNULL(MAX(T) + 1, 0), UNIX_TIMESTAMP(NOW(3)) * 1000), " + value +
		" FROM t WHERE K = 'n' AND Q = 'q'"
}

// TestCountersOfAbsentCells lets 8 writers count in one cell that does not exist yet:
// nothing is lost, in a table that keeps all versions and in one that keeps the newest.
func TestCountersOfAbsentCells(t *testing.T) {
	for name, c := range counters {
		for _, option := range []string{"", " MAX_VERSIONS = 1"} {
			t.Run(name+option, func(t *testing.T) {
				db := harness.OpenDB(t, "file:"+t.TempDir()+"?sync=false")
				harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+option)
				const each = 25
				harness.AtOnce(t, func(worker int) error {
					for i := range each {
						if _, err := db.Exec(c.statement, 1+i%3); err != nil {
							return err
						}
					}
					return nil
				})
				sum := 0
				for i := range each {
					sum += harness.Workers * (1 + i%3)
				}
				require.Equal(t, fmt.Sprint(sum), harness.Single(t, db, "SELECT "+c.shown+" FROM t"))
				versions := harness.Workers * each
				if option != "" || strings.Contains(name, "one version") {
					versions = 1
				}
				require.Equal(t, fmt.Sprint(versions),
					harness.Single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"))
			})
		}
	}
}

// TestCountersGoOn: each statement continues from the value that another one wrote,
// including UPDATE and HBase's 8 bytes, whatever versions there are.
func TestCountersGoOn(t *testing.T) {
	for name, c := range counters {
		if strings.Contains(name, "one version") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			db := harness.OpenDB(t, ":memory:")
			harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
			require.EqualValues(t, 1, harness.Affected(t, db, c.statement, 40))
			require.EqualValues(t, 1, harness.Affected(t, db, c.statement, 2))
			require.Equal(t, "42", harness.Single(t, db, "SELECT "+c.shown+" FROM t"))
			require.Equal(t, "40",
				harness.Single(t, db, "SELECT "+c.shown+" FROM t FOR SYSTEM_TIME ALL ORDER BY T LIMIT 1"))
			ctx := context.Background()
			tx, err := db.BeginTx(ctx, nil)
			require.NoError(t, err)
			for range 3 {
				_, err = tx.Exec(c.statement, 1)
				require.NoError(t, err)
			}
			require.NoError(t, tx.Rollback())
			require.Equal(t, "42", harness.Single(t, db, "SELECT "+c.shown+" FROM t"))
			harness.Must(t, db, "DELETE FROM t")
			harness.Affected(t, db, c.statement, 7)
			require.Equal(t, "7", harness.Single(t, db, "SELECT "+c.shown+" FROM t"), "a deleted cell begins anew")
		})
	}
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('n', 'q', 1, LONG_TO_BYTES(5))")
	harness.Affected(t, db, counters["bytes"].statement, 1)
	harness.Must(t, db, "UPDATE t SET V = LONG_TO_BYTES(BYTES_TO_LONG(V) + 1)")
	harness.Affected(t, db, counters["bytes"].statement, -10)
	require.Equal(t, "FFFFFFFFFFFFFFFD", harness.Single(t, db, "SELECT HEX(V) FROM t"))
	require.Equal(t, "4", harness.Single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"))
	harness.Must(t, db, "INSERT INTO t VALUES ('n', 'q', 9000000000000000000, LONG_TO_BYTES(1))")
	harness.Affected(t, db, counters["bytes"].statement, 1)
	require.Equal(t, "2 9000000000000000001",
		strings.Join(harness.Lines(t, db, "SELECT BYTES_TO_LONG(V), T FROM t"), ""))
}
