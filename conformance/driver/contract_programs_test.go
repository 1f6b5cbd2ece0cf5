package driver

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"os"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

var programs = []program{
	{name: "state", run: stateProgram, differs: []deviation{
		{"CREATE DATABASE .*: 1 rows affected", "CREATE DATABASE .*: 0 rows affected", "no statement but DML counts rows here"},
	}},
	{name: "dsn", run: dsnProgram, differs: []deviation{
		{"open collation=nonesuch: works", "open collation=nonesuch: refused", "a mistake in the DSN is an error"},
	}},
	{name: "times", run: timesProgram},
	{name: "types", run: typesProgram, differs: []deviation{
		{".* (VARCHAR|VARBINARY) .*", ".* JSON .*", "MySQL has a type JSON, MariaDB has not"},
		{".*: CHAR sql.NullString", ".*: VARCHAR sql.NullString", "a text is a VARCHAR"},
		{".*: INT (.*)", ".*: BIGINT (.*)", "MariaDB's short results of arithmetic are INT, MySQL's never"},
		{".*: UNSIGNED INT (.*)", ".*: UNSIGNED BIGINT (.*)", "the same"},
		{".*: BIGINT sql.NullInt64", ".*: INT sql.NullInt64", "seconds fit into an INT until the year 68 of our era: MariaDB's widths of functions"},
		{".*: (BLOB|VARBINARY|TEXT|LONGTEXT) .*", ".*: (VARBINARY|VARCHAR) .*", "lengths of what aggregates and functions put together are not known"},
		{".*: (INT sql.NullInt64|VARCHAR sql.NullString)", ".*: (INT NOT NULL int32|VARCHAR NOT NULL string)", "MariaDB says that it may be NULL, and it never is"},
		{".*: INT NOT NULL int32", ".*: INT sql.NullInt64", "JSON_DEPTH of what is no document is NULL"},
		{".* MIN.NULL.: .*", ".*: NULL .*", "the type of MIN(NULL) is that of NULL"},
		{".*: DOUBLE NOT NULL float64", ".*: DOUBLE sql.NullFloat64", "a function of doubles may be NULL here"},
		{`.*: NULL \*interface {}`, ".*: NULL interface {}", "a NULL can be scanned into an any"},
		{`.*: TIME\(.\) sql.NullString`, `.*: TIME\(0\) sql.NullString`, "the digits behind a text's seconds are known when it is read"},
		{`.*: DATETIME\(39\) sql.NullTime`, `.*: DATETIME\(6\) sql.NullTime`, "MariaDB gives digits that no DATETIME has"},
	}},
	{name: "arguments", run: argumentsProgram},
	{name: "wrappers", run: wrappersProgram, differs: []deviation{
		{"SELECT .* <- (uint|sql.Null).*: refused", "SELECT .*: digits [|] .*", "go-sql-driver's converter gives what database/sql then refuses"},
	}},
	{name: "statements", run: statementsProgram, differs: []deviation{
		{"DROP VIEW .*: error 4092", "DROP VIEW .*: error 1051", "MariaDB has a number of its own for unknown views"},
		{"EXECUTE .*: LONGTEXT NOT NULL string", "EXECUTE .*: VARCHAR NOT NULL string", "the text of a date in a variable has a length"},
		{"CREATE DATABASE .*: 1 rows affected", "CREATE DATABASE .*: 0 rows affected", "no statement but DML counts rows here"},
		{`(.*) "blob", uint64 65535, (.*)`, `(.*) "varbinary", uint64 1024, (.*)`, "MariaDB cuts what COALESCE gives to a BLOB"},
		{"EXECUTE s USING 1: 0 rows affected", "EXECUTE s USING 1: error 1064", "MariaDB takes any expression, MySQL variables alone"},
	}},
}

