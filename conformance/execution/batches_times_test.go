package execution

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// epochZones have an offset, one of half an hour, daylight saving time, changes at
// other times of the day, across a day, and by parts of a minute.
var epochZones = []string{"+00:00", "+05:30", "-11:00", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Monrovia", "Asia/Kathmandu"}

// epochOf is a time in milliseconds, often near a change.
func epochOf(r *rand.Rand) int64 {
	edges := []int64{0, 63_593_070_000, 1_711_846_800_000, 1_729_990_800_000, 1_710_054_000_000, 1_325_239_200_000, 2_147_483_647_000,
		253_402_300_799_000, 951_782_400_000, 1_735_689_600_000, 1 << 62, -1 << 62, 504_901_800_000}
	switch r.IntN(5) {
	case 0:
		return edges[r.IntN(len(edges))] + r.Int64N(7_200_000) - 3_600_000
	case 1:
		return r.Int64N(300_000_000_000_000) - 20_000_000_000_000
	case 2:
		return edges[r.IntN(len(edges))] + r.Int64N(3) - 1
	}
	return 1_700_000_000_000 + r.Int64N(40_000_000_000)
}

type epochGen struct{ *rand.Rand }

func (g epochGen) one(of ...string) string { return of[g.IntN(len(of))] }

// seconds is an argument of FROM_UNIXTIME, the same for a whole expression.
func (g epochGen) seconds() string {
	return g.one("T / 1000", "T DIV 1000", "T DIV 1000", "FLOOR(T / 1000)", "T / 1", "T", "T / 1000000", "T / 7", "T / 1000001", "T * 0.001", "T DIV 1000 + 3600",
		"CAST(V AS SIGNED)", "V", "T / 1000 + 0.5", "ROUND(T / 1000)", "T / 0", "T DIV 0", "IF(Q = 'a', T DIV 1000, NULL)", "FLOOR(T)", "T * 3")
}

func (g epochGen) format() string {
	var out strings.Builder
	for range 1 + g.IntN(3) {
		out.WriteString(g.one("%Y-%m-%d", "%H", "%H:%i", "%Y", "%m", "%W", "%x-%v", "%a %j", "%h %p", "%D", "%%H", "%s", "%T", "%f", "%X%V", "%u", "%q", "é", "%", "-"))
	}
	return out.String()
}

// part is an expression over FROM_UNIXTIME(s).
func (g epochGen) part(s string) string {
	at := "FROM_UNIXTIME(" + s + ")"
	form := g.one("HOUR(%s)", "DATE(%s)", "MONTH(%s)", "MINUTE(%s)", "WEEK(%s, 3)", "WEEK(%s)", "YEARWEEK(%s, 1)", "DAYNAME(%s)", "QUARTER(%s)", "WEEKDAY(%s)",
		"DAYOFYEAR(%s)", "LAST_DAY(%s)", "TO_DAYS(%s)", "EXTRACT(YEAR_MONTH FROM %s)", "EXTRACT(DAY_HOUR FROM %s)", "EXTRACT(SECOND FROM %s)", "CAST(%s AS DATE)",
		"SECOND(%s)", "TIME(%s)", "UNIX_TIMESTAMP(%s)", "DATE(%s) + INTERVAL 1 - DAY(%[1]s) DAY", "CONCAT(YEAR(%s), '-', LPAD(MONTH(%[1]s), 2, '0'))",
		"STR_TO_DATE(DATE_FORMAT(%s, '%%Y-%%m-01'), '%%Y-%%m-%%d')", "MAKEDATE(YEAR(%s), 1) + INTERVAL QUARTER(%[1]s) QUARTER",
		"HOUR(%s) < 9 AND WEEKDAY(%[1]s) < 5", "CASE WHEN HOUR(%s) < 12 THEN 'am' ELSE V END", "COALESCE(DATE(%s), 'never')", "CASE WHEN DATE(%s) IS NULL THEN Q END",
		"HOUR(%s) DIV 6", "DATE_FORMAT(%s, '"+strings.ReplaceAll(g.format(), "%", "%%")+"')", "WEEK(%s, HOUR(%[1]s))", "TIMESTAMPDIFF(MONTH, '2000-01-31', DATE(%s))",
		"UNIX_TIMESTAMP(%s) DIV 3600 * 3600", "UNIX_TIMESTAMP(%s) DIV 60", "FLOOR(UNIX_TIMESTAMP(%s) / 86400)", "UNIX_TIMESTAMP(%s) DIV 90",
		"DATE(DATE_SUB(%s, INTERVAL DAYOFWEEK(%[1]s) - 1 DAY))", "HOUR(%s + INTERVAL 5 HOUR)", "DATE(%s - INTERVAL 90 MINUTE)", "DAY(%s - INTERVAL 1.5 DAY)",
		"UNIX_TIMESTAMP(%s + INTERVAL 1 MONTH) DIV 3600", "DATEDIFF(%s, '2024-02-29')", "DATEDIFF(DATE(%s), %[1]s - INTERVAL 1 QUARTER)", "DATE(%s + INTERVAL 61 SECOND)",
		"HOUR(%s - INTERVAL '1:30' HOUR_MINUTE)", "MINUTE(%s + INTERVAL MINUTE(%[1]s) MINUTE)", "DATE(%s - INTERVAL 2000 YEAR)")
	return fmt.Sprintf(strings.Replace(form, "%s", "%[1]s", 1), at)
}

func (g epochGen) expression() string {
	s := g.seconds()
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("FROM_UNIXTIME(%s, '%s')", s, g.format())
	case 1:
		return g.one("T DIV 3600000", "FLOOR(T / 3600000)", "FLOOR(T / 86400000) * 86400000", "T - T MOD 3600000", "FLOOR(T / 1000000001)", "FLOOR(T / -7)", "FLOOR(V / 3)", "FLOOR(T)")
	case 2:
		return fmt.Sprintf("CONCAT(%s, %s)", g.part(s), g.part(g.one(s, s, g.seconds())))
	}
	return g.part(s)
}

