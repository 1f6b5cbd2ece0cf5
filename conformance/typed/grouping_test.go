package typed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestColumnsOfGroupedKeys: a primary key, and a UNIQUE key of columns that are NOT NULL, determine the
// other columns of their row under ONLY_FULL_GROUP_BY.
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

// TestColumnsOfJoinedKeys: columns that join conditions equate with grouped columns count as grouped, too. In
// an outer join this holds only from the side whose rows are all kept to the other one, and only if the
// condition uses no other columns of the first side.
func TestColumnsOfJoinedKeys(t *testing.T) {
	db := one(t, "CREATE TABLE a (id int PRIMARY KEY, n int)", "CREATE TABLE b (id int PRIMARY KEY, a_id int, m int)",
		"INSERT INTO a VALUES (1, 10), (2, 20)", "INSERT INTO b VALUES (5, 1, 50), (6, 2, 60), (7, 9, 70)")
	for query, want := range map[string][]string{
		"SELECT b.m, a.n, COUNT(*) FROM b JOIN a ON b.a_id = a.id GROUP BY b.id ORDER BY 1":                          {"50 10 1", "60 20 1"},
		"SELECT b.m, a.n FROM b LEFT JOIN a ON b.a_id = a.id GROUP BY b.id ORDER BY 1":                               {"50 10", "60 20", "70 NULL"},
		"SELECT a.n, b.a_id FROM a LEFT JOIN b ON b.a_id = a.id GROUP BY a.id ORDER BY 1":                            {"10 1", "20 2"},
		"SELECT b.m, a.n FROM a RIGHT JOIN b ON b.a_id = a.id AND b.m < 60 AND a.n > 5 GROUP BY b.id ORDER BY 1":     {"50 10", "60 NULL", "70 NULL"},
		"SELECT b.a_id, a.n FROM b LEFT JOIN a ON b.a_id = a.id AND a.n > 10 GROUP BY b.a_id ORDER BY 1":             {"1 NULL", "2 20", "9 NULL"},
		"SELECT c.n FROM b LEFT JOIN (a JOIN a c ON a.id = c.id) ON b.a_id = a.id GROUP BY b.id ORDER BY 1":          {"NULL", "10", "20"},
		"SELECT a.id, EXISTS (SELECT 1 FROM a x WHERE x.id = b.a_id) FROM a LEFT JOIN b ON a.id = b.a_id GROUP BY 1": {"1 1", "2 1"},
		"SELECT n FROM a JOIN b USING (id) GROUP BY b.id":                                                            {},
	} {
		require.Equal(t, want, harness.Lines(t, db, query), query)
	}
	for _, query := range []string{
		"SELECT b.m FROM b LEFT JOIN a ON b.a_id = a.id GROUP BY a.id",                        // rows without partners
		"SELECT a.n FROM b LEFT JOIN a ON b.a_id = a.id AND b.m > 50 GROUP BY b.a_id",         // depends on m
		"SELECT a.n FROM b LEFT JOIN a ON b.a_id = a.id AND RAND() < 0.5 GROUP BY b.a_id",     // depends on chance
		"SELECT a.n FROM b JOIN a ON b.a_id > a.id GROUP BY b.id",                             // no equality
		"SELECT a.n FROM b JOIN a ON b.a_id = a.id OR a.id = 1 GROUP BY b.id",                 // one of two
		"SELECT a.n FROM b JOIN a ON b.a_id = a.id GROUP BY b.id WITH ROLLUP",                 // NULL in the last row
		"SELECT COUNT(*), a.n FROM a LEFT JOIN b ON a.id = b.a_id AND a.n = b.m GROUP BY b.m", // the other direction
	} {
		_, err := db.Exec(query)
		require.Equal(t, uint16(1055), harness.ErrorNumber(err), query)
	}
}

// TestPositionsInParentheses: an integer in ORDER BY and GROUP BY is a position even in parentheses, and a
// name refers to an item.
func TestPositionsInParentheses(t *testing.T) {
	db := one(t, "CREATE TABLE p (id int PRIMARY KEY, a int)", "INSERT INTO p VALUES (1, 7), (2, 6), (3, 7)")
	for query, want := range map[string][]string{
		"SELECT id, a FROM p ORDER BY (2), ((1)) DESC":                           {"2 6", "3 7", "1 7"},
		"SELECT a, COUNT(*) FROM p GROUP BY (1) ORDER BY (1) DESC":               {"7 2", "6 1"},
		"(SELECT id FROM p) UNION (SELECT a FROM p) ORDER BY (1) DESC":           {"7", "6", "3", "2", "1"},
		"SELECT id, -id AS a FROM p ORDER BY (a)":                                {"3 -3", "2 -2", "1 -1"},
		"SELECT GROUP_CONCAT(id ORDER BY (a), (p.id) DESC) FROM p":               {"2,3,1"},
		"SELECT id, ROW_NUMBER() OVER (ORDER BY (a), (id)) FROM p ORDER BY (id)": {"1 2", "2 1", "3 3"},
	} {
		require.Equal(t, want, harness.Lines(t, db, query), query)
	}
	_, err := db.Exec("SELECT id FROM p ORDER BY (2)")
	require.Equal(t, uint16(1054), harness.ErrorNumber(err))
}
