package coltype_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// facts are the values in information_schema: COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, CHARACTER_OCTET_LENGTH,
// NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, COLLATION_NAME.
func facts(t coltype.Type) string {
	f := t.Facts()
	return fmt.Sprint(f.ColumnType, " ", f.Characters, " ", f.Octets, " ", f.Precision, " ", f.Scale, " ",
		f.DatetimePrecision, " ", f.Collation)
}

// declarations are types with the facts of MySQL 5.7.
var declarations = []struct{ declared, facts string }{
	{"TINYINT", "tinyint(4) NULL NULL 3 0 NULL NULL"},
	{"BOOL", "tinyint(1) NULL NULL 3 0 NULL NULL"},
	{"TINYINT UNSIGNED", "tinyint(3) unsigned NULL NULL 3 0 NULL NULL"},
	{"SMALLINT", "smallint(6) NULL NULL 5 0 NULL NULL"},
	{"SMALLINT UNSIGNED ZEROFILL", "smallint(5) unsigned zerofill NULL NULL 5 0 NULL NULL"},
	{"MEDIUMINT", "mediumint(9) NULL NULL 7 0 NULL NULL"},
	{"MEDIUMINT UNSIGNED", "mediumint(8) unsigned NULL NULL 7 0 NULL NULL"},
	{"INT", "int(11) NULL NULL 10 0 NULL NULL"},
	{"INTEGER UNSIGNED", "int(10) unsigned NULL NULL 10 0 NULL NULL"},
	{"INT(5) ZEROFILL", "int(5) unsigned zerofill NULL NULL 10 0 NULL NULL"},
	{"INT(0)", "int(11) NULL NULL 10 0 NULL NULL"},
	{"BIGINT", "bigint(20) NULL NULL 19 0 NULL NULL"},
	{"BIGINT UNSIGNED", "bigint(20) unsigned NULL NULL 20 0 NULL NULL"},
	{"BIT", "bit(1) NULL NULL 1 NULL NULL NULL"},
	{"BIT(64)", "bit(64) NULL NULL 64 NULL NULL NULL"},
	{"DECIMAL", "decimal(10,0) NULL NULL 10 0 NULL NULL"},
	{"NUMERIC(7)", "decimal(7,0) NULL NULL 7 0 NULL NULL"},
	{"DECIMAL(65,30) UNSIGNED", "decimal(65,30) unsigned NULL NULL 65 30 NULL NULL"},
	{"FLOAT", "float NULL NULL 12 NULL NULL NULL"},
	{"FLOAT(24)", "float NULL NULL 12 NULL NULL NULL"},
	{"FLOAT(25)", "double NULL NULL 22 NULL NULL NULL"},
	{"FLOAT(7,3)", "float(7,3) NULL NULL 7 3 NULL NULL"},
	{"DOUBLE UNSIGNED", "double unsigned NULL NULL 22 NULL NULL NULL"},
	{"DOUBLE PRECISION", "double NULL NULL 22 NULL NULL NULL"},
	{"DOUBLE(8,2)", "double(8,2) NULL NULL 8 2 NULL NULL"},
	{"DATE", "date NULL NULL NULL NULL NULL NULL"},
	{"TIME", "time NULL NULL NULL NULL 0 NULL"},
	{"TIME(6)", "time(6) NULL NULL NULL NULL 6 NULL"},
	{"DATETIME(3)", "datetime(3) NULL NULL NULL NULL 3 NULL"},
	{"TIMESTAMP NULL", "timestamp NULL NULL NULL NULL 0 NULL"},
	{"YEAR", "year(4) NULL NULL NULL NULL NULL NULL"},
	{"CHAR", "char(1) 1 4 NULL NULL NULL utf8mb4_general_ci"},
	{"CHAR(0)", "char(0) 0 0 NULL NULL NULL utf8mb4_general_ci"},
	{"VARCHAR(100)", "varchar(100) 100 400 NULL NULL NULL utf8mb4_general_ci"},
	{"VARCHAR(100) COLLATE utf8mb4_bin", "varchar(100) 100 400 NULL NULL NULL utf8mb4_bin"},
	{"VARCHAR(100) CHARACTER SET utf8", "varchar(100) 100 300 NULL NULL NULL utf8_general_ci"},
	{"VARCHAR(10) CHARACTER SET binary", "varbinary(10) 10 10 NULL NULL NULL NULL"},
	{"BINARY", "binary(1) 1 1 NULL NULL NULL NULL"},
	{"BINARY(16)", "binary(16) 16 16 NULL NULL NULL NULL"},
	{"VARBINARY(1000)", "varbinary(1000) 1000 1000 NULL NULL NULL NULL"},
	{"TINYTEXT", "tinytext 255 255 NULL NULL NULL utf8mb4_general_ci"},
	{"TEXT", "text 65535 65535 NULL NULL NULL utf8mb4_general_ci"},
	{"TEXT(63)", "tinytext 255 255 NULL NULL NULL utf8mb4_general_ci"},
	{"TEXT(64)", "text 65535 65535 NULL NULL NULL utf8mb4_general_ci"},
	{"TEXT(16384)", "mediumtext 16777215 16777215 NULL NULL NULL utf8mb4_general_ci"},
	{"LONGTEXT", "longtext 4294967295 4294967295 NULL NULL NULL utf8mb4_general_ci"},
	{"BLOB(255)", "tinyblob 255 255 NULL NULL NULL NULL"},
	{"BLOB(65536)", "mediumblob 16777215 16777215 NULL NULL NULL NULL"},
	{"LONGBLOB", "longblob 4294967295 4294967295 NULL NULL NULL NULL"},
	{"ENUM('a','bcd','é')", "enum('a','bcd','é') 3 12 NULL NULL NULL utf8mb4_general_ci"},
	{"ENUM('it''s','b ')", "enum('it''s','b') 4 16 NULL NULL NULL utf8mb4_general_ci"},
	{"SET('a','bc')", "set('a','bc') 4 16 NULL NULL NULL utf8mb4_general_ci"},
}

