package arguments

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// argumentCases are answers of MariaDB, with server-side prepare, to statements
// over the oracle's tables in which the arguments determine types.
var argumentCases = []struct {
	query string
	args  []any
	want  string   // rows, as answer prints them
	types []string // oracle.KindName of each column
}{
	{"SELECT COUNT(*) FROM o WHERE COALESCE(V, ?) < '_'", []any{"A"}, `1 rows | "71"`, []string{"int"}},
	{"SELECT COUNT(*) FROM o WHERE IFNULL(V, ?) < '_'", []any{"A"}, `1 rows | "71"`, []string{"int"}},
	{"SELECT COUNT(*) FROM o WHERE IF(V IS NULL, ?, V) < '_'", []any{"A"}, `1 rows | "71"`, []string{"int"}},
	{"SELECT COUNT(*) FROM o WHERE CASE WHEN V IS NULL THEN ? ELSE V END < '_'", []any{"A"},
		`1 rows | "71"`, []string{"int"}},
	{"SELECT COUNT(*) FROM o WHERE ELT(1 + (V IS NULL), V, ?) < '_'", []any{"A"}, `1 rows | "71"`, []string{"int"}},
	{"SELECT COALESCE(V, ?), COALESCE(?, 2), IFNULL(NULL, ?) FROM r ORDER BY K, Q, T LIMIT 1", []any{7, 1.5, nil},
		`1 rows | " 12abc", 1.5, NULL`, []string{"bytes", "DOUBLE", "NULL"}},
	{"SELECT MAX(IF(T = 1, V, ?)) FROM o", []any{9}, `1 rows | "x"`, []string{"bytes"}},
	{"SELECT IF(T = 1, V, ?) FROM o WHERE K = 'a' ORDER BY IF(T = 1, V, ?), K, Q, T", []any{10, 10},
		`5 rows | "10" | "10" | "10" | "10" | "10"`, []string{"bytes"}},
	{"SELECT LEAST('q', 'A', ?) LIKE 'a%'", []any{1}, `1 rows | "0"`, []string{"int"}},
	{"SELECT GREATEST(IFNULL(T, ?), CONCAT(K, Q)) FROM o WHERE K = '10' ORDER BY K, Q, T", []any{5},
		`5 rows | 9.22337203685e+18 | 10 | 100 | 10 | 9.22337203685e+18`, []string{"DOUBLE"}},
	{"SELECT COUNT(*) FROM o WHERE Q BETWEEN 0x61 AND ?", []any{2.5}, `1 rows | "0"`, []string{"int"}},
	{"SELECT COUNT(*) FROM o WHERE Q BETWEEN 0x61 AND ?", []any{4}, `1 rows | "0"`, []string{"int"}},
	{"SELECT ? UNION SELECT ?", []any{1, "1"}, `1 rows | "1"`, []string{"text"}},
	{"SELECT -?", []any{uint64(18446744073709551613)}, `1 rows | "-18446744073709551613"`, []string{"DECIMAL"}},
	{"SELECT ?, ? + 1, ?, ?, ?", []any{1, 2, 1.5, "x", nil},
		`1 rows | "1", "3", 1.5, "x", NULL`, []string{"int", "int", "DOUBLE", "text", "NULL"}},
	{"SELECT CASE T WHEN 1 THEN ? ELSE T END FROM o WHERE K = 'a' ORDER BY K, Q, T", []any{2.5},
		`5 rows | 100 | -5 | 0 | -9.22337203685e+18 | 1.7e+12`, []string{"DOUBLE"}},
	{"SELECT CASE T WHEN 1 THEN ? ELSE T END FROM o WHERE K = 'a' ORDER BY K, Q, T", []any{"x"},
		`5 rows | "100" | "-5" | "0" | "-9223372036854775808" | "1700000000000"`, []string{"text"}},
	{"SELECT ROUND(D, ?) FROM v ORDER BY K, Q, T LIMIT 2", []any{1}, `2 rows | "0.0" | "0.0"`, []string{"DECIMAL"}},
	{"SELECT ROUND(D, ?) FROM v ORDER BY K, Q, T LIMIT 2", []any{3},
		`2 rows | "0.000" | "0.000"`, []string{"DECIMAL"}},
	{"SELECT STR_TO_DATE('2020-01-31', ?)", []any{"%Y-%m-%d"}, `1 rows | "2020-01-31"`, []string{"DATE"}},
	{"SELECT STR_TO_DATE('10:11:12', ?)", []any{"%H:%i:%s"}, `1 rows | "10:11:12"`, []string{"TIME"}},
	{"SELECT UNIX_TIMESTAMP(?)", []any{time.Date(2020, 1, 1, 0, 0, 0, 120e6, time.UTC)},
		`1 rows | "1577836800.12"`, []string{"DECIMAL"}},
	{"SELECT UNIX_TIMESTAMP(?)", []any{"2020-01-01 00:00:00"}, `1 rows | "1577836800"`, []string{"int"}},
	{"SELECT d.x < '_', d.x FROM (SELECT COALESCE(V, ?) AS x FROM r) d ORDER BY 2 LIMIT 2", []any{"A"},
		`2 rows | "1", "" | "1", " 12abc"`, []string{"int", "bytes"}},

	// An integer is a position.
	{"SELECT Q, K FROM p ORDER BY ?, 1, T LIMIT 3", []any{2},
		`3 rows | "q", "" | "name", " a" | "\x00", "10"`, []string{"bytes", "bytes"}},
	{"SELECT Q, K FROM p ORDER BY ?, 2, T LIMIT 3", []any{1},
		`3 rows | "", "ab" | "\x00", "10" | "\x00", "9"`, []string{"bytes", "bytes"}},
	{"SELECT Q, K FROM p ORDER BY ?, K, Q, T LIMIT 3", []any{"1"},
		`3 rows | "q", "" | "name", " a" | "\x00", "10"`, []string{"bytes", "bytes"}},
	{"SELECT Q FROM p ORDER BY ?", []any{9}, `error 1054`, nil},
	{"SELECT Q FROM p ORDER BY ?", []any{-1}, `error 1054`, nil},
	{"SELECT COUNT(*) FROM p GROUP BY ?", []any{1}, `error 1056`, nil},
	{"SELECT COUNT(*) FROM p GROUP BY ?", []any{5}, `error 1054`, nil},
	{"SELECT COUNT(*) FROM p GROUP BY ?", []any{"x"}, `1 rows | "14"`, []string{"int"}},
	{"SELECT K FROM p UNION SELECT Q FROM p ORDER BY ? DESC LIMIT 3", []any{1},
		`3 rows | "\xff\xff" | "user2" | "user1"`, []string{"bytes"}},

	// LIMIT reads any argument as an integer.
	{"SELECT K FROM r ORDER BY K, Q, T LIMIT ?", []any{nil}, `0 rows`, []string{"bytes"}},
	{"SELECT COUNT(*) FROM (SELECT K FROM r LIMIT ?) d", []any{2.5}, `1 rows | "2"`, []string{"int"}},
	{"SELECT COUNT(*) FROM (SELECT K FROM r LIMIT ?) d", []any{3.5}, `1 rows | "4"`, []string{"int"}},
	{"SELECT COUNT(*) FROM (SELECT K FROM r LIMIT ?) d", []any{1e30}, `1 rows | "7"`, []string{"int"}},
	{"SELECT COUNT(*) FROM (SELECT K FROM r LIMIT ?) d", []any{-1}, `1 rows | "7"`, []string{"int"}},
	{"SELECT COUNT(*) FROM (SELECT K FROM r LIMIT ?) d", []any{"3x"}, `1 rows | "3"`, []string{"int"}},
	{"SELECT COUNT(*) FROM (SELECT K FROM r LIMIT ?) d", []any{"x"}, `1 rows | "0"`, []string{"int"}},
	{"SELECT COUNT(*) FROM (SELECT K FROM r LIMIT ? OFFSET ?) d", []any{9, nil}, `1 rows | "7"`, []string{"int"}},
	{"SELECT COUNT(*) FROM (SELECT K FROM r LIMIT ?, 3) d", []any{-1}, `1 rows | "0"`, []string{"int"}},
}

