package writes

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// looseCase is a statement of a session whose sql_mode is not strict, on a table n that holds
// looseRows and a table e with the same columns, whose V may be NULL. MariaDB runs the same.
type looseCase struct {
	mode  string // added to '', empty for none
	run   string
	fails uint16
	n     int64
	warns string   // codes
	want  []string // rows of n as K/Q/T/V; nil is looseRows
}

var looseRows = []string{"a/q/1/one", "b/q/2/12ab"}

const looseColumns = "(K varbinary(4) NOT NULL, Q varbinary(4) NOT NULL, T bigint NOT NULL, V varbinary(6) NOT NULL, PRIMARY KEY (K, Q, T))"

var looseCases = []looseCase{
	{run: "INSERT INTO n VALUES ('c', 'q', 1, 'longer than six')", n: 1, warns: "1265", want: with("c/q/1/longer")},
	{run: "INSERT INTO n VALUES ('ccccc', 'qqqqq', 1, 'v')", n: 1, warns: "1265 1265", want: with("cccc/qqqq/1/v")},
	{run: "INSERT INTO n VALUES ('c', 'q', 'noon', 'v')", n: 1, warns: "1366", want: with("c/q/0/v")},
	{run: "INSERT INTO n VALUES ('c', 'q', '', 'v')", n: 1, warns: "1366", want: with("c/q/0/v")},
	{run: "INSERT INTO n VALUES ('c', 'q', '12noon', 'v')", n: 1, warns: "1265", want: with("c/q/12/v")},
	{run: "INSERT INTO n VALUES ('c', 'q', '-7.5x', 'v')", n: 1, warns: "1265", want: with("c/q/-8/v")},
	{run: "INSERT INTO n VALUES ('c', 'q', 1e30, 'v')", n: 1, warns: "1264", want: with("c/q/9223372036854775807/v")},
	{run: "INSERT INTO n VALUES ('c', 'q', -1e30, 'v')", n: 1, warns: "1264", want: with("c/q/-9223372036854775808/v")},
	{run: "INSERT INTO n VALUES ('c', 'q', 9223372036854775808, 'v')", n: 1, warns: "1264", want: with("c/q/9223372036854775807/v")},
	{run: "INSERT INTO n VALUES ('c', 'q', '9223372036854775808', 'v')", n: 1, warns: "1264", want: with("c/q/9223372036854775807/v")},
	{run: "INSERT INTO n VALUES ('c', 'q', '-1e40', 'v')", n: 1, warns: "1264", want: with("c/q/-9223372036854775808/v")},
	{run: "INSERT INTO n VALUES ('c', 'q', 18446744073709551615, 'v')", n: 1, warns: "1264", want: with("c/q/9223372036854775807/v")},

	// NULL for a NOT NULL column: an error in a single row, else the default of the type.
	{run: "INSERT INTO n VALUES ('c', 'q', 1, NULL)", fails: 1048},
	{run: "INSERT INTO n SET K = NULL, Q = 'q', T = 1, V = 'v'", fails: 1048},
	{run: "REPLACE INTO n VALUES (NULL, 'q', 1, 'v')", fails: 1048},
	{run: "INSERT INTO n VALUES ('c', 'q', 1, NULL), (NULL, 'r', 2, 'v')", n: 2, warns: "1048 1048", want: []string{"/r/2/v", "a/q/1/one", "b/q/2/12ab", "c/q/1/"}},
	{run: "INSERT INTO n SELECT 'c', NULL, 7, NULL", n: 1, warns: "1048 1048", want: with("c//7/")},
	{run: "INSERT IGNORE INTO n VALUES ('c', 'q', 1, NULL)", n: 1, warns: "1048", want: with("c/q/1/")},
	{run: "UPDATE n SET V = NULL WHERE K = 'a'", n: 1, warns: "1048", want: []string{"a/q/1/", "b/q/2/12ab"}},
	{run: "UPDATE n SET T = NULL WHERE K = 'a'", n: 1, warns: "1048", want: []string{"a/q/0/one", "b/q/2/12ab"}},
	{run: "UPDATE n SET K = NULL WHERE K = 'a'", n: 1, warns: "1048", want: []string{"/q/1/one", "b/q/2/12ab"}},

	// Columns without a value and a default cause one warning each.
	{run: "INSERT INTO n (K, T) VALUES ('c', 1), ('d', 1)", n: 2, warns: "1364 1364", want: with("c//1/", "d//1/")},
	{run: "INSERT INTO n (T, V) SELECT 5, 'v'", n: 1, warns: "1364 1364", want: []string{"//5/v", "a/q/1/one", "b/q/2/12ab"}},
	{run: "INSERT INTO n (K, Q, T, V) VALUES ('c', DEFAULT, 1, DEFAULT)", n: 1, warns: "1364 1364", want: with("c//1/")},

	// UPDATE.
	{run: "UPDATE n SET V = 'longer than six', T = '5x'", n: 2, warns: "1265 1265 1265 1265", want: []string{"a/q/5/longer", "b/q/5/longer"}},
	{run: "UPDATE n SET K = 'cccccc' WHERE K = 'a'", n: 1, warns: "1265", want: []string{"b/q/2/12ab", "cccc/q/1/one"}},
	{run: "UPDATE n SET V = V + 1 WHERE K = 'b'", n: 1, warns: "1292", want: []string{"a/q/1/one", "b/q/2/13"}},
	{run: "DELETE FROM n WHERE V = 12", n: 1, warns: "1292 1292", want: []string{"a/q/1/one"}},
	{run: "UPDATE n SET K = 'longkey' ORDER BY K", fails: 0, n: 2, warns: "1265 1265", want: []string{"long/q/1/one", "long/q/2/12ab"}},
	{run: "UPDATE n SET K = 'longkey', T = 3 ORDER BY K", fails: 1062},
	{run: "UPDATE n, (SELECT 'longer than six' x) d SET n.V = d.x WHERE n.K = 'a'", n: 1, warns: "1265", want: []string{"a/q/1/longer", "b/q/2/12ab"}},

	// A truncated value can be a duplicate.
	{run: "INSERT INTO n VALUES ('longkey', 'q', 1, 'v'), ('longest', 'q', 1, 'w')", fails: 1062},
	{run: "INSERT INTO n VALUES ('longkey', 'q', 1, 'v'), ('longest', 'q', 1, 'w') ON DUPLICATE KEY UPDATE V = CONCAT(VALUES(V), 'onger')", n: 3, warns: "1265 1265",
		want: with("long/q/1/wonger")},
	{run: "INSERT INTO n VALUES ('a', 'q', 1, 'v') ON DUPLICATE KEY UPDATE V = 'longer than six'", n: 2, warns: "1265", want: []string{"a/q/1/longer", "b/q/2/12ab"}},
	{run: "INSERT IGNORE INTO n VALUES ('longkey', 'q', 1, 'v'), ('longest', 'q', 1, 'w')", n: 1, warns: "1265 1265 1062", want: with("long/q/1/v")},
	{run: "REPLACE INTO n VALUES ('longkey', 'q', 1, 'longer than six')", n: 1, warns: "1265 1265", want: with("long/q/1/longer")},

	// Division by zero.
	{run: "INSERT INTO e VALUES ('c', 'q', 1, 1 / 0)", n: 1},
	{run: "UPDATE n SET V = IFNULL(T / 0, 'none')", n: 2, want: []string{"a/q/1/none", "b/q/2/none"}},
	{mode: "ERROR_FOR_DIVISION_BY_ZERO", run: "UPDATE n SET V = IFNULL(T % 0, 'none')", n: 2, warns: "1365 1365", want: []string{"a/q/1/none", "b/q/2/none"}},
	{mode: "ERROR_FOR_DIVISION_BY_ZERO", run: "INSERT INTO e VALUES ('c', 'q', 1, 1 / 0)", n: 1, warns: "1365"},
	{mode: "STRICT_ALL_TABLES", run: "INSERT INTO e VALUES ('c', 'q', 1, 1 / 0)", n: 1},
	{mode: "STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO", run: "INSERT INTO e VALUES ('c', 'q', 1, 1 / 0)", fails: 1365},
	{mode: "STRICT_ALL_TABLES", run: "INSERT INTO n VALUES ('c', 'q', 1, 'longer than six')", fails: 1406},
	{mode: "STRICT_TRANS_TABLES", run: "UPDATE n SET V = V + 1", fails: 1292},
	{mode: "TRADITIONAL", run: "INSERT INTO n VALUES ('c', 'q', 1, 'longer than six')", fails: 1406},
	{mode: "TRADITIONAL", run: "INSERT INTO e VALUES ('c', 'q', 1, 1 DIV 0)", fails: 1365},
}

