package typed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestColumnsOfGroupedKeys: a primary key, and a UNIQUE of columns that are NOT NULL, determine the other
// columns of their row under ONLY_FULL_GROUP_BY.
func TestColumnsOfGroupedKeys(t *testing.T) {
	db := one(t, "CREATE TABLE g (id int PRIMARY KEY, a int NOT NULL UNIQUE, b int UNIQUE, c varchar(9) NOT NULL, UNIQUE (c(3)))",
		"CREATE TABLE m (x int, y int, z int, PRIMARY KEY (x, y))", "CREATE TABLE h (v int, w int)",
		"INSERT INTO g VALUES (1, 10, 5, 'one'), (2, 20, NULL, 'two')", "INSERT INTO m VALUES (1, 1, 7), (1, 2, 8), (2, 1, 9)",
		"INSERT INTO h VALUES (1, 2)")
	for query, want := range map[string][]string{
		"SELECT g.*, COUNT(*) FROM g JOIN m ON m.x = g.id GROUP BY g.id ORDER BY 1": {"1 10 5 one 2", "2 20 NULL two 1"},
		"SELECT id, c FROM g GROUP BY a ORDER BY b, c":                              {"2 two", "1 one"},
		"SELECT x, y, z FROM m GROUP BY y, x HAVING z > 7 ORDER BY z":               {"1 2 8", "2 1 9"},
		"SELECT m.z, g.c FROM g, m WHERE m.x = g.id GROUP BY m.x, m.y ORDER BY 1":   {"7 one", "8 one", "9 two"},
		"SELECT c FROM (SELECT id, c FROM g GROUP BY id) d ORDER BY c":              {"one", "two"},
	} {
		require.Equal(t, want, harness.Lines(t, db, query), query)
	}
	for _, query := range []string{"SELECT c FROM g GROUP BY b", "SELECT id FROM g GROUP BY c", "SELECT z FROM m GROUP BY x",
		"SELECT v FROM h GROUP BY w", "SELECT m.z, COUNT(*) FROM g JOIN m ON m.x = g.id GROUP BY g.id"} {
		_, err := db.Exec(query)
		require.Equal(t, uint16(1055), harness.ErrorNumber(err), query)
	}
}
