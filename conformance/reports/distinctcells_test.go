package reports

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// TestDistinctCells: COUNT(DISTINCT) of key columns is the number of distinct ones, whether or not the view
// has several versions of a cell.
func TestDistinctCells(t *testing.T) {
	for _, layout := range []string{"none", "key7"} {
		for _, versions := range []string{"latest", "all", "2"} {
			t.Run(layout+"/"+versions, func(t *testing.T) {
				db := harness.OpenDB(t, "file:"+t.TempDir()+"?sync=false&versions="+versions)
				harness.Must(t, db, oracle.CreateTable("g$c", layout), oracle.CreateTable("g$d", layout))
				for i := range 120 {
					v := fmt.Sprintf("'v%d'", i%5)
					if i%7 == 0 {
						v = "NULL"
					}
					harness.Must(t, db, fmt.Sprintf("REPLACE INTO g$c VALUES ('k%d', 'q%d', %d, %s)", i%11, i%3, i%4, v),
						fmt.Sprintf("REPLACE INTO g$d VALUES ('k%d', 'q%d', 1, 'd')", i%13, i%3))
				}
				for _, columns := range []string{"K, Q", "Q, K", "K, Q, T", "K", "Q", "K, T", "K, Q, V", "K, Q, K", "Q, V"} {
					for _, from := range []string{"g$c", "g$c WHERE V <> 'v1'", "g$c WHERE K < 'k4' AND Q = 'q1'", "g", "g$c FOR SYSTEM_TIME ALL",
						"g$c FOR SYSTEM_TIME AS OF 2", "(SELECT * FROM g$c UNION ALL SELECT * FROM g$d) u"} {
						counted := "SELECT COUNT(DISTINCT " + columns + "), COUNT(*) >= 0 FROM " + from
						where := " WHERE V IS NOT NULL"
						if columns[len(columns)-1] != 'V' {
							where = ""
						}
						want := fmt.Sprintf("SELECT COUNT(*), 1 FROM (SELECT CONCAT_WS('/', %s) AS b FROM (SELECT * FROM %s) y%s GROUP BY b) x", columns, from, where)
						require.Equal(t, harness.Lines(t, db, want), harness.Lines(t, db, counted), counted)
					}
				}
				byRow := harness.Lines(t, db, "SELECT K, COUNT(DISTINCT K, Q), COUNT(DISTINCT Q, K, T), MAX(V) FROM g$c GROUP BY K ORDER BY K")
				require.Equal(t, harness.Lines(t, db, "SELECT K, COUNT(DISTINCT Q), COUNT(DISTINCT CONCAT(Q, '/', T)), MAX(V) FROM g$c GROUP BY K ORDER BY K"), byRow)
			})
		}
	}
}
