package subqueries

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// partnerQuestions are subqueries over the partners of rows of t, and a text that must occur in the
// answer or the warnings, "" for none.
var partnerQuestions = []struct{ text, part string }{
	// One row, the first one, none, and more than one.
	{"SELECT a.K, a.Q, a.T, (SELECT b.V FROM u b WHERE b.Q = a.Q AND b.K = a.V AND b.T >= a.T ORDER BY b.T DESC, b.V LIMIT 1) AS x FROM t a ORDER BY a.K, a.Q, a.T", "NULL"},
	{"SELECT SUM((SELECT b.T FROM u b WHERE b.V = a.V AND b.T > a.T ORDER BY b.T, b.K DESC LIMIT 1)), MAX((SELECT b.V FROM t b WHERE b.Q = a.Q AND b.V > a.V ORDER BY b.V LIMIT 1)) FROM t a", ""},
	{"SELECT MAX((SELECT b.K FROM u b WHERE b.Q = a.Q AND b.K > a.K ORDER BY b.V IS NULL, b.V DESC, b.K, b.T LIMIT 1)) FROM t a", "k"},
	{"SELECT COUNT((SELECT b.Q FROM u b WHERE b.V = a.V AND b.T <> a.T LIMIT 1)), COUNT(*) FROM t a", ""},
	{"SELECT COUNT((SELECT b.Q FROM u b WHERE b.V = a.V AND b.T <> a.T LIMIT 1, 1)), COUNT((SELECT b.Q FROM u b WHERE b.V = a.V AND b.T <> a.T LIMIT 0)) FROM t a", ""},
	{"SELECT COUNT((SELECT CONCAT(b.Q, a.T, b.V) FROM t b WHERE b.V = a.V AND b.K = a.K AND b.Q = a.Q AND b.T <= a.T AND b.T >= a.T)) FROM t a", ""},
	{"SELECT MAX((SELECT CONCAT(b.Q, '-', b.T) FROM u b WHERE b.V = a.V AND b.K > a.K ORDER BY b.K LIMIT 1)) FROM t a", "-"},
	{"SELECT COUNT(*) FROM t a WHERE (SELECT b.Q FROM u b WHERE b.V = a.V AND b.T > a.T) = 'a'", "1242"},
	{"SELECT COUNT(*) FROM t a WHERE a.Q = 'a' AND a.K < 'k0003' AND (SELECT b.Q FROM u b WHERE b.V = a.V AND b.T > a.T + 90) = 'a'", "0"},
	// Aggregates, including those of no rows, and expressions of them and of the outer row.
	{"SELECT a.K, a.Q, a.T, (SELECT COUNT(*) - a.T FROM u b WHERE b.V = a.V AND b.K <> a.K) AS n FROM t a ORDER BY n, a.K, a.Q, a.T", "-"},
	{"SELECT SUM((SELECT COUNT(b.V) * 2 + SUM(b.T) FROM u b WHERE b.Q = a.Q AND b.K > a.K)), SUM((SELECT IFNULL(MIN(b.T), -a.T) FROM u b WHERE b.V = a.V AND b.T > a.T)) FROM t a", ""},
	{"SELECT MAX((SELECT CONCAT(MIN(b.K), '+', MAX(b.V)) FROM u b WHERE b.Q = a.Q AND b.T <= a.T AND b.V > a.V)) FROM t a", "+"},
	{"SELECT SUM((SELECT AVG(b.T) FROM u b WHERE b.V = a.V AND b.T <> a.T)), MAX((SELECT FLOOR(1000 * STD(b.T)) FROM u b WHERE b.Q = a.Q AND b.K < a.K)) FROM t a", ""},
	{"SELECT SUM((SELECT SUM(CASE WHEN b.V > a.V THEN 1 ELSE b.T END) FROM u b WHERE b.Q = a.Q AND b.K > a.K)) FROM t a", ""},
	{"SELECT SUM((SELECT COUNT(DISTINCT b.V) FROM u b WHERE b.Q = a.Q AND b.K > a.K)), MAX((SELECT GROUP_CONCAT(b.T ORDER BY b.T, b.K) FROM u b WHERE b.V = a.V AND b.K > a.K)) FROM t a", ""},
	{"SELECT COUNT((SELECT MAX(b.T) FROM u b WHERE b.V = a.V AND b.T > a.T HAVING COUNT(*) > 1)) FROM t a", ""},
	{"SELECT SUM((SELECT SUM(b.T * 9223372036854775807) FROM u b WHERE b.Q = a.Q AND b.T > a.T)) FROM t a", "1690"},
	{"SELECT SUM((SELECT SUM(b.V) FROM u b WHERE b.Q = a.Q AND b.T > a.T AND b.K < 'k0020')) FROM t a WHERE a.K < 'k0010'", "1292"},
	// IN, ANY and ALL, and their NULLs.
	{"SELECT COUNT(*), COUNT(a.V NOT IN (SELECT b.V FROM u b WHERE b.Q = a.Q AND b.K > a.K AND b.T <> a.T)), SUM(a.V IN (SELECT b.V FROM u b WHERE b.K = a.K AND b.T <> a.T)) FROM t a", ""},
	{"SELECT COUNT(*), SUM(a.T < ALL (SELECT b.T FROM u b WHERE b.V = a.V AND b.K < a.K)), SUM(a.V <> ALL (SELECT b.V FROM u b WHERE b.Q = a.Q AND b.T = a.T AND b.K >= a.V)) FROM t a", ""},
	{"SELECT SUM(a.V > ANY (SELECT b.V FROM u b WHERE b.K = a.K AND b.Q > a.Q)), SUM(a.V < ANY (SELECT b.K FROM u b WHERE b.Q = a.Q AND b.V > a.V)) FROM t a", ""},
	{"SELECT SUM(a.V IN (SELECT b.T FROM u b WHERE b.Q = a.Q AND b.K > a.K)), SUM(a.T IN (SELECT b.V FROM u b WHERE b.K = a.K AND b.T <> a.T)) FROM t a WHERE a.K < 'k0100'", "1292"},
	{"SELECT COUNT(*) FROM t a WHERE (a.Q, a.T) IN (SELECT b.Q, b.T FROM u b WHERE b.V = a.V AND b.K <> a.K)", ""},
	{"SELECT SUM(a.Q IN (SELECT LEFT(b.K, 1) FROM u b WHERE b.V = a.V AND b.T > a.T)), SUM(a.T = ANY (SELECT b.T + 1 FROM u b WHERE b.V = a.V AND b.K > a.K)) FROM t a", ""},
	{"SELECT SUM(EXISTS (SELECT 1 FROM u b WHERE b.V = a.V AND b.T > a.T)), SUM(NOT EXISTS (SELECT * FROM t b WHERE b.V <=> a.V AND b.K LIKE CONCAT('%', a.T))) FROM t a", ""},
	// A condition beside the equality that warns, fails, or uses the outer row.
	{"SELECT SUM(EXISTS (SELECT 1 FROM u b WHERE b.Q = a.Q AND b.V + 1 > a.T AND b.K < 'k0030')) FROM t a WHERE a.K < 'k0020'", "1292"},
	{"SELECT SUM(EXISTS (SELECT 1 FROM u b WHERE b.V = a.V AND b.T > CAST(a.V AS SIGNED))) FROM t a WHERE a.K < 'k0100'", "1292"},
	{"SELECT SUM(EXISTS (SELECT 1 FROM u b WHERE b.Q = a.Q AND 9223372036854775807 + b.T > a.T)) FROM t a", "1690"},
	{"SELECT SUM((SELECT COUNT(*) FROM u b WHERE b.T = LENGTH(a.V) AND b.Q < a.Q)), SUM((SELECT COUNT(*) FROM u b WHERE b.V = CONCAT(a.T, a.T) AND b.K > a.K)) FROM t a", ""},
	// Values of several types, through a pivot.
	{"SELECT COUNT(*), SUM((SELECT SUM(q.d) FROM (SELECT K, CAST(MAX(T) AS DECIMAL(20,3)) AS d, MIN(Q) AS q, DATE_ADD('2020-01-01', INTERVAL MAX(T) DAY) AS day FROM u GROUP BY K) q WHERE q.q = a.Q AND q.d > a.T)) FROM t a", "."},
	{"SELECT MAX((SELECT MAX(q.day) FROM (SELECT K, MIN(Q) AS q, CAST(DATE_ADD('2020-01-01', INTERVAL MAX(T) DAY) AS DATE) AS day FROM u GROUP BY K) q WHERE q.q = a.Q AND q.K > a.K)) FROM t a", "2020"},
}

