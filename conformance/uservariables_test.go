package conformance

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVariablesFromRowToRow numbers rows, and adds them up, as they are given.
func TestVariablesFromRowToRow(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		db.SetMaxOpenConns(1)
		must(t, db, "INSERT INTO t VALUES ('a', 'q', 1, '30'), ('b', 'q', 1, '9'), ('c', 'q', 1, '50'), ('d', 'r', 1, '7'), ('e', 'r', 1, '70')")
		const start = " FROM t, (SELECT @n := 0, @q := '') start "
		for _, c := range []struct {
			query string
			want  []string
		}{
			{"SELECT @n := @n + 1 AS place, K, V" + start + "ORDER BY V + 0 DESC", []string{"1 e 70", "2 c 50", "3 a 30", "4 b 9", "5 d 7"}},
			{"SELECT @n := @n + 1, K, @n * 10" + start + "ORDER BY V + 0 LIMIT 2 OFFSET 1", []string{"1 b 10", "2 a 20"}},
			{"SELECT @n := @n + 1, K" + start + "ORDER BY K DESC LIMIT 2", []string{"1 e", "2 d"}},
			{"SELECT K, @n := @n + V AS total" + start + "ORDER BY V + 0", []string{"d 7", "b 16", "a 46", "c 96", "e 166"}},
			{"SELECT K, n FROM (SELECT K, @n := IF(@q = Q, @n + 1, 1) AS n, @q := Q" + start + "ORDER BY Q, V + 0 DESC) x WHERE n = 1", []string{"c 1", "e 1"}},
			{"SELECT K, MAX(n) FROM (SELECT K, @n := @n + 1 AS n" + start + "ORDER BY V + 0) x GROUP BY K HAVING K <> 'c' ORDER BY 1", []string{"a 3", "b 2", "d 1", "e 5"}},
			{"SELECT K, (SELECT MAX(b.K) FROM t b WHERE b.K < t.K) AS below, @n := @n + 1" + start + "ORDER BY V + 0 LIMIT 2", []string{"d c 1", "b a 2"}},
			{"SELECT K, @n := @n + (SELECT COUNT(*) FROM t b WHERE b.K < t.K)" + start + "ORDER BY V + 0", []string{"d 3", "b 4", "a 4", "c 6", "e 10"}},
			{"SELECT s, @n := @n + 1 FROM (SELECT Q, SUM(V) AS s FROM t GROUP BY Q) x, (SELECT @n := 0) start ORDER BY s", []string{"77 1", "89 2"}},
		} {
			require.Equal(t, c.want, lines(t, db, c.query), c.query)
		}
		// An order by the variable itself is that of the rows as they come.
		require.Equal(t, []string{"5", "4", "3", "2", "1"}, lines(t, db, "SELECT @n := @n + 1 AS n"+start+"ORDER BY n DESC"))
	})
}
