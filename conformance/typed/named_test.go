package typed

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestNamedRowsAreReadOnce runs statements that name several rows by their keys: they read no more than those that
// name one row each.
func TestNamedRowsAreReadOnce(t *testing.T) {
	lists := map[string][]string{
		"id":    {"id IN (12, 3, 7)", "id IN (3, 7, 12, 7)", "id = 12 OR id = 3 OR id = 7", "id = 3 OR id IN (12, 7)"},
		"id, b": {"(id, b) IN ((12, 1), (3, 1), (7, 1))", "id IN (12, 3, 7) AND b = 1", "b = 1 AND (id = 3 OR id = 7 OR id = 12)"},
	}
	for key, conditions := range lists {
		for _, partitions := range []string{"", " PARTITION BY KEY(id) PARTITIONS 3"} {
			db := open(t, "CREATE TABLE t (id int, b int, n int NOT NULL, PRIMARY KEY ("+key+"))"+partitions,
				"INSERT INTO t VALUES (3, 1, 0), (5, 1, 0), (7, 1, 0), (12, 1, 0)")
			read := func(statement string) int64 {
				before := harness.CellsRead(t, db)
				harness.Must(t, db, statement)
				return harness.CellsRead(t, db) - before
			}
			condition := map[string]string{"id": "id = 5", "id, b": "id = 5 AND b = 1"}[key]
			one := read("UPDATE t SET n = n WHERE " + condition)
			for _, condition := range conditions {
				require.Equal(t, 3*one, read("UPDATE t SET n = n WHERE "+condition), condition)
			}
		}
	}
}

// TestNamedRowsThatMove changes keys of named rows: a row that another one becomes is not changed again.
func TestNamedRowsThatMove(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, n int)", "INSERT INTO t VALUES (3, 30), (7, 70)",
		"CREATE TABLE g (a int, id int AS (a + 1) STORED PRIMARY KEY)", "INSERT INTO g (a) VALUES (3), (7)")
	for _, c := range []struct {
		statement string
		affected  int64
	}{
		{"UPDATE t SET id = id + 1, n = n + 1 WHERE id IN (3, 4, 5)", 1},
		{"UPDATE t SET id = id - 1 WHERE id IN (8, 7, 6)", 1},
		{"UPDATE g SET a = a + 1 WHERE id IN (4, 5, 6)", 1},
		{"UPDATE IGNORE t SET id = id + 2 WHERE id IN (4, 6)", 1},
		{"DELETE FROM t WHERE id IN (6, 4, 9)", 1},
	} {
		done, err := db.Exec(c.statement)
		require.NoError(t, err, c.statement)
		affected, err := done.RowsAffected()
		require.NoError(t, err)
		require.Equal(t, c.affected, affected, c.statement)
	}
	require.Equal(t, "8", harness.Single(t, db, "SELECT GROUP_CONCAT(id ORDER BY id) FROM t"))
	require.Equal(t, "4,7", harness.Single(t, db, "SELECT GROUP_CONCAT(a ORDER BY id) FROM g"))
}

// TestSpansOfLists reads only the rows that a list has, however it is written.
func TestSpansOfLists(t *testing.T) {
	db := open(t, "CREATE TABLE p (a tinyint, b tinyint, n int, PRIMARY KEY (a, b))", "CREATE TABLE s (id tinyint PRIMARY KEY)")
	for query, spans := range map[string]string{
		"SELECT n FROM p WHERE a = 1 AND b IN (3, 2)":                        "[/0x8182 - /0x8182] [/0x8183 - /0x8183]",
		"SELECT n FROM p WHERE a = 1 AND (b = 3 OR 2 = b)":                   "[/0x8182 - /0x8182] [/0x8183 - /0x8183]",
		"SELECT n FROM p WHERE (a = 4 OR a IN (1, NULL)) AND b IN (2, NULL)": "[/0x8182 - /0x8182] [/0x8482 - /0x8482]",
		"SELECT n FROM p WHERE (a, b) IN ((4, 2), (1, 2))":                   "[/0x8182 - /0x8182] [/0x8482 - /0x8482]",
		"SELECT n FROM p WHERE (a = 1 OR a = 4) AND b > 2":                   "[/0x818200 - /0x82) [/0x848200 - /0x85)",
		"SELECT id FROM s WHERE id IN (7, NULL, 3, 7)":                       "[/0x83 - /0x83] [/0x87 - /0x87]",
		"SELECT id FROM s WHERE id = 7 OR id IN (3, 2) OR id = 3":            "[/0x82 - /0x82] [/0x83 - /0x83] [/0x87 - /0x87]",
		"SELECT id FROM s WHERE id = 7 OR id >= 126":                         "[/0x87 - /0x87] [/0xFE - ]",
	} {
		require.Contains(t, strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+query), "\n"), "spans: "+spans+"\n", query)
	}
}
