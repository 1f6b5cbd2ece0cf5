package subqueries

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// correlatedQuestion is a query with a correlated subquery, and an equivalent join.
type correlatedQuestion struct{ name, query, join string }

func correlatedQuestions(t testing.TB) (out []correlatedQuestion) {
	text, err := os.ReadFile("testdata/correlated")
	require.NoError(t, err)
	for _, paragraph := range strings.Split(string(text), "\n\n")[1:] {
		l := strings.Split(strings.TrimSpace(paragraph), "\n")
		require.Len(t, l, 3, paragraph)
		out = append(out, correlatedQuestion{l[0], l[1], l[2]})
	}
	return out
}

// correlatedViews are views over o, orders of customers, and c.
var correlatedViews = []string{
	"CREATE VIEW orders AS SELECT K AS id, CAST(MAX(CASE WHEN Q = 'customer' THEN V END) AS SIGNED) AS customer_id, CAST(MAX(CASE WHEN Q = 'day' THEN V END) AS DATE) AS day, " +
		"CAST(MAX(CASE WHEN Q = 'amount' THEN V END) AS DECIMAL(10,2)) AS amount, CAST(MAX(CASE WHEN Q = 'status' THEN V END) AS CHAR(10)) AS status, " +
		"CAST(MAX(CASE WHEN Q = 'note' THEN V END) AS CHAR(20)) AS note FROM o GROUP BY K",
	"CREATE VIEW customers AS SELECT CAST(K AS SIGNED) AS id, CAST(MAX(CASE WHEN Q = 'since' THEN V END) AS DATE) AS since, " +
		"CAST(MAX(CASE WHEN Q = 'most' THEN V END) AS DECIMAL(10,2)) AS most, CAST(MAX(CASE WHEN Q = 'city' THEN V END) AS CHAR(10)) AS city FROM c GROUP BY K",
	"CREATE VIEW pivoted AS SELECT K, MAX(CASE WHEN Q = 'note' THEN V END) AS c, MAX(CASE WHEN Q = 'day' THEN V END) AS d, MAX(CASE WHEN Q = 'status' THEN V END) AS s FROM o GROUP BY K",
	"CREATE VIEW large AS SELECT * FROM orders WHERE amount > 20",
	"CREATE VIEW united AS SELECT K, Q, T, V FROM t UNION ALL SELECT K, Q, T, V FROM u",
}

// loadCorrelated creates t and u with the given number of cells, as many orders, and a tenth as
// many customers.
func loadCorrelated(t testing.TB, db *sql.DB, rows int) {
	for _, table := range []string{"t", "u", "o", "c"} {
		harness.Must(t, db, "CREATE TABLE "+table+" (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))")
	}
	harness.Must(t, db, correlatedViews...)
	loads := map[string][]string{}
	flush := func(table string) {
		if len(loads[table]) > 0 {
			harness.Must(t, db, "INSERT INTO "+table+" VALUES "+strings.Join(loads[table], ", "))
			loads[table] = nil
		}
	}
	eachCorrelatedCell(rows, func(table, k, q string, at int, v string) {
		if v != "NULL" {
			v = "'" + v + "'"
		}
		if loads[table] = append(loads[table], fmt.Sprintf("('%s', '%s', %d, %s)", k, q, at, v)); len(loads[table]) == 5000 {
			flush(table)
		}
	})
	for table := range loads {
		flush(table)
	}
}

// eachCorrelatedCell calls give with the cells of all tables; some values are NULL, some notes
// missing.
func eachCorrelatedCell(rows int, give func(table, k, q string, at int, v string)) {
	texts, customers := max(1, rows/10), max(1, rows/10)
	for i := range rows {
		k, q, v := fmt.Sprintf("k%06d", i), string("ab"[i*7%3%2]), "v"+strconv.Itoa(i*7919%texts)
		if i%41 == 0 {
			v = "NULL"
		}
		give("t", k, q, i*3, v)
		if i%2 == 0 {
			give("u", k, q, i*3+1+i%5, "v"+strconv.Itoa(i*31%texts+i%3))
		}
		give("o", k, "customer", 1, strconv.Itoa(i*7919%customers))
		give("o", k, "day", 1, fmt.Sprintf("20%02d-%02d-%02d", 10+i%9, 1+i*7%12, 1+i*11%28))
		give("o", k, "amount", 1, fmt.Sprintf("%d.%02d", i*13%texts, i%7))
		give("o", k, "status", 1, []string{"paid", "open", "sent"}[i*5%7%3])
		if i%29 != 0 {
			give("o", k, "note", 1, "n"+strconv.Itoa(i*17%texts))
		}
	}
	for i := range customers {
		give("c", strconv.Itoa(i), "since", 1, fmt.Sprintf("20%02d-%02d-01", 10+i*3%9, 1+i%12))
		give("c", strconv.Itoa(i), "most", 1, fmt.Sprintf("%d.5", i*29%texts))
		give("c", strconv.Itoa(i), "city", 1, []string{"open", "Rome"}[i%2])
	}
}

// TestCorrelatedQuestions: each query returns the same as its join, and reads no more than a few
// times the existing cells.
func TestCorrelatedQuestions(t *testing.T) {
	const rows, times = 1500, 12
	for _, memory := range []string{"", "&queryMemory=128KiB"} {
		t.Run("memory"+memory, func(t *testing.T) {
			db := harness.OpenDB(t, "file::memory:?versions=all"+memory)
			loadCorrelated(t, db, rows)
			cells := count64(t, db, "SELECT (SELECT COUNT(*) FROM t) + (SELECT COUNT(*) FROM u) + (SELECT COUNT(*) FROM o) + (SELECT COUNT(*) FROM c)")
			for _, q := range correlatedQuestions(t) {
				want := harness.Lines(t, db, q.join)
				before := correlatedCellsRead(t, db)
				require.Equal(t, want, harness.Lines(t, db, q.query), "%s\n%s", q.name, q.query)
				if read := correlatedCellsRead(t, db) - before; read > times*cells {
					t.Errorf("%s: %d cells read, of %d", q.name, read, cells)
				}
			}
		})
	}
}

func correlatedCellsRead(t *testing.T, db *sql.DB) int64 {
	return count64(t, db, "SELECT SUM(READ_COUNT) FROM information_schema.PARTITIONS WHERE TABLE_NAME IN ('t', 'u', 'o', 'c')")
}

func count64(t *testing.T, db *sql.DB, query string) int64 {
	n, err := strconv.ParseInt(harness.Single(t, db, query), 10, 64)
	require.NoError(t, err, query)
	return n
}
