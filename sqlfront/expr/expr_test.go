package expr_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func bound(t testing.TB, text string) expr.Node {
	b, err := bindText(text)
	require.NoError(t, err, text)
	return b.node
}

func TestErrorsNameTheExpression(t *testing.T) {
	env := &expr.Env{Row: oracleValues()[4]}
	for text, want := range map[string]string{
		"T + 1":             "BIGINT value is out of range in '(`T` + 1)'",
		"1 - 2 * T":         "BIGINT value is out of range in '(2 * `T`)'",
		"T * 1e308":         "DOUBLE value is out of range in '(`T` * 1e308)'",
		"EXP(T)":            "DOUBLE value is out of range in 'exp(`T`)'",
		"ABS(-T - 1)":       "BIGINT value is out of range in 'abs((-`T` - 1))'",
		"SHORT_TO_BYTES(T)": "SHORT value is out of range in 'short_to_bytes(`T`)'",
	} {
		_, err := bound(t, text).Eval(env)
		require.True(t, mysqlerr.Is(err, mysqlerr.DataOutOfRange), "%s: %v", text, err)
		require.Equal(t, want, err.(*mysql.MySQLError).Message)
	}
}

func TestWarnings(t *testing.T) {
	var got []string
	session := testSession()
	session.AddWarning = func(code uint16, message string) { got = append(got, fmt.Sprintf("%d %s", code, message)) }
	env := &expr.Env{Row: oracleValues()[4], Env: function.Env{Session: session}}
	for text, want := range map[string]string{
		"V + 1":                   "1292 Truncated incorrect DOUBLE value: '3.5x'",
		"V = 3":                   "1292 Truncated incorrect DOUBLE value: '3.5x'",
		"V AND 1":                 "1292 Truncated incorrect DOUBLE value: '3.5x'",
		"CAST(V AS SIGNED)":       "1292 Truncated incorrect INTEGER value: '3.5x'",
		"CAST(V AS DECIMAL(3,1))": "1292 Truncated incorrect DECIMAL value: '3.5x'",
		"T / 0":                   "1365 Division by 0",
		"T % 0":                   "1365 Division by 0",
		"CAST(S AS CHAR(2))":      "1292 Truncated incorrect CHAR(2) value: 'x_Y %'",
		"DAY(S)":                  "1292 Incorrect datetime value: 'x_Y %'",
		"CAST(T AS DECIMAL(2,0))": "1264 Out of range value for column 'cast(`T` as decimal(2,0))' at row 1",
		"BYTES_TO_LONG(K)":        "1292 Incorrect LONG value: 1 byte(s) 'B'",
		"JSON_LENGTH(S)":          "3141 Invalid JSON text: 'x_Y %'",
		"DATE_ADD('9999-12-31', INTERVAL T MONTH)": "1441 Datetime function: datetime field overflow",
	} {
		got = nil
		_, err := bound(t, text).Eval(env)
		require.NoError(t, err, text)
		require.Equal(t, []string{want}, got, text)

		_, err = bound(t, text).Eval(&expr.Env{Row: env.Row, Env: function.Env{Strict: true}})
		require.Error(t, err, "strict: %s", text)
	}
	got = nil
	_, err := bound(t, "T + K + '12' + ' 5 '").Eval(&expr.Env{Row: oracleValues()[5], Env: function.Env{Session: session}})
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestLiteralsAreFolded(t *testing.T) {
	for _, text := range []string{"1 + 2 * 3", "CONCAT('a', 'b')", "IF(1, 'a', 'b')", "'a' = 'A'", "(1, 2) IN ((1, 2))", "DATE '2020-01-01' + INTERVAL 1 DAY", "NOT NULL"} {
		require.IsType(t, &expr.Const{}, bound(t, text), text)
	}
	for _, text := range []string{"RAND()", "RAND(3)", "NOW()", "DATABASE()", "@x", "9223372036854775807 + 1", "'abc' + 1", "1 / 0", "UUID()", "? + 1", "T"} {
		_, folded := bound(t, text).(*expr.Const)
		require.False(t, folded, text)
	}
}

func TestFold(t *testing.T) {
	env := &expr.Env{Params: []value.Value{value.NewString("user"), value.NewInt(2)}, Env: function.Env{Session: testSession()}}
	n := expr.Fold(bound(t, "K = CONCAT(?, '1') AND T > ? + 1 AND RAND() > 2 AND T / 0 IS NULL"), env)
	require.Equal(t, "((`K` = 'user1') and (`T` > 3) and (rand() > 2) and ((`T` / 0) is null))", expr.Print(n))
	require.Equal(t, "'test'", expr.Print(expr.Fold(bound(t, "DATABASE()"), env)))
}

func TestIsConst(t *testing.T) {
	for text, want := range map[string]bool{"1": true, "? + 1": true, "NOW()": true, "RAND()": false, "T": false, "CONCAT(?, K)": false, "@@x": true, "@x": false} {
		require.Equal(t, want, expr.IsConst(bound(t, text)), text)
	}
}

// TestRewriteKeepsMeaning rebuilds expressions of several forms.
func TestRewriteKeepsMeaning(t *testing.T) {
	for _, text := range []string{
		"K = 'a' AND T > 1 OR NOT V IS NULL", "K IN ('a', S)", "(K, T) IN (('a', 1), (V, 2))", "T BETWEEN ? AND D", "K LIKE S ESCAPE '|'", "K NOT REGEXP S",
		"CASE T WHEN 1 THEN K ELSE S END", "CASE WHEN T THEN K END", "-T + ~D", "CAST(K AS CHAR(2))", "S COLLATE utf8mb4_bin", "CONCAT(K, S)", "K IS TRUE",
		"T XOR D", "DATE_ADD(S, INTERVAL T DAY)", "(K, T) = (V, D)",
	} {
		n := bound(t, text)
		swapped := expr.Rewrite(n, func(n expr.Node) expr.Node {
			if c, ok := n.(*expr.Column); ok {
				moved := *c
				return &moved
			}
			return n
		})
		require.NotSame(t, n, swapped)
		require.Equal(t, expr.Print(n), expr.Print(swapped))
		require.Equal(t, n.Type(), swapped.Type())
		env := &expr.Env{Row: oracleValues()[0], Params: []value.Value{value.NewInt(0)}}
		want, err := n.Eval(env)
		require.NoError(t, err, text)
		got, err := swapped.Eval(env)
		require.NoError(t, err)
		require.Equal(t, want.String(), got.String(), text)
		require.Same(t, n, expr.Rewrite(n, func(n expr.Node) expr.Node { return n }), "nothing changed")
	}
}

func TestParams(t *testing.T) {
	n := bound(t, "T = ? AND S LIKE ? AND COALESCE(?, V) = 5")
	env := &expr.Env{Row: oracleValues()[0], Params: []value.Value{value.NewString("1"), value.NewString("a%"), value.NewFloat(5)}}
	holds, err := expr.Holds(n, env)
	require.NoError(t, err)
	require.True(t, holds)
	_, err = n.Eval(&expr.Env{Row: env.Row})
	require.True(t, mysqlerr.Is(err, mysqlerr.WrongArguments))
}

func TestClock(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	session := testSession()
	session.Now = time.Date(2024, 2, 29, 23, 30, 15, 123456789, zone)
	env := &expr.Env{Env: function.Env{Session: session}}
	for text, want := range map[string]string{
		"NOW()": "2024-02-29 23:30:15", "NOW(3)": "2024-02-29 23:30:15.123", "CURRENT_TIMESTAMP(6)": "2024-02-29 23:30:15.123456", "UTC_TIMESTAMP()": "2024-02-29 21:30:15",
		"CURDATE()": "2024-02-29", "CURRENT_DATE": "2024-02-29", "CURTIME(1)": "23:30:15.1", "UTC_TIME()": "21:30:15", "UTC_DATE()": "2024-02-29",
		"UNIX_TIMESTAMP()": "1709242215", "UNIX_TIMESTAMP('2024-02-29 23:30:15')": "1709242215", "FROM_UNIXTIME(1709242215)": "2024-02-29 23:30:15",
		"NOW() + INTERVAL 1 DAY": "2024-03-01 23:30:15", "LOCALTIME": "2024-02-29 23:30:15", "DATE(NOW())": "2024-02-29", "NOW() + 0": "20240229233015",
		"CAST(TIME '01:00:00' AS DATETIME)": "2024-02-29 01:00:00",
	} {
		v, err := bound(t, text).Eval(env)
		require.NoError(t, err)
		require.Equal(t, want, v.String(), text)
	}
	_, err := bindText("NOW(7)")
	require.True(t, mysqlerr.Is(err, mysqlerr.TooBigPrecision))
}

func TestSessionFunctions(t *testing.T) {
	session := testSession()
	variables := map[string]value.Value{}
	session.UserVariable = func(name string) value.Value { return variables[name] }
	session.SetUserVariable = func(name string, v value.Value) error {
		variables[name] = v
		return nil
	}
	session.SetLastInsertID = func(id int64) { session.LastInsertID = id }
	session.Variable = func(scope, name string) (value.Value, error) { return value.NewString(scope + "/" + name), nil }
	env := &expr.Env{Env: function.Env{Session: session}}
	for _, step := range [][2]string{
		{"@Count := 5", "5"}, {"@count + 1", "6"}, {"@count := @count + 1", "6"}, {"@nosuch", "NULL"}, {"LAST_INSERT_ID(42)", "42"}, {"LAST_INSERT_ID()", "42"},
		{"@@session.sql_mode", "session/sql_mode"}, {"@@Version_Comment", "/version_comment"},
	} {
		v, err := bound(t, step[0]).Eval(env)
		require.NoError(t, err)
		require.Equal(t, step[1], v.String(), step[0])
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := bound(t, "SLEEP(100)").Eval(&expr.Env{Env: function.Env{Ctx: ctx}})
	require.Equal(t, context.Canceled, err)
}

func TestSeededRandGoesOnFromRowToRow(t *testing.T) {
	n := bound(t, "RAND(3)")
	env := &expr.Env{}
	first, err := n.Eval(env)
	require.NoError(t, err)
	second, err := n.Eval(env)
	require.NoError(t, err)
	require.InDelta(t, 0.9057697559760601, first.Float(), 1e-12)
	require.InDelta(t, 0.37307905813034536, second.Float(), 1e-12)
}

func TestGeneralCollationFindsAndFolds(t *testing.T) {
	for text, want := range map[string]string{
		"'ÀÉ' = 'ae'": "1", "UPPER('ñß')": "Ñß", "LOWER('ÇŒ')": "çœ", "'ÄÖ' LIKE 'a_'": "1", "INSTR('xÄy', 'ä')": "2", "'Ж' = 'ж'": "1", "'Σ' = 'ς'": "1",
		"FIELD('É', 'x', 'e')": "2", "FIND_IN_SET('É', 'x,e')": "2", "'Æ' = 'AE'": "0", "STRCMP('z', 'Å')": "1",
	} {
		v, err := bound(t, text).Eval(&expr.Env{})
		require.NoError(t, err)
		require.Equal(t, want, v.String(), text)
	}
}

func Example() {
	b, err := bindText("CONCAT('row ', T + 1)") // a Binder with a Scope of columns
	if err != nil {
		panic(err)
	}
	v, err := b.node.Eval(&expr.Env{Row: []value.Value{{}, value.NewInt(41)}})
	fmt.Println(v, b.node.Type().Kind, err)
	// Output: row 42 VARCHAR <nil>
}
