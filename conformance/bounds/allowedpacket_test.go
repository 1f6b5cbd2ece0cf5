package bounds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestMaxAllowedPacket: the limit in the variable is the one for functions and
// texts.
func TestMaxAllowedPacket(t *testing.T) {
	db := harness.OpenWith(t, "maxAllowedPacket=16KiB")
	db.SetMaxOpenConns(1)
	require.Equal(t, []string{"16384"}, harness.Lines(t, db, "SELECT @@max_allowed_packet"))
	require.Equal(t, []string{"16384 16384 16384"},
		harness.Lines(t, db, "SELECT LENGTH(REPEAT('a', 16384)), LENGTH(HEX(REPEAT('a', 8192))), LENGTH(RPAD('', 4096, '😀'))"))
	for _, call := range []string{
		"REPEAT('a', 16385)", "CONCAT(REPEAT('a', 16384), 'b')", "CONCAT_WS('', REPEAT('a', 16384), 'b')", "SPACE(16385)",
		"RPAD('', 16385, 'a')", "LPAD('', 4097, '😀')", "REPLACE(REPEAT('a', 8193), 'a', 'bb')",
		"INSERT(REPEAT('a', 16384), 1, 0, 'b')",
		"HEX(REPEAT('a', 8193))", "TO_BASE64(REPEAT('a', 12288))", "QUOTE(REPEAT('a', 16384))",
		"MAKE_SET(3, REPEAT('a', 16384), 'b')",
		"EXPORT_SET(1, REPEAT('a', 1000), REPEAT('b', 1000), ',', 17)", "CAST('a' AS BINARY(16385))",
		"DATE_FORMAT('2020-01-01', REPEAT('%W', 4097))",
		"JSON_QUOTE(REPEAT('a', 16384))",
		"LENGTH(CONVERT(REPEAT('a', 8193) USING ucs2))", "CONVERT(REPEAT(X'80', 6000) USING latin1)",
		"AES_ENCRYPT(REPEAT('a', 16384), 'k')", "WEIGHT_STRING(REPEAT('a', 8193))", "WEIGHT_STRING('a' AS CHAR(16385))",
		"WEIGHT_STRING('a' AS BINARY(16385))",
	} {
		require.Equal(t, []string{"NULL"}, harness.Lines(t, db, "SELECT "+call), call)
		warnings := harness.Lines(t, db, "SHOW WARNINGS")
		require.Len(t, warnings, 1, call)
		require.Contains(t, warnings[0], "1301 Result of", call)
		require.Contains(t, warnings[0], "was larger than max_allowed_packet (16384) - truncated", call)
	}
	_, err := harness.TryLines(db, "SELECT JSON_ARRAY(REPEAT('a', 16384))")
	harness.RequireErrorNumber(t, 1301, err)
	_, err = harness.TryLines(db, "SELECT JSON_ARRAY_INSERT(JSON_ARRAY(REPEAT('a', 16000)), '$[0]', REPEAT('a', 1000))")
	harness.RequireErrorNumber(t, 1301, err)
	_, err = harness.TryLines(db, "SELECT REGEXP_REPLACE(REPEAT('a', 8193), 'a', 'bb')")
	harness.RequireErrorNumber(t, 3684, err)
	require.Equal(t, []string{"16384"},
		harness.Lines(t, db, "SELECT LENGTH(REGEXP_REPLACE(REPEAT('a', 8192), 'a', 'bb'))"))
	require.Equal(t, []string{"NULL"}, harness.Lines(t, db, "SELECT UNCOMPRESS(CONCAT(X'01400000', SUBSTRING(COMPRESS(REPEAT('a', 16384)), 5)))"))
	require.Contains(t, harness.Lines(t, db, "SHOW WARNINGS")[0], "1256 Uncompressed data size too large; the maximum size is 16384")
	require.Len(t, harness.Lines(t, db, "SELECT '"+strings.Repeat("a", 16384-10)+"'"), 1)
	_, err = harness.TryLines(db, "SELECT '"+strings.Repeat("a", 16384-9)+"'")
	harness.RequireErrorNumber(t, 1153, err)
}

