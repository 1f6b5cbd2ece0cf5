package harness

import (
	"context"
	"database/sql"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// Querier is a database, a connection or a transaction.
type Querier interface {
	Execer
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// Must runs statements that must succeed.
func Must(t testing.TB, db Execer, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.ExecContext(context.Background(), s)
		require.NoError(t, err, s)
	}
}

// Affected runs a statement that must succeed, and returns its RowsAffected.
func Affected(t testing.TB, db Execer, query string, args ...any) int64 {
	t.Helper()
	r, err := db.ExecContext(context.Background(), query, args...)
	require.NoError(t, err, query)
	n, err := r.RowsAffected()
	require.NoError(t, err)
	return n
}

// Single returns the single value of a query; NULL is "NULL".
func Single(t testing.TB, db Querier, query string, args ...any) string {
	t.Helper()
	var s sql.NullString
	require.NoError(t, db.QueryRowContext(context.Background(), query, args...).Scan(&s), query)
	if !s.Valid {
		return "NULL"
	}
	return s.String
}

// Lines returns a query's rows, with a space between columns; NULL is "NULL".
func Lines(t testing.TB, db Execer, query string, args ...any) []string {
	t.Helper()
	out, err := TryLines(db, query, args...)
	require.NoError(t, err, query)
	return out
}

// TryLines is Lines, but returns the error.
func TryLines(db Execer, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	cells, into := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range cells {
		into[i] = &cells[i]
	}
	out := []string{}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		words := make([]string, len(cells))
		for i, c := range cells {
			if words[i] = c.String; !c.Valid {
				words[i] = "NULL"
			}
		}
		out = append(out, strings.Join(words, " "))
	}
	return out, rows.Err()
}

// NumberOf is MySQL's number of an error, 0 for nil.
func NumberOf(err error) uint16 {
	if err == nil {
		return 0
	}
	return ErrorNumber(err)
}

// RequireErrorNumber requires an error with MySQL's number.
func RequireErrorNumber(t testing.TB, number uint16, err error) {
	t.Helper()
	require.Equal(t, number, NumberOf(err), "%v", err)
}

// RequireErrorNumbers runs statements that must fail, each with its MySQL number.
func RequireErrorNumbers(t testing.TB, db Execer, numbers map[string]uint16) {
	t.Helper()
	for statement, number := range numbers {
		_, err := db.ExecContext(t.Context(), statement)
		require.Equal(t, number, NumberOf(err), "%s: %v", statement, err)
	}
}

// ErrorNumber is MySQL's number of an error, and math.MaxUint16 if it has none.
func ErrorNumber(err error) uint16 {
	if e, ok := err.(*mysql.MySQLError); ok {
		return e.Number
	}
	return math.MaxUint16
}

// PrintRows reads and closes the rows: each value is quoted, except NULL.
func PrintRows(rows *sql.Rows) ([][]string, error) {
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	cells := make([]sql.RawBytes, len(types))
	dest := make([]any, len(types))
	for i := range cells {
		dest[i] = &cells[i]
	}
	var out [][]string
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		line := make([]string, len(cells))
		for i, c := range cells {
			line[i] = printCell(c, types[i].DatabaseTypeName())
		}
		out = append(out, line)
	}
	return out, rows.Err()
}

// printCell prints doubles with 12 digits, because the last ones may depend on
// the order of additions, and everything else unchanged.
func printCell(c sql.RawBytes, typeName string) string {
	if c == nil {
		return "NULL"
	}
	if f, err := strconv.ParseFloat(string(c), 64); err == nil && typeName == "DOUBLE" {
		if f == 0 {
			return "0" // MariaDB's -0.0 is 0
		}
		return strconv.FormatFloat(f, 'g', 12, 64)
	}
	if typeName == "DECIMAL" && strings.Trim(string(c), "-0.") == "" {
		return strconv.Quote(strings.TrimPrefix(string(c), "-")) // MariaDB has a DECIMAL -0
	}
	if strings.HasSuffix(string(c), "838:59:59.999999") {
		return strconv.Quote(strings.Replace(string(c), ".999999", ".000000", 1)) // MySQL's longest TIME has no fraction
	}
	return strconv.Quote(string(c))
}

// DupEntry is the error of a duplicate key.
const DupEntry = 1062

// Execer is a database, a connection or a transaction.
type Execer interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

// DrainRows runs a statement and reads all its rows.
func DrainRows(db *sql.DB, statement string) error {
	rows, err := db.Query(statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// WarningCodes are the numbers of the last statement's warnings.
func WarningCodes(t testing.TB, db Execer) []string {
	out := []string{}
	for _, line := range Lines(t, db, "SHOW WARNINGS") {
		out = append(out, strings.Fields(line)[1])
	}
	return out
}