// with returns looseRows followed by others.
func with(rows ...string) []string { return append(append([]string{}, looseRows...), rows...) }

// TestLooseMode tests sessions whose sql_mode is not strict, here and on MariaDB.
func TestLooseMode(t *testing.T) {
	t.Run("hbasekv", func(t *testing.T) { checkLoose(t, harness.OpenDB(t, ":memory:?versions=all")) })
	if *harness.MariaDB != "" {
		t.Run("MariaDB", func(t *testing.T) { checkLoose(t, oracle.OpenMariaDB(t)) })
	}
}

func checkLoose(t *testing.T, db *sql.DB) {
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	harness.Must(t, conn, "DROP TABLE IF EXISTS n, e", "CREATE TABLE n "+looseColumns, "CREATE TABLE e "+strings.Replace(looseColumns, "varbinary(6) NOT NULL", "varbinary(6)", 1))
	for _, c := range looseCases {
		harness.Must(t, conn, "SET sql_mode = ''", "DELETE FROM n", "DELETE FROM e", "INSERT INTO n VALUES ('a', 'q', 1, 'one'), ('b', 'q', 2, '12ab')", "SET sql_mode = '"+c.mode+"'")
		result, err := conn.ExecContext(context.Background(), c.run)
		assert.Equal(t, c.fails, harness.NumberOf(err), "%s: %v", c.run, err)
		if err == nil && c.fails == 0 {
			n, _ := result.RowsAffected()
			assert.Equal(t, c.n, n, c.run)
			assert.Equal(t, c.warns, strings.Join(harness.WarningCodes(t, conn), " "), "%s: %s", c.run, harness.Lines(t, conn, "SHOW WARNINGS"))
		}
		want := c.want
		if want == nil {
			want = looseRows
		}
		assert.Equal(t, want, harness.Lines(t, conn, "SELECT CONCAT_WS('/', K, Q, T, V) FROM n ORDER BY K, Q, T"),
			c.run)
	}
}