// stateProgram is a pool of one connection, whose user relies on that.
func stateProgram(w *witness) {
	db := w.single("")
	ctx := context.Background()
	w.exec(db, "INSERT INTO c VALUES ('a', 'q', 1, 'x')",
		"BEGIN", "DELETE FROM c", "ROLLBACK")
	w.query(db, "SELECT COUNT(*) FROM c")
	w.exec(db, "START TRANSACTION", "UPDATE c SET V = 'y'", "SAVEPOINT s", "DELETE FROM c", "ROLLBACK TO s", "COMMIT")
	w.query(db, "SELECT V FROM c")
	w.exec(db, "SET @mine = 7", "SET @@group_concat_max_len = 4")
	w.query(db, "SELECT @mine, @@group_concat_max_len")
	w.query(db, "SELECT GROUP_CONCAT(K, 'abcdef') FROM c")
	w.query(db, "SHOW WARNINGS")
	w.query(db, "SELECT @@warning_count")
	w.exec(db, "SET autocommit = 0", "INSERT INTO c VALUES ('b', 'q', 1, 'x')", "ROLLBACK")
	w.query(db, "SELECT @@autocommit, COUNT(*) FROM c")
	w.exec(db, "SET autocommit = 1")
	w.query(db, "SELECT SQL_CALC_FOUND_ROWS K FROM c LIMIT 0")
	w.query(db, "SELECT FOUND_ROWS()")
	w.exec(db, "INSERT INTO c VALUES ('b', 'q', 1, 'x'), ('d', 'q', 1, 'x')")
	w.query(db, "SELECT ROW_COUNT()")
	w.exec(db, "SELECT LAST_INSERT_ID(77)")
	w.query(db, "SELECT LAST_INSERT_ID()")
	w.exec(db, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
	w.query(db, "SELECT @@tx_isolation")
	w.exec(db, "SET TRANSACTION READ ONLY", "DELETE FROM c", "SELECT COUNT(*) FROM c", "DELETE FROM c")
	w.query(db, "SELECT GET_LOCK('lock', 0)")
	w.query(db, "SELECT RELEASE_LOCK('lock')")

	// An error does not end the transaction, and neither does the end of its
	// context.
	w.exec(db, "BEGIN", "INSERT INTO c VALUES ('e', 'q', 1, 'x')", "INSERT INTO c VALUES ('e', 'q', 1, 'x')", "COMMIT")
	w.query(db, "SELECT K FROM c")

	// What a Tx and a Conn leave behind applies to the next one.
	tx, err := db.BeginTx(ctx, nil)
	require.NoError(w, err)
	w.exec(tx, "SET @mine = 8", "DELETE FROM c")
	require.NoError(w, tx.Rollback())
	w.query(db, "SELECT @mine, COUNT(*) FROM c")
	conn, err := db.Conn(ctx)
	require.NoError(w, err)
	w.exec(conn, "BEGIN", "DELETE FROM c")
	require.NoError(w, conn.Close())
	w.query(db, "SELECT COUNT(*) FROM c")
	w.exec(db, "ROLLBACK")
	w.query(db, "SELECT COUNT(*) FROM c")

	// Begin commits an open transaction.
	w.exec(db, "BEGIN", "INSERT INTO c VALUES ('f', 'q', 1, 'x')")
	tx, err = db.Begin()
	require.NoError(w, err)
	w.query(tx, "SELECT COUNT(*) FROM c")
	require.NoError(w, tx.Rollback())
	w.query(db, "SELECT COUNT(*) FROM c")

	// Another connection has its own state.
	w.exec(db, "CREATE DATABASE IF NOT EXISTS elsewhere", "USE elsewhere")
	w.query(db, "SELECT DATABASE(), COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()")
	db.SetMaxOpenConns(2)
	held, err := db.Conn(ctx)
	require.NoError(w, err)
	defer held.Close()
	w.query(db, "SELECT DATABASE() = 'elsewhere', @mine")
	w.exec(held, "DROP DATABASE elsewhere")
}

// dsnProgram checks the effect of DSN parameters.
func dsnProgram(w *witness) {
	db := w.open("charset=utf8mb4,utf8&collation=utf8mb4_bin")
	w.query(db, "SELECT @@character_set_client, @@collation_connection")
	db = w.open("charset=nonesuch,latin1")
	w.query(db, "SELECT @@character_set_client")
	w.fails("charset=nonesuch")
	w.fails("collation=nonesuch")
	db = w.open("group_concat_max_len=17&autocommit=0&tx_isolation=%27READ-COMMITTED%27")
	w.query(db, "SELECT @@group_concat_max_len, @@autocommit, @@tx_isolation")
	w.fails("sql_select_limit=%27NONESUCH%27")
	w.fails("nonesuch=1")
	w.fails("tx_isolation=1%2B")

	db = w.open("columnsWithAlias=true")
	w.exec(db, "INSERT INTO c VALUES ('a', 'q', 1, 'x')")
	w.query(db, "SELECT K, x.V AS W, 1 FROM c x")
	w.query(db, "SELECT * FROM c")
	w.query(db, "SELECT d.K FROM (SELECT K FROM c) d")
	w.query(db, "SELECT ? AS one, c.Q FROM c", 1)

	for _, ignored := range []string{"interpolateParams=true", "timeout=5s", "readTimeout=30s", "writeTimeout=30s",
		"rejectReadOnly=true", "tls=false", "checkConnLiveness=false", "allowNativePasswords=true", "compress=false"} {
		db := w.open(ignored)
		w.query(db, "SELECT ? AS a, ? AS b, ? AS c", 1, "a", nil)
	}
	w.fails("timeout=soon")
	w.fails("parseTime=perhaps")
	w.fails("loc=Nowhere/Land")
}

// timesProgram sends times, and reads them.
func timesProgram(w *witness) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(w, err)
	moments := []time.Time{
		time.Date(2023, 4, 5, 16, 7, 58, 123456789, time.UTC), time.Date(2023, 4, 5, 16, 7, 58, 120000000, berlin),
		time.Date(2023, 4, 5, 0, 0, 0, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), {},
		time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	for _, parameters := range []string{"", "loc=Europe%2FBerlin", "timeTruncate=1ms", "timeTruncate=1h&loc=Asia%2FKolkata", "interpolateParams=true&timeTruncate=1us"} {
		db := w.open(parameters)
		for i, t := range moments {
			w.execArgs(db, "INSERT INTO c VALUES ('t', 'q', ?, ?)", i, t)
		}
		w.query(db, "SELECT T, V FROM c ORDER BY T")
	}
	for _, parameters := range []string{"parseTime=false", "parseTime=true", "parseTime=true&loc=Europe%2FBerlin"} {
		db := w.single(parameters)
		w.exec(db, "INSERT INTO c VALUES ('a', 'q', 1, '2020-02-03 04:05:06.7')",
			"CREATE OR REPLACE VIEW contract_times AS SELECT CAST(V AS DATETIME(3)) AS at, CAST(V AS DATE) AS day, V FROM c")
		for _, expression := range []string{
			"DATE '2020-01-31'", "TIMESTAMP '2020-01-31 10:20:30'", "TIMESTAMP '2020-01-31 10:20:30.123456'", "TIME '10:20:30'",
			"FROM_UNIXTIME(1580428800)", "DATE_ADD(DATE '2020-01-31', INTERVAL 1 DAY)", "CAST(NULL AS DATE)",
			"COALESCE(NULL, DATE '2020-01-31')", "MAX(DATE '2020-01-31')", "IF(1, DATE '2020-01-31', TIMESTAMP '2020-01-31 10:20:30')",
			"CAST('9999-12-31 23:59:59' AS DATETIME)", "'2020-01-31'", "CONCAT(DATE '2020-01-31')", "LAST_DAY('2020-02-01')",
		} {
			w.query(db, "SELECT "+expression+" AS x")
		}
		w.query(db, "SELECT at, day, V FROM contract_times")
		w.query(db, "SELECT at FROM contract_times UNION ALL SELECT day FROM contract_times")
		w.query(db, "SELECT MAX(at) AS m FROM contract_times GROUP BY day HAVING m > ?", time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
		w.query(db, "SELECT d.at FROM (SELECT at FROM contract_times) d WHERE d.at < NOW()")
		w.exec(db, "DROP VIEW contract_times")
		if parameters != "parseTime=false" {
			w.columns(db, "SELECT NOW(), CURDATE(), CURTIME(), UTC_TIMESTAMP(3), SYSDATE()")
		}
	}
}

// argumentsProgram sends values of every Go type.
func argumentsProgram(w *witness) {
	db := w.open("")
	text, number := "text", 7
	for _, arg := range []any{
		nil, true, int8(-8), int16(-16), int32(-32), int64(math.MinInt64), uint8(8), uint16(16), uint32(32), uint64(math.MaxUint64),
		float32(1.5), 0.1, 1e300, "text", []byte("bytes"), []byte(nil), []byte{},
		json.RawMessage(`{"a":1}`), sql.RawBytes("raw"), sql.NullString{}, sql.NullInt64{Int64: 5, Valid: true},
		sql.Null[uint64]{V: 7, Valid: true}, &text, &number, (*string)(nil), time.Duration(5),
		sql.Named("name", 1), sql.Out{Dest: &text}, []int{1}, struct{}{}, map[string]int{}, complex(1, 2), [2]byte{1, 2},
	} {
		w.query(db, "SELECT ? IS NULL AS null_, CONCAT(?, '!') AS text_", arg, arg)
		w.execArgs(db, "INSERT INTO c VALUES ('k', 'q', 1, ?)", arg)
		w.query(db, "SELECT V FROM c")
		w.execArgs(db, "DELETE FROM c")
		w.execArgs(db, "INSERT INTO c SELECT 'k', 'q', ?, 'v' FROM DUAL WHERE ? IS NOT NULL", arg, arg) // without T, the clock's time
		w.query(db, "SELECT T FROM c")
		w.execArgs(db, "DELETE FROM c")
	}
	for _, text := range []string{"12", "12x", "x", "", " 12", "12 ", "1e3", "1.5", "99999999999999999999", "-5"} {
		for _, arg := range []any{text, []byte(text)} {
			w.execArgs(db, "INSERT INTO c VALUES ('k', 'q', ?, 'v')", arg)
			w.query(db, "SELECT T FROM c")
			w.execArgs(db, "DELETE FROM c")
		}
	}
	w.exec(db, "INSERT INTO c VALUES ('a', 'q', 1, 'x'), ('b', 'q', 2, 'y'), ('d', 'q', 3, 'z')")
	for _, limit := range []any{2, uint64(2), int8(2), 2.0, 2.5, "2", "x", []byte("2"), true, -1, nil, 1e30, uint64(math.MaxUint64)} {
		w.query(db, "SELECT K FROM c ORDER BY K LIMIT ?", limit)
		w.query(db, "SELECT K FROM c ORDER BY K LIMIT 1 OFFSET ?", limit)
	}
	w.execArgs(db, "INSERT INTO c VALUES (?, ?, ?, ?)", "k", "q", 1)
	w.execArgs(db, "DELETE FROM c", 1)
}

// typedFrom has a column of each type.
const typedFrom = " FROM (SELECT K, Q, T, V, CAST(V AS CHAR(64)) AS S, CAST(T AS DECIMAL(20,4)) AS D, T * 0.5e0 AS F, DATE '2020-01-31' AS A, " +
	"CAST('2020-01-31 10:20:30' AS DATETIME(3)) AS B, CAST(T AS UNSIGNED) AS U FROM c) d"

// typesProgram reads the types of expressions.
func typesProgram(w *witness) {
	db := w.single("parseTime=true")
	w.exec(db, "INSERT INTO c VALUES ('a', 'q', 1, '12')")
	list, err := os.ReadFile("testdata/contract/expressions.sql")
	require.NoError(w, err)
	for expression := range strings.Lines(string(list)) {
		w.columns(db, "SELECT "+strings.TrimSpace(expression)+typedFrom)
	}
	w.columns(db, "SELECT 1.50 UNION SELECT 100")
	w.columns(db, "SELECT T FROM c UNION ALL SELECT 1.5")
	w.columns(db, "SELECT x FROM (SELECT 1.5 + 2.25 AS x) d")
	w.columns(db, "SELECT s FROM (SELECT SUM(T) AS s FROM c GROUP BY K) d")
	w.columns(db, "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM c GROUP BY K) d")
	w.exec(db, "CREATE OR REPLACE VIEW contract_types AS SELECT AVG(T) AS a, SUM(T) AS s, 1.50 AS l FROM c")
	w.columns(db, "SELECT a FROM contract_types")
	w.columns(db, "SELECT s + l FROM contract_types")
	w.exec(db, "DROP VIEW contract_types")
	for _, name := range []string{"autocommit", "group_concat_max_len", "sql_mode", "time_zone", "max_allowed_packet", "warning_count",
		"last_insert_id", "version", "read_only", "port", "tx_isolation", "character_set_client"} {
		w.columns(db, "SELECT @@"+name)
	}
}

// statementsProgram sends statements of tools.
func statementsProgram(w *witness) {
	db := w.single("")
	w.exec(db, "CREATE TABLE contract_a LIKE c", "CREATE TABLE contract_b LIKE c", "CREATE OR REPLACE VIEW contract_v AS SELECT K FROM c",
		"DROP TABLE contract_a, contract_missing, contract_b", "DROP TABLE contract_a", "DROP TABLE IF EXISTS contract_a, contract_b",
		"DROP VIEW contract_v, contract_missing", "DROP VIEW contract_v")
	w.query(db, "SELECT COUNT(*) AS n FROM information_schema.TABLES WHERE TABLE_NAME LIKE 'contract%'")
	w.query(db, "SELECT a < b AS rises, a >> 56 AS server FROM (SELECT UUID_SHORT() AS a, UUID_SHORT() AS b) d")
	w.columns(db, "SELECT UUID_SHORT()")
	w.exec(db, "INSERT INTO c SELECT UUID_SHORT(), 'q', 1, 'v' FROM DUAL UNION ALL SELECT UUID_SHORT(), 'q', 1, 'v' FROM DUAL")
	w.query(db, "SELECT COUNT(DISTINCT K) AS n FROM c")

	// PREPARE, EXECUTE and DEALLOCATE PREPARE.
	w.exec(db, "DELETE FROM c", "PREPARE ins FROM 'INSERT INTO c VALUES (?, ?, ?, ?)'", "SET @k = 'a', @q = 'q', @t = 1, @v = 'x'",
		"EXECUTE ins USING @k, @q, @t, @v", "EXECUTE ins USING @k, @q, @t, @v", "SET @t = 2.0, @v = NULL",
		"EXECUTE INS USING @k, @q, @t, @v", "EXECUTE ins USING @k", "EXECUTE ins", "EXECUTE nonesuch")
	w.exec(db, "PREPARE s FROM 'SELECT ? AS a, K, T, V FROM c WHERE K = ? ORDER BY T'")
	for _, v := range []string{"1", "1.50", "1e3", "'text'", "NULL", "18446744073709551615", "-5", "X'00FF'", "DATE '2020-01-31'"} {
		w.exec(db, "SET @a = "+v)
		w.query(db, "EXECUTE s USING @a, @k")
	}
	w.query(db, "EXECUTE s USING @nonesuch, @k")
	w.columns(db, "EXECUTE s USING @a, @k")
	w.exec(db, "SET @text = 'SELECT COUNT(*) AS n FROM c'", "PREPARE S FROM @text", "SET @text = 'SELECT 6'")
	w.query(db, "EXECUTE s")
	w.exec(db, "PREPARE s FROM 'SELEC'", "EXECUTE s", "DEALLOCATE PREPARE s")
	for _, text := range []string{"", "SELECT 1; SELECT 2", "SELECT * FROM nonesuch", "SELECT W FROM c", "SELECT c.K FROM c d",
		"PREPARE t FROM 'SELECT 1'", "EXECUTE ins", "DEALLOCATE PREPARE ins", "SHOW COLUMNS FROM c LIKE 'T'", "SET @b = ?", "DO 1",
		"UPDATE c SET V = ?", "DELETE FROM c WHERE V = ?", "CREATE TABLE contract_a LIKE c", "TRUNCATE contract_a", "DROP TABLE contract_a",
		"ROLLBACK", "COMMIT", "SELECT K FROM c UNION SELECT ?"} {
		w.execArgs(db, "SET @text = ?", text)
		w.exec(db, "PREPARE s FROM @text")
		w.query(db, "EXECUTE s USING @q")
		w.query(db, "EXECUTE s")
		w.exec(db, "EXECUTE s")
	}

	// A table has the same checksum as in MySQL.
	w.exec(db, "CREATE TABLE contract_a (K varbinary(9) NOT NULL, Q varbinary(9) NOT NULL, T bigint NOT NULL, V longblob NOT NULL, PRIMARY KEY (K, Q, T))",
		"INSERT INTO contract_a VALUES ('', '', 0, ''), ('a', 'b', -9223372036854775808, X'00FF'), ('a', 'b', 9223372036854775807, REPEAT('x', 100000))",
		"INSERT INTO c SELECT * FROM contract_a WHERE LENGTH(V) < 1000", "INSERT INTO c VALUES ('n', 'q', 1, NULL), ('n', 'q', 2, '')")
	for _, table := range []string{"c", "contract_a", "nonesuch", "c QUICK", "contract_a EXTENDED"} {
		w.checksum(db, table)
	}
	w.exec(db, "DROP TABLE contract_a")

	// CREATE TABLE ... SELECT.
	w.exec(db, "DELETE FROM c", "INSERT INTO c VALUES ('a', 'q', 1, 'x'), ('a', 'q', 2, 'y'), ('b', 'r', 3, NULL)")
	const defined = "CREATE TABLE contract_b (K varbinary(9) NOT NULL, Q varbinary(9) NOT NULL, T bigint NOT NULL, V varbinary(9) NOT NULL, PRIMARY KEY (K, Q, T)) "
	for _, create := range []string{
		"CREATE TABLE contract_b SELECT * FROM c", "CREATE TABLE contract_b AS (SELECT K, Q, T, COALESCE(V, '') AS V FROM c ORDER BY T LIMIT 2)",
		"CREATE TABLE contract_b (PRIMARY KEY (K, Q, T)) SELECT K, Q, T DIV 3 AS T, V FROM c WHERE T > 0",
		"CREATE TABLE contract_b (V mediumblob) SELECT K, Q, T, V FROM c WHERE K = 'a'", "CREATE TABLE contract_b SELECT K, Q, T, V, K FROM c",
		defined + "SELECT V, T, K, Q FROM c WHERE V IS NOT NULL", defined + "SELECT * FROM c", defined + "SELECT K, Q, T DIV 3 AS T, 'v' AS V FROM c WHERE T > 0",
		defined + "IGNORE SELECT K, Q, T DIV 3 AS T, 'v' AS V FROM c WHERE T > 1", defined + "REPLACE SELECT K, Q, T DIV 3 AS T, T AS V FROM c WHERE K = 'b'",
		defined + "SELECT REPEAT(K, 10) AS K, Q, T, 'v' AS V FROM c", defined + "SELECT K, Q, T, 7.5 AS V FROM c WHERE T < 0",
		"CREATE TABLE contract_b SELECT K, Q, T, V FROM c WHERE FALSE UNION ALL SELECT K, Q, T, V FROM c WHERE T = 2",
	} {
		w.exec(db, create)
		w.query(db, "SELECT K, Q, T, V FROM contract_b ORDER BY K, Q, T")
		w.query(db, "SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, IS_NULLABLE FROM information_schema.COLUMNS "+
			"WHERE TABLE_NAME = 'contract_b' AND COLUMN_NAME IN ('K', 'V') ORDER BY COLUMN_NAME")
		w.exec(db, "CREATE TABLE IF NOT EXISTS contract_b SELECT 'z' AS K, 'z' AS Q, 1 AS T, 'z' AS V", "CREATE TABLE contract_b SELECT * FROM c",
			"DROP TABLE contract_b", "CREATE TABLE contract_b SELECT * FROM nonesuch", "DROP TABLE contract_b")
	}

	// A prepared statement keeps its database.
	w.exec(db, "PREPARE `s t` FROM 'SELECT DATABASE() = ''contract'' OR 1 AS here'", "CREATE DATABASE elsewhere", "USE elsewhere")
	w.query(db, "EXECUTE `s t`")
	w.exec(db, "DROP DATABASE elsewhere", "DROP PREPARE `s t`", "DROP PREPARE `s t`", "PREPARE s FROM", "EXECUTE s USING 1", "EXECUTE s USING ?")
}

// checksum writes the checksum of a table without the name of its database.
func (w *witness) checksum(db *sql.DB, table string) {
	var name string
	var sum sql.NullInt64
	require.NoError(w, db.QueryRow("CHECKSUM TABLE "+table).Scan(&name, &sum))
	w.note("CHECKSUM TABLE %s: %v", table, sum)
	w.query(db, "SELECT @@warning_count, @@error_count")
}