// TestArgumentsHaveTypes runs argumentCases. With a live server the answers are
// the server's.
func TestArgumentsHaveTypes(t *testing.T) {
	conn := harness.Conn(t, oracle.OpenTables(t, "none"))
	var peer *sql.Conn
	if *harness.MariaDB != "" {
		peer = harness.Conn(t, oracle.OpenMariaDB(t))
	}
	for _, c := range argumentCases {
		got := tell(t, conn, c.query, true, c.args...)
		assert.Equal(t, c.want, got.Print(), "%s %v", c.query, c.args)
		assert.Equal(t, c.types, got.Types, "%s %v", c.query, c.args)
		if peer != nil {
			want := tell(t, peer, c.query, true, c.args...)
			assert.Empty(t, oracle.Difference(want.Answer, got.Answer), "%s %v\n%v %s\n%v %s", c.query, c.args, want.Types, want.Print(), got.Types, got.Print())
		}
	}
}

// TestOneTypeForAllRows: every row of a column has the same Go type, which is
// the one that its ColumnType names.
func TestOneTypeForAllRows(t *testing.T) {
	db := oracle.OpenTables(t, "none")
	for _, query := range []string{"SELECT IF(T > 1, T, ?) FROM o", "SELECT COALESCE(V, ?) FROM o", "SELECT CASE WHEN T > 1 THEN LENGTH(K) ELSE ? END FROM o",
		"SELECT ? FROM o", "SELECT T FROM o UNION ALL SELECT ?", "SELECT MAX(IF(T = 1, T, ?)) FROM o GROUP BY K"} {
		for _, arg := range []any{"text", []byte("bytes"), int64(7), uint64(1 << 63), 2.5, true, time.Date(2020, 1, 31, 10, 11, 12, 0, time.UTC)} {
			require.Len(t, goTypes(t, db, query, arg), 1, "%s %v", query, arg)
		}
	}
}

