// Package oracle has MariaDB's answers, recorded and live, and what is said of answers that differ.
package oracle

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// Answer is a database's answer: rows of printed values, or an error number.
type Answer struct {
	SQL     string     `json:"sql"`
	Ordered bool       `json:"ordered,omitempty"`
	Columns []string   `json:"columns,omitempty"`
	Types   []string   `json:"types,omitempty"`
	Rows    [][]string `json:"rows,omitempty"`
	Error   uint16     `json:"error,omitempty"`

	JSON []int `json:"-"` // columns of documents
}

// Ask runs a statement and prints its answer.
func Ask(db *sql.DB, g Generated) Answer {
	a := Answer{SQL: g.SQL, Ordered: g.Ordered}
	rows, err := db.Query(g.SQL)
	if err == nil {
		a.Rows, err = harness.PrintRows(rows)
	}
	if err != nil {
		a.Rows, a.Error = nil, harness.ErrorNumber(err)
	}
	if !a.Ordered {
		slices.SortFunc(a.Rows, slices.Compare)
	}
	return a
}

// Announce prepares a statement without running it: the next time, it uses the
// plan that it shares with others of its form.
func Announce(t *testing.T, db interface {
	PrepareContext(context.Context, string) (*sql.Stmt, error)
}, text string) {
	if prepared, err := db.PrepareContext(context.Background(), text); err == nil {
		require.NoError(t, prepared.Close())
	}
}

// AskAgain asks twice, so that the second answer uses the shared plan, and requires equal answers.
func AskAgain(t *testing.T, db *sql.DB, g Generated) Answer {
	t.Helper()
	first, again := Ask(db, g), Ask(db, g)
	require.Equal(t, first, again, g.SQL)
	return again
}

// Starless lists the columns of a star, which would otherwise include the
// generated column of the table that has one.
func Starless(sql string) string {
	return strings.Replace(sql, "SELECT * FROM", "SELECT K, Q, T, V FROM", 1)
}

// OutOfRange is the error of integer arithmetic, 1690. Which expressions are
// evaluated for which rows depends on the plan: MariaDB does not project rows
// that OFFSET drops, and knows that T + 1 is not NULL; hbasekv skips the second
// operand of an AND by other rules. So one side may fail while the other does
// not need the value. Such statements are counted, and must be few.
const OutOfRange = 1690

// Compare reports whether the answers agree; it fails the test if they differ
// in more than in when 1690 is raised.
func Compare(t *testing.T, label string, want, got Answer) bool {
	t.Helper()
	if got.Error == want.Error && slices.EqualFunc(got.Rows, want.Rows, slices.Equal) {
		return true
	}
	if (got.Error == OutOfRange) != (want.Error == OutOfRange) && (got.Error == 0 || want.Error == 0) {
		return false
	}
	t.Errorf("%s: %s\n MariaDB: %s\n hbasekv: %s", label, want.SQL, want.Print(), got.Print())
	return false
}

