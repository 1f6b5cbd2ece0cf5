package sqlfront_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestRecorded runs what ORMs, tools and clients were recorded to send to a MySQL server, each sequence in
// its own session on fresh tables. A case is
//
//	run [tables=n] [seed=t]
//
// with statements between lines of ";;", each of which may end with a line "args" with the arguments that
// were recorded. n tables exist, and seed is T of a row k1, q1. After "==" is what the first table has after
// writes. What the server cannot do is an error in the expected output: the files show that nothing is
// misunderstood.
func TestRecorded(t *testing.T) { testRecorded(t, (*sqlfront.Engine).ShareNothing) }

// TestRecordedShared is TestRecorded with shared plans.
func TestRecordedShared(t *testing.T) { testRecorded(t, (*sqlfront.Engine).ShareAtOnce) }

func testRecorded(t *testing.T, share func(*sqlfront.Engine)) {
	datadriven.Walk(t, "testdata/recorded", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, c *datadriven.TestData) string {
			tables, seed := 2, "-5"
			c.MaybeScanArgs(t, "tables", &tables)
			c.MaybeScanArgs(t, "seed", &seed)
			e := newEngine(t)
			share(e)
			s := recordedDatabase(t, e, tables, seed)
			var out strings.Builder
			for i, text := range strings.Split(c.Input, "\n;;\n") {
				if i > 0 {
					out.WriteString("--\n")
				}
				sql, args, _ := strings.Cut(text, "\nargs ")
				out.WriteString(recordedAnswer(s, sql, recordedArgs(t, args)))
			}
			if strings.Contains(out.String(), "rows affected") {
				out.WriteString("==\n" + stored(s))
			}
			require.NoError(t, s.Close())
			return out.String()
		})
	})
}

func recordedDatabase(t testing.TB, e *sqlfront.Engine, tables int, seed string) *sqlfront.Session {
	s := newSession(t, e, "a")
	mustExec(t, s, "CREATE DATABASE hb")
	mustExec(t, s, "USE hb")
	for i := range tables {
		name := "htable1$family" + strconv.Itoa(i+1)
		mustExec(t, s, "CREATE TABLE "+name+" (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1024), PRIMARY KEY (K, Q, T))")
		if i == 0 {
			mustExec(t, s, "INSERT INTO "+name+" VALUES ('k1', 'q1', "+seed+", 'v0'), ('k1', 'q2', 3, 'v2'), ('k2', 'q1', -20, NULL)")
		}
	}
	return s
}

var recordedArg = regexp.MustCompile(`^(text|bytes)? ?("(?:[^"\\]|\\.)*"|[-\w]+)(?:, )?`)

func recordedArgs(t testing.TB, list string) []value.Value {
	var out []value.Value
	for list != "" {
		m := recordedArg.FindStringSubmatch(list)
		require.NotNil(t, m, list)
		list = list[len(m[0]):]
		text, _ := strconv.Unquote(m[2]) // empty for text that is not quoted
		switch {
		case m[1] == "text":
			out = append(out, value.NewString(text))
		case m[1] == "bytes":
			out = append(out, value.NewBytes([]byte(text)))
		case m[2] == "NULL":
			out = append(out, value.Value{})
		case m[2] == "true", m[2] == "false":
			out = append(out, value.NewBool(m[2] == "true"))
		default:
			n, err := strconv.ParseInt(m[2], 10, 64)
			require.NoError(t, err)
			out = append(out, value.NewInt(n))
		}
	}
	return out
}

// recordedAnswer is like answer, but prints only a few rows.
func recordedAnswer(s *sqlfront.Session, sql string, args []value.Value) string {
	const rowsShown = 4
	st, err := s.Prepare(context.Background(), sql)
	if err != nil {
		return printError(err)
	}
	if !givesRows(comment.ReplaceAllString(sql, "")) {
		r, err := s.Exec(context.Background(), st, args)
		if err != nil {
			return printError(err)
		}
		return fmt.Sprintf("%d rows affected\n", r.RowsAffected)
	}
	rows, err := s.Query(context.Background(), st, args)
	if err != nil {
		return printError(err)
	}
	lines := strings.Split(strings.TrimSuffix(volatile(printRows(rows)), "\n"), "\n")
	if len(lines) > rowsShown+1 && !strings.Contains(lines[0], "Create") {
		lines = append(lines[:rowsShown+1], "(and more)")
	}
	return strings.Join(lines, "\n") + "\n"
}

// stored returns every version that the first table has at the end, and nothing if there is no such table.
func stored(s *sqlfront.Session) string {
	_ = answer(s, "COMMIT")
	text := answer(s, "SELECT /*+ VERSIONS(ALL) */ * FROM hb.htable1$family1 ORDER BY K, Q, T DESC")
	if strings.HasPrefix(text, "ERROR 1146") {
		return ""
	}
	return volatile(text)
}

var (
	comment   = regexp.MustCompile(`^(-- .*\n)+`)
	clockTime = regexp.MustCompile(`\b1[6-9]\d{11}\b`)
	dateTime  = regexp.MustCompile(`\b20\d\d-\d\d-\d\d( \d\d:\d\d:\d\d)?`)
)

// volatile hides what depends on the clock.
func volatile(text string) string {
	zone, _ := time.Now().Zone()
	text = strings.ReplaceAll(text, "| "+zone+" |", "| ZONE |")
	return dateTime.ReplaceAllString(clockTime.ReplaceAllString(text, "CLOCK"), "TIME")
}
