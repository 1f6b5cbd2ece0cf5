package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAdviseMapping proposes a mapping of a table group, and runs it as printed.
func TestAdviseMapping(t *testing.T) {
	dir := t.TempDir()
	const columns = " (K varbinary(64), Q varbinary(64), T bigint, V varbinary(2000), PRIMARY KEY (K, Q, T))"
	runSQL(t, dir, "CREATE TABLE users$p"+columns+"; CREATE TABLE users$x"+columns+`;
INSERT INTO users$p VALUES ('u1', 'name', 1, 'Ann'), ('u1', 'age', 1, X'00000029'), ('u1', 'n', 1, '41'), ('u1', 'd', 1, '2024-02-29'),
  ('u2', 'name', 1, 'Bob, the é'), ('u2', 'age', 1, X'00000007'), ('u2', 'n', 1, '-7'), ('u2', 'b', 1, X'FF'), ('u2', 'price', 1, '12.50');
INSERT INTO users$x VALUES ('u1', X'002C', 1, X'0000018DF4C96E00'), ('u2', X'002C', 1, X'0000018DF4C96E01'), ('u1', 'f', 1, X'4004000000000000'),
  ('u1', 'o', 1, X'2B80000005'), ('u2', 'raw', 1, X'0001FF'), ('u3', 'name', 1, 'x')`)
	report := runAdvise(t, dir, "users")
	for _, want := range []string{":key", "p:age#b", "p:b#b", "p:d", "p:n", "p:name", `x:\\x00\\,#b`, "x:f#b", "x:o#o", "x:raw", "`price` decimal(6,2)",
		"`b` tinyint(1)", "`d` date", "`f` double", "`o` int", "`raw` varbinary(16)", "`name_2` varchar(16)", "datetime(3)"} {
		require.Contains(t, report, want)
	}
	_, statement, _ := strings.Cut(report, "\n    ")
	out := runSQL(t, dir, strings.TrimSuffix(strings.TrimSpace(statement), ";")+"; CHECK TABLE users_rows; SELECT id, age, n, d, b, price, o, f FROM users_rows")
	require.NotContains(t, out, "none")
	require.Contains(t, out, "2.5")
	require.Contains(t, runAdvise(t, dir, "users"), "users_rows2")
}
