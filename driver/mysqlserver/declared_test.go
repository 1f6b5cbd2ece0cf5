package mysqlserver_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

const everyType = "CREATE TABLE every (id bigint AUTO_INCREMENT PRIMARY KEY, a tinyint, b smallint, c mediumint, d int, " +
	"ua tinyint unsigned, ub smallint unsigned, uc mediumint unsigned, ud int unsigned, ue bigint unsigned, " +
	"f float, g double, h decimal(8,2), i bit(9), j year, k char(5), l varchar(9), m binary(2), n varbinary(3), " +
	"o enum('a','b'), p set('a','b'), q timestamp NULL, r datetime(3), s date, t time, u text, v blob)"

// typesOf returns the names of a result's types, and its rows as texts.
func typesOf(t *testing.T, db *sql.DB, query string, args ...any) (names []string, rows [][]string) {
	t.Helper()
	result, err := db.Query(query, args...)
	require.NoError(t, err, query)
	defer result.Close()
	types, err := result.ColumnTypes()
	require.NoError(t, err)
	for _, of := range types {
		names = append(names, of.DatabaseTypeName())
	}
	for result.Next() {
		row, dest := make([]sql.NullString, len(types)), make([]any, len(types))
		for i := range row {
			dest[i] = &row[i]
		}
		require.NoError(t, result.Scan(dest...), query)
		shown := make([]string, len(row))
		for i, field := range row {
			if shown[i] = field.String; !field.Valid {
				shown[i] = "NULL"
			}
		}
		rows = append(rows, shown)
	}
	require.NoError(t, result.Err())
	return names, rows
}

// Columns of typed tables are sent with their declared types.
func TestDeclaredTypes(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	db := s.client(t, "")
	execAll(t, db, everyType,
		"INSERT INTO every VALUES (1, -128, -32768, -8388608, -2147483648, 255, 65535, 16777215, 4294967295, "+
			"18446744073709551615, -3.4, 1e100, -123456.78, b'100000001', 1901, 'ab', 'é', 'a', 'b', 'a', 'a,b', "+
			"'2024-02-29 12:00:00', '2024-02-29 12:00:00.125', '2024-02-29', '-838:59:59', 'x', 'y')",
		"INSERT INTO every (id, i, j) VALUES (2, 0, 2155)")
	want := []string{"BIGINT", "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "UNSIGNED TINYINT", "UNSIGNED SMALLINT",
		"UNSIGNED MEDIUMINT", "UNSIGNED INT", "UNSIGNED BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "BIT", "YEAR", "CHAR",
		"VARCHAR", "BINARY", "VARBINARY", "ENUM", "SET", "TIMESTAMP", "DATETIME", "DATE", "TIME", "TEXT", "BLOB"}
	first := []string{"1", "-128", "-32768", "-8388608", "-2147483648", "255", "65535", "16777215", "4294967295",
		"18446744073709551615", "-3.4", "1e+100", "-123456.78", "\x01\x01", "1901", "ab", "é", "a\x00", "b", "a", "a,b",
		"2024-02-29 12:00:00", "2024-02-29 12:00:00.125", "2024-02-29", "-838:59:59", "x", "y"}
	for _, from := range []string{"every", "(SELECT * FROM every LIMIT 9) e"} {
		for _, args := range [][]any{nil, {0}} {
			query := "SELECT * FROM " + from + " WHERE id > 0 ORDER BY id"
			if args != nil {
				query = "SELECT * FROM " + from + " WHERE id > ? ORDER BY id"
			}
			names, rows := typesOf(t, db, query, args...)
			require.Equal(t, want, names, query)
			require.Equal(t, first, rows[0], query)
			require.Equal(t, []string{"\x00\x00", "2155"}, rows[1][13:15])
		}
	}
}

// A prepared expression of small types has the same value as unprepared: it is not truncated to the type of
// an operand.
func TestExpressionsOfSmallTypes(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	db := s.client(t, "")
	execAll(t, db, everyType,
		"INSERT INTO every (a, b, c, d, ua, ub, uc, ud, i, j) VALUES "+
			"(-128, -32768, -8388608, -2147483648, 255, 65535, 16777215, 4294967295, b'111111111', 2155), "+
			"(127, 32767, 8388607, 2147483647, 0, 0, 0, 0, 0, 1901), (NULL, 1, 1, 1, 1, 1, 1, 1, 1, 1970)")
	pairs := [][2]string{{"a", "b"}, {"b", "a"}, {"c", "d"}, {"a", "ua"}, {"ua", "ub"}, {"ud", "uc"}, {"i", "j"},
		{"j", "ua"}, {"a", "300"}, {"ua", "NULL"}, {"a", "a"}, {"ub", "ub"}, {"j", "j"}}
	forms := []string{"-%[1]s", "ABS(%[1]s)", "%[1]s + 1", "%[1]s * 1000", "%[1]s DIV 1", "%[1]s | %[2]s", "~%[1]s",
		"IF(id = 1, %[1]s, %[2]s)", "IF(id = 2, %[1]s, %[2]s)", "CASE WHEN id = 1 THEN %[2]s ELSE %[1]s END",
		"IFNULL(%[1]s, %[2]s)", "COALESCE(%[1]s, %[2]s, 70000)", "NULLIF(%[1]s, 1)", "GREATEST(%[1]s, %[2]s)",
		"LEAST(%[1]s, %[2]s)", "ROUND(%[1]s, -1)", "FLOOR(%[1]s)", "CEILING(%[1]s)", "TRUNCATE(%[1]s, -2)",
		"MOD(%[1]s, 1000)", "SIGN(%[1]s)", "ANY_VALUE(%[1]s)", "(SELECT %[1]s)", "@v := %[1]s",
		"LAG(%[1]s, 1, %[2]s) OVER (ORDER BY id)", "LAG(%[1]s, 1, 100000) OVER (ORDER BY id)",
		"FIRST_VALUE(%[1]s) OVER (ORDER BY id)", "SUM(%[1]s) OVER (ORDER BY id)", "MAX(%[1]s) OVER ()", "BIT_COUNT(%[1]s)",
		"CAST(%[1]s AS SIGNED)"}
	check := func(query string) {
		_, text := typesOf(t, db, query+" AND 1 = 1")
		_, prepared := typesOf(t, db, query+" AND 1 = ?", 1)
		require.Equal(t, text, prepared, query)
	}
	for _, pair := range pairs {
		for _, form := range forms {
			check(fmt.Sprintf("SELECT id, "+form+" FROM every WHERE TRUE", pair[0], pair[1]))
		}
		for _, form := range []string{"MAX(%s)", "MIN(%s)", "SUM(%s)", "AVG(%s)", "BIT_OR(%s)", "COUNT(%s)"} {
			check(fmt.Sprintf("SELECT "+form+" FROM every WHERE TRUE", pair[0]))
		}
		check(fmt.Sprintf("SELECT %s x FROM every UNION ALL SELECT %s FROM every WHERE TRUE", pair[0], pair[1]))
		check(fmt.Sprintf("WITH RECURSIVE w AS (SELECT %s x, 1 n FROM every UNION ALL SELECT x - SIGN(x), n + 1 FROM w WHERE n < 3) "+
			"SELECT x FROM w WHERE TRUE", pair[0]))
	}
}
