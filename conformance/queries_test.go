package conformance

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	queriesFile  = "testdata/mariadb/queries.jsonl.gz"
	queriesSeed  = 20261121
	queriesCount = 4000

	setsFile  = "testdata/mariadb/sets.jsonl.gz"
	setsSeed  = 20261126
	setsCount = 600
)

// TestRecordedQueries compares the recorded answers to statements of every
// shape on every layout.
func TestRecordedQueries(t *testing.T) {
	testRecorded(t, queriesFile, queriesSeed, queriesCount, (*queryGen).statement)
}

// TestRecordedSets is that of INTERSECT, EXCEPT and UNION, nested in each other.
func TestRecordedSets(t *testing.T) {
	testRecorded(t, setsFile, setsSeed, setsCount, (*queryGen).setQuery)
}

func testRecorded(t *testing.T, file string, seed uint64, count int, draw func(*queryGen) query) {
	if *mariadbFlag != "" && *recordFlag {
		recordQueries(t, file, seed, count, draw)
	}
	recorded := readRecorded[answer](t, file)
	require.GreaterOrEqual(t, len(recorded), count*99/100)
	eachRecorded(t, recorded, oracleStores(t), func(s recordedStore, want answer) {
		if got := askQuery(s.db, want.SQL, want.Ordered); unlisted(want, got) != "" {
			t.Errorf("%s: %s", s.name, explain(want, got))
		}
	})
}

// recordQueries leaves out the few statements whose answers differ from
// MariaDB's; TestLiveQueries shows such.
func recordQueries(t *testing.T, file string, seed uint64, count int, draw func(*queryGen) query) {
	peer, db := openMariaDB(t), openOracleTable(t, "key")
	g := newQueryGen(rand.New(rand.NewPCG(seed, 2)))
	var answers []answer
	for range count {
		q := draw(g)
		want := askQuery(peer, q.root.String(), q.ordered)
		if got := askQuery(db, want.SQL, q.ordered); difference(want, got) != "" {
			t.Log(explain(want, got))
			continue
		}
		answers = append(answers, want)
	}
	writeRecorded(t, file, answers)
}

// TestLiveQueries compares fresh statements of every shape with a live server.
// Differences of the classes that the page of differences lists are counted; any other fails,
// and is made as small as it gets.
func TestLiveQueries(t *testing.T) {
	if *mariadbFlag == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	peer := openMariaDB(t)
	db := openOracleTable(t, "key")
	t.Logf("-oracle.seed=%d", *oracleSeed)
	g := newQueryGen(rand.New(rand.NewPCG(*oracleSeed, 2)))
	count := classes{}
	for i := range *oracleN {
		q := g.statement()
		if i%5 == 4 {
			q = g.setQuery()
		}
		text := q.root.String()
		want, got := askQuery(peer, text, q.ordered), askQueryAgain(t, db, text, q.ordered)
		if difference(want, got) == "" {
			continue
		}
		if class := listedClass(want, got); class != "" {
			count[class]++
			continue
		}
		t.Error("unlisted: " + explain(want, got))
		shrink(q.root, func(text string) bool {
			return unlisted(askQuery(peer, text, q.ordered), askQuery(db, text, q.ordered)) != ""
		})
		text = q.root.String()
		t.Log("smaller: " + explain(askQuery(peer, text, q.ordered), askQuery(db, text, q.ordered)))
	}
	count.check(t, *oracleN)
}

// unlisted says in what answers differ that the page of differences does not list.
func unlisted(want, got answer) string {
	kind := difference(want, got)
	if kind != "" && listedClass(want, got) != "" {
		return ""
	}
	return kind
}

// classes counts listed differences.
type classes map[string]int

// check prints the counts and wants few: but for 1690, two in a thousand.
func (c classes) check(t *testing.T, of int) {
	sum := 0
	for _, name := range slices.Sorted(maps.Keys(c)) {
		t.Logf("listed: %d %s", c[name], name)
		if name != "1690" {
			sum += c[name]
		}
	}
	require.LessOrEqual(t, sum, of*2/1000+5, "listed differences")
}

func explain(want, got answer) string {
	return fmt.Sprintf("%s\n MariaDB: %q %v %s\n hbasekv: %q %v %s", want.SQL, want.Columns, want.Types, want.print(), got.Columns, got.Types, got.print())
}

func askQuery(db *sql.DB, text string, ordered bool) answer {
	a := answer{SQL: text, Ordered: ordered}
	rows, err := db.Query(text)
	if err == nil {
		types, _ := rows.ColumnTypes()
		for _, c := range types {
			a.Columns = append(a.Columns, c.Name())
			a.Types = append(a.Types, kindName(c.DatabaseTypeName()))
		}
		a.Rows, err = printRows(rows)
		a.json = jsonColumns(types)
	}
	if err != nil {
		a.Rows, a.Columns, a.Types, a.Error = nil, nil, nil, errorNumber(err)
	}
	return a
}

// askQueryAgain is askQuery twice, as askAgain asks.
func askQueryAgain(t *testing.T, db *sql.DB, text string, ordered bool) answer {
	t.Helper()
	first, again := askQuery(db, text, ordered), askQuery(db, text, ordered)
	if unlisted(first, again) != "" {
		t.Error("asked again: " + explain(first, again))
	}
	return again
}

func jsonColumns(types []*sql.ColumnType) []int {
	var out []int
	for i, c := range types {
		if c.DatabaseTypeName() == "JSON" {
			out = append(out, i)
		}
	}
	return out
}

// folding are the words by which one row stands for those that are equal.
var folding = regexp.MustCompile("DISTINCT|UNION|INTERSECT|EXCEPT|GROUP BY")

// plainRows are the rows with documents in one form, sorted where they have no
// order: MariaDB keeps a document's text as it is written, MySQL its value.
func (a answer) plainRows(json []int) [][]string {
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

// foldedTexts is the row with texts that are equal in one form: which of them
// stands for a group is free.
func foldedTexts(row, types []string) []string {
	out := slices.Clone(row)
	for i, cell := range row {
		if types[i] == "text" && cell != "NULL" {
			out[i] = strings.ToLower(strings.TrimRight(strings.TrimSuffix(cell, `"`), " "))
		}
	}
	return out
}

// plainDocument is the document in one form; the elements of an array that an
// aggregate made have no order.
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

// difference says in what the answers differ; empty is in nothing.
func difference(want, got answer) string {
	switch {
	case want.Error != got.Error:
		return fmt.Sprintf("errors %d %d", want.Error, got.Error)
	case !slices.EqualFunc(want.Columns, got.Columns, sameLabel):
		return "columns"
	case !slices.EqualFunc(want.plainRows(got.json), got.plainRows(got.json), slices.Equal):
		return "rows"
	}
	if strings.Contains(want.SQL, "(NULL)") {
		return "" // of no type
	}
	return differentTypes(want, got)
}

// sameLabel: MariaDB and MySQL cut long labels in different ways.
func sameLabel(a, b string) bool { return a == b || len(a) > 200 && a[:200] == b[:min(200, len(b))] }

// differentTypes names the types of the first column where they differ and a
// value is not NULL.
func differentTypes(want, got answer) string {
	for i, kind := range want.Types {
		if kind != got.Types[i] && !slices.Contains(got.json, i) && !(kind == "DECIMAL" && got.Types[i] == "uint") && slices.ContainsFunc(want.Rows, func(row []string) bool { return row[i] != "NULL" }) {
			return "types " + kind + " " + got.Types[i]
		}
	}
	return ""
}

// kindName is the sort of type that a column has.
func kindName(typeName string) string {
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