// TestPartnersAsColumns: outer rows that look up their partners in batches get the same answers as
// one by one, with the same warnings and errors, however many partners there are.
func TestPartnersAsColumns(t *testing.T) {
	g := memberGen{rand.New(rand.NewPCG(testseed.Of(t), 5))}
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	var peer *sql.DB
	if *harness.MariaDB != "" {
		peer = oracle.OpenMariaDB(t)
	}
	loadPartners(t, g, db, peer)
	harness.Must(t, db, "SET hbasekv_versions = 'all', max_error_count = 60000, sql_mode = 'ERROR_FOR_DIVISION_BY_ZERO'")
	for _, q := range partnerQuestions {
		want := partnerAnswer(t, db, q.text, harness.OneByOne, 1, harness.OneByOne)
		require.Contains(t, fmt.Sprint(want), q.part, q.text)
		if peer != nil && q.part != "1242" && q.part != "1690" {
			require.Equal(t, harness.Lines(t, peer, q.text), want[:len(harness.Lines(t, db, q.text))], q.text)
		}
		for batch, workers := range map[int]int{0: 3, 1: 1, 7: 3} {
			got := partnerAnswer(t, db, q.text, 1, workers, batch)
			require.Equal(t, want, got, "%s\nbatches of %d, %d goroutines", q.text, batch, workers)
		}
	}
}

