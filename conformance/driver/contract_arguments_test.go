package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// A program's types that database/sql does not know.
type (
	namedText   string
	namedNumber int32
	namedFlag   bool
	namedBytes  []byte
)

// valued is a Valuer.
type valued struct{ v driver.Value }

func (v valued) Value() (driver.Value, error) { return v.v, nil }

// goValues are values of every type that an argument can have.
func goValues() []any {
	text, number := "pointed", int64(-3)
	at := time.Date(2021, 3, 4, 5, 6, 7, 89e6, time.UTC)
	return []any{
		nil, true, false, int(3), int8(-8), int16(300), int32(70000), int64(math.MinInt64), int64(math.MaxInt64), int64(0),
		uint(2), uint8(8), uint16(1), uint32(5), uint64(math.MaxInt64) + 1, uint64(math.MaxUint64),
		float32(1.5), float64(-2.5), 0.1, 1e300, "", "text", "12", "12abc", "1.5e1", "2020-02-03", "10:11:12.5", "%Y %H", `{"a": [1, 2]}`, "$.a",
		[]byte("bytes"), []byte("7"), []byte{0xFF, 0}, []byte(nil), json.RawMessage(`[1, "a"]`), sql.RawBytes("raw"),
		at, at.Truncate(24 * time.Hour), time.Time{},
		sql.NullString{String: "null text", Valid: true}, sql.NullString{}, sql.NullInt64{Int64: 4, Valid: true}, sql.NullFloat64{Float64: 2.25, Valid: true},
		sql.NullBool{Bool: true, Valid: true}, sql.NullTime{Time: at, Valid: true}, sql.NullTime{}, sql.Null[string]{V: "generic", Valid: true},
		namedText("named"), namedNumber(6), namedFlag(true), namedBytes("nb"), &text, &number, (*string)(nil), valued{"valued"}, valued{int64(9)}, valued{nil},
	}
}

// functionCalls are statements with one placeholder for each argument of each function.
func functionCalls(t *testing.T) (out []string) {
	list, err := os.ReadFile("testdata/contract/expressions.sql")
	require.NoError(t, err)
	seen := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		m := callIn.FindStringSubmatch(line)
		if m == nil || changing[strings.ToUpper(m[1])] {
			continue
		}
		args := topLevel(m[2])
		key := fmt.Sprintf("%s/%d", strings.ToUpper(m[1]), len(args))
		if args == nil || seen[key] {
			continue
		}
		seen[key] = true
		for i := range args {
			var with []string
			for j, arg := range args {
				if j == i {
					arg = replacedArgument(arg)
				}
				with = append(with, arg)
			}
			out = append(out, "SELECT "+m[1]+"("+strings.Join(with, ",")+")"+typedFrom)
		}
	}
	return out
}

var (
	callIn = regexp.MustCompile(`^([A-Za-z_0-9]+)\((.+)\)$`)
	// syntaxIn is what follows the value of an argument.
	syntaxIn = regexp.MustCompile(`(?i)^(.+?)( (?:AS|USING|FROM|IN|SEPARATOR|ORDER BY|SECOND|MINUTE|HOUR|DAY|WEEK|MONTH|QUARTER|YEAR|MICROSECOND)\b.*)$`)
	wordsIn  = regexp.MustCompile(`(?i)^ *(INTERVAL|DISTINCT|BOTH|LEADING|TRAILING|[A-Z_]+ FROM|.* IN) `)
)

// changing are functions that wait, or whose answers vary.
var changing = map[string]bool{"SLEEP": true, "BENCHMARK": true, "NOW": true, "RAND": true, "UUID": true, "UUID_SHORT": true,
	"CURTIME": true, "SYSDATE": true, "CURRENT_TIMESTAMP": true, "CURRENT_TIME": true, "LOCALTIME": true, "LOCALTIMESTAMP": true,
	"UTC_TIMESTAMP": true, "UTC_TIME": true, "UNIX_TIMESTAMP": true, "GET_LOCK": true, "LAST_INSERT_ID": true}