// TestSetMaxAllowedPacket: only SET GLOBAL changes it, for later connections, and
// plans of one connection can be used by those with another limit.
func TestSetMaxAllowedPacket(t *testing.T) {
	db := harness.OpenWith(t, "")
	keeper, err := db.Conn(t.Context()) // an in-memory store lives as long as its sql.DB
	require.NoError(t, err)
	defer keeper.Close()
	db.SetMaxIdleConns(-1) // each statement has its own connection
	const long = "SELECT LENGTH(REPEAT('a', 5000))"
	require.Equal(t, []string{"67108864 67108864"}, harness.Lines(t, db,
		"SELECT @@max_allowed_packet, @@global.max_allowed_packet"))
	for range 3 {
		require.Equal(t, []string{"5000"}, harness.Lines(t, db, long))
	}
	for _, s := range []string{"SET max_allowed_packet = 4096", "SET SESSION max_allowed_packet = DEFAULT"} {
		_, err := db.Exec(s)
		harness.RequireErrorNumber(t, 1621, err)
	}
	_, err = db.Exec("SET GLOBAL max_allowed_packet = 'much'")
	harness.RequireErrorNumber(t, 1232, err)
	for given, becomes := range map[string]string{"5000": "4096", "1": "1024", "4294967296": "1073741824", "-1": "1024",
		"8192": "8192", "DEFAULT": "67108864", "4097": "4096"} {
		harness.Must(t, db, "SET GLOBAL max_allowed_packet = "+given)
		require.Equal(t, []string{becomes + " " + becomes}, harness.Lines(t, db,
			"SELECT @@max_allowed_packet, @@global.max_allowed_packet"), given)
	}
	harness.Must(t, db, "SET GLOBAL max_allowed_packet = 4096")
	for range 3 {
		require.Equal(t, []string{"NULL"}, harness.Lines(t, db, long))
		require.Equal(t, []string{"5000"}, harness.Lines(t, keeper, long))
	}
}

// TestExpressionsHoldLittle: the total memory of the expressions of a row is
// limited, not that of all rows.
func TestExpressionsHoldLittle(t *testing.T) {
	db := harness.OpenWith(t, "maxAllowedPacket=1MiB&queryMemory=1MiB")
	mega := func(letter string) string { return fmt.Sprintf("REPEAT('%s', 1048576)", letter) }
	rows := "(SELECT 'a' AS x" + strings.Repeat(" UNION ALL SELECT 'a'", 20) + ") d"
	for _, query := range []string{
		"SELECT LENGTH(" + mega("a") + "), LENGTH(" + mega("b") + "), LENGTH(" + mega("c") + "), LENGTH(" + mega("d") + ")",
		"SELECT REPEAT(x, 1048576) FROM " + rows,
		"SELECT UPPER(REVERSE(UPPER(LOWER(REPEAT(x, 1048576))))) FROM " + rows,
		"SELECT 1 FROM " + rows + " WHERE 1" + strings.Repeat(" AND REPEAT(x, 1048576) LIKE '%a'", 10),
		"SELECT GROUP_CONCAT(REPEAT(x, 1048576)) FROM " + rows,
		"SELECT COUNT(*) FROM " + rows + " WHERE (SELECT LENGTH(REPEAT(d.x, 1048576)))",
		"SELECT x FROM " + rows + " ORDER BY REPEAT(x, 1048576)",
	} {
		_, err := harness.TryLines(db, query)
		require.NoError(t, err, query)
	}
	for _, query := range []string{
		"SELECT " + mega("a") + ", " + mega("b") + ", " + mega("c"),
		"SELECT LENGTH(CONCAT_WS(" + mega("a") + ", LEFT(" + mega("b") + ", 1), " + mega("c") + ", LEFT(" + mega("d") + ", 2)))",
		"SELECT JSON_LENGTH(CONCAT('[', REPEAT('1,', 400000), '1]'))",
		"SELECT (SELECT " + mega("a") + "), (SELECT " + mega("b") + "), (SELECT " + mega("c") + ")",
		"SELECT 1 FROM " + rows + " WHERE (SELECT " + mega("a") + ") = x OR (SELECT " + mega("b") + ") = x" +
			" OR (SELECT " + mega("c") + ") = x",
		"SELECT GROUP_CONCAT('' ORDER BY REPEAT(x, 1048576)) FROM " + rows,
		"SELECT CONCAT(" + mega("a") + strings.Repeat(", LEFT("+mega("b")+", 1048575)", 5) + ")",
	} {
		_, err := harness.TryLines(db, query)
		harness.RequireErrorNumber(t, 1038, err)
	}
}
