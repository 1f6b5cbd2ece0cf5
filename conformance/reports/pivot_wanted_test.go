package reports

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var wantedN = flag.Int("wanted.n", 60, "statements of TestPivotsOfSomeQualifiers on each table")

// wantedTable has rows of up to 7 of 9 qualifiers, many without those that pivots use, and
// some values that are NULL.
func wantedTable(t *testing.T, r *rand.Rand, options string) *sql.DB {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))"+options)
	for part := range 5 {
		var rows []string
		for i := range 300 {
			for range 1 + r.IntN(7) {
				v := []string{"NULL", "''", "'7'", "'x'", "'-3'"}[r.IntN(5)]
				rows = append(rows, fmt.Sprintf("('%c%d%03d', 'q%d', %d, %s)", 'a'+rune(i%4), part, i, r.IntN(9), r.IntN(3), v))
			}
		}
		harness.Must(t, db, "REPLACE INTO t VALUES "+strings.Join(rows, ", "))
	}
	return db
}

// pivotOfSome is an aggregate over rows of some qualifiers.
func pivotOfSome(r *rand.Rand) string {
	q := func() string { return fmt.Sprintf("'q%d'", r.IntN(10)) }
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	cond := one("Q = "+q(), q()+" = Q", "Q IN ("+q()+", "+q()+")", "Q = "+q()+" AND V = '7'", "Q LIKE 'q8%'", "Q > 'q7'", "Q = "+q()+" OR Q = "+q(),
		"V = '7' AND Q = "+q(), "Q = 'none'", "FALSE", "K < 'b' AND Q = "+q())
	then := one("V", "1", "T", "CAST(T AS CHAR)", "LENGTH(V)", "NULL", "K")
	otherwise := one("", "", " ELSE NULL", " ELSE 0", " ELSE 0", " ELSE V", " ELSE 1")
	choice := one("CASE WHEN "+cond+" THEN "+then+otherwise+" END", "CASE Q WHEN "+q()+" THEN "+then+" WHEN "+q()+" THEN T"+otherwise+" END",
		"CASE WHEN "+cond+" THEN "+then+" WHEN Q = "+q()+" THEN 5"+otherwise+" END", "IF("+cond+", "+then+", NULL)", "IF("+cond+", 1, 0)")
	return one("MAX(", "MIN(", "COUNT(", "SUM(", "AVG(", "BIT_OR(", "COUNT(DISTINCT ", "GROUP_CONCAT(", "JSON_ARRAYAGG(") + choice + ")"
}

// TestPivotsOfSomeQualifiers: cells that a pivot does not use may stay unread; the
// result is the same as beside a COUNT(*), for which all are read.
func TestPivotsOfSomeQualifiers(t *testing.T) {
	seed := testseed.Of(t)
	for _, options := range []string{"", " PARTITION BY KEY(K) PARTITIONS 7", " MAX_VERSIONS = 2"} {
		r := rand.New(rand.NewPCG(seed, 1))
		db := wantedTable(t, r, options)
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		for i := range *wantedN {
			if i%10 == 0 {
				harness.Must(t, conn, fmt.Sprintf("SET hbasekv_parallelism = %d", 1+i/10%3), "ROLLBACK", "BEGIN")
			}
			if i%10 == 5 {
				harness.Must(t, conn, fmt.Sprintf("DELETE FROM t WHERE K LIKE '%%%d' AND Q > 'q2'", r.IntN(10)), "REPLACE INTO t VALUES ('b', 'q9', 1, 'own'), ('b0001', 'q0', 9, '7')")
			}
			aggregates := []string{pivotOfSome(r)}
			for r.IntN(2) == 0 {
				aggregates = append(aggregates, pivotOfSome(r), "MAX(K)")
			}
			key := []string{"K", "LEFT(K, 2)", "LEFT(K, 3)", "K", "''"}[r.IntN(5)]
			where := []string{"", "", " WHERE K > 'a1'", " WHERE T > 0", " WHERE V <> 'x'", " WHERE Q <> 'q4'", " WHERE K LIKE '%7%'"}[r.IntN(7)]
			text := func(more string) string {
				return "SELECT " + key + " AS k, " + strings.Join(aggregates, ", ") + more + " FROM t" + where + " GROUP BY " + key + " ORDER BY k"
			}
			got := harness.Lines(t, conn, text(""))
			want := harness.Lines(t, conn, text(", COUNT(*)"))
			for i := range want {
				want[i] = want[i][:strings.LastIndexByte(want[i], ' ')]
			}
			require.Equal(t, want, got, "%q: %s", options, text(""))
		}
	}
}
