package typed

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestMembers reads columns of ENUM, SET and BIT as texts and as numbers, with the same results with keys and
// indexes as without.
func TestMembers(t *testing.T) {
	plain := open(t, memberTables[0], members)
	for _, table := range memberTables[1:] {
		db := open(t, table, members)
		for _, query := range memberQueries {
			require.Equal(t, harness.Lines(t, plain, query), harness.Lines(t, db, query), "%s: %s", table, query)
		}
	}
	for query, want := range map[string][]string{
		"SELECT e FROM e ORDER BY e, id":                                  {"z", "b", "b", "10", "a", "a"},
		"SELECT s FROM e ORDER BY s DESC LIMIT 2":                         {"y,b,x", "y,x"},
		"SELECT id FROM e WHERE e = 2 ORDER BY id":                        {"5", "7"},
		"SELECT id FROM e WHERE e = '10'":                                 {"3"},
		"SELECT s + 0, e * 10 FROM e WHERE id = 1":                        {"5 40"},
		"SELECT id FROM e WHERE s & 4 ORDER BY id":                        {"1", "5", "6"},
		"SELECT e FROM e GROUP BY e HAVING e AND NOT e = 4 ORDER BY e":    {"z", "b", "10"},
		"SELECT s AS x FROM e GROUP BY s HAVING x ORDER BY s":             {"y", "b", "x", "y,x", "y,b,x"},
		"SELECT a.id FROM e a LEFT JOIN e c ON c.s WHERE a.id = 2":        {"2", "2", "2", "2", "2"},
		"SELECT c.id FROM e a JOIN e c ON c.e WHERE a.id = 2 LIMIT 1":     {"1"},
		"SELECT MIN(e), MAX(e) FROM e":                                    {"10 z"}, // by text, as in MySQL
		"SELECT HEX(b), LENGTH(b), HEX(CONCAT(b, 'x')) FROM e WHERE id=3": {"3FF 2 03FF78"},
	} {
		require.Equal(t, want, harness.Lines(t, plain, query), query)
	}
}

// TestMembersLeadToKeys: the numbers of members, and their order, give spans of keys and entries.
func TestMembersLeadToKeys(t *testing.T) {
	db := open(t, "CREATE TABLE k (e enum('c','b','a'), id int, PRIMARY KEY (e, id))",
		"INSERT INTO k VALUES ('a', 1), ('b', 2), ('c', 3), ('a', 4)")
	plan := func(query string) string { return strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+query), "") }
	require.Contains(t, plan("SELECT id FROM k WHERE e = 3"), "spans: [/0x0003 - /0x0004)")
	require.Contains(t, plan("SELECT id FROM k WHERE e > 1 AND e <= 2"), "spans: [/0x0002 - /0x0003)")
	require.NotContains(t, plan("SELECT id FROM k ORDER BY e, id"), "Sort")
	require.Equal(t, []string{"3", "2", "1", "4"}, harness.Lines(t, db, "SELECT id FROM k ORDER BY e, id"))
	require.Equal(t, []string{"4", "1", "2", "3"}, harness.Lines(t, db, "SELECT id FROM k ORDER BY e DESC, id DESC"))
	require.Contains(t, plan("SELECT id FROM k WHERE e > 'b'"), "filter")
	require.Equal(t, []string{"3"}, harness.Lines(t, db, "SELECT id FROM k WHERE e > 'b'"))
	require.Equal(t, []string{"1", "4"}, harness.Lines(t, db,
		"SELECT id FROM k WHERE e > 2 AND e < 'b' AND e >= 1 AND 'c' > e"))
	require.Equal(t, []string{"2"}, harness.Lines(t, db, "SELECT id FROM k WHERE e < 3 AND e < 'c' AND 1 < e"))
	require.Empty(t, harness.Lines(t, db, "SELECT id FROM k WHERE e > 2 AND e > 'a'"))
	require.Empty(t, harness.Lines(t, db, "SELECT id FROM k WHERE e = 2 AND e = 'a'"))
	require.Empty(t, harness.Lines(t, db, "SELECT id FROM k WHERE e IN (0, 4, -1, 2.5)"))
}

