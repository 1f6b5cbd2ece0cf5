package driver

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// openScript is a database with multiStatements.
func openScript(t testing.TB) *sql.DB {
	db := open(t, ":memory:?multiStatements=true")
	db.SetMaxOpenConns(1)
	run(t, db, createTable)
	return db
}

// allSets reads every result set.
func allSets(t *testing.T, rows *sql.Rows) []string {
	t.Helper()
	var out []string
	for set := true; set; set = rows.NextResultSet() {
		var values []string
		for rows.Next() {
			var v string
			require.NoError(t, rows.Scan(&v))
			values = append(values, v)
		}
		out = append(out, strings.Join(values, ","))
	}
	return out
}

func TestScriptIsRefusedUnlessAskedFor(t *testing.T) {
	db := openTable(t)
	_, err := db.Exec("SELECT 1; SELECT 2")
	requireNumber(t, 1064, err)
	_, err = db.Query("INSERT INTO g$f VALUES ('k', 'q', 1, 'v'); SELECT 2")
	requireNumber(t, 1064, err)
	_, err = openScript(t).Prepare("SELECT 1; SELECT 2")
	requireNumber(t, 1064, err)
	require.Equal(t, "0", one(t, db, "SELECT COUNT(*) FROM g$f"))
}

func TestScriptResultSets(t *testing.T) {
	db := openScript(t)
	rows, err := db.Query("INSERT INTO g$f VALUES (?, 'q', 1, 'v;w'); SELECT K FROM g$f; -- between\n SELECT ?; DELETE FROM g$f; SELECT COUNT(*) FROM g$f;", "a", "b")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "0"}, allSets(t, rows))
	require.NoError(t, rows.Err())
	rows, err = db.Query("BEGIN; COMMIT")
	require.NoError(t, err)
	require.False(t, rows.Next())
	require.False(t, rows.NextResultSet())
	require.NoError(t, rows.Err())
	_, err = db.Query(" ; ")
	requireNumber(t, 1065, err)
}

func TestScriptRunsToItsEnd(t *testing.T) {
	db := openScript(t)
	rows, err := db.Query("SELECT 1; INSERT INTO g$f VALUES ('k', 'q', 1, 'v'); SELECT 2")
	require.NoError(t, err)
	require.NoError(t, rows.Close(), "the rest runs without being asked")
	require.Equal(t, "1", one(t, db, "SELECT COUNT(*) FROM g$f"))
	r, err := db.Exec("CREATE TABLE h (K varbinary(9), Q varbinary(9), T bigint, V varbinary(9), PRIMARY KEY (K, Q, T)); INSERT INTO h VALUES ('a', 'q', 1, 'v'); INSERT INTO h VALUES ('b', 'q', 1, 'v'), ('c', 'q', 1, 'v')")
	require.NoError(t, err)
	n, err := r.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 2, n, "the last statement's")
}

func TestScriptStopsAtAnError(t *testing.T) {
	db := openScript(t)
	_, err := db.Exec("INSERT INTO g$f VALUES ('a', 'q', 1, 'v'); INSERT INTO nothing VALUES (1); INSERT INTO g$f VALUES ('b', 'q', 1, 'v')")
	requireNumber(t, 1146, err)
	require.Equal(t, "a", one(t, db, "SELECT GROUP_CONCAT(K) FROM g$f"))
	rows, err := db.Query("SELECT 1; SELECT * FROM nothing; DELETE FROM g$f")
	require.NoError(t, err)
	require.False(t, rows.NextResultSet())
	requireNumber(t, 1146, rows.Err())
	require.NoError(t, rows.Close())
	require.Equal(t, "a", one(t, db, "SELECT GROUP_CONCAT(K) FROM g$f"))
	_, err = db.Exec("DELETE FROM g$f; SELECT ?, ?", 1)
	requireNumber(t, 1210, err)
	require.Equal(t, "a", one(t, db, "SELECT GROUP_CONCAT(K) FROM g$f"), "arguments are counted first")
	ctx, cancel := context.WithCancel(context.Background())
	rows, err = db.QueryContext(ctx, "SELECT 1; DELETE FROM g$f")
	require.NoError(t, err)
	cancel()
	for rows.Next() {
	}
	_ = rows.Close()
	require.Equal(t, "a", one(t, db, "SELECT GROUP_CONCAT(K) FROM g$f"), "a cancelled script does not go on")
}

func TestSplitScript(t *testing.T) {
	datadriven.RunTest(t, "testdata/split", func(t *testing.T, d *datadriven.TestData) string {
		statements, err := SplitScript(d.Input)
		if err != nil {
			return err.Error()
		}
		var out strings.Builder
		for _, s := range statements {
			fmt.Fprintf(&out, "%d: %q\n", s.Line, s.Text)
		}
		return out.String()
	})
}

// FuzzSplitScript: each statement begins on the line that is reported for it.
func FuzzSplitScript(f *testing.F) {
	for _, seed := range []string{"SELECT 1;\n\nSELECT 2", "-- SELECT 1\nSELECT 1;", "/* a;\n */ SELECT ';\n'; # b\n;SELECT `c\n`", "--SELECT 1\n;", "/*! SELECT 1; */;\r\nx"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		statements, err := SplitScript(text)
		if err != nil {
			return
		}
		lines := strings.Split(text, "\n")
		for _, s := range statements {
			first, _, _ := strings.Cut(s.Text, "\n")
			require.Contains(t, lines[s.Line-1], first)
		}
	})
}

// A result set may be left before its last row: the next one, and the end, come
// as usual.
func TestResultSetsLeftEarly(t *testing.T) {
	db := open(t, "file::memory:?multiStatements=true")
	run(t, db, createTable)
	fill(t, db, 200)
	for _, taken := range []int{0, 1, 8, 9, 20, 72, 200} {
		rows, err := db.Query("SELECT K, Q, T, V FROM g$f; SELECT V, K, Q, T FROM g$f; SELECT K, Q, T, V FROM g$f")
		require.NoError(t, err)
		var kept keeper
		for set := range 2 {
			for i := range taken {
				require.True(t, rows.Next())
				require.NoError(t, rows.Scan(&kept, new(any), new(any), new(any)))
				require.Equal(t, fmt.Sprintf([]string{"row%06d", "value%d"}[set], i), string(kept.b))
			}
			require.True(t, rows.NextResultSet())
			if taken > 0 {
				require.Equal(t, fmt.Sprintf([]string{"row%06d", "value%d"}[set], taken-1), string(kept.b))
			}
		}
		if taken%2 == 0 {
			require.True(t, rows.Next())
		}
		require.NoError(t, rows.Close())
		require.NoError(t, rows.Err())
	}
}
