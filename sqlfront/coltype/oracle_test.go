package coltype_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The oracle of conversions is MariaDB, whose answers to the statements of a seed are recorded.
// HBASEKV_MARIADB is the DSN of a server, to compare another seed live, and to record.
var (
	oracleN = flag.Int("oracle.n", 3000, "number of values of the live comparison")
	record  = flag.Bool("record", false, "rewrite the recorded answers")
)

const (
	recorded     = "testdata/mariadb.txt"
	recordedSeed = 1
	recordedN    = 3000
)

// given is a value that is written: its literal, and the converted value.
type given struct {
	literal string
	value   value.Value
}

// question is one value written to a new column.
type question struct {
	declared string
	mode     mode
	given
}

func (q question) String() string { return q.mode.name + "\t" + q.declared + "\t" + q.literal }

// mode is an sql_mode.
type mode struct {
	name, sql string
	strict    bool
	dates     coltype.Dates
}

var modes = []mode{
	{"strict", "STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE", true, coltype.Dates{}},
	{"loose", "NO_ZERO_IN_DATE,NO_ZERO_DATE", false, coltype.Dates{}},
	{"zero", "STRICT_ALL_TABLES", true, coltype.Dates{Zero: true, ZeroIn: true}},
	{"none", "", false, coltype.Dates{Zero: true, ZeroIn: true}},
	{"invalid", "STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_ZERO_DATE", true, coltype.Dates{ZeroIn: true, Invalid: true}},
}

var zone = time.FixedZone("+05:30", 19800)

// now is the time at which the statements run, also on the oracle's clock.
var now = time.Date(2024, 2, 29, 13, 14, 15, 0, zone)

// convert describes the conversion of the value: the error, or the stored value and the warnings.
func (q question) convert(t *testing.T) string {
	c := column(t, q.declared)
	var said []string
	say := func(code uint16, message string) { said = append(said, fmt.Sprintf("%d %s", code, message)) }
	env := &function.Env{Strict: q.mode.strict, Ctx: context.Background(),
		Session: &function.Session{Now: now, AddWarning: say, AddNote: say}}
	v, err := c.Convert(&coltype.Writing{Env: env, Row: 1, Dates: q.mode.dates}, q.value)
	if err != nil {
		return "error " + errorText(err)
	}
	return shown(c.Type.Shown(v, zone), c.Type) + " | " + strings.Join(said, " | ")
}

// shown is a value as the oracle returns it.
func shown(v value.Value, t coltype.Type) string {
	switch {
	case v.IsNull():
		return "NULL"
	case t.Base == coltype.Bit:
		return strings.ToUpper(hex.EncodeToString(value.AppendBits(nil, t.Length, v.Uint())))
	}
	return strings.ToUpper(hex.EncodeToString(v.AsBytes()))
}

func errorText(err error) string {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", e.Number, e.Message)
}

// column is the x of CREATE TABLE t (x ...).
func column(t *testing.T, declared string) coltype.Column {
	t.Helper()
	c, err := define(declared)
	require.NoError(t, err, declared)
	return c
}

func define(declared string) (coltype.Column, error) {
	parsed, err := parse.Parse("CREATE TABLE t (x " + declared + ")")
	if err != nil {
		return coltype.Column{}, err
	}
	def := parsed.Stmt.(*ast.CreateTable).Columns[0]
	typ, err := coltype.Of(&def, schema.Text{})
	return coltype.NewColumn(def.Name, typ, def.NotNull), err
}

// ask returns MariaDB's answer.
func (q question) ask(db *sql.DB) string {
	ctx := context.Background()
	ignore := ""
	if strings.Contains(q.declared, "NOT NULL") && q.value.IsNull() && !q.mode.strict {
		ignore = "IGNORE " // otherwise a single row of NULL is an error
	}
	if _, err := db.ExecContext(ctx, "SET sql_mode = '"+q.mode.sql+",TIME_ROUND_FRACTIONAL'"); err != nil {
		return errorText(err)
	}
	_, err := db.ExecContext(ctx, "INSERT "+ignore+"INTO c VALUES ("+q.literal+")")
	if err != nil {
		return "error " + withoutTable(errorText(err))
	}
	said := warnings(db)
	var stored sql.NullString
	const asBytes = "SELECT HEX(CONCAT(x)) FROM c"
	if err = db.QueryRowContext(ctx, asBytes).Scan(&stored); err != nil {
		return errorText(err)
	}
	if !stored.Valid {
		stored.String = "NULL"
	}
	if _, err = db.ExecContext(ctx, "DELETE FROM c"); err != nil {
		return errorText(err)
	}
	return stored.String + " | " + strings.Join(said, " | ")
}

