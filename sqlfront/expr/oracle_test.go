package expr_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The tests of this package evaluate expressions over the rows of one table, which also exists in MariaDB.
// HBASEKV_MARIADB is the DSN of a server, for recording and for live comparison; otherwise the recorded
// answers are used.
const oracleEnv = "HBASEKV_MARIADB"

// oracleColumns and oracleRows are the table o.
var oracleColumns = []struct {
	name, ddl string
	typ       value.Type
}{
	{"K", "varbinary(64)", value.Type{Kind: value.Bytes, Nullable: true}},
	{"T", "bigint", value.Type{Kind: value.Int, Nullable: true}},
	{"V", "varbinary(64)", value.Type{Kind: value.Bytes, Nullable: true}},
	{"S", "varchar(64)", value.Type{Kind: value.Text, Nullable: true}},
	{"D", "decimal(20,4)", value.Type{Kind: value.Decimal, Decimals: 4, Length: 22, Nullable: true}},
	{"F", "double", value.Type{Kind: value.Float, Nullable: true}},
}

var oracleRows = [][]string{
	{"'a'", "1", "'12'", "'Abc'", "1.5000", "2.5e0"},
	{"X'00FF'", "-9223372036854775808", "NULL", "''", "-7.0000", "-1e0"},
	{"'user1'", "9007199254740993", "'9007199254740992'", "'9007199254740992'", "0.0000", "0e0"},
	{"''", "0", "X'61FF62'", "'a '", "NULL", "1e30"},
	{"'B'", "9223372036854775807", "'3.5x'", "'x_Y %'", "1234567890123456.7891", "NULL"},
	{"'10'", "NULL", "'1e3'", "NULL", "-0.0001", "0.1e0"},
}

// evalRows is the result of the expression for each row of o, in the form of the oracle's answers; with
// aggregates, for all rows together.
func evalRows(text string) string {
	b, err := bindText(text)
	if err != nil {
		return errorText(err)
	}
	env := &expr.Env{Env: function.Env{Session: testSession(), Ctx: context.Background()}}
	rows := [][]value.Value{nil}
	if b.aggregates != nil {
		if rows, err = b.aggregate(env); err != nil {
			return errorText(err)
		}
	} else if b.readsColumns() {
		rows = oracleValues()
	}
	var out []string
	for _, row := range rows {
		env.Row = row
		v, err := b.node.Eval(env)
		if err != nil {
			return errorText(err)
		}
		out = append(out, showValue(v))
	}
	return answer(kindOf(b.node.Type()), out)
}

// boundText is an expression in which the results of aggregates are columns.
type boundText struct {
	node       expr.Node
	aggregates []*setfunc.Aggregate
}

// aggregate runs the aggregates over all rows, in two halves that are merged if possible.
func (b *boundText) aggregate(env *expr.Env) ([][]value.Value, error) {
	var results []value.Value
	for _, agg := range b.aggregates {
		state, second := aggregate.NewState(agg, &aggregate.Memory{}), aggregate.NewState(agg, &aggregate.Memory{})
		for i, row := range oracleValues() {
			env.Row = row
			if i == 3 && agg.Combinable() {
				state, second = second, state
			}
			if err := state.Add(env); err != nil {
				return nil, err
			}
		}
		if agg.Combinable() {
			if err := second.Combine(state); err != nil {
				return nil, err
			}
			state = second
		}
		v, err := state.Result()
		if err != nil {
			return nil, err
		}
		results = append(results, v)
	}
	return [][]value.Value{results}, nil
}

func (b *boundText) readsColumns() bool {
	found := false
	expr.Columns(b.node, func(*expr.Column) { found = true })
	return found
}

// answer is the kind followed by the rows' values; the kind is omitted if there is no value.
func answer(kind string, rows []string) string {
	for _, row := range rows {
		if row != "NULL" {
			return kind + " " + strings.Join(rows, " | ")
		}
	}
	return strings.Join(rows, " | ")
}

// testSession has the time zone in which MariaDB answered, whatever the machine's.
func testSession() *function.Session {
	return &function.Session{Database: "test", User: "root@localhost", CurrentUser: "root@localhost", Version: "5.7.25-hbasekv",
		Clock: func() time.Time { return time.Now().UTC() }}
}

func bindText(text string) (*boundText, error) {
	p, err := parse.Parse("SELECT " + text)
	if err != nil {
		return nil, err
	}
	s, ok := p.Stmt.(*ast.Select)
	if !ok {
		return nil, errors.New("no SELECT")
	}
	item, ok := s.Node.(*sqlparser.Select).SelectExprs[0].(*ast.Item)
	if !ok {
		return nil, errors.New("no expression")
	}
	out := &boundText{}
	b := &bind.Binder{Scope: oracleScope{}, Agg: func(a *setfunc.Aggregate) (expr.Node, error) {
		out.aggregates = append(out.aggregates, a)
		return &expr.Column{Index: len(out.aggregates) - 1, Name: expr.Print(a), T: a.Type()}, nil
	}}
	out.node, err = b.Bind(item.Expr)
	return out, err
}

type oracleScope struct{}