// Print is the answer for a message, truncated after some rows.
func (a Answer) Print() string {
	if a.Error != 0 {
		return fmt.Sprintf("error %d", a.Error)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows", len(a.Rows))
	for _, row := range a.Rows[:min(len(a.Rows), 12)] {
		b.WriteString(" | " + strings.Join(row, ", "))
	}
	return b.String()
}

// Unlisted says how answers differ, unless the page of differences lists the difference.
func Unlisted(want, got Answer) string {
	kind := Difference(want, got)
	if kind != "" && ListedClass(want, got) != "" {
		return ""
	}
	return kind
}

// Explain says how two answers differ.
func Explain(want, got Answer) string {
	return fmt.Sprintf("%s\n MariaDB: %q %v %s\n hbasekv: %q %v %s", want.SQL, want.Columns, want.Types, want.Print(), got.Columns, got.Types, got.Print())
}

// AskQuery is Ask with the names and kinds of the columns.
func AskQuery(db *sql.DB, text string, ordered bool) Answer {
	a := Answer{SQL: text, Ordered: ordered}
	rows, err := db.Query(text)
	if err == nil {
		types, _ := rows.ColumnTypes()
		for _, c := range types {
			a.Columns = append(a.Columns, c.Name())
			a.Types = append(a.Types, KindName(c.DatabaseTypeName()))
		}
		a.Rows, err = harness.PrintRows(rows)
		a.JSON = JSONColumns(types)
	}
	if err != nil {
		a.Rows, a.Columns, a.Types, a.Error = nil, nil, nil, harness.ErrorNumber(err)
	}
	return a
}

// JSONColumns are the indexes of the columns that are documents.
func JSONColumns(types []*sql.ColumnType) []int {
	var out []int
	for i, c := range types {
		if c.DatabaseTypeName() == "JSON" {
			out = append(out, i)
		}
	}
	return out
}

// folding matches the words with which one row stands for equal ones.
var folding = regexp.MustCompile("DISTINCT|UNION|INTERSECT|EXCEPT|GROUP BY")

// plainRows are the rows with documents in one form, sorted if they are not
// ordered: MariaDB keeps a document's text as written, MySQL its value.
func (a Answer) plainRows(json []int) [][]string {
	rows := a.Rows
	folds := folding.MatchString(a.SQL)
	if folds || len(json) > 0 || !a.Ordered {
		rows = slices.Clone(rows)
	}
	for i := range rows {
		if len(json) > 0 {
			rows[i] = slices.Clone(rows[i])
		}
		for _, column := range json {
			rows[i][column] = plainDocument(rows[i][column], strings.Contains(a.SQL, "JSON_ARRAYAGG("))
		}
		if folds {
			rows[i] = foldedTexts(rows[i], a.Types)
		}
	}
	if !a.Ordered {
		slices.SortFunc(rows, slices.Compare)
	}
	return rows
}

// foldedTexts is the row with equal texts in one form: any of them may stand
// for a group.
func foldedTexts(row, types []string) []string {
	out := slices.Clone(row)
	for i, cell := range row {
		if types[i] == "text" && cell != "NULL" {
			out[i] = strings.ToLower(strings.TrimRight(strings.TrimSuffix(cell, `"`), " "))
		}
	}
	return out
}

// plainDocument is the document in one form; the elements of an array made by
// an aggregate have no order.
func plainDocument(quoted string, aggregate bool) string {
	text, err := strconv.Unquote(quoted)
	var doc any
	if err != nil || json.Unmarshal([]byte(text), &doc) != nil {
		return quoted
	}
	if list, ok := doc.([]any); ok && aggregate {
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	plain, _ := json.Marshal(doc)
	return string(plain)
}

// Difference says how the answers differ; empty if they do not.
func Difference(want, got Answer) string {
	switch {
	case want.Error != got.Error:
		return fmt.Sprintf("errors %d %d", want.Error, got.Error)
	case !slices.EqualFunc(want.Columns, got.Columns, sameLabel):
		return "columns"
	case !slices.EqualFunc(want.plainRows(got.JSON), got.plainRows(got.JSON), slices.Equal):
		return "rows"
	}
	if strings.Contains(want.SQL, "(NULL)") {
		return "" // of no type
	}
	return differentTypes(want, got)
}

// sameLabel: MariaDB and MySQL truncate long labels differently.
func sameLabel(a, b string) bool { return a == b || len(a) > 200 && a[:200] == b[:min(200, len(b))] }

// differentTypes names the types of the first column whose types differ and
// which has a value that is not NULL.
func differentTypes(want, got Answer) string {
	for i, kind := range want.Types {
		if kind != got.Types[i] && !slices.Contains(got.JSON, i) && !(kind == "DECIMAL" && got.Types[i] == "uint") && slices.ContainsFunc(want.Rows, func(row []string) bool { return row[i] != "NULL" }) {
			return "types " + kind + " " + got.Types[i]
		}
	}
	return ""
}

// KindName is the kind of a column's type.
func KindName(typeName string) string {
	switch typeName {
	case "INT", "BIGINT", "TINYINT", "SMALLINT", "MEDIUMINT", "YEAR":
		return "int"
	case "UNSIGNED INT", "UNSIGNED BIGINT":
		return "uint"
	case "VARCHAR", "CHAR", "TEXT", "LONGTEXT", "MEDIUMTEXT", "TINYTEXT", "JSON":
		return "text"
	case "VARBINARY", "BINARY", "BLOB", "LONGBLOB", "MEDIUMBLOB", "TINYBLOB":
		return "bytes"
	case "FLOAT":
		return "DOUBLE"
	case "TIMESTAMP":
		return "DATETIME"
	}
	return typeName
}

// Generated is a statement, and whether its rows come in a defined order.
type Generated struct {
	SQL     string
	Ordered bool
}
