package driver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// The driver's contract is that of github.com/go-sql-driver/mysql: the same Go
// program runs with both drivers, and writes down what it observes. What it
// writes with go-sql-driver/mysql on a live MariaDB is recorded, in a file per
// program.

// program is Go code that runs with both drivers.
type program struct {
	name string
	run  func(w *witness)
	// differs are MariaDB's lines that differ in hbasekv, with the reason.
	differs []deviation
}

// deviation is an intended difference: MariaDB's line and this driver's.
type deviation struct{ mariadb, hbasekv, why string }

// witness is what a program uses: a way to open databases, and a page on which
// it writes.
type witness struct {
	testing.TB
	// source returns a database's driver and DSN, to which it appends
	// parameters.
	source func(parameters string) (driver, dsn string)
	page   strings.Builder
}

// contractTable is the table that each program finds, empty.
const contractTable = "CREATE TABLE c (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024), PRIMARY KEY (K, Q, T))"

// open opens a database with the empty table c.
func (w *witness) open(parameters string) *sql.DB {
	w.Helper()
	if parameters != "" {
		w.note("open %s", parameters)
		parameters = "&" + parameters
	}
	db, err := sql.Open(w.source(harness.CommonParameters + parameters))
	require.NoError(w, err)
	w.Cleanup(func() { require.NoError(w, db.Close()) })
	for _, s := range []string{"DROP TABLE IF EXISTS c", contractTable} {
		_, err := db.Exec(s)
		require.NoError(w, err)
	}
	return db
}

// single is open with a pool of one connection.
func (w *witness) single(parameters string) *sql.DB {
	w.Helper()
	db := w.open(parameters)
	db.SetMaxOpenConns(1)
	return db
}

// fails opens a database for which that must fail.
func (w *witness) fails(parameters string) {
	db, err := sql.Open(w.source(harness.CommonParameters + "&" + parameters))
	if err == nil {
		err = errors.Join(db.Ping(), db.Close())
	}
	if err == nil {
		w.note("open %s: works", parameters)
		return
	}
	w.note("open %s: %s", parameters, printError(err))
}

func (w *witness) note(format string, args ...any) {
	fmt.Fprintf(&w.page, format+"\n", args...)
}

// exec runs statements without arguments.
func (w *witness) exec(db harness.Execer, statements ...string) {
	for _, s := range statements {
		w.execArgs(db, s)
	}
}

func (w *witness) execArgs(db harness.Execer, query string, args ...any) {
	r, err := db.ExecContext(context.Background(), query, args...)
	if err != nil {
		w.note("%s%s: %s", query, printArgs(args), printError(err))
		return
	}
	n, err := r.RowsAffected()
	require.NoError(w, err)
	w.note("%s%s: %d rows affected", query, printArgs(args), n)
}

// query writes a query's rows, with their Go types.
func (w *witness) query(db harness.Execer, query string, args ...any) {
	w.note("%s%s: %s", query, printArgs(args), strings.Join(w.rows(db, query, args), " | "))
}

func (w *witness) rows(db harness.Execer, query string, args []any) (out []string) {
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return []string{printError(err)}
	}
	defer rows.Close()
	names, err := rows.Columns()
	require.NoError(w, err)
	out = append(out, strings.Join(names, ", "))
	cells, dest := make([]any, len(names)), make([]any, len(names))
	for i := range cells {
		dest[i] = &cells[i]
	}
	for rows.Next() {
		require.NoError(w, rows.Scan(dest...))
		line := make([]string, len(cells))
		for i, c := range cells {
			line[i] = printGo(c)
		}
		out = append(out, strings.Join(line, ", "))
	}
	if err := rows.Err(); err != nil {
		out = append(out, printError(err))
	}
	return out
}

// columns writes the types of a query's columns, and the Go types of its rows.
func (w *witness) columns(db harness.Execer, query string, args ...any) {
	label := strings.TrimSuffix(query, typedFrom) + printArgs(args)
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		w.note("%s: %s", label, printError(err))
		return
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	require.NoError(w, err)
	for _, c := range types {
		w.note("%s: %s", label, printColumn(c))
	}
}

func printColumn(c *sql.ColumnType) string {
	s := c.DatabaseTypeName()
	if precision, scale, ok := c.DecimalSize(); ok && s == "DECIMAL" {
		s += fmt.Sprintf("(%d,%d)", precision, scale)
	} else if ok && precision < math.MaxInt16 {
		s += fmt.Sprintf("(%d)", precision)
	}
	if nullable, ok := c.Nullable(); ok && !nullable {
		s += " NOT NULL"
	}
	return s + " " + c.ScanType().String()
}

