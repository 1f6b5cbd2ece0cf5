package sql

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestBlockEncryptionMode(t *testing.T) {
	db := harness.OpenWith(t, "")
	db.SetMaxOpenConns(1)
	const (
		encrypted = "SELECT HEX(AES_ENCRYPT('text', 'key', '0123456789abcdef'))"
		back      = "SELECT AES_DECRYPT(AES_ENCRYPT('text', 'key', '0123456789abcdef'), 'key', '0123456789abcdefg')"
	)
	seen := map[string]bool{}
	for range 2 { // the plans are reused in other modes
		for _, bits := range []string{"128", "192", "256"} {
			for _, mode := range []string{"ecb", "cbc", "cfb1", "cfb8", "cfb128", "ofb"} {
				harness.Must(t, db, "SET block_encryption_mode = 'AES-"+bits+"-"+mode+"'")
				require.Equal(t, []string{"aes-" + bits + "-" + mode},
					harness.Lines(t, db, "SELECT @@block_encryption_mode"))
				seen[harness.Lines(t, db, encrypted)[0]] = true
				require.Equal(t, []string{"text"}, harness.Lines(t, db, back), mode)
			}
		}
	}
	require.Len(t, seen, 3*5, "of four bytes cfb128 and ofb are alike")

	harness.Must(t, db, "SET block_encryption_mode = 3")
	require.Equal(t, []string{"aes-128-cbc"}, harness.Lines(t, db, "SELECT @@block_encryption_mode"))
	for sql, number := range map[string]uint16{
		"SET block_encryption_mode = 'aes-128-gcm'":                   1231,
		"SET block_encryption_mode = 18":                              1231,
		"SELECT AES_ENCRYPT('text', 'key')":                           1582,
		"SELECT AES_DECRYPT('text', 'key')":                           1582,
		"SELECT AES_ENCRYPT('text', 'key', 'short')":                  1882,
		"SELECT AES_ENCRYPT('text', 'key', NULL)":                     1882,
		"SELECT AES_ENCRYPT('text', 'key', REPEAT('i', 16), 'other')": 3235,
	} {
		_, err := harness.TryLines(db, sql)
		harness.RequireErrorNumber(t, number, err)
	}
	harness.Must(t, db, "SET block_encryption_mode = DEFAULT")
	require.Equal(t, []string{"F6BD0FA8DCB7F8CD4A2FAABC54668044"},
		harness.Lines(t, db, "SELECT HEX(AES_ENCRYPT('text', 'password', 'iv'))"))
	require.Equal(t, []string{"Warning 1618 <IV> option ignored"}, harness.Lines(t, db, "SHOW WARNINGS"))
}