func (oracleScope) Resolve(_, name string) (expr.Node, error) {
	for i, c := range oracleColumns {
		if strings.EqualFold(c.name, name) {
			return &expr.Column{Index: i, Name: c.name, T: c.typ}, nil
		}
	}
	return nil, mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'field list'", name)
}

var oracleRowValues [][]value.Value

func oracleValues() [][]value.Value {
	if oracleRowValues == nil {
		for _, row := range oracleRows {
			var values []value.Value
			for i, text := range row {
				n, err := bindText(text)
				if err != nil {
					panic(err)
				}
				v, _ := n.node.Eval(&expr.Env{})
				values = append(values, value.Coerce(v, oracleColumns[i].typ))
			}
			oracleRowValues = append(oracleRowValues, values)
		}
	}
	return oracleRowValues
}

func errorText(err error) string {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return fmt.Sprintf("error %d", e.Number)
	}
	return "error " + err.Error()
}

// showValue writes doubles with 14 digits, which are the same on different machines.
func showValue(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "NULL"
	case value.Float:
		f, _ := value.ParseFloat(v.AsBytes()) // with the printed digits
		return showFloat(f)
	case value.Int, value.Uint, value.Decimal:
		return v.String()
	}
	return strconv.Quote(v.String())
}

func showFloat(f float64) string {
	text := strconv.FormatFloat(f, 'g', 14, 64)
	if text == "-0" {
		return "0"
	}
	return text
}

func kindOf(t value.Type) string {
	switch t.Kind {
	case value.Int:
		return "int"
	case value.Uint:
		return "uint"
	case value.Float:
		return "double"
	case value.Decimal:
		return "decimal"
	case value.Text, value.JSON:
		return "text"
	case value.Bytes:
		return "bytes"
	}
	return strings.ToLower(t.Kind.String())
}

var oracleKinds = map[string]string{
	"INT": "int", "BIGINT": "int", "TINYINT": "int", "SMALLINT": "int", "MEDIUMINT": "int", "YEAR": "int",
	"UNSIGNED INT": "uint", "UNSIGNED BIGINT": "uint", "DECIMAL": "decimal", "DOUBLE": "double", "FLOAT": "double",
	"VARCHAR": "text", "CHAR": "text", "TEXT": "text", "LONGTEXT": "text", "MEDIUMTEXT": "text", "TINYTEXT": "text",
	"VARBINARY": "bytes", "BINARY": "bytes", "BLOB": "bytes", "LONGBLOB": "bytes", "MEDIUMBLOB": "bytes", "TINYBLOB": "bytes",
	"DATE": "date", "TIME": "time", "DATETIME": "datetime", "TIMESTAMP": "datetime", "NULL": "null",
}

// oracle is a connection to a MariaDB with the table o, or nil.
func oracle(t testing.TB) *sql.DB {
	dsn := os.Getenv(oracleEnv)
	if dsn == "" {
		return nil
	}
	db, err := sql.Open("mysql", dsn)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	setup := []string{"SET NAMES utf8mb4 COLLATE utf8mb4_general_ci", "SET time_zone = '+00:00'",
		"SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		"CREATE DATABASE IF NOT EXISTS hbasekv_expr DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "USE hbasekv_expr"}
	ddl := "CREATE TEMPORARY TABLE o (id int"
	for _, c := range oracleColumns {
		ddl += ", " + c.name + " " + c.ddl
	}
	setup = append(setup, ddl+")")
	for i, row := range oracleRows {
		setup = append(setup, fmt.Sprintf("INSERT INTO o VALUES (%d, %s)", i, strings.Join(row, ", ")))
	}
	for _, q := range setup {
		_, err := db.Exec(q)
		require.NoError(t, err, q)
	}
	return db
}

// askOracle is evalRows by MariaDB.
func askOracle(db *sql.DB, text string) string {
	from := ""
	b, err := bindText(text)
	switch {
	case err == nil && b.aggregates != nil:
		from = " FROM o"
	case err != nil || b.readsColumns():
		from = " FROM o ORDER BY id"
	}
	rows, err := db.Query("SELECT " + text + from)
	if err != nil {
		return errorText(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return errorText(err)
	}
	kind := oracleKinds[types[0].DatabaseTypeName()]
	var out []string
	for rows.Next() {
		var raw sql.RawBytes
		if err := rows.Scan(&raw); err != nil {
			return errorText(err)
		}
		out = append(out, showRaw(kind, raw))
	}
	if err := rows.Err(); err != nil {
		return errorText(err)
	}
	return answer(kind, out)
}

func showRaw(kind string, raw []byte) string {
	switch {
	case raw == nil:
		return "NULL"
	case kind == "double":
		f, _ := strconv.ParseFloat(string(raw), 64)
		return showFloat(f)
	case kind == "int" || kind == "uint" || kind == "decimal":
		return withoutNegativeZero(string(raw))
	}
	return strconv.Quote(string(raw))
}

// withoutNegativeZero normalizes -0, which MariaDB's DECIMAL has.
func withoutNegativeZero(number string) string {
	if strings.Trim(number, "-0.") == "" {
		return strings.TrimPrefix(number, "-")
	}
	return number
}
