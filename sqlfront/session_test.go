package sqlfront_test

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testgc"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func TestMain(m *testing.M) {
	testgc.Seldom()
	m.Run()
}

// TestSession runs the scripts of testdata/session, each on its own store, which has the database "d". A case
// is
//
//	run [session=a]
//
// with statements, whose answers are their rows, the number of rows that they changed, or their errors.
// Sessions are opened when they are first named; "ro" is read-only, "all" shows all versions, "found" counts
// found rows.
func TestSession(t *testing.T) { testSession(t, (*sqlfront.Engine).ShareNothing) }

// TestSessionShared is TestSession with shared plans.
func TestSessionShared(t *testing.T) { testSession(t, (*sqlfront.Engine).ShareAtOnce) }

func testSession(t *testing.T, share func(*sqlfront.Engine)) {
	datadriven.Walk(t, "testdata/session", func(t *testing.T, path string) {
		e := newEngine(t)
		share(e)
		sessions := map[string]*sqlfront.Session{}
		datadriven.RunTest(t, path, func(t *testing.T, c *datadriven.TestData) string {
			name := "a"
			c.MaybeScanArgs(t, "session", &name)
			if sessions[name] == nil {
				sessions[name] = newSession(t, e, name)
			}
			switch c.Cmd {
			case "run":
				return runScript(sessions[name], c.Input)
			case "reset":
				sessions[name].Reset()
				return ""
			}
			c.Fatalf(t, "unknown command %s", c.Cmd)
			return ""
		})
		for _, s := range sessions {
			require.NoError(t, s.Close())
		}
	})
}

func newEngine(t testing.TB) *sqlfront.Engine {
	e := sqlfront.NewEngine(kvtest.NewModel())
	require.NoError(t, e.EnsureDatabase(context.Background(), "d"))
	return e
}

func newSession(t testing.TB, e *sqlfront.Engine, name string) *sqlfront.Session {
	o := sqlfront.SessionOptions{Database: "d", ReadOnly: name == "ro", ClientFoundRows: name == "found", LockTimeout: 50 * time.Millisecond}
	if name == "all" {
		o.Versions = "all"
	}
	s, err := e.NewSession(context.Background(), o)
	require.NoError(t, err)
	return s
}

func runScript(s *sqlfront.Session, script string) string {
	var out strings.Builder
	for i, text := range strings.Split(script, ";\n") {
		if i > 0 {
			out.WriteString("--\n")
		}
		out.WriteString(answer(s, text))
	}
	return out.String()
}

// answer runs one statement and prints its result.
func answer(s *sqlfront.Session, sql string, args ...value.Value) string {
	ctx := context.Background()
	st, err := s.Prepare(ctx, sql)
	if err != nil {
		return printError(err)
	}
	if !givesRows(sql) {
		r, err := s.Exec(ctx, st, args)
		if err != nil {
			return printError(err)
		}
		return fmt.Sprintf("%d rows affected\n", r.RowsAffected)
	}
	rows, err := s.Query(ctx, st, args)
	if err != nil {
		return printError(err)
	}
	return printRows(rows)
}

var changes = regexp.MustCompile(`(?i)^\s*(INSERT|REPLACE|UPDATE|DELETE|WITH\b.*\) (UPDATE|DELETE))\b`)

func givesRows(sql string) bool { return !changes.MatchString(sql) }

func printError(err error) string {
	if e, ok := err.(*mysql.MySQLError); ok {
		return fmt.Sprintf("ERROR %d (%s): %s\n", e.Number, e.SQLState, e.Message)
	}
	return fmt.Sprintf("error: %v\n", err)
}

func printRows(rows sqlfront.Rows) string {
	var out strings.Builder
	var names []string
	for _, c := range rows.Columns() {
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		names = []string{"ok"}
	}
	out.WriteString(strings.Join(names, " | ") + "\n")
	for {
		row, err := rows.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			out.WriteString(printError(err))
			break
		}
		var parts []string
		for _, v := range row {
			parts = append(parts, shown(v))
		}
		out.WriteString(strings.TrimRight(strings.Join(parts, " | "), " ") + "\n")
	}
	if err := rows.Close(); err != nil {
		out.WriteString("closing: " + printError(err))
	}
	return out.String()
}

// shown is a value, with unprintable bytes in hex.
func shown(v value.Value) string {
	if v.IsNull() {
		return "NULL"
	}
	text := v.String()
	unreadable := func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' || r == utf8.RuneError }
	if strings.ContainsFunc(text, unreadable) {
		return fmt.Sprintf("0x%X", text)
	}
	return text
}
