package sql

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestHexLiteralsForT: a hex or bit literal for T is a number, in each statement and in texts
// that differ only in it, which share a plan.
func TestHexLiteralsForT(t *testing.T) {
	harness.OnLayouts(t, "?versions=all", func(t *testing.T, db *sql.DB) {
		for i := range 4 {
			for _, literal := range []string{fmt.Sprintf("0x%04X", 0x3130+i), fmt.Sprintf("X'%04X'", 0x3130+i), fmt.Sprintf("b'%b'", 0x3130+i),
				fmt.Sprintf("0b%b", 0x3130+i), fmt.Sprintf("(0x%04X)", 0x3130+i), fmt.Sprintf("0x%04X + 0", 0x3130+i)} {
				for _, insert := range []string{"INSERT INTO t VALUES ('a', 'q', %s, 'v')", "REPLACE INTO t (T, K, Q) VALUES (%s, 'a', 'q')",
					"INSERT INTO t SET K = 'a', Q = 'q', T = %s", "INSERT INTO t VALUES ('a', 'q', 5, 'v'), ('a', 'p', %s, 0x41)",
					"INSERT INTO t SELECT 'a', 'q', %s, 'v'", "INSERT INTO t (T, K, Q) SELECT %s, K, 'q' FROM t WHERE K = 'b' LIMIT 1"} {
					harness.Must(t, db, "DELETE FROM t", "INSERT INTO t VALUES ('b', 'r', 1, '')",
						fmt.Sprintf(insert, literal))
					require.Equal(t, "1", harness.Single(t, db, "SELECT COUNT(*) FROM t WHERE T = ?", 0x3130+i), insert+" "+literal)
					require.Equal(t, "1", harness.Single(t, db, "SELECT COUNT(*) FROM t WHERE T = "+literal), literal)
					require.Equal(t, "1", harness.Single(t, db, "SELECT COUNT(*) FROM t WHERE T IN (7, "+literal+")"),
						literal)
					require.Equal(t, "1", harness.Single(t, db, "SELECT COUNT(*) FROM t WHERE T BETWEEN "+literal+" AND "+literal), literal)
				}
				harness.Must(t, db, "DELETE FROM t", "INSERT INTO t VALUES ('a', 'q', 1, 'v')",
					"UPDATE t SET T = "+literal)
				require.Equal(t, []string{fmt.Sprint(0x3130 + i)}, harness.Lines(t, db, "SELECT T FROM t"))
				harness.Must(t, db, "INSERT INTO t VALUES ('a', 'q', "+fmt.Sprint(0x3130+i)+", 'v') ON DUPLICATE KEY UPDATE T = "+literal+" + 1")
				require.Equal(t, []string{fmt.Sprint(0x3131 + i)}, harness.Lines(t, db, "SELECT T FROM t"))
			}
		}
		harness.Must(t, db, "DELETE FROM t")
		for literal, number := range map[string]uint16{"0xFFFFFFFFFFFFFFFF": 1264, "0x8000000000000000": 1264, "0x010000000000000010": 1264, "_binary '\\0'": 1366} {
			_, err := db.Exec("INSERT INTO t VALUES ('a', 'q', " + literal + ", '')")
			harness.RequireErrorNumber(t, number, err)
		}
		harness.Must(t, db, "INSERT INTO t VALUES (0x61, 0x71, 0x7FFFFFFFFFFFFFFF, 0x41)")
		require.Equal(t, []string{"a q 9223372036854775807 A"}, harness.Lines(t, db, "SELECT K, Q, T, V FROM t"))
		require.Equal(t, "1",
			harness.Single(t, db, "SELECT COUNT(*) FROM t WHERE 0x7FFFFFFFFFFFFFFF IN (SELECT T FROM t)"))
		require.Equal(t, "1", harness.Single(t, db, "SELECT 0x7FFFFFFFFFFFFFFF = ANY (SELECT T FROM t)"))
		require.Equal(t, "0", harness.Single(t, db, "SELECT 0x41 > ALL (SELECT T FROM t)"))
	})
}

// TestHexArguments: bytes that are arguments stay bytes, and are not numbers when they are given
// for T.
func TestHexArguments(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	_, err := db.Exec("INSERT INTO t VALUES (?, ?, ?, ?)", "a", "q", []byte("12"), []byte{0x41})
	require.NoError(t, err)
	_, err = db.Exec("INSERT INTO t VALUES (?, ?, ?, ?)", "a", "q", []byte{0x10}, []byte{0x41})
	harness.RequireErrorNumber(t, 1366, err)
	require.Equal(t, []string{"12 A"}, harness.Lines(t, db, "SELECT T, V FROM t"))
	require.Equal(t, "0", harness.Single(t, db, "SELECT ? IN (65)", []byte("A")))
}