// loadPartners fills t and u; many values have more rows than a small batch.
func loadPartners(t *testing.T, g memberGen, dbs ...*sql.DB) {
	for _, table := range []string{"t", "u"} {
		cells, _ := g.cells(80)
		for _, db := range slices.DeleteFunc(slices.Clone(dbs), func(db *sql.DB) bool { return db == nil }) {
			harness.Must(t, db, "DROP TABLE IF EXISTS "+table, "CREATE TABLE "+table+harness.MemberColumns)
			for part := range slices.Chunk(cells, 500) {
				harness.Must(t, db, "INSERT INTO "+table+" VALUES "+strings.Join(part, ", "))
			}
		}
	}
}

// partnerAnswer returns the rows and the warnings, or the error.
func partnerAnswer(t *testing.T, db *sql.DB, text string, joinRows, workers, batch int) []string {
	harness.Must(t, db, fmt.Sprintf("SET hbasekv_join_rows = %d, hbasekv_parallelism = %d, hbasekv_batch_cells = %d", joinRows, workers, batch))
	out, err := harness.TryLines(db, text)
	if err != nil {
		return []string{err.Error()}
	}
	return append(out, harness.Lines(t, db, "SHOW WARNINGS")...)
}

// TestPartnersAllocateLittle: outer rows that look up their partners in batches allocate memory per
// batch, not per row.
func TestPartnersAllocateLittle(t *testing.T) {
	const rows = 20_000
	db := harness.OpenDB(t, "file::memory:?versions=all")
	for _, table := range []string{"t", "u"} {
		harness.Must(t, db, "CREATE TABLE "+table+harness.MemberColumns)
		var cells []string
		for i := range rows {
			cells = append(cells, fmt.Sprintf("('k%06d', '%c', %d, 'v%d')", i, "ab"[i*7%3%2], i*3, i*7919%(rows/10)))
		}
		harness.Must(t, db, "INSERT INTO "+table+" VALUES "+strings.Join(cells, ", "))
	}
	many := []string{"exists later", "exists like", "in later", "not in later", "any later", "not in with null", "max before", "count before", "sum of others", "first behind", "the next one"}
	for _, q := range correlatedQuestions(t) {
		if !slices.Contains(many, q.name) {
			continue
		}
		got := testing.AllocsPerRun(1, func() { harness.Lines(t, db, q.query) })
		require.Less(t, got, float64(rows/4), "%s\n%s", q.name, q.query)
	}
}