// TestEpochsInBatches: results for times are the same in batches as row by row, in all
// zones.
func TestEpochsInBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 2))
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))")
	var rows []string
	for i := range 600 {
		rows = append(rows, fmt.Sprintf("('r%03d', '%c', %d, %s)", i, 'a'+rune(r.IntN(2)), epochOf(r), batchValue(r, rune("abe"[r.IntN(3)]))))
	}
	harness.Must(t, db, "REPLACE INTO t VALUES "+strings.Join(rows, ", "))
	conns := map[int]*sql.Conn{}
	for _, batch := range []int{harness.OneByOne, 0, 7, 1024} {
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		harness.Must(t, conn, fmt.Sprintf("SET hbasekv_batch_cells = %d, max_error_count = 60000, sql_mode = 'ERROR_FOR_DIVISION_BY_ZERO'", batch))
		conns[batch] = conn
	}
	g := epochGen{r}
	for range 3 * *batchStatements {
		zone, x := g.one(epochZones...), g.expression()
		statement := fmt.Sprintf(g.one("SELECT K, T, %s AS x, COUNT(*) FROM t GROUP BY K, T, x", "SELECT %s AS x, COUNT(*), MAX(T) FROM t GROUP BY x",
			"SELECT COUNT(*), SUM(T DIV 1000000) FROM t WHERE %s", "SELECT MAX(%s), MIN(K) FROM t", "SELECT a, COUNT(*) FROM (SELECT K, MAX(%s) AS a FROM t GROUP BY K) p GROUP BY a"), x)
		for _, conn := range conns {
			harness.Must(t, conn, "SET time_zone = '"+zone+"'")
		}
		want := harness.AnswerOf(t, conns[harness.OneByOne], statement)
		for batch, conn := range conns {
			require.Equal(t, want, harness.AnswerOf(t, conn, statement), "%s in %s\nbatches of %d", statement, zone,
				batch)
		}
	}
}