// goTypes are the Go types of a column's values other than NULL.
func goTypes(t *testing.T, db *sql.DB, query string, args ...any) map[string]bool {
	rows, err := db.QueryContext(context.Background(), query, args...)
	require.NoError(t, err)
	defer rows.Close()
	types, err := rows.ColumnTypes()
	require.NoError(t, err)
	require.NotEqual(t, "NULL", types[0].DatabaseTypeName())
	out := map[string]bool{}
	for rows.Next() {
		var v any
		require.NoError(t, rows.Scan(&v))
		switch v.(type) {
		case nil:
		case int64:
			out["int64"] = true
		case uint64:
			out["uint64"] = true
		case float64:
			out["float64"] = true
		case string:
			out["string"] = true
		case []byte:
			out["[]byte"] = true
		default:
			out["other"] = true
		}
	}
	require.NoError(t, rows.Err())
	return out
}

// TestPlansOfOneText: a prepared statement that is run with arguments of other
// types uses another plan, and the first again with the first types.
func TestPlansOfOneText(t *testing.T) {
	db := oracle.OpenTables(t, "none")
	st, err := db.Prepare("SELECT COUNT(*), MAX(COALESCE(NULLIF(V, ?), ?)) FROM o WHERE T < ? ORDER BY ?")
	require.NoError(t, err)
	defer st.Close()
	args := [][]any{{"x", "y", 5, 1}, {"x", 7, 5, 2}, {12, "y", "100", "z"}, {nil, nil, nil, nil}, {1.5, true, 2.5, 1}, {[]byte("x"), []byte("y"), 5, 2}}
	var first []string
	for round := range 3 {
		for i, a := range args {
			rows, err := st.Query(a...)
			require.NoError(t, err)
			lines, err := harness.PrintRows(rows)
			require.NoError(t, err)
			text := oracle.Answer{Rows: lines}.Print()
			if round == 0 {
				first = append(first, text)
			}
			require.Equal(t, first[i], text, "%v", a)
		}
	}
	_, err = st.Query("x", "y", 5, 3)
	require.ErrorContains(t, err, "Unknown column '3'")
}

// TestVariablesHaveTypes: a user variable has the type of its value when the
// statement begins.
func TestVariablesHaveTypes(t *testing.T) {
	conn := harness.Conn(t, oracle.OpenTables(t, "none"))
	ctx := context.Background()
	for _, c := range []struct{ value, kind string }{{"1", "int"}, {"'x'", "text"}, {"1.5", "DECIMAL"}, {"1e0", "DOUBLE"}, {"X'61'", "bytes"}, {"7", "int"}} {
		_, err := conn.ExecContext(ctx, "SET @a = "+c.value)
		require.NoError(t, err)
		require.Equal(t, []string{c.kind}, tell(t, conn, "SELECT COALESCE(@a, NULL)", true).Types, c.value)
		literal := tell(t, conn, "SELECT COUNT(*) FROM o WHERE COALESCE(V, "+c.value+") < '_'", true)
		require.Equal(t, literal.Rows, tell(t, conn, "SELECT COUNT(*) FROM o WHERE COALESCE(V, @a) < '_'", true).Rows, c.value)
	}
}