// replacedArgument is the argument with a placeholder instead of its value.
func replacedArgument(arg string) string {
	before := wordsIn.FindString(arg)
	if m := syntaxIn.FindStringSubmatch(arg[len(before):]); m != nil {
		return before + "?" + m[2]
	}
	return before + "?"
}

// topLevel splits at the commas outside of parentheses and quotes; nil if the
// parentheses do not match.
func topLevel(list string) (out []string) {
	depth, quote, from := 0, byte(0), 0
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return nil
			}
		case c == ',' && depth == 0:
			out = append(out, list[from:i])
			from = i + 1
		}
	}
	return append(out, list[from:])
}

// besideColumns compare an argument with a column, and use it instead of one.
func besideColumns() (out []string) {
	for _, column := range []string{"K", "Q", "T", "V"} {
		for _, condition := range []string{"= ?", "<> ?", "< ?", ">= ?", "<=> ?", "IN (?, 'b')", "BETWEEN ? AND 'z'", "LIKE ?", "+ ? > 1"} {
			out = append(out, "SELECT COUNT(*) FROM c WHERE "+column+" "+condition)
		}
		for _, value := range []string{"COALESCE(%s, ?)", "IFNULL(?, %s)", "CONCAT(%s, ?)", "%s + ?", "GREATEST(%s, ?)", "IF(?, %s, 1)", "NULLIF(%s, ?)",
			"CASE %s WHEN ? THEN 1 ELSE 0 END", "FIELD(?, %s)", "MAX(IF(%s = ?, ?, NULL))"} {
			out = append(out, "SELECT "+fmt.Sprintf(value, column)+" FROM c WHERE Q = 'q' AND T = 1")
		}
	}
	return out
}

// intoColumns write an argument into a column.
func intoColumns() (out []string) {
	for i, column := range []string{"K", "Q", "T", "V"} {
		values := []string{"'new'", "'new'", "77", "'new'"}
		values[i] = "?"
		list := strings.Join(values, ", ")
		out = append(out, "INSERT INTO c VALUES ("+list+")", "REPLACE INTO c VALUES ("+list+")",
			"INSERT INTO c SELECT "+list+" FROM DUAL WHERE ? IS NOT NULL",
			"UPDATE c SET "+column+" = ? WHERE K = 'a'", "INSERT INTO c VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE "+column+" = ?")
	}
	return out
}

const argumentTableFile = "testdata/contract/argument_table.jsonl.gz"

// tableAnswers are MariaDB's answers to one statement, by the numbers of goValues:
// Sent are those with arguments that are sent, Written those with arguments that
// go-sql-driver/mysql interpolates. If hbasekv answers differently, there is none.
type tableAnswers struct {
	SQL           string         `json:"sql"`
	Sent, Written map[int]string `json:",omitempty"`
}

// TestArgumentTable runs all of them on hbasekv, and with go-sql-driver/mysql if
// there is a MariaDB.
func TestArgumentTable(t *testing.T) {
	reading := append(functionCalls(t), besideColumns()...)
	values := goValues()
	t.Logf("%d statements that read, %d that write, %d values", len(reading), len(intoColumns()), len(values))
	require.Greater(t, len(reading), 400)
	own := argumentTable(t, func(parameters string) (string, string) { return "hbasekv", "file::memory:?versions=all&" + parameters }, "")
	if server := contractServer(t); server != "" {
		source := func(parameters string) (string, string) { return "mysql", server + parameters }
		compareArgumentTables(t, reading, own, argumentTable(t, source, ""), argumentTable(t, source, "interpolateParams=true"))
	}
	answers, r := 0, rand.New(rand.NewPCG(testseed.Of(t), 9))
	for _, line := range oracle.ReadRecorded[tableAnswers](t, argumentTableFile) {
		if testing.Short() && r.IntN(10) > 0 {
			continue
		}
		for i, v := range values {
			sent, ok := line.Sent[i]
			written, also := line.Written[i]
			if !ok && !also {
				continue
			}
			answers++
			got := own(line.SQL, v)
			if ok && got.digest() != sent || also && got.values() != written {
				t.Errorf("%s <- %s\n MariaDB: %s %s\n hbasekv: %s", line.SQL, printGo(v), sent, written, got)
			}
		}
	}
	t.Logf("%d answers", answers)
	require.Greater(t, answers, 1000)
}

