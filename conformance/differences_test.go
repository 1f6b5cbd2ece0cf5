package conformance

import (
	"encoding/base64"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed is a class of differences from MariaDB that docs/mysql-differences.md lists: the words
// that stand there, and how one of the class is recognised. Where it is of how a
// cell is written, cell tells whether two are the same but for that.
type listed struct {
	name  string
	page  string
	query *regexp.Regexp // what the statement has; nil is anything
	cell  func(want, got string) bool
	whole func(want, got answer) bool // with no cell: of the answers
}

var listedDifferences = []listed{
	{name: "1690", page: "Integer overflow (1690)", whole: func(want, got answer) bool {
		return (want.Error == outOfRange) != (got.Error == outOfRange)
	}},
	{name: "group over a derived table", page: "refuses with 1055", whole: func(want, got answer) bool {
		return want.Error == 1055 && got.Error == 0
	}},
	{name: "TRUE as a position", page: "`ORDER BY -TRUE`", query: regexp.MustCompile(`ORDER BY .*(TRUE|FALSE|-\d)`), whole: func(want, got answer) bool {
		return want.Error == 1054 && got.Error == 0
	}},
	{name: "ambiguous or unknown", page: "Of several errors", whole: func(want, got answer) bool {
		wrong := []uint16{1052, 1054, 1055, 1056}
		return slices.Contains(wrong, want.Error) && slices.Contains(wrong, got.Error)
	}},
	{name: "labels", page: "`SELECT S AS g, S ... ORDER BY S`", query: regexp.MustCompile(` AS g\d`), whole: func(want, got answer) bool {
		want.Columns = got.Columns
		return difference(want, got) == ""
	}},
	{name: "doubles as text", page: "A double as a text", cell: sameNumber},
	{name: "order of additions", page: "order of additions", query: regexp.MustCompile(`(SUM|AVG)\(`), cell: near(1e-9)},
	{name: "order of additions, rounded", page: "order of additions", query: regexp.MustCompile(`ROUND\((SUM|AVG)\(`), cell: lastDigit},
	{name: "digits of a double", page: "fewer digits of a double", cell: fewerDigits},
	{name: "digits of a quotient", page: "more digits of a quotient", query: regexp.MustCompile(`/|AVG\(|DIV|%|MOD\(`), cell: near(1e-7)},
	{name: "digits of an AVG in a derived table", page: "more digits of a quotient", query: regexp.MustCompile(`FROM \(SELECT .*AVG\(`), cell: near(1e-4)},
	{name: "cut in a temporary table", page: "cuts what goes through its temporary tables", query: regexp.MustCompile(`DISTINCT|UNION|INTERSECT|EXCEPT|GROUP BY|ORDER BY|MAX\(|MIN\(|GROUP_CONCAT|JOIN|,`), cell: cut},
	{name: "rows of cut values", page: "cuts what goes through its temporary tables", query: regexp.MustCompile(`SELECT DISTINCT|UNION|INTERSECT|EXCEPT|GROUP BY`), whole: cutRows},
	{name: "negative zero", page: "no negative zero", cell: func(want, got string) bool {
		return negativeZero.ReplaceAllString(want, "$1$2") == negativeZero.ReplaceAllString(got, "$1$2")
	}},
	{name: "negative zero in IN", page: "no negative zero", query: regexp.MustCompile(`/.* IN \(`), whole: otherRows},
	{name: "documents", page: "JSON documents print", cell: func(want, got string) bool { return plainNested(want) == plainNested(got) }},
	{name: "JSON_KEYS", page: "JSON documents print", query: regexp.MustCompile(`JSON_KEYS\(`), whole: otherRows},
	{name: "text of JSON_TYPE", page: "loses what JSON_TYPE gives", query: regexp.MustCompile(`JSON_TYPE\(`), whole: otherRows},
	{name: "NULL in MAKE_SET", page: "takes a NULL of CONCAT for text in MAKE_SET", query: regexp.MustCompile(`MAKE_SET\(.*NULL`), whole: otherRows},
	{name: "collation of JSON", page: "text of a document compares", query: regexp.MustCompile(`JSON_(UNQUOTE|EXTRACT|QUOTE|TYPE|KEYS|SEARCH)\(`), whole: otherRows},
	{name: "NULL in GROUP_CONCAT's order", page: "GROUP_CONCAT's ORDER BY takes NULL", query: regexp.MustCompile(`GROUP_CONCAT\(.* ORDER BY`), cell: sameList},
	{name: "extremes of texts as numbers", page: "GREATEST and LEAST of texts", query: regexp.MustCompile(`(GREATEST|LEAST)\(`), whole: otherRows},
	{name: "beyond TIME", page: "beyond TIME's range", query: regexp.MustCompile(`\b(ADDTIME|SUBTIME|TIME|TIMEDIFF|TIME_TO_SEC|HOUR|MINUTE|SECOND|TIME_FORMAT|EXTRACT)\(`), whole: otherRows},
	{name: "fraction of TIME_TO_SEC", page: "TIME_TO_SEC gives whole seconds", query: regexp.MustCompile(`TIME_TO_SEC\(`), cell: func(want, got string) bool {
		return fraction.ReplaceAllString(want, "") == got
	}},
	{name: "UNIX_TIMESTAMP beyond 2038", page: "UNIX_TIMESTAMP before 1970 and beyond 2038", query: regexp.MustCompile(`UNIX_TIMESTAMP\(`), whole: otherRows},
	{name: "time of an empty text", page: "STR_TO_DATE of an empty text", query: regexp.MustCompile(`STR_TO_DATE\(`), whole: otherRows},
	{name: "weekdays of the year 0", page: "weekdays of the year 0", query: regexp.MustCompile(`(DATE_FORMAT|DAYNAME|WEEK|DAYOFWEEK|WEEKDAY|YEARWEEK|TO_DAYS|TO_SECONDS)`), whole: ofYearZero},
	{name: "rows in IN", page: "rows in IN", query: regexp.MustCompile(`\([^()]*,.*\) IN \(\(`), whole: otherRows},
	{name: "outer joins", page: "makes an inner join of an outer one", query: regexp.MustCompile(`(LEFT|RIGHT) (OUTER )?JOIN.* WHERE .*(CHAR|CONCAT_WS|FIELD|INTERVAL|MAKE_SET|EXPORT_SET|ELT|COALESCE|IFNULL)\(`), whole: fewerRows},
	{name: "bits as signed", page: "bits above 63", query: regexp.MustCompile(`BIT_(AND|OR|XOR)\(`), whole: otherRows},
	{name: "GROUP_CONCAT as a number", page: "GROUP_CONCAT as a number", query: regexp.MustCompile(`GROUP_CONCAT\(.*\) [-+*/%]|T (<|>|<=|>=|=|<>|<=>|!=) \(SELECT GROUP_CONCAT\(`), whole: otherRows},
	{name: "position beyond 32 bits", page: "`ORDER BY 9007199254740993`", query: regexp.MustCompile(`GROUP_CONCAT\(.* ORDER BY .*\d{10}`), whole: func(want, got answer) bool {
		return want.Error == 0 && got.Error == 1054
	}},
	{name: "documents in latin1", page: "gives latin1 bytes of JSON_ARRAY_APPEND", query: regexp.MustCompile(`DISTINCT .*JSON_ARRAY_APPEND\(.*é`), whole: otherRows},
	{name: "an equal number for a text", page: "for `WHERE K = 10` the text `10`", query: regexp.MustCompile(`(MAX|MIN)\(K\).* WHERE .*K = \d`), whole: otherRows},
	{name: "bytes with a cast text", page: "bytes with the text of a CAST", query: regexp.MustCompile(`UNHEX|BINARY|binary|CHAR\(|x\d*\.?[KQV]\b|[KQV]\b`), whole: otherBytes},
	{name: "bytes as text", page: "bytes with the text of a CAST", query: regexp.MustCompile(`AS CHAR\)|USING utf8mb4`), cell: func(want, got string) bool {
		return strings.Contains(want, "?") && len(got) >= len(want)
	}},
	{name: "type of NULLs", page: "has no type of its own", query: regexp.MustCompile(`NULL`), whole: func(want, got answer) bool { return sameTexts(want, got) }},
	{name: "FIELD of NULL", page: "has no type of its own", query: regexp.MustCompile(`FIELD\(.*NULL`), whole: otherRows},
	{name: "type of ROUND", page: "ROUND of an integer", query: regexp.MustCompile(`(ROUND|TRUNCATE)\(`), whole: func(want, got answer) bool { return sameTexts(want, got) }},
}

// listedClass is the class of a difference, empty where none is listed.
func listedClass(want, got answer) string {
	for _, l := range listedDifferences {
		if (l.query == nil || l.query.MatchString(want.SQL)) && l.is(want, got) {
			return l.name
		}
	}
	return ""
}

func (l listed) is(want, got answer) bool {
	if l.cell == nil {
		return l.whole(want, got)
	}
	if !sameShape(want, got) {
		return false
	}
	w, g := want.plainRows(got.json), got.plainRows(got.json)
	if !want.Ordered && !rowsMatch(w, g, l.cell) {
		return false
	}
	return !want.Ordered || slices.EqualFunc(w, g, func(a, b []string) bool { return slices.EqualFunc(a, b, orSame(l.cell)) })
}

// rowsMatch pairs each row with one that is the same but for the class: what is
// written otherwise is sorted otherwise.
func rowsMatch(want, got [][]string, same func(string, string) bool) bool {
	rest := slices.Clone(got)
	for _, row := range want {
		at := slices.IndexFunc(rest, func(g []string) bool { return slices.EqualFunc(row, g, orSame(same)) })
		if at < 0 {
			return false
		}
		rest = slices.Delete(rest, at, at+1)
	}
	return true
}

func orSame(same func(string, string) bool) func(string, string) bool {
	return func(a, b string) bool {
		return a == b || a != "NULL" && b != "NULL" && same(plainText(a), plainText(b))
	}
}

func plainText(cell string) string {
	if text, err := strconv.Unquote(cell); err == nil {
		return text
	}
	return strings.TrimPrefix(cell, `"`) // a folded text has no end
}

func sameShape(want, got answer) bool {
	return want.Error == 0 && got.Error == 0 && len(want.Rows) == len(got.Rows) && slices.EqualFunc(want.Columns, got.Columns, sameLabel)
}

// otherRows: the answers differ in their rows, not in errors or labels.
func otherRows(want, got answer) bool {
	return want.Error == 0 && got.Error == 0 && slices.EqualFunc(want.Columns, got.Columns, sameLabel)
}

// fewerRows: all rows of the one are among those of the other.
func fewerRows(want, got answer) bool {
	w, g := want.plainRows(nil), got.plainRows(nil)
	return otherRows(want, got) && !slices.ContainsFunc(w, func(row []string) bool {
		return !slices.ContainsFunc(g, func(other []string) bool { return slices.Equal(row, other) })
	})
}

// sameTexts: only the types differ.
func sameTexts(want, got answer) bool {
	same := listed{cell: func(a, b string) bool { return sameNumber(a, b) || near(1e-11)(a, b) }}
	return same.is(want, got)
}

// otherBytes: only the types bytes and text differ.
func otherBytes(want, got answer) bool {
	if !sameShape(want, got) {
		return false
	}
	for i, kind := range want.Types {
		if pair := kind + got.Types[i]; kind != got.Types[i] && pair != "bytestext" && pair != "textbytes" && kind != "NULL" {
			return false
		}
	}
	got.Types = want.Types // they tell which cells are folded
	return sameTexts(want, got)
}

var (
	fraction     = regexp.MustCompile(`\.\d+$`)
	negativeZero = regexp.MustCompile(`(^|[^\d.eE])-(0(?:\.0+)?)(?:$|\b)`)
)

// sameNumber: texts that stand for one double, but for the last digits.
func sameNumber(want, got string) bool {
	if want == got {
		return true
	}
	want, got = strings.ReplaceAll(want, ",", ""), strings.ReplaceAll(got, ",", "") // FORMAT's
	return near(1e-13)(want, got) || numberIn.ReplaceAllStringFunc(want, plainNumber) == numberIn.ReplaceAllStringFunc(got, plainNumber)
}

var numberIn = regexp.MustCompile(`\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`)

func plainNumber(text string) string {
	f, _ := strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(f, 'g', 13, 64)
}

func near(relative float64) func(want, got string) bool {
	return func(want, got string) bool {
		w, err := strconv.ParseFloat(want, 64)
		g, err2 := strconv.ParseFloat(got, 64)
		return err == nil && err2 == nil && math.Abs(w-g) <= relative*max(math.Abs(w), math.Abs(g), 1)
	}
}

// lastDigit: what is rounded differs by one in the last digit.
func lastDigit(want, got string) bool {
	_, digits, _ := strings.Cut(want, ".")
	w, err := strconv.ParseFloat(want, 64)
	g, err2 := strconv.ParseFloat(got, 64)
	return err == nil && err2 == nil && math.Abs(w-g) <= math.Pow10(-len(digits))*1.0000001
}

// fewerDigits: want is got rounded.
func fewerDigits(want, got string) bool {
	_, digits, _ := strings.Cut(want, ".")
	w, err := strconv.ParseFloat(want, 64)
	g, err2 := strconv.ParseFloat(got, 64)
	return err == nil && err2 == nil && !strings.ContainsAny(want, "eE") && math.Abs(w-g) <= math.Pow10(-len(digits))*0.5000001
}

// cut: want is the beginning of got, or the largest number of its digits.
func cut(want, got string) bool {
	if strings.HasPrefix(got, want) || strings.HasPrefix(got, strings.ToValidUTF8(want, "")) {
		return true
	}
	w, err := strconv.ParseFloat(want, 64)
	g, err2 := strconv.ParseFloat(got, 64)
	if err != nil || err2 != nil {
		return strings.HasPrefix(plainNumbers(got), want)
	}
	largest := strings.Trim(want, "-9.") == "" || math.Abs(w) == math.Pow10(int(math.Round(math.Log10(math.Abs(w)))))
	return largest && math.Abs(g) > math.Abs(w)
}

// plainNumbers writes doubles without an exponent.
func plainNumbers(text string) string {
	return numberIn.ReplaceAllStringFunc(text, func(n string) string {
		f, _ := strconv.ParseFloat(n, 64)
		return strconv.FormatFloat(f, 'f', -1, 64)
	})
}

// cutRows: rows that are cut may become one. Each row of the one is one of the
// other, cut or not.
func cutRows(want, got answer) bool {
	w, g := want.plainRows(nil), got.plainRows(nil)
	both := func(a, b string) bool { return cut(a, b) || sameNumber(a, b) }
	return otherRows(want, got) && len(w) > 0 && !slices.ContainsFunc(g, func(row []string) bool {
		return !slices.ContainsFunc(w, func(other []string) bool { return slices.EqualFunc(other, row, orSame(both)) })
	})
}

// sameList: the same items in another order, or as much of them as fits.
func sameList(want, got string) bool {
	if len(want) >= 1000 && len(got) >= 1000 {
		return true
	}
	items := func(text string) []string {
		out := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '|' })
		slices.Sort(out)
		return out
	}
	return slices.Equal(items(want), items(got))
}

// ofYearZero: each row but those of the year 0 is the same; most rows are.
func ofYearZero(want, got answer) bool {
	return otherRows(want, got) && strings.Contains(want.SQL, "0001-01-01")
}

var nested = strings.NewReplacer(`\`, "", `"`, "", " ", "")

// plainNested is a document's text without what tells a document in it from the
// text of one, and with bytes in the form that MariaDB gives them.
func plainNested(text string) string {
	return nested.Replace(base64In.ReplaceAllStringFunc(text, decodeBase64))
}

var base64In = regexp.MustCompile(`base64:type\d+:[A-Za-z0-9+/=]*`)

func decodeBase64(text string) string {
	b, err := base64.StdEncoding.DecodeString(text[strings.LastIndex(text, ":")+1:])
	if err != nil {
		return text
	}
	return string(b)
}

// TestListedDifferences looks up each class on the page of differences.
func TestListedDifferences(t *testing.T) {
	data, err := os.ReadFile("../docs/mysql-differences.md")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, l := range listedDifferences {
		require.Contains(t, text, l.page, l.name)
	}
}