// TestLooseLoad tests LOAD DATA without a strict mode: values that do not fit are
// truncated, a NULL becomes the default of its column, and a line may have too few or too
// many fields.
func TestLooseLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.txt")
	require.NoError(t, os.WriteFile(file, []byte("longkey\tq\t1\tlonger than six\nc\tq\tnoon\t\\N\nd\t\\N\t2x\tv\textra\ne\n"), 0o600))
	load := func(t *testing.T, db *sql.DB, statement string) {
		conn, err := db.Conn(context.Background())
		require.NoError(t, err)
		defer conn.Close()
		harness.Must(t, conn, "DROP TABLE IF EXISTS n", "CREATE TABLE n "+looseColumns, "SET sql_mode = ''", statement)
		assert.Equal(t, "1265 1265 1366 1263 1263 1265 1262 1261 1261 1261", strings.Join(harness.WarningCodes(t, conn), " "), harness.Lines(t, conn, "SHOW WARNINGS"))
		assert.Equal(t, []string{"c/q/0/", "d//2/v", "long/q/1/longer"},
			harness.Lines(t, conn, "SELECT CONCAT_WS('/', K, Q, T, V) FROM n WHERE K <> 'e' ORDER BY K, Q, T"))
		harness.Must(t, conn, "DELETE FROM n", "SET sql_mode = 'STRICT_ALL_TABLES'")
		_, err = conn.ExecContext(context.Background(), statement)
		harness.RequireErrorNumber(t, 1406, err)
	}
	statement := "LOAD DATA INFILE '" + file + "' INTO TABLE n"
	load(t, harness.OpenDB(t, "file:"+t.TempDir()+"?fileDir="+filepath.Dir(file)+"&versions=all"), statement)
	if *harness.MariaDB != "" {
		load(t, oracle.OpenMariaDB(t), statement)
	}
}

// TestLooseModeOfServers tests SET GLOBAL sql_mode, with which later sessions begin, and the DSN's
// sql_mode.
func TestLooseModeOfServers(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?sql_mode=%27%27")
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	harness.Must(t, conn, "CREATE TABLE n "+looseColumns, "INSERT INTO n VALUES ('longkey', 'q', 1, 'v')")
	harness.Must(t, conn, "SET SESSION sql_mode = DEFAULT")
	refused := func(number uint16, statement string) {
		t.Helper()
		_, err := conn.ExecContext(context.Background(), statement)
		harness.RequireErrorNumber(t, number, err)
	}
	refused(1406, "INSERT INTO n VALUES ('longkey', 'q', 2, 'v')")
	harness.Must(t, conn, "SET GLOBAL sql_mode = (SELECT REPLACE(@@sql_mode, 'STRICT_TRANS_TABLES', 'no_zero_date'))")
	require.NotContains(t, harness.Single(t, conn, "SELECT @@global.sql_mode"), "STRICT")
	require.Contains(t, harness.Single(t, conn, "SELECT @@sql_mode"), "STRICT", "the session's own")
	harness.Must(t, conn, "SET SESSION sql_mode = DEFAULT", "INSERT INTO n VALUES ('longkey', 'q', 2, 'v')")
	refused(1231, "SET GLOBAL sql_mode = 'STRICT'")
	refused(1235, "SET GLOBAL sql_mode = 'NO_UNSIGNED_SUBTRACTION'")
	harness.Must(t, conn, "SET sql_mode = 'traditional'")
	require.Contains(t, harness.Single(t, conn, "SELECT @@sql_mode"), "STRICT_TRANS_TABLES,STRICT_ALL_TABLES")
	harness.Must(t, conn, "SET GLOBAL sql_mode = DEFAULT", "SET sql_mode = DEFAULT")
	require.Contains(t, harness.Single(t, conn, "SELECT @@sql_mode"), "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES")
}

// TestLiveLooseWrites compares the effects of new statements in sessions that are not strict
// with those on a live server.
func TestLiveLooseWrites(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("no -mariadb")
	}
	peer, db := oracle.OpenMariaDBWrites(t), oracle.OpenWrites(t, "key")
	db.SetMaxOpenConns(1)
	const modes = "ONLY_FULL_GROUP_BY,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO"
	harness.Must(t, peer, "SET sql_mode = 'TIME_ROUND_FRACTIONAL,"+modes+"'")
	harness.Must(t, db, "SET sql_mode = '"+modes+"'")
	listsWrites(t, peer, db)
}