// TestTextsOfOtherCharacterSets: for clients and in comparisons a text is its characters;
// stored, and beside bytes, it is its bytes in its character set.
func TestTextsOfOtherCharacterSets(t *testing.T) {
	db := harness.OpenWith(t, "")
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	harness.Must(t, db, "INSERT INTO t VALUES ('a', 'q', 1, CONVERT('é' USING latin1)), (_latin1 X'E8', 'q', 1, _utf16 X'00E9')")
	harness.Must(t, db, "INSERT INTO t SELECT 'b', 'q', 1, CONVERT('ж' USING cp1251)")
	harness.Must(t, db, "INSERT INTO t SELECT * FROM (SELECT 'c' AS K, 'q' AS Q, 1 AS T, CONVERT('ж' USING koi8r) AS V) AS d")
	harness.Must(t, db, "INSERT INTO t VALUES ('d', 'q', 1, 'x')")
	harness.Must(t, db, "UPDATE t SET V = CONCAT(_latin1 X'E9', _latin1 X'E8') WHERE K = CONVERT('d' USING latin1)")
	harness.Must(t, db, "REPLACE INTO t (K, Q, T, V) VALUES ('e', 'q', 1, CONVERT(X'E9' USING latin1))")
	harness.Must(t, db, "INSERT INTO t VALUES ('f', 'q', 1, 'x'), ('f', 'q', 1, 'y') ON DUPLICATE KEY UPDATE V = _cp1251 X'E6'")
	harness.Must(t, db, "INSERT INTO t VALUES ('g', 'q', 1, 'x')")
	harness.Must(t, db, "UPDATE t JOIN (SELECT 'g' AS g) AS u ON t.K = u.g SET t.V = CONVERT('ж' USING cp866)")
	require.Equal(t, []string{"61 E9", "62 E6", "63 D6", "64 E9E8", "65 E9", "66 E6", "67 A6", "E8 00E9"},
		harness.Lines(t, db, "SELECT HEX(K), HEX(V) FROM t ORDER BY K"))
	harness.Must(t, db, "DELETE FROM t WHERE K > 'e' AND K < 'h'")
	for range 3 { // reused plans are those of the introducer and of what follows it
		for text, want := range map[string]string{"_latin1 X'E6'": "æ", "_latin1 X'E9'": "é", "_cp1251 X'E6'": "ж",
			"_latin1 'a'": "a", "_latin1 'b'": "b", "'a'": "a"} {
			require.Equal(t, []string{want}, harness.Lines(t, db, "SELECT "+text), text)
		}
	}

	for sql, want := range map[string]string{
		"SELECT COUNT(*) FROM t WHERE V = CONVERT('é' USING latin1)":                                   "2",
		"SELECT COUNT(*) FROM t WHERE V = 'é'":                                                         "0",
		"SELECT COUNT(*) FROM t WHERE V IN ('x', CONVERT('é' USING latin1), _cp1251 X'E6')":            "3",
		"SELECT COUNT(*) FROM t WHERE V BETWEEN _latin1 X'E9' AND _latin1 X'E9'":                       "2",
		"SELECT COUNT(*) FROM t WHERE V LIKE CONVERT('é%' USING latin1)":                               "3",
		"SELECT CONVERT(V USING latin1) FROM t WHERE K = 'a'":                                          "é",
		"SELECT CONVERT(CONVERT(V USING cp1251) USING utf8mb4) FROM t WHERE K = 'b'":                   "ж",
		"SELECT HEX(x) FROM (SELECT CONVERT('é' USING latin1) AS x) AS d":                              "E9",
		"SELECT HEX(MAX(x)) FROM (SELECT CONVERT('é' USING latin1) AS x UNION SELECT 'ж') AS d":        "D0B6",
		"SELECT HEX(MAX(CONVERT('é' USING latin1)))":                                                   "E9",
		"SELECT HEX((SELECT CONVERT('é' USING latin1)))":                                               "E9",
		"SELECT CONVERT('é' USING latin1) = 'É', CONVERT('é' USING latin1) < 'f'":                      "1 1",
		"SELECT COUNT(DISTINCT x) FROM (SELECT CONVERT('é' USING latin1) AS x UNION SELECT 'é') AS d":  "1",
		"SELECT HEX(CASE WHEN 1 THEN CONVERT('é' USING latin1) ELSE K END) FROM t WHERE K = 'a'":       "E9",
		"SELECT CASE CONVERT('é' USING latin1) WHEN X'E9' THEN 'bytes' WHEN 'é' THEN 'characters' END": "bytes",
		"SELECT CONVERT('é' USING latin1), CHAR_LENGTH(CONVERT('😀' USING utf16))":                      "é 1",
	} {
		require.Equal(t, []string{want}, harness.Lines(t, db, sql), sql)
	}
	require.Equal(t, []string{"E9 é"},
		harness.Lines(t, db, "SELECT HEX(CONVERT(? USING latin1)), CONVERT(? USING latin1)", "é", []byte("\xe9")))
	harness.Must(t, db, "CREATE VIEW w AS SELECT K, CONVERT(V USING latin1) AS x, _latin1 X'E9' AS y FROM t")
	require.Equal(t, []string{"é é E9 1"}, harness.Lines(t, db, "SELECT x, y, HEX(y), x = y FROM w WHERE K = 'a'"))
	require.Contains(t, strings.Join(harness.Lines(t, db, "SHOW CREATE VIEW w"), ""), "_latin1 X'E9'")
}

