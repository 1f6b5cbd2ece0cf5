package conformance

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeysLongerThanAny compares K and Q with strings that no table can hold, next
// to the longest that there are.
func TestKeysLongerThanAny(t *testing.T) {
	db := openDB(t, ":memory:")
	must(t, db, "CREATE TABLE t (K varbinary(65535), Q varbinary(65535), T bigint, V varbinary(9), "+
		"PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 64")
	long, full := strings.Repeat("a", 65535), strings.Repeat("\xff", 65535)
	for _, k := range []string{"", "a", long[1:], long, long[1:] + "b", "b", full} {
		must(t, db, "INSERT INTO t VALUES (X'"+hexOf(k)+"', X'"+hexOf(k)+"', 1, 'v')")
	}
	for _, bound := range []string{"REPEAT('a', 65534)", "REPEAT('a', 65535)", "REPEAT('a', 65536)",
		"REPEAT('a', 1000000)",
		"REPEAT(X'FF', 65535)", "REPEAT(X'FF', 65536)", "CONCAT(REPEAT('a', 65534), 'b', 'c')"} {
		for _, op := range []string{"=", "<>", "<", "<=", ">", ">=", "LIKE", "NOT LIKE"} {
			requireFiltered(t, db, "K "+op+" "+bound, "CONCAT(K) "+op+" "+bound)
			requireFiltered(t, db, "Q "+op+" "+bound, "CONCAT(Q) "+op+" "+bound)
		}
		requireFiltered(t, db, "K IN ('b', "+bound+")", "CONCAT(K) IN ('b', "+bound+")")
		requireFiltered(t, db, "K LIKE CONCAT("+bound+", '%')", "CONCAT(K) LIKE CONCAT("+bound+", '%')")
		requireFiltered(t, db, "(K, Q) > ("+bound+", 'a')", "(CONCAT(K), CONCAT(Q)) > ("+bound+", 'a')")
		requireFiltered(t, db, "K = "+bound+" AND Q = "+bound, "CONCAT(K) = "+bound+" AND CONCAT(Q) = "+bound)
	}
}

func hexOf(s string) string {
	return strings.NewReplacer("a", "61", "b", "62", "\xff", "FF").Replace(s)
}

// requireFiltered holds that a condition takes the rows that it takes as a filter.
func requireFiltered(t *testing.T, db *sql.DB, cond, filter string) {
	t.Helper()
	const rows = "SELECT LENGTH(K), HEX(RIGHT(K, 1)) FROM t WHERE "
	require.ElementsMatch(t, lines(t, db, rows+filter), lines(t, db, rows+cond), cond)
}