func printArgs(args []any) string {
	var b strings.Builder
	for i, a := range args {
		b.WriteString([]string{" <- ", ", "}[min(i, 1)] + printGo(a))
	}
	return b.String()
}

// printGo is a value with its Go type.
func printGo(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []byte:
		return fmt.Sprintf("[]byte %q", v)
	case string:
		return fmt.Sprintf("%q", v)
	case time.Time:
		return "time " + v.Format("2006-01-02T15:04:05.999999999Z07:00 ") + v.Location().String()
	}
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Pointer && !rv.IsNil() {
		return "pointer to " + printGo(rv.Elem().Interface())
	}
	if _, ok := v.(sql.Out); ok {
		return "sql.Out"
	}
	return fmt.Sprintf("%T %v", v, v)
}

func printError(err error) string {
	if n := harness.ErrorNumber(err); n != math.MaxUint16 {
		return fmt.Sprintf("error %d", n)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err.Error()
	}
	return "refused"
}

// contractFile is the file in which a program's page is recorded.
func contractFile(name string) string { return filepath.Join("testdata/contract", name+".txt") }

// TestContract runs the programs and compares their pages with those of
// go-sql-driver/mysql; with -mariadb and -record it records those again.
func TestContract(t *testing.T) {
	server := contractServer(t)
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			if server != "" {
				page := runProgram(t, p, func(parameters string) (string, string) { return "mysql", server + parameters })
				if *harness.Record {
					require.NoError(t, os.MkdirAll("testdata/contract", 0o755))
					require.NoError(t, os.WriteFile(contractFile(p.name), []byte(page), 0o644))
				} else {
					comparePages(t, program{name: p.name}, recordedPage(t, p), page)
				}
			}
			page := runProgram(t, p, func(parameters string) (string, string) {
				return "hbasekv", "file::memory:?versions=all&" + parameters
			})
			comparePages(t, p, recordedPage(t, p), page)
		})
	}
}

// contractServer is the DSN of a database on the MariaDB server, with MySQL
// 5.7's sql_mode, to which parameters can be added; empty without a server.
func contractServer(t *testing.T) string {
	dsn := *harness.MariaDB
	switch dsn {
	case "":
		return ""
	case "start":
		dsn = harness.StartMariaDB(t)
	}
	server, _, _ := strings.Cut(dsn, "?")
	server = server[:strings.LastIndexByte(server, '/')+1]
	admin, err := sql.Open("mysql", server)
	require.NoError(t, err)
	defer admin.Close()
	require.Eventually(t, func() bool { return admin.Ping() == nil }, 60*time.Second, 200*time.Millisecond)
	_, err = admin.Exec("CREATE DATABASE IF NOT EXISTS contract")
	require.NoError(t, err)
	return server + "contract?sql_mode=%27ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE," +
		"ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION%27&"
}

func runProgram(t *testing.T, p program, source func(parameters string) (string, string)) string {
	w := &witness{TB: t, source: source}
	p.run(w)
	return w.page.String()
}

func recordedPage(t *testing.T, p program) string {
	page, err := os.ReadFile(contractFile(p.name))
	require.NoError(t, err)
	return string(page)
}

// comparePages fails the test if the lines differ in other ways than p lists.
func comparePages(t *testing.T, p program, recorded, page string) {
	t.Helper()
	want, got := strings.Split(recorded, "\n"), strings.Split(page, "\n")
	used := map[int]bool{}
	for i := range min(len(want), len(got)) {
		if want[i] == got[i] || want[i] == refused.ReplaceAllString(got[i], "${1}refused") {
			continue
		}
		if n := p.difference(want[i], got[i]); n >= 0 {
			used[n] = true
			continue
		}
		t.Errorf("line %d\n go-sql-driver on MariaDB: %s\n                  hbasekv: %s", i+1, want[i], got[i])
	}
	require.Len(t, got, len(want), "lines")
	for i, d := range p.differs {
		require.True(t, used[i], "the difference is none any more: %+v", d)
	}
}

// refused is an error of go-sql-driver/mysql itself, without the server. This
// driver has one of MySQL's numbers for it.
var refused = regexp.MustCompile("^(.*)error [0-9]+$")

// difference is the index of the listed difference between the lines, or -1.
func (p program) difference(mariadb, hbasekv string) int {
	for i, d := range p.differs {
		if wholly(d.mariadb, mariadb) && wholly(d.hbasekv, hbasekv) {
			return i
		}
	}
	return -1
}

func wholly(pattern, line string) bool {
	return regexp.MustCompile("^(?:" + pattern + ")$").MatchString(line)
}