// TestLongTypes tests what LONG stands for.
func TestLongTypes(t *testing.T) {
	db := open(t, "CREATE TABLE l (id int PRIMARY KEY, a LONG, b LONG VARCHAR, c LONG CHAR VARYING, "+
		"d LONG VARBINARY, e LONG BYTE)")
	require.Equal(t, []string{"mediumtext", "mediumtext", "mediumtext", "mediumblob", "mediumblob"},
		harness.Lines(t, db, "SELECT COLUMN_TYPE FROM information_schema.COLUMNS "+
			"WHERE TABLE_NAME = 'l' AND COLUMN_NAME <> 'id' ORDER BY ORDINAL_POSITION"))
	_, err := db.Exec("CREATE TABLE m (id int PRIMARY KEY, a LONG CHAR)")
	harness.RequireErrorNumber(t, 1064, err)
}

// TestBitsAreScanned reads BIT columns through the driver, as a client and embedded.
func TestBitsAreScanned(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE b (id int PRIMARY KEY, one bit, many bit(12))",
		"INSERT INTO b VALUES (1, b'1', 0xABC), (2, NULL, 7)")
	for _, args := range [][]any{nil, {0}} {
		query := "SELECT one, many, many + 0 FROM b"
		if args != nil {
			query += " WHERE id > ?"
		}
		rows, err := db.Query(query+" ORDER BY id", args...)
		require.NoError(t, err)
		var one, many []byte
		var n int
		require.True(t, rows.Next())
		require.NoError(t, rows.Scan(&one, &many, &n))
		require.Equal(t, []any{[]byte{1}, []byte{0x0A, 0xBC}, 0xABC}, []any{one, many, n})
		require.True(t, rows.Next())
		require.NoError(t, rows.Scan(&one, &many, &n))
		require.Equal(t, []any{[]byte(nil), []byte{0, 7}, 7}, []any{one, many, n})
		require.NoError(t, rows.Close())
	}
	result, err := db.Exec("UPDATE b SET one = ?, many = ? WHERE many = ?", 1, []byte{0x0F, 0xFF}, 7)
	require.NoError(t, err)
	changed, err := result.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, changed)
	require.Equal(t, "1 4095", harness.Lines(t, db, "SELECT one + 0, many + 0 FROM b WHERE id = 2")[0])
}

// findInSet is a table of SET columns, and calls of FIND_IN_SET with MariaDB's results in its two rows.
var (
	findInSetTable = []string{
		"CREATE TABLE f (id int PRIMARY KEY, s set('y','b','x','10') COLLATE utf8mb4_bin, c set('x','y','10','1','é') COLLATE utf8mb4_general_ci)",
		"INSERT INTO f VALUES (1, 'x,10', 'y,1'), (2, 'y,b', '10,1,é')"}
	findInSet = map[string][]string{
		"'x', s": {"3", "0"}, "'X', s": {"3", "0"}, "UPPER('y'), s": {"0", "1"}, "'q', s": {"0", "0"}, "'', s": {"0", "0"}, "'x,10', s": {"0", "0"},
		"'X' COLLATE utf8mb4_general_ci, s": {"3", "0"}, "'Y' COLLATE utf8mb4_bin, c": {"2", "0"}, "10, s": {"4", "0"}, "1, c": {"4", "4"},
		"'y ', c": {"0", "0"}, "_binary'Y', c": {"2", "0"}, "NULL, c": {"NULL", "NULL"},
		"'É', c": {"0", "3"}, "'e', c": {"0", "3"}, // the place in the text, since no member has this name
		"SUBSTR(s, 1, 1), s": {"1", "1"}, "'10', CONCAT(s)": {"2", "0"},
	}
)

// TestFindInSet has the number of a member that a constant names, and otherwise the place in the value.
func TestFindInSet(t *testing.T) {
	db := open(t, findInSetTable...)
	for operands, want := range findInSet {
		require.Equal(t, want, harness.Lines(t, db, "SELECT FIND_IN_SET("+operands+") FROM f ORDER BY id"), operands)
	}
	require.Equal(t, []string{"1"}, harness.Lines(t, db, "SELECT id FROM f WHERE FIND_IN_SET('x', s) = 3"))
	require.Equal(t, []string{"1"}, harness.Lines(t, db, "SELECT id FROM f WHERE FIND_IN_SET(?, s) = 4", 10))
}