// TestFacts shows types as MySQL 5.7 does, and as MariaDB if one is available.
func TestFacts(t *testing.T) {
	db := oracle(t)
	for _, d := range declarations {
		c := column(t, d.declared)
		require.Equal(t, d.facts, facts(c.Type), d.declared)
		if db != nil && d.declared != "MEDIUMINT UNSIGNED" { // for which MariaDB has 8 digits
			require.Equal(t, strings.ReplaceAll(oracleFacts(t, db, d.declared), "utf8mb3", "utf8"), d.facts, d.declared)
		}
		text, err := json.Marshal(c.Type)
		require.NoError(t, err)
		var again coltype.Type
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, c.Type, again, "%s", text)
	}
	require.Equal(t, "json NULL NULL NULL NULL NULL NULL", facts(column(t, "JSON").Type))
}

func oracleFacts(t *testing.T, db *sql.DB, declared string) string {
	_, err := db.Exec("SET sql_mode = ''")
	require.NoError(t, err)
	_, err = db.Exec("CREATE OR REPLACE TABLE f (x " + declared + ")")
	require.NoError(t, err, declared)
	var columnType string
	var rest [6]sql.NullString
	err = db.QueryRow("SELECT COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, CHARACTER_OCTET_LENGTH, NUMERIC_PRECISION,"+
		" NUMERIC_SCALE, DATETIME_PRECISION, COLLATION_NAME FROM information_schema.COLUMNS"+
		" WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'f'").
		Scan(&columnType, &rest[0], &rest[1], &rest[2], &rest[3], &rest[4], &rest[5])
	require.NoError(t, err)
	for _, each := range rest {
		if !each.Valid {
			each.String = "NULL"
		}
		columnType += " " + each.String
	}
	return columnType
}

// refusals are definitions that are errors.
var refusals = []struct {
	declared string
	number   uint16
}{
	{"VARCHAR(16384)", 1074}, {"VARCHAR(21846) CHARACTER SET utf8", 1074}, {"VARBINARY(65536)", 1074}, {"CHAR(256)", 1074},
	{"BINARY(256)", 1074}, {"INT(256)", 1439}, {"BIT(65)", 1439}, {"DECIMAL(66)", 1426}, {"DECIMAL(40,31)", 1425},
	{"DECIMAL(3,4)", 1427}, {"FLOAT(3,4)", 1427}, {"FLOAT(54)", 1063}, {"DOUBLE(256,2)", 1439}, {"TIME(7)", 1426},
	{"DATETIME(7)", 1426}, {"ENUM('a','A')", 1291}, {"SET('a','b','a ')", 1291}, {"SET('a,b')", 1367},
	{"SET(" + strings.TrimSuffix(strings.Repeat("'%',", 65), ",") + ")", 1097}, {"YEAR(2)", 1818},
	{"INT CHARACTER SET utf8", 1064},
	{"DATE UNSIGNED", 1064}, {"VARCHAR(1) COLLATE latin1_swedish_ci", 1235},
	{"VARCHAR(1) COLLATE utf8mb4_nowhere_ci", 1273},
	{"VARCHAR(1) CHARACTER SET utf8 COLLATE utf8mb4_bin", 1253}, {"VARCHAR(1) CHARACTER SET nowhere", 1115},
	{"VARCHAR", 1064},
	{"POINT", 1235}, {"ENUM('" + strings.Repeat("x", 256) + "')", 3505}, {"DATE(3)", 1064}, {"INT(3,2)", 1064},
}