// argumentAnswer is the answer of a statement with an argument.
type argumentAnswer struct{ types, rows string }

func (o argumentAnswer) String() string { return o.types + " " + o.rows }

// digest is the answer as a few bytes.
func (o argumentAnswer) digest() string {
	if len(o.rows) < 40 {
		return o.String()
	}
	return o.types + " " + o.values()
}

// values is the digest of only the rows.
func (o argumentAnswer) values() string {
	if len(o.rows) < 40 {
		return o.rows
	}
	h := fnv.New64a()
	h.Write([]byte(o.rows))
	return fmt.Sprintf("%d bytes, %x", len(o.rows), h.Sum64())
}

// argumentTable returns the answers of statements whose placeholders all have
// the same argument; what they write is rolled back.
func argumentTable(t *testing.T, source func(parameters string) (string, string), parameters string) func(query string, v any) argumentAnswer {
	w := &witness{TB: t, source: source}
	db := w.single(parameters)
	harness.Must(t, db, "INSERT INTO c VALUES ('a', 'q', 1, '12'), ('b', 'q', 2, NULL), ('12', '7', 7, 'text')")
	return func(query string, v any) argumentAnswer {
		args := make([]any, strings.Count(query, "?"))
		for i := range args {
			args[i] = v
		}
		if !strings.HasPrefix(query, "SELECT") {
			return writtenBy(t, db, query, args)
		}
		return selected(t, db, query, args)
	}
}

func selected(t *testing.T, db harness.Querier, query string, args []any) argumentAnswer {
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return argumentAnswer{rows: printError(err)}
	}
	types, err := rows.ColumnTypes()
	require.NoError(t, err)
	kind := oracle.KindName(types[0].DatabaseTypeName())
	printed, err := harness.PrintRows(rows)
	if err != nil {
		return argumentAnswer{rows: printError(err)}
	}
	return argumentAnswer{kind, fmt.Sprint(printed)}
}

// writtenBy runs a statement that writes, reads the result, and rolls it back.
func writtenBy(t *testing.T, db *sql.DB, query string, args []any) argumentAnswer {
	tx, err := db.Begin()
	require.NoError(t, err)
	defer tx.Rollback()
	r, err := tx.Exec(query, args...)
	if err != nil {
		return argumentAnswer{rows: printError(err)}
	}
	n, err := r.RowsAffected()
	require.NoError(t, err)
	o := selected(t, tx, "SELECT K, Q, IF(T > 1000000000000 AND T < 9000000000000, 'now', T) AS T, V FROM c ORDER BY 1, 2, 3, 4", nil)
	return argumentAnswer{fmt.Sprint(n), o.rows}
}

// compareArgumentTables compares with a live server, and records equal answers. The
// rest must be listed differences.
func compareArgumentTables(t *testing.T, reading []string, own, sent, inText func(query string, v any) argumentAnswer) {
	var lines []tableAnswers
	values, all, differ := goValues(), 0, oracle.Classes{}
	for _, query := range append(reading, intoColumns()...) {
		line := tableAnswers{SQL: query, Sent: map[int]string{}, Written: map[int]string{}}
		for i, v := range values {
			got, want := own(query, v), sent(query, v)
			all++
			if class := argumentClass(query, want, got); class == "" {
				line.Sent[i] = want.digest()
			} else if differ[class]++; class == "unlisted" && differ[class] < 50 {
				t.Logf("%s <- %s\n MariaDB: %.200s\n hbasekv: %.200s", query, printGo(v), want, got)
			}
			if got.values() == inText(query, v).values() {
				line.Written[i] = got.values()
			}
		}
		lines = append(lines, line)
	}
	t.Logf("of %d answers differ %v", all, differ)
	require.Zero(t, differ["unlisted"])
	if *harness.Record {
		oracle.WriteRecorded(t, argumentTableFile, lines)
	}
}