func warnings(db *sql.DB) (out []string) {
	rows, err := db.Query("SHOW WARNINGS")
	if err != nil {
		return []string{err.Error()}
	}
	defer rows.Close()
	for rows.Next() {
		var level, code, message string
		if err := rows.Scan(&level, &code, &message); err != nil {
			return []string{err.Error()}
		}
		out = append(out, code+" "+withoutTable(message))
	}
	return out
}

var tableNames = regexp.MustCompile("`[^`]*`\\.`[^`]*`\\.`([^`]*)`")

// withoutTable is a message with only the column's name, as in MySQL.
func withoutTable(message string) string { return tableNames.ReplaceAllString(message, "'$1'") }

func oracle(t *testing.T) *sql.DB {
	dsn := os.Getenv("HBASEKV_MARIADB")
	if dsn == "" {
		return nil
	}
	db, err := sql.Open("mysql", dsn)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, q := range []string{"SET NAMES utf8mb4 COLLATE utf8mb4_general_ci", "SET time_zone = '+05:30'",
		"SET explicit_defaults_for_timestamp = 1",
		fmt.Sprintf("SET timestamp = %d", now.Unix()),
		"CREATE DATABASE IF NOT EXISTS hbasekv_coltype DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
		"USE hbasekv_coltype"} {
		_, err := db.Exec(q)
		require.NoError(t, err, q)
	}
	return db
}

// TestConvertLikeMariaDB converts the values of a seed as MariaDB does.
func TestConvertLikeMariaDB(t *testing.T) {
	db := oracle(t)
	if db == nil {
		t.Skip("HBASEKV_MARIADB names no MariaDB")
	}
	if *record {
		recordAnswers(t, db)
		return
	}
	compared, differ := 0, map[string]int{}
	eachAnswer(t, db, testseed.Of(t), *oracleN, func(q question, want string) {
		compared++
		compare(t, q, want, differ)
	})
	t.Logf("%d values compared; known differences: %v", compared, differ)
}

func compare(t *testing.T, q question, want string, differ map[string]int) {
	got := q.convert(t)
	if got == want {
		return
	}
	if known := difference(q, want, got); known != "" {
		differ[known]++
		return
	}
	t.Errorf("%s\n MariaDB: %s\n hbasekv: %s", q, want, got)
}

// eachAnswer asks MariaDB to convert the values of a seed.
func eachAnswer(t *testing.T, db *sql.DB, seed uint64, n int, do func(q question, want string)) {
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	const perColumn = 20
	for range n / perColumn {
		declared := g.column()
		_, err := db.Exec("SET sql_mode = ''")
		require.NoError(t, err)
		_, err = db.Exec("CREATE OR REPLACE TEMPORARY TABLE c (x " + declared + ") ENGINE=MyISAM")
		require.NoError(t, err, declared)
		c := column(t, declared)
		for range perColumn {
			q := question{declared, modes[g.IntN(len(modes))], g.given(c.Type)}
			do(q, q.ask(db))
		}
	}
}

func recordAnswers(t *testing.T, db *sql.DB) {
	var b strings.Builder
	eachAnswer(t, db, recordedSeed, recordedN, func(q question, want string) {
		fmt.Fprintf(&b, "%s\n%s\n", strconv.Quote(q.String()), strconv.Quote(want))
	})
	require.NoError(t, os.WriteFile(recorded, []byte(b.String()), 0o644))
}

// TestConvertRecorded converts the recorded values as MariaDB did.
func TestConvertRecorded(t *testing.T) {
	f, err := os.Open(recorded)
	require.NoError(t, err)
	defer f.Close()
	lines, compared, differ := bufio.NewScanner(f), 0, map[string]int{}
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text := lines.Text()
		require.True(t, lines.Scan())
		want, err := strconv.Unquote(lines.Text())
		require.NoError(t, err)
		compare(t, readQuestion(t, text), want, differ)
		compared++
	}
	require.NoError(t, lines.Err())
	require.Greater(t, compared, recordedN*9/10)
	t.Logf("%d values compared; known differences: %v", compared, differ)
}

func readQuestion(t *testing.T, text string) question {
	text, err := strconv.Unquote(text)
	require.NoError(t, err)
	part := strings.Split(text, "\t")
	require.Len(t, part, 3)
	q := question{declared: part[1], given: given{part[2], readLiteral(t, part[2])}}
	for _, m := range modes {
		if m.name == part[0] {
			q.mode = m
		}
	}
	return q
}
