package sqlfront_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlansOutliveOtherDDL: a statement is planned again if something that it names has changed, and not for
// other changes.
func TestPlansOutliveOtherDDL(t *testing.T) {
	e := newEngine(t)
	s := newSession(t, e, "a")
	for _, sql := range []string{
		createT,
		"CREATE TABLE g$a (K varbinary(10), Q varbinary(10), T bigint, V blob, PRIMARY KEY (K, Q, T))",
		"CREATE TABLE p (id int PRIMARY KEY, a int, KEY by_a (a))",
		"CREATE VIEW v AS SELECT id FROM p",
		"CREATE TABLE m (id varbinary(10) PRIMARY KEY, x varchar(10)) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, a:x'",
		"INSERT INTO p VALUES (1, 1)",
	} {
		mustExec(t, s, sql)
	}
	statements := map[string]string{"t": "SELECT K FROM t WHERE K = 'a'", "g": "SELECT K, F FROM g", "p": "SELECT id FROM p WHERE a = 1",
		"v": "SELECT id FROM v", "m": "SELECT x FROM m WHERE id = 'a'", "write": "INSERT INTO p (id, a) VALUES (2, 2) ON DUPLICATE KEY UPDATE a = 2",
		"information": "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME = 'p'"}
	planned := func() map[string]bool {
		again := map[string]bool{}
		for name, sql := range statements {
			made := e.Counts().PlansMade
			answer(s, sql)
			again[name] = e.Counts().PlansMade > made
		}
		return again
	}
	for range 3 {
		planned() // a text is cached when it is repeated
	}
	for _, step := range []struct {
		ddl   string
		again []string
	}{
		{"CREATE TABLE other (id int PRIMARY KEY)", nil},
		{"ALTER TABLE other ADD b int", nil},
		{"RENAME TABLE other TO another", nil},
		{"CREATE VIEW w AS SELECT * FROM p", nil},
		{"DROP VIEW w", nil},
		{"DROP TABLE another", nil},
		{"CREATE DATABASE e", nil},
		{"CREATE TABLE g$b (K varbinary(10), Q varbinary(10), T bigint, V blob, PRIMARY KEY (K, Q, T))", []string{"g", "m"}},
		{"ALTER TABLE g$a COMMENT 'x'", []string{"g", "m"}},
		{"ALTER TABLE p ADD c int", []string{"p", "v", "write"}},
		{"TRUNCATE TABLE p", []string{"p", "v", "write"}},
		{"ALTER TABLE t COMMENT 'x'", []string{"t"}},
		{"CREATE OR REPLACE VIEW v AS SELECT id, a FROM p", []string{"v"}},
		{"DROP DATABASE e", nil},
	} {
		mustExec(t, s, step.ddl)
		want := map[string]bool{}
		for name := range statements {
			want[name] = false
		}
		for _, name := range step.again {
			want[name] = true
		}
		require.Equal(t, want, planned(), step.ddl)
		for name, again := range planned() {
			require.False(t, again, "%s: %s", step.ddl, name)
		}
	}
	require.Contains(t, answer(s, "SELECT a FROM v"), "a")
	mustExec(t, s, "DROP TABLE t")
	require.Contains(t, answer(s, statements["t"]), "1146")
	mustExec(t, s, "CREATE TABLE t (K varbinary(10), x int, PRIMARY KEY (K))")
	require.NotContains(t, answer(s, statements["t"]), "1146")
}