// TestRefusedDefinitions refuses as MySQL does.
func TestRefusedDefinitions(t *testing.T) {
	for _, r := range refusals {
		declared := r.declared
		for i := range strings.Count(declared, "%") {
			declared = strings.Replace(declared, "%", fmt.Sprint(i), 1)
		}
		_, err := define(declared)
		require.Equal(t, r.number, errorNumber(err), "%s: %v", declared, err)
	}
}

func errorNumber(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

func strict() *coltype.Writing {
	return &coltype.Writing{Row: 3,
		Env: &function.Env{Strict: true, Ctx: context.Background(), Session: &function.Session{Now: now}}}
}

// TestDefaults are the literals of DEFAULT, as COLUMN_DEFAULT shows them.
func TestDefaults(t *testing.T) {
	for _, d := range []struct {
		declared, literal, shown string
		number                   uint16
	}{
		{"INT", "1.5", "2", 0}, {"INT", "'7'", "7", 0}, {"INT", "'abc'", "", 1067}, {"TINYINT", "300", "", 1067},
		{"DECIMAL(10,2)", "1", "1.00", 0}, {"INT(5) ZEROFILL", "42", "00042", 0}, {"BIT(4)", "5", "b'101'", 0},
		{"ENUM('a','b')", "'B'", "b", 0}, {"ENUM('a','b')", "'c'", "", 1067}, {"SET('a','b')", "'b,a'", "a,b", 0},
		{"DATE", "'2024-02-30'", "", 1067}, {"DATETIME(3)", "'2024-02-29'", "2024-02-29 00:00:00.000", 0},
		{"DATE", "'0000-00-00'", "", 1067}, {"VARCHAR(2)", "'abc'", "", 1067}, {"CHAR(3)", "'a '", "a", 0},
		{"YEAR", "70", "1970", 0},
		{"TEXT", "'a'", "", 1101}, {"BLOB", "''", "", 1101}, {"JSON", "'1'", "", 1101}, {"TEXT", "NULL", "NULL", 0},
		{"INT NOT NULL", "NULL", "", 1067}, {"FLOAT", "0.1", "0.1", 0}, {"DOUBLE(8,2)", "1.5", "1.50", 0},
	} {
		c := column(t, d.declared)
		v, err := c.Default(strict(), mustLiteral(d.literal))
		require.Equal(t, d.number, errorNumber(err), "%s %s: %v", d.declared, d.literal, err)
		if d.number == 0 {
			require.Equal(t, d.shown, c.Type.DefaultText(v), d.declared)
		}
	}
}

// TestImplicitDefaults are the values that stand for NULL in loose mode.
func TestImplicitDefaults(t *testing.T) {
	for declared, want := range map[string]string{"INT": "0", "INT UNSIGNED": "0", "DECIMAL(5,2)": "0.00", "DOUBLE": "0",
		"DATE": "0000-00-00", "TIME(1)": "00:00:00.0", "DATETIME": "0000-00-00 00:00:00", "YEAR": "0000", "CHAR(3)": "",
		"TEXT":      "",
		"BINARY(2)": "\x00\x00", "VARBINARY(2)": "", "ENUM('x','y')": "x", "SET('x')": "", "JSON": "null", "BIT(3)": "0",
		"TIMESTAMP": "0000-00-00 00:00:00", "INT(3) ZEROFILL": "000"} {
		c := column(t, declared+" NOT NULL")
		w := strict()
		_, err := c.Convert(w, value.Value{})
		require.Equal(t, uint16(1048), errorNumber(err), declared)
		w.Env.Strict = false
		v, err := c.Convert(w, value.Value{})
		require.NoError(t, err)
		require.Equal(t, want, v.String(), declared)
		require.Equal(t, c.Type.Values(false).Kind, v.Kind(), declared)
	}
}

// TestJSON reads documents as MySQL does, and refuses other texts.
func TestJSON(t *testing.T) {
	c := column(t, "JSON")
	v, err := c.Convert(strict(), value.NewString(` {"b": 1,"a":[1.0,  null], "b":2} `))
	require.NoError(t, err)
	require.Equal(t, `{"a": [1.0, null], "b": 1}`, v.String())
	again, err := c.Convert(strict(), v)
	require.NoError(t, err)
	require.Equal(t, value.JSON, again.Kind())
	for _, bad := range []value.Value{value.NewString(""), value.NewString("{"), value.NewString("abc"), value.NewInt(5),
		value.NewBytes([]byte("\"\xff\"")), value.NewString(`{"a":1}x`), value.NewFloat(1), value.NewTime(1, 0),
		value.NewString(strings.Repeat("[", 200) + strings.Repeat("]", 200))} {
		for _, isStrict := range []bool{true, false} {
			w := strict()
			w.Env.Strict = isStrict
			_, err := c.Convert(w, bad)
			require.Equal(t, uint16(3140), errorNumber(err), "%v: %v", bad, err)
		}
	}
}

// TestTimestampZones keeps moments in UTC, including those when clocks change.
func TestTimestampZones(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	c := column(t, "TIMESTAMP(3) NULL")
	w := strict()
	w.Env.Session.Now = now.In(berlin)
	for local, utc := range map[string]string{"2024-01-01 12:00:00.1234": "2024-01-01 11:00:00.123",
		"2024-07-01 12:00:00": "2024-07-01 10:00:00.000", "2024-10-27 02:30:00": "2024-10-27 00:30:00.000",
		"2024-07-01 23:59:59.9999": "2024-07-01 22:00:00.000"} {
		v, err := c.Convert(w, value.NewString(local))
		require.NoError(t, err, local)
		require.Equal(t, utc, v.String())
	}
	v, err := c.Convert(w, value.NewString("2024-07-01 12:00:00"))
	require.NoError(t, err)
	require.Equal(t, "2024-07-01 12:00:00.000", c.Type.Shown(v, berlin).String())
	require.Equal(t, "2024-07-01 15:30:00.000", c.Type.Shown(v, zone).String())
	_, err = c.Convert(w, value.NewString("2024-03-31 02:30:00")) // the clocks skip this time
	require.Equal(t, uint16(1292), errorNumber(err))
	w.Env.Strict = false
	v, err = c.Convert(w, value.NewString("2024-03-31 02:30:00"))
	require.NoError(t, err)
	require.Equal(t, "2024-03-31 01:00:00.000", v.String())
	w.Dates.Zero = true
	v, err = c.Convert(w, value.NewString("0000-00-00"))
	require.NoError(t, err)
	require.Equal(t, "0000-00-00 00:00:00.000", c.Type.Shown(v, berlin).String())
}

// TestMembers: Ordinal and Member are inverse.
func TestMembers(t *testing.T) {
	enum, set := column(t, "ENUM('b','a','')").Type, column(t, "SET('b','a','c')").Type
	for n := range uint64(4) {
		v, ok := enum.Member(n)
		require.True(t, ok)
		if n > 0 {
			require.Equal(t, n, enum.Ordinal(v))
		}
	}
	_, ok := enum.Member(4)
	require.False(t, ok)
	for n := range uint64(8) {
		v, ok := set.Member(n)
		require.True(t, ok)
		require.Equal(t, n, set.Ordinal(v))
	}
	_, ok = set.Member(8)
	require.False(t, ok)
}

// TestRowSize refuses rows that are too large, as MySQL does.
func TestRowSize(t *testing.T) {
	row := []coltype.Column{column(t, "VARCHAR(16383) NOT NULL"), column(t, "TINYINT NOT NULL")}
	require.NoError(t, coltype.CheckRow(row))
	require.Equal(t, uint16(1118), errorNumber(coltype.CheckRow(append(row, column(t, "TINYINT")))))
	require.NoError(t, coltype.CheckRow([]coltype.Column{column(t, "LONGTEXT"), column(t, "LONGBLOB"), column(t, "JSON")}))
}

// TestKeys refuses columns that a key cannot have.
func TestKeys(t *testing.T) {
	for declared, number := range map[string]uint16{"TEXT": 1170, "TINYBLOB": 1170, "JSON": 3152, "VARCHAR(10)": 0,
		"INT": 0} {
		require.Equal(t, number, errorNumber(column(t, declared).Type.CheckKey("x", 0)), declared)
	}
	require.NoError(t, column(t, "TEXT").Type.CheckKey("x", 10))
}

// TestOnUpdate accepts ON UPDATE for times with equally many digits.
func TestOnUpdate(t *testing.T) {
	for declared, digits := range map[string]int{"TIMESTAMP(3)": 3, "DATETIME": 0} {
		c := column(t, declared)
		require.NoError(t, c.CheckOnUpdate(digits))
		require.Equal(t, uint16(1294), errorNumber(c.CheckOnUpdate(digits+1)))
	}
	c := column(t, "DATE")
	require.Equal(t, uint16(1294), errorNumber(c.CheckOnUpdate(0)))
}
