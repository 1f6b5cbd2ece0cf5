package joins

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestStarOfJoins: * for joins with USING returns the common columns, then those of the side
// whose rows are all kept, then those of the other; each join by itself if they are nested.
// MariaDB does the same.
func TestStarOfJoins(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('1', '2', 3, '4')",
		"CREATE VIEW a AS SELECT 1 AS k, 2 AS q, 3 AS t, 4 AS v", "CREATE VIEW b AS SELECT 1 AS k, 2 AS q, 5 AS w, 6 AS x",
		"CREATE VIEW c AS SELECT 1 AS k, 5 AS w, 7 AS y, 2 AS q")
	tables := map[string]string{"a": "k q t v", "b": "k q w x", "c": "k w y q"}
	values := map[string]string{"k": "1", "q": "2", "t": "3", "v": "4", "w": "5", "x": "6", "y": "7"}
	for from, want := range map[string]string{
		"a RIGHT JOIN b USING (k)":                               "k q w x q t v",
		"a RIGHT JOIN b USING (q, k)":                            "k q w x t v",
		"a NATURAL RIGHT JOIN b":                                 "k q w x t v",
		"a NATURAL LEFT JOIN b":                                  "k q t v w x",
		"a JOIN b USING (q, k)":                                  "k q t v w x",
		"a LEFT JOIN b USING (q)":                                "q k t v k w x",
		"a JOIN b USING (k) JOIN c USING (w)":                    "w k q t v q x k y q",
		"a RIGHT JOIN b USING (k) RIGHT JOIN c USING (w)":        "w k y q k q x q t v",
		"a RIGHT JOIN b USING (k) LEFT JOIN c USING (w)":         "w k q x q t v k y q",
		"a RIGHT JOIN (b JOIN c USING (w, k, q)) USING (k, q)":   "k q w x y t v",
		"(a RIGHT JOIN b USING (k)) RIGHT JOIN (c) USING (w)":    "w k y q k q x q t v",
		"a NATURAL RIGHT JOIN b NATURAL RIGHT JOIN c":            "k w q y x t v",
		"a NATURAL JOIN b NATURAL RIGHT JOIN c":                  "k w q y t v x",
		"a NATURAL RIGHT JOIN b NATURAL JOIN c":                  "k q w x t v y",
		"a NATURAL JOIN b NATURAL JOIN c":                        "k q w t v x y",
		"a RIGHT JOIN b ON a.k = b.k":                            "k q t v k q w x",
		"a RIGHT JOIN b USING (k), c":                            "k q w x q t v k w y q",
		"c, a RIGHT JOIN b USING (k)":                            "k w y q k q w x q t v",
		"c JOIN (a RIGHT JOIN b USING (k)) ON c.k = a.k":         "k w y q k q w x q t v",
		"(SELECT * FROM a NATURAL RIGHT JOIN b) d":               "k q w x t v",
		"a x RIGHT JOIN a y USING (t)":                           "t k q v k q v",
		"(a, c) RIGHT JOIN b USING (x2)":                         "error 1054",
		"a RIGHT JOIN (b JOIN c USING (w)) USING (k)":            "error 1052",
		"(SELECT * FROM a RIGHT JOIN b USING (k)) d":             "error 1060",
		"a RIGHT JOIN (c RIGHT JOIN b USING (k, w)) USING (k)":   "k w q x y q q t v",
		"(a RIGHT JOIN b USING (k, q)) NATURAL RIGHT JOIN c":     "k w q y x t v",
		"a RIGHT JOIN b USING (k, k)":                            "k q w x q t v",
		"a LEFT JOIN b USING (k) RIGHT JOIN a z ON z.t = a.t":    "k q t v q w x k q t v",
		"a NATURAL RIGHT JOIN (SELECT 8 AS k, 2 AS q, 9 AS n) e": "k q n t v",
	} {
		rows, err := db.Query("SELECT * FROM " + from)
		if number, failed := strings.CutPrefix(want, "error "); failed {
			require.Equal(t, number, fmt.Sprint(harness.NumberOf(err)), from)
			continue
		}
		require.NoError(t, err, from)
		columns, err := rows.Columns()
		require.NoError(t, err)
		require.NoError(t, rows.Close())
		require.Equal(t, want, strings.Join(columns, " "), from)
		if strings.Contains(from, "SELECT 8") {
			require.Equal(t, []string{"8 2 9 NULL NULL"}, harness.Lines(t, db, "SELECT * FROM "+from))
			continue
		}
		var row []string
		for _, name := range columns {
			row = append(row, values[name])
		}
		require.Equal(t, []string{strings.Join(row, " ")}, harness.Lines(t, db, "SELECT * FROM "+from), from)
	}
	for table, columns := range tables {
		rows, err := db.Query("SELECT " + table + ".* FROM a NATURAL RIGHT JOIN b NATURAL RIGHT JOIN c")
		require.NoError(t, err)
		got, err := rows.Columns()
		require.NoError(t, err)
		require.NoError(t, rows.Close())
		require.Equal(t, columns, strings.Join(got, " "))
	}
	harness.Must(t, db, "CREATE VIEW d AS SELECT * FROM a NATURAL RIGHT JOIN b")
	require.Equal(t, []string{"1 2 5 6 3 4"}, harness.Lines(t, db, "SELECT * FROM d"))
	require.Equal(t, []string{"1 2 5 6 3 4 1"}, harness.Lines(t, db, "SELECT *, a.k FROM a NATURAL RIGHT JOIN b"))
}
