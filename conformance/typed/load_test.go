package typed

import (
	"database/sql"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
)

// load runs a LOAD DATA LOCAL of a text; in clauses, %s stands for INTO.
func load(t *testing.T, db *sql.DB, text, how, clauses string) error {
	driver.RegisterReader(t.Name(), func() io.Reader { return strings.NewReader(text) })
	defer driver.DeregisterReader(t.Name())
	_, err := db.Exec("LOAD DATA LOCAL INFILE 'Reader::" + t.Name() + "' " + how + " INTO TABLE t " + clauses)
	return err
}

// TestLoadData loads files into a table with defaults, numbers and computed columns.
func TestLoadData(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, name varchar(10) NOT NULL, n tinyint DEFAULT 7, "+
		"b varbinary(4), d datetime(2), g int AS (n + 1), x varchar(5) DEFAULT (upper(name)) CHECK (x <> 'BAD'))")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.NoError(t, load(t, db, "1\tann\t5\t\\N\t2024-02-29 01:02:03.456\t\\N\tx\n\\N\tbob\t\\N\ta\t\\N\t\t\\N\n", "", ""))
	require.Equal(t, []string{"1 ann 5 NULL 2024-02-29 01:02:03.46 6 x", "2 bob NULL a NULL NULL NULL"}, lines("SELECT * FROM t ORDER BY id"))
	require.NoError(t, load(t, db, "skipped\n\"eve\",\"9\",x\n'ray',,3\n", "", "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' "+
		"IGNORE 1 LINES (name, @n, @other) SET n = nullif(@n, ''), b = concat(@other, n)"))
	require.Equal(t, []string{"3 eve 9 x9 EVE", "4 'ray' NULL NULL 'RAY'"}, lines("SELECT id, name, n, b, x FROM t WHERE id > 2 ORDER BY id"))

	require.NoError(t, load(t, db, "3\tnew\t300\n5\tlong name, too long\n6\t\\N\n7\tbad\n", "", "(id, name, n)"))
	require.Equal(t, []string{"Warning 1261 Row 2 doesn't contain data for all columns",
		"Warning 1263 Column set to default value; NULL supplied to NOT NULL column 'name' at row 3"},
		filtered(lines("SHOW WARNINGS"), "1261 Row 2", "1263"))
	require.Equal(t, []string{"3 eve 9", "5 long name, 7", "6  7"}, lines("SELECT id, name, n FROM t WHERE id IN (3, 5, 6, 7)"))
	require.NoError(t, load(t, db, "3\tnew\n", "REPLACE", "(id, name)"))
	require.Equal(t, []string{"3 new 7 8 NEW"}, lines("SELECT id, name, n, g, x FROM t WHERE id = 3"))

	before := lines("SELECT * FROM t ORDER BY id")
	for text, number := range map[string]uint16{"8\tok\n9\tbad\n": 3819, "8\tok\n9\n": 1261, "8\tx\t1\n": 1262, "8\tx\n9\t\\N\n": 1263,
		"8\tok\n9\tmuch too long\n": 1406, "8\tok\n9\t\xff\n": 1366} {
		require.Equal(t, number, harness.ErrorNumber(load(t, db, text, "REPLACE", "(id, name)")), text)
		require.Equal(t, before, lines("SELECT * FROM t ORDER BY id"))
	}
	for clauses, number := range map[string]uint16{"(id, g)": 3105, "(id, id)": 1110, "(id, name) SET g = 1": 3105,
		"(id, nothing)": 1054, "FIELDS TERMINATED BY '' ENCLOSED BY ''": 1235} {
		require.Equal(t, number, harness.ErrorNumber(load(t, db, "1\n", "", clauses)), clauses)
	}
	harness.Must(t, db, "INSERT INTO t (name) VALUES ('next')")
	require.Equal(t, "1", harness.Single(t, db, "SELECT COUNT(*) FROM t WHERE name = 'next' AND id > 6"))
}

// TestLoadDataIgnore loads rows that IGNORE, which LOCAL implies, leaves out or gives the defaults of types.
func TestLoadDataIgnore(t *testing.T) {
	db := one(t, "CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b varchar(5) NOT NULL, UNIQUE (a))")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.NoError(t, load(t, db, "1\t5\tx\n2\t5\ty\n3\t6\tz\n1\t7\tu\n", "", ""))
	require.Equal(t, []string{"Warning 1062 Duplicate entry '5' for key 'a'", "Warning 1062 Duplicate entry '1' for key 'PRIMARY'"}, lines("SHOW WARNINGS"))
	require.Equal(t, []string{"1 5 x", "3 6 z"}, lines("SELECT * FROM t ORDER BY id"))
	harness.Must(t, db, "INSERT INTO t VALUES (2, 9, 'y')")
	require.NoError(t, load(t, db, "2\t5\tv\n9\t1\tw\n", "IGNORE", ""))
	require.Equal(t, []string{"1 5 x", "2 9 y", "3 6 z", "9 1 w"}, lines("SELECT * FROM t ORDER BY id"))
	requireSoundTable(t, db, "t")

	for how, number := range map[string]uint16{"": 0, "IGNORE": 0, "REPLACE": 1364} {
		harness.Must(t, db, "DELETE FROM t")
		err := load(t, db, "4\t10\n5\t11\n", how, "(id, a)")
		require.Equal(t, number, harness.NumberOf(err), "%s: %v", how, err)
		if number == 0 {
			require.Equal(t, []string{"Warning 1364 Field 'b' doesn't have a default value"}, lines("SHOW WARNINGS"))
			require.Equal(t, []string{"4 10 ", "5 11 "}, lines("SELECT * FROM t ORDER BY id"))
		}
	}
}

func filtered(lines []string, wanted ...string) (out []string) {
	for _, line := range lines {
		for _, w := range wanted {
			if strings.Contains(line, w) {
				out = append(out, line)
			}
		}
	}
	return out
}