// TestJSONValueWarns: only an invalid document causes a warning, whatever is returned for it.
func TestJSONValueWarns(t *testing.T) {
	db := harness.OpenWith(t, "")
	db.SetMaxOpenConns(1)
	require.Equal(t, []string{"NULL x"},
		harness.Lines(t, db, "SELECT JSON_VALUE('{', '$.a'), JSON_VALUE('[', '$.a' DEFAULT 'x' ON ERROR)"))
	require.Equal(t, []string{"Warning 3141 Invalid JSON text: '{'", "Warning 3141 Invalid JSON text: '['"},
		harness.Lines(t, db, "SHOW WARNINGS"))
	require.Equal(t, []string{"NULL 0"}, harness.Lines(t, db, "SELECT JSON_VALUE('\"x\"', '$' RETURNING SIGNED), "+
		"JSON_VALUE('\"x\"', '$' RETURNING SIGNED DEFAULT 0 ON ERROR)"))
	require.Empty(t, harness.Lines(t, db, "SHOW WARNINGS"))

	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	harness.Must(t, db, `INSERT INTO t VALUES ('a', 'q', 1, '{"n": 3}'), ('b', 'q', 1, '{"n": 4}'), ('c', 'q', 1, '{}'),
		('d', 'q', 1, 'none')`)
	const n = "JSON_VALUE(V, '$.n' RETURNING SIGNED DEFAULT -1 ON EMPTY)"
	require.Equal(t, []string{"NULL 1", "-1 1", "3 1", "4 1"},
		harness.Lines(t, db, "SELECT "+n+" AS n, COUNT(*) FROM t GROUP BY n ORDER BY n"))
	require.Equal(t, []string{"b"}, harness.Lines(t, db, "SELECT K FROM t WHERE "+n+" > 3"))
	require.Equal(t, []string{"6"}, harness.Lines(t, db, "SELECT SUM("+n+") FROM t"))
	_, err := harness.TryLines(db, "SELECT K FROM t WHERE JSON_VALUE(V, '$.n' ERROR ON EMPTY) > 3")
	harness.RequireErrorNumber(t, 3966, err)
	_, err = db.Exec("UPDATE t SET V = JSON_VALUE(V, '$.n') WHERE K = 'd'") // strict mode
	harness.RequireErrorNumber(t, 3141, err)
}

// TestUnknownLocale: the warning occurs for literals, and in strict mode too, where it is not
// about the value.
func TestUnknownLocale(t *testing.T) {
	db := harness.OpenWith(t, "")
	db.SetMaxOpenConns(1)
	warning := []string{"Warning 1649 Unknown locale: 'xx'"}
	require.Equal(t, []string{"1.00"}, harness.Lines(t, db, "SELECT FORMAT(1, 2, 'xx')"))
	require.Equal(t, warning, harness.Lines(t, db, "SHOW WARNINGS"))
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	harness.Must(t, db, "INSERT INTO t VALUES ('a', 'q', 1, FORMAT(12345, 0, 'xx'))")
	require.Equal(t, warning, harness.Lines(t, db, "SHOW WARNINGS"))
	require.Equal(t, []string{"12,345"}, harness.Lines(t, db, "SELECT V FROM t"))
	require.Equal(t, []string{"1.00 1,00"}, harness.Lines(t, db, "SELECT FORMAT(1, 2, NULL), FORMAT(1, 2, 'DE_at')"))
	require.Equal(t, []string{"Warning 1649 Unknown locale: 'NULL'"}, harness.Lines(t, db, "SHOW WARNINGS"))
}
