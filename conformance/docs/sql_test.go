package docs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
)

// docsSession is the session that runs a page's SQL on an in-memory store; its
// files are in the page's directory.
type docsSession struct{ conn *sql.Conn }

func newDocsSession(t *testing.T) *docsSession {
	t.Helper()
	conn, err := harness.OpenDB(t, ":memory:?fileDir=.&"+harness.CommonParameters).Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return &docsSession{conn: conn}
}

// run returns what the mysql command would show for each statement: result
// sets, affected rows, and errors, after which the next statement runs.
func (s *docsSession) run(t *testing.T, b block) string {
	t.Helper()
	statements, err := driver.SplitScript(b.text)
	require.NoError(t, err)
	var out strings.Builder
	for _, statement := range statements {
		text, err := s.statement(t.Context(), statement.Text)
		var known *mysql.MySQLError
		if errors.As(err, &known) {
			text = fmt.Sprintf("ERROR %d (%s): %s\n", known.Number, known.SQLState[:], known.Message)
		} else {
			require.NoError(t, err, statement.Text)
		}
		if text != "" && out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(text)
	}
	return out.String()
}

func (s *docsSession) statement(ctx context.Context, text string) (string, error) {
	word := strings.ToLower(strings.Fields(text)[0])
	if slices.Contains([]string{"insert", "replace", "update", "delete", "load"}, word) {
		result, err := s.conn.ExecContext(ctx, text)
		if err != nil {
			return "", err
		}
		n, err := result.RowsAffected()
		if n == 1 {
			return "1 row affected\n", err
		}
		return fmt.Sprintf("%d rows affected\n", n), err
	}
	rows, err := s.conn.QueryContext(ctx, text)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	return showRows(rows)
}

// showRows is a result set as a table; a single value of several lines is shown
// unchanged.
func showRows(rows *sql.Rows) (string, error) {
	types, err := rows.ColumnTypes()
	if err != nil || len(types) == 0 {
		return "", errors.Join(err, rows.Err())
	}
	head, right := make([]string, len(types)), make([]bool, len(types))
	for i, c := range types {
		head[i] = c.Name()
		name := c.DatabaseTypeName()
		right[i] = strings.HasSuffix(name, "INT") || name == "DOUBLE" || name == "DECIMAL"
	}
	table := [][]string{head}
	for rows.Next() {
		values, into := make([]any, len(types)), make([]any, len(types))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		line := make([]string, len(types))
		for i, v := range values {
			line[i] = shownValue(v)
		}
		table = append(table, line)
	}
	if err := rows.Err(); err != nil {
		return "", err
	}
	if len(table) == 1 {
		return "Empty set\n", nil
	}
	if last := table[1][len(head)-1]; len(table) == 2 && strings.Contains(last, "\n") {
		return strings.TrimRight(last, "\n") + "\n", nil
	}
	return frame(table, right), nil
}

func shownValue(v any) string {
	b, ok := v.([]byte)
	switch {
	case v == nil:
		return "NULL"
	case !ok:
		return fmt.Sprint(v)
	case !utf8.Valid(b) || strings.ContainsFunc(string(b), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }):
		return fmt.Sprintf("0x%X", b)
	}
	return string(b)
}

func frame(table [][]string, right []bool) string {
	widths := make([]int, len(right))
	for _, line := range table {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	rule := "+"
	for _, w := range widths {
		rule += strings.Repeat("-", w+2) + "+"
	}
	var b strings.Builder
	b.WriteString(rule + "\n")
	for n, line := range table {
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if right[i] {
				cell = pad + cell
			} else {
				cell += pad
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
		if n == 0 {
			b.WriteString(rule + "\n")
		}
	}
	b.WriteString(rule + "\n")
	return b.String()
}
