package typed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestCoveredTexts reads texts from entries exactly as the rows have them, in collations that treat different
// texts as equal.
func TestCoveredTexts(t *testing.T) {
	db := open(t, `CREATE TABLE texts (id int PRIMARY KEY, a varchar(30), g varchar(30) COLLATE utf8mb4_general_ci,
		b varchar(30) COLLATE utf8mb4_bin, c char(9), n int, KEY a (a), KEY g (g, n), KEY ab (n, a, b), UNIQUE KEY c (c), KEY p (b(2)))`)
	var rows []string
	for i := range 1500 {
		a := []string{"'Straße'", "'STRASSE'", "'strasse '", "''", "NULL", "' '", "'é'", "'e'", "'日本'", "'x\\0y'"}
		rows = append(rows, fmt.Sprintf("(%d, %s, 'Name%d', %s, 'c%d', %d)", i, a[i%len(a)], i%7, a[i*7%len(a)], i, i%11))
	}
	harness.Must(t, db, "INSERT INTO texts VALUES "+strings.Join(rows, ", "), "UPDATE texts SET c = NULL WHERE id % 10 = 3")
	ask := func(when string) {
		for query, index := range map[string]string{
			"SELECT a, id FROM texts ORDER BY a, id":                                      "a",
			"SELECT HEX(a) FROM texts WHERE a = 'STRASSE' ORDER BY id":                    "a",
			"SELECT DISTINCT HEX(a), HEX(b), n FROM texts WHERE n = 4":                    "ab",
			"SELECT COUNT(*), MAX(CHAR_LENGTH(a)), SUM(LENGTH(b)) FROM texts":             "ab",
			"SELECT COUNT(a) FROM texts":                                                  "a",
			"SELECT LOWER(g) FROM (SELECT DISTINCT g FROM texts) d":                       "g",
			"SELECT LOWER(g), COUNT(*), MIN(n) FROM texts GROUP BY g":                     "g",
			"SELECT g, n FROM texts WHERE g LIKE 'name3%' AND BINARY g <> 'NAME3'":        "g",
			"SELECT c, id FROM texts WHERE c > 'c14' ORDER BY c DESC":                     "c",
			"SELECT HEX(c) FROM texts WHERE c IS NULL OR c = 'C7'":                        "c",
			"SELECT t.id, s.a FROM texts s JOIN texts t ON s.a = t.a WHERE t.id < 3":      "",
			"SELECT id, b FROM texts WHERE b > 'S' AND b < 't'":                           "",
			"SELECT a FROM texts WHERE a IN ('E', 'strasse') AND id % 2 ORDER BY id":      "a",
			"SELECT COUNT(*) FROM texts WHERE g = 'NAME1' AND n IN (SELECT n FROM texts)": "",
		} {
			got, want := harness.Lines(t, db, query), harness.Lines(t, db, withoutTexts(query))
			requireSame(t, when+": "+query, want, got)
			if plan := strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+query), "\n"); index != "" {
				require.Contains(t, plan, "index: "+index, query)
				require.Contains(t, plan, "entr", query)
				require.NotContains(t, plan, "the row of each", query)
			}
		}
		require.Equal(t, []string{"OK"}, lastOf(harness.Lines(t, db, "CHECK TABLE texts")), when)
	}
	ask("as inserted")
	harness.Must(t, db, "UPDATE texts SET g = UPPER(g), a = CONCAT(a, ' ') WHERE n < 5", "UPDATE texts SET c = UPPER(c) WHERE id % 3 = 0",
		"DELETE FROM texts WHERE n = 9", "UPDATE texts SET a = NULL WHERE id % 17 = 0",
		"INSERT INTO texts (id, c, g) VALUES (1, 'C5000', 'nAME1') ON DUPLICATE KEY UPDATE c = 'c-1', g = 'nAmE3'")
	ask("as written since")
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "UPDATE texts SET g = 'Other' WHERE id < 4", "UPDATE texts SET g = 'OTHER' WHERE id < 3")
	require.Equal(t, []string{"OTHER", "OTHER", "OTHER", "Other"}, harness.Lines(t, tx, "SELECT g FROM texts WHERE g = 'other' ORDER BY id"))
	require.NoError(t, tx.Rollback())
	harness.Must(t, db, "ALTER TABLE texts MODIFY a varchar(60), MODIFY g char(30), DROP INDEX c, ADD INDEX c (c)")
	ask("as altered")
}

// withoutTexts returns the query so that it reads the first of its tables by its primary key alone.
func withoutTexts(query string) string {
	const hint = " IGNORE INDEX (a, g, ab, c, p)"
	if strings.Contains(query, "FROM texts s") {
		return strings.Replace(query, "FROM texts s", "FROM texts s"+hint, 1)
	}
	return strings.Replace(query, "FROM texts", "FROM texts"+hint, 1)
}

// lastOf returns the last word of the last line.
func lastOf(lines []string) []string {
	words := strings.Fields(lines[len(lines)-1])
	return words[len(words)-1:]
}
