package typed

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// foreignDocuments are documents as programs of HBase write them, and as MySQL shows them.
var foreignDocuments = [][2]string{
	{`{"b":1, "a":2}`, `{"a": 2, "b": 1}`},
	{`{"bb": 1, "a": 2, "b": 3, "": 4}`, `{"": 4, "a": 2, "b": 3, "bb": 1}`},
	{`{"a": {"d":[], "c":{"f":0,"e":0}}}`, `{"a": {"c": {"e": 0, "f": 0}, "d": []}}`},
	{`{"a": 1, "b": 2, "a": 3}`, `{"a": 1, "b": 2}`},
	{`{"a": 1, "\u0061": 3}`, `{"a": 1}`},
	{`{"\"b": 1, "\"a": 2}`, `{"\"a": 2, "\"b": 1}`},
	{`[1,2 , "\u00e4\/"]`, `[1, 2, "ä/"]`},
	{"\t[ ] ", `[]`},
	{`{ }`, `{}`},
	{`["\u000A", "\u001f", "\u001F", "\\u"]`, `["\n", "\u001f", "\u001f", "\\u"]`},
	{`[1.50, 1E2, 0.0, -0.0, 100.00, 12345678901234567890123, 0.1e-3]`,
		`[1.5, 100.0, 0.0, 0.0, 100.0, 1.2345678901234568e22, 0.0001]`},
	{`{"a": 1, "b": [true, null, -1.5, "x", {"": ""}], "aa": "é\""}`, `{"a": 1, "b": [true, null, -1.5, "x", {"": ""}], "aa": "é\""}`},
	{strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat("[", 100) + strings.Repeat("]", 100)},
}

// openDocuments creates a table with a document in each encoding over the family g$f.
func openDocuments(t *testing.T) *sql.DB {
	return open(t, "CREATE TABLE g$f (K varbinary(100), Q varbinary(100), T bigint, V longblob, PRIMARY KEY (K, Q, T))",
		"CREATE TABLE m (id varchar(20), d json, o json, PRIMARY KEY (id)) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:d, f:o#o'")
}

// TestForeignDocuments: documents that other programs wrote are shown, compared, sorted and grouped as those
// that statements write.
func TestForeignDocuments(t *testing.T) {
	for _, d := range foreignDocuments {
		t.Run(d[0][:min(len(d[0]), 30)], func(t *testing.T) {
			db := openDocuments(t)
			_, err := db.Exec("INSERT INTO g$f VALUES ('cell', 'd', 1, ?), ('cell', 'o', 1, CONCAT(X'34', ?, X'00'))", d[0], d[0])
			require.NoError(t, err)
			_, err = db.Exec("INSERT INTO m VALUES ('row', ?, ?)", d[0], d[0])
			require.NoError(t, err)
			for query, want := range map[string][]string{
				"SELECT d, o FROM m":                            {d[1] + " " + d[1], d[1] + " " + d[1]},
				"SELECT CAST(V AS JSON) FROM g$f WHERE Q = 'd'": {d[1], d[1]},
				"SELECT a.id, b.id FROM m a JOIN m b ON a.d = b.d ORDER BY a.id, b.id": {"cell cell", "cell row",
					"row cell", "row row"},
				"SELECT a.id FROM m a WHERE a.id = 'row' AND a.o = (SELECT d FROM m WHERE id = 'cell')": {"row"},
				"SELECT COUNT(*) FROM (SELECT DISTINCT d FROM m UNION SELECT o FROM m) x":               {"1"},
				"SELECT d, COUNT(*), COUNT(DISTINCT o) FROM m GROUP BY d":                               {d[1] + " 2 1"},
				"SELECT id, DENSE_RANK() OVER (ORDER BY d) FROM m ORDER BY d, id DESC":                  {"row 1", "cell 1"},
				"SELECT COUNT(*) FROM m WHERE d IN (SELECT o FROM m WHERE id = 'cell')":                 {"2"},
			} {
				require.Equal(t, want, harness.Lines(t, db, query), query)
			}
		})
	}
}

// TestForeignTextsThatAreNoDocuments: texts that MySQL would not store in a JSON column are read as NULL, with
// a warning.
func TestForeignTextsThatAreNoDocuments(t *testing.T) {
	for name, text := range map[string]string{
		"empty":     ``,
		"cut off":   `{"a": 1`,
		"followed":  `{} {}`,
		"colon":     `{"a" 1}`,
		"comma":     `[1, ]`,
		"control":   "[\"\x01\"]",
		"not UTF-8": "[\"\xff\"]",
		"escape":    `["\x"]`,
		"number":    `[01]`,
		"infinite":  `[1e999]`,
		"101 deep":  strings.Repeat("[", 101) + strings.Repeat("]", 101),
		"far deep":  strings.Repeat("[", 15<<20), // which ended the process
		"objects":   strings.Repeat(`{"a": `, 101) + "1" + strings.Repeat("}", 101),
	} {
		t.Run(name, func(t *testing.T) {
			db := openDocuments(t)
			conn := harness.Conn(t, db)
			_, err := conn.ExecContext(t.Context(), "INSERT INTO g$f VALUES ('cell', 'd', 1, ?)", text)
			require.NoError(t, err)
			require.Equal(t, []string{"cell NULL NULL"}, harness.Lines(t, conn, "SELECT * FROM m"))
			warnings := harness.Lines(t, conn, "SHOW WARNINGS")
			require.Len(t, warnings, 1)
			require.True(t, strings.HasPrefix(warnings[0], "Warning 1366 Incorrect json value: "), fmt.Sprintf("%.200s", warnings[0]))
		})
	}
}
