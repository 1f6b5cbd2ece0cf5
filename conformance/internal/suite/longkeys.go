package suite

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// CheckLongKeys fills a table whose K and Q have from least to most bytes.
func CheckLongKeys(t *testing.T, db *sql.DB, least, most int, partitioning string) {
	harness.Must(t, db, fmt.Sprintf("CREATE TABLE t (K varbinary(%d), Q varbinary(%[1]d), T bigint, V varbinary(9), PRIMARY KEY (K, Q, T))%s", most, partitioning))
	long, full := strings.Repeat("a", most), strings.Repeat("\xff", most)
	for _, k := range []string{"", "a", long[1:], long, long[1:] + "b", "b", full} {
		if len(k) >= least {
			harness.Must(t, db, "INSERT INTO t VALUES (X'"+hexOf(k)+"', X'"+hexOf(k)+"', 1, 'v')")
		}
	}
	for _, bound := range []string{fmt.Sprintf("REPEAT('a', %d)", most-1), fmt.Sprintf("REPEAT('a', %d)", most), fmt.Sprintf("REPEAT('a', %d)", most+1),
		"REPEAT('a', 1000000)",
		fmt.Sprintf("REPEAT(X'FF', %d)", most), fmt.Sprintf("REPEAT(X'FF', %d)", most+1), fmt.Sprintf("CONCAT(REPEAT('a', %d), 'b', 'c')", most-1)} {
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

// requireFiltered requires a condition to select the same rows as an equivalent
// filter.
func requireFiltered(t *testing.T, db *sql.DB, cond, filter string) {
	t.Helper()
	const rows = "SELECT LENGTH(K), HEX(RIGHT(K, 1)) FROM t WHERE "
	require.ElementsMatch(t, harness.Lines(t, db, rows+filter), harness.Lines(t, db, rows+cond), cond)
}
