package sql

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestRowsInTheText: an INSERT does the same whether or not its values are
// lifted from its text before it is planned. Values in parentheses are not.
func TestRowsInTheText(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	var dbs [2]*sql.DB
	for i := range dbs {
		dbs[i] = harness.OpenDB(t, ":memory:")
		harness.Must(t, dbs[i], "CREATE TABLE t (K varbinary(8), Q varbinary(8), T bigint, V varbinary(16) NOT NULL, PRIMARY KEY (K, Q, T))",
			"CREATE TABLE n (K varbinary(8), Q varbinary(8), T bigint, V varbinary(16), PRIMARY KEY (K, Q, T))")
	}
	for range 3000 {
		lifted, whole := randomInsert(r)
		require.Equal(t, outcome(dbs[1], whole), outcome(dbs[0], lifted), "%s\n%s", lifted, whole)
	}
	for _, table := range []string{"t", "n"} {
		all := "SELECT /*+ VERSIONS(ALL) */ HEX(K), HEX(Q), T, HEX(V), V IS NULL FROM " + table + " ORDER BY K, Q, T"
		require.Equal(t, rowsText(t, dbs[1], all), rowsText(t, dbs[0], all))
	}
}

// randomInsert is one statement with its values unchanged, and in parentheses.
func randomInsert(r *rand.Rand) (lifted, whole string) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	text := func() string {
		return pick("'a'", "'b'", "'k1'", "'k2'", "''", "'it''s'", `"x""y"`, `'\\n\0\Z\%'`, "'ABC'", "_binary'a'", `_binary'\0\''`, "7", "-7", "007",
			"'123456789'", "NULL", "DEFAULT", "'ß'", "'\\\\'")
	}
	number := func() string {
		return pick("1", "2", "3", "-3", "0", "-0", "'4'", "'x'", "NULL", "DEFAULT", "9223372036854775807")
	}
	head := pick("INSERT INTO", "INSERT IGNORE INTO", "REPLACE INTO") + " " + pick("t", "n") + pick("", " (K, Q, T, V)") + " VALUES "
	tail := ""
	if strings.HasPrefix(head, "INSERT INTO") && r.IntN(3) == 0 {
		tail = " ON DUPLICATE KEY UPDATE V = " + pick("VALUES(V)", "CONCAT(V, VALUES(Q))", "'x'")
	}
	var a, b []string
	for range 1 + r.IntN(3) {
		row := []string{text(), text(), number(), text()}
		if row[2] == "NULL" || row[2] == "DEFAULT" { // the clock, which the two read at different times
			row[2] = "5"
		}
		a = append(a, "("+strings.Join(row, pick(",", ", "))+")")
		for i := range row {
			if row[i] != "DEFAULT" {
				row[i] = "(" + row[i] + ")"
			}
		}
		b = append(b, "("+strings.Join(row, ", ")+")")
	}
	return head + strings.Join(a, pick(",", " , ")) + tail, head + strings.Join(b, ", ") + tail
}

// outcome is a statement's answer, with its warnings.
func outcome(db *sql.DB, query string) string {
	conn, err := db.Conn(context.Background())
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	result, err := conn.ExecContext(context.Background(), query)
	if err != nil {
		return err.Error()
	}
	n, _ := result.RowsAffected()
	id, _ := result.LastInsertId()
	out := fmt.Sprint(n, id)
	rows, err := conn.QueryContext(context.Background(), "SHOW WARNINGS")
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	for rows.Next() {
		var level, message string
		var code int
		if err := rows.Scan(&level, &code, &message); err != nil {
			return err.Error()
		}
		out += fmt.Sprintf("; %d %s", code, message)
	}
	return out
}

func rowsText(t *testing.T, db *sql.DB, query string) (out []string) {
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var row [5]sql.NullString
		require.NoError(t, rows.Scan(&row[0], &row[1], &row[2], &row[3], &row[4]))
		out = append(out, fmt.Sprint(row))
	}
	require.NoError(t, rows.Err())
	return out
}