// argumentClass is the class of a difference, empty if there is none.
func argumentClass(query string, want, got argumentAnswer) string {
	switch {
	case got.digest() == want.digest():
		return ""
	case strings.Contains(query, "JSON_"):
		return "documents and paths that are none are errors in MySQL 5.7, and NULL in MariaDB"
	case want.rows == got.rows && want.types == "text" && got.types == "bytes":
		return "a []byte is a binary string here, and a text there"
	case want.rows == got.rows && !strings.Contains(got.rows, `"`):
		return "the type of nothing but NULL"
	}
	call, _, _ := strings.Cut(strings.TrimPrefix(query, "SELECT "), "(")
	for _, c := range argumentClasses {
		if slices.Contains(c.calls, call) {
			return c.why
		}
	}
	return "unlisted"
}

// argumentClasses are differences in values, by function or statement.
var argumentClasses = []struct {
	why   string
	calls []string
}{
	{"what is no period is 1210 in MySQL, and a number of a long one is not cut to 32 bits",
		[]string{"PERIOD_DIFF", "PERIOD_ADD"}},
	{"30 digits behind the point are MySQL's most, 38 MariaDB's", []string{"TRUNCATE", "ROUND", "FORMAT"}},
	{"dates with a month or day of 0 are no dates under NO_ZERO_IN_DATE, and '10:11:12.5' is none with an hour",
		[]string{"YEAR", "MONTH", "DAY", "DAYOFMONTH", "QUARTER", "EXTRACT", "MONTHNAME", "DATE_FORMAT", "TO_SECONDS",
			"TIMESTAMP", "TIMESTAMPADD", "SUBDATE", "ADDDATE", "DATE_ADD", "DATE_SUB", "CONVERT_TZ"}},
	{"FROM_DAYS gives 0000-00-00 in MySQL", []string{"FROM_DAYS"}},
	{"a TIME out of range is the longest in MySQL, and NULL in MariaDB; the digits behind the second's point differ",
		[]string{"ADDTIME", "SUBTIME", "TIMEDIFF", "TIME", "TIME_FORMAT", "TIME_TO_SEC", "HOUR", "MINUTE", "SECOND",
			"MICROSECOND", "MAKETIME"}},
	{"MariaDB's answer is one that go-sql-driver refuses, and a []byte of no text is empty there", []string{"FROM_UNIXTIME"}},
	{"a []byte is a binary string here, with its collation, and a text there",
		[]string{"FIELD", "UPPER", "UCASE", "LOWER", "LCASE", "COLLATION", "CHARSET", "STRCMP", "QUOTE"}},
	{"a NULL is a binary string in MariaDB", []string{"MAKE_SET"}},
	{"an unsigned number beside NULL is a DECIMAL in MariaDB", []string{"IFNULL"}},
	{"a NULL for T is the clock", []string{"REPLACE INTO c VALUES ", "INSERT INTO c VALUES "}},
	{"MariaDB cuts counts and modes to 32 bits", []string{"SUBSTRING_INDEX", "EXPORT_SET", "WEEK", "YEARWEEK"}},
	{"a length of NULL gives NULL in MySQL", []string{"SHA2"}},
	{"a string of four bytes that is no address is one of MariaDB's when it is binary", []string{"INET6_NTOA"}},
	{"an argument is no position in an ORDER BY", []string{"GROUP_CONCAT"}},
}
