package oracle

import (
	"encoding/base64"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed is a class of differences from MariaDB that docs/mysql-differences.md lists: the words
// on that page, and how to recognise a difference of the class. If it is about how a cell is
// written, cell reports whether two cells are otherwise the same.
type listed struct {
	Name  string
	Page  string
	query *regexp.Regexp // what the statement contains; nil is anything
	cell  func(want, got string) bool
	whole func(want, got Answer) bool // for classes without cell: of the answers
}

var ListedDifferences = []listed{
	{Name: "1690", Page: "Integer overflow (1690)", whole: func(want, got Answer) bool {
		return (want.Error == OutOfRange) != (got.Error == OutOfRange)
	}},
	{Name: "group over a derived table", Page: "refuses with 1055", whole: func(want, got Answer) bool {
		return want.Error == 1055 && got.Error == 0
	}},
	{Name: "TRUE as a position", Page: "`ORDER BY -TRUE`", query: regexp.MustCompile(`ORDER BY .*(TRUE|FALSE|-\d)`), whole: func(want, got Answer) bool {
		return want.Error == 1054 && got.Error == 0
	}},
	{Name: "ambiguous or unknown", Page: "Of several errors", whole: func(want, got Answer) bool {
		wrong := []uint16{1052, 1054, 1055, 1056}
		return slices.Contains(wrong, want.Error) && slices.Contains(wrong, got.Error)
	}},
	{Name: "labels", Page: "`SELECT S AS g, S ... ORDER BY S`", query: regexp.MustCompile(` AS g\d`), whole: func(want, got Answer) bool {
		want.Columns = got.Columns
		return Difference(want, got) == ""
	}},
	{Name: "doubles as text", Page: "A double as a text", cell: sameNumber},
	{Name: "order of additions", Page: "order of additions", query: regexp.MustCompile(`(SUM|AVG)\(`), cell: near(1e-9)},
	{Name: "order of additions, rounded", Page: "order of additions", query: regexp.MustCompile(`ROUND\((SUM|AVG)\(`), cell: lastDigit},
	{Name: "digits of a double", Page: "fewer digits of a double", cell: fewerDigits},
	{Name: "digits of a quotient", Page: "more digits of a quotient", query: regexp.MustCompile(`/|AVG\(|DIV|%|MOD\(`), cell: near(1e-7)},
	{Name: "digits of an AVG in a derived table", Page: "more digits of a quotient", query: regexp.MustCompile(`FROM \(SELECT .*AVG\(`), cell: near(1e-4)},
	{Name: "cut in a temporary table", Page: "cuts what goes through its temporary tables", query: regexp.MustCompile(`DISTINCT|UNION|INTERSECT|EXCEPT|GROUP BY|ORDER BY|MAX\(|MIN\(|GROUP_CONCAT|JOIN|,`), cell: cut},
	{Name: "rows of cut values", Page: "cuts what goes through its temporary tables", query: regexp.MustCompile(`SELECT DISTINCT|UNION|INTERSECT|EXCEPT|GROUP BY`), whole: cutRows},
	{Name: "negative zero", Page: "no negative zero", cell: func(want, got string) bool {
		return negativeZero.ReplaceAllString(want, "$1$2") == negativeZero.ReplaceAllString(got, "$1$2")
	}},
	{Name: "negative zero in IN", Page: "no negative zero", query: regexp.MustCompile(`/.* IN \(`), whole: otherRows},
	{Name: "documents", Page: "JSON documents print", cell: func(want, got string) bool { return plainNested(want) == plainNested(got) }},
	{Name: "JSON_KEYS", Page: "JSON documents print", query: regexp.MustCompile(`JSON_KEYS\(`), whole: otherRows},
	{Name: "text of JSON_TYPE", Page: "loses what JSON_TYPE gives", query: regexp.MustCompile(`JSON_TYPE\(`), whole: otherRows},
	{Name: "NULL in MAKE_SET", Page: "takes a NULL of CONCAT for text in MAKE_SET", query: regexp.MustCompile(`MAKE_SET\(.*NULL`), whole: otherRows},
	{Name: "collation of JSON", Page: "text of a document compares", query: regexp.MustCompile(`JSON_(UNQUOTE|EXTRACT|QUOTE|TYPE|KEYS|SEARCH)\(`), whole: otherRows},
	{Name: "NULL in GROUP_CONCAT's order", Page: "GROUP_CONCAT's ORDER BY takes NULL", query: regexp.MustCompile(`GROUP_CONCAT\(.* ORDER BY`), cell: sameList},
	{Name: "extremes of texts as numbers", Page: "GREATEST and LEAST of texts", query: regexp.MustCompile(`(GREATEST|LEAST)\(`), whole: otherRows},
	{Name: "beyond TIME", Page: "beyond TIME's range", query: regexp.MustCompile(`\b(ADDTIME|SUBTIME|TIME|TIMEDIFF|TIME_TO_SEC|HOUR|MINUTE|SECOND|TIME_FORMAT|EXTRACT)\(`), whole: otherRows},
	{Name: "fraction of TIME_TO_SEC", Page: "TIME_TO_SEC gives whole seconds", query: regexp.MustCompile(`TIME_TO_SEC\(`), cell: func(want, got string) bool {
		return fraction.ReplaceAllString(want, "") == got
	}},
	{Name: "UNIX_TIMESTAMP beyond 2038", Page: "UNIX_TIMESTAMP before 1970 and beyond 2038", query: regexp.MustCompile(`UNIX_TIMESTAMP\(`), whole: otherRows},
	{Name: "time of an empty text", Page: "STR_TO_DATE of an empty text", query: regexp.MustCompile(`STR_TO_DATE\(`), whole: otherRows},
	{Name: "weekdays of the year 0", Page: "weekdays of the year 0", query: regexp.MustCompile(`(DATE_FORMAT|DAYNAME|WEEK|DAYOFWEEK|WEEKDAY|YEARWEEK|TO_DAYS|TO_SECONDS)`), whole: ofYearZero},
	{Name: "rows in IN", Page: "rows in IN", query: regexp.MustCompile(`\([^()]*,.*\) IN \(\(`), whole: otherRows},
	{Name: "outer joins", Page: "makes an inner join of an outer one", query: regexp.MustCompile(`(LEFT|RIGHT) (OUTER )?JOIN.* WHERE .*(CHAR|CONCAT_WS|FIELD|INTERVAL|MAKE_SET|EXPORT_SET|ELT|COALESCE|IFNULL)\(`), whole: fewerRows},
	{Name: "bits as signed", Page: "bits above 63", query: regexp.MustCompile(`BIT_(AND|OR|XOR)\(`), whole: otherRows},
	{Name: "GROUP_CONCAT as a number", Page: "GROUP_CONCAT as a number", query: regexp.MustCompile(`GROUP_CONCAT\(.*\) [-+*/%]|T (<|>|<=|>=|=|<>|<=>|!=) \(SELECT GROUP_CONCAT\(`), whole: otherRows},
	{Name: "position beyond 32 bits", Page: "`ORDER BY 9007199254740993`", query: regexp.MustCompile(`GROUP_CONCAT\(.* ORDER BY .*\d{10}`), whole: func(want, got Answer) bool {
		return want.Error == 0 && got.Error == 1054
	}},
	{Name: "documents in latin1", Page: "gives latin1 bytes of JSON_ARRAY_APPEND", query: regexp.MustCompile(`DISTINCT .*JSON_ARRAY_APPEND\(.*é`), whole: otherRows},
	{Name: "an equal number for a text", Page: "for `WHERE K = 10` the text `10`", query: regexp.MustCompile(`(MAX|MIN)\(K\).* WHERE .*K = \d`), whole: otherRows},
	{Name: "bytes with a cast text", Page: "bytes with the text of a CAST", query: regexp.MustCompile(`UNHEX|BINARY|binary|CHAR\(|x\d*\.?[KQV]\b|[KQV]\b`), whole: otherBytes},
	{Name: "bytes as text", Page: "bytes with the text of a CAST", query: regexp.MustCompile(`AS CHAR\)|USING utf8mb4`), cell: func(want, got string) bool {
		return strings.Contains(want, "?") && len(got) >= len(want)
	}},
	{Name: "type of NULLs", Page: "has no type of its own", query: regexp.MustCompile(`NULL`), whole: func(want, got Answer) bool { return sameTexts(want, got) }},
	{Name: "FIELD of NULL", Page: "has no type of its own", query: regexp.MustCompile(`FIELD\(.*NULL`), whole: otherRows},
	{Name: "type of ROUND", Page: "ROUND of an integer", query: regexp.MustCompile(`(ROUND|TRUNCATE)\(`), whole: func(want, got Answer) bool { return sameTexts(want, got) }},
}

// ListedClass is the class of a difference, empty if none is listed.
func ListedClass(want, got Answer) string {
	for _, l := range ListedDifferences {
		if (l.query == nil || l.query.MatchString(want.SQL)) && l.is(want, got) {
			return l.Name
		}
	}
	return ""
}

func (l listed) is(want, got Answer) bool {
	if l.cell == nil {
		return l.whole(want, got)
	}
	if !sameShape(want, got) {
		return false
	}
	w, g := want.plainRows(got.JSON), got.plainRows(got.JSON)
	if !want.Ordered && !rowsMatch(w, g, l.cell) {
		return false
	}
	return !want.Ordered || slices.EqualFunc(w, g, func(a, b []string) bool { return slices.EqualFunc(a, b, orSame(l.cell)) })
}

// rowsMatch pairs each row with one that differs only by the class: what is
// written differently is sorted differently.
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

func sameShape(want, got Answer) bool {
	return want.Error == 0 && got.Error == 0 && len(want.Rows) == len(got.Rows) && slices.EqualFunc(want.Columns, got.Columns, sameLabel)
}

// otherRows: the answers differ in their rows, not in errors or labels.
func otherRows(want, got Answer) bool {
	return want.Error == 0 && got.Error == 0 && slices.EqualFunc(want.Columns, got.Columns, sameLabel)
}

// fewerRows: all rows of one answer are among those of the other.
func fewerRows(want, got Answer) bool {
	w, g := want.plainRows(nil), got.plainRows(nil)
	return otherRows(want, got) && !slices.ContainsFunc(w, func(row []string) bool {
		return !slices.ContainsFunc(g, func(other []string) bool { return slices.Equal(row, other) })
	})
}

// sameTexts: only the types differ.
func sameTexts(want, got Answer) bool {
	same := listed{cell: func(a, b string) bool { return sameNumber(a, b) || near(1e-11)(a, b) }}
	return same.is(want, got)
}

// otherBytes: only the types bytes and text differ.
func otherBytes(want, got Answer) bool {
	if !sameShape(want, got) {
		return false
	}
	for i, kind := range want.Types {
		if pair := kind + got.Types[i]; kind != got.Types[i] && pair != "bytestext" && pair != "textbytes" && kind != "NULL" {
			return false
		}
	}
	got.Types = want.Types // they decide which cells are folded
	return sameTexts(want, got)
}

var (
	fraction     = regexp.MustCompile(`\.\d+$`)
	negativeZero = regexp.MustCompile(`(^|[^\d.eE])-(0(?:\.0+)?)(?:$|\b)`)
)

// sameNumber: texts of the same double, except for the last digits.
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

// lastDigit: rounded values differ by one in the last digit.
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

// cut: want is a prefix of got, or the largest number of its digits.
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

// cutRows: rows that are truncated may become equal. Each row of one answer is
// in the other, truncated or not.
func cutRows(want, got Answer) bool {
	w, g := want.plainRows(nil), got.plainRows(nil)
	both := func(a, b string) bool { return cut(a, b) || sameNumber(a, b) }
	return otherRows(want, got) && len(w) > 0 && !slices.ContainsFunc(g, func(row []string) bool {
		return !slices.ContainsFunc(w, func(other []string) bool { return slices.EqualFunc(other, row, orSame(both)) })
	})
}

// sameList: the same items in another order, or as many of them as fit.
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

// ofYearZero: each row except those of year 0 is the same; most rows are.
func ofYearZero(want, got Answer) bool {
	return otherRows(want, got) && strings.Contains(want.SQL, "0001-01-01")
}

var nested = strings.NewReplacer(`\`, "", `"`, "", " ", "")

// plainNested is a document's text without what distinguishes a nested document
// from a document's text, and with bytes in MariaDB's form.
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

// Classes counts listed differences.
type Classes map[string]int

// Check logs the counts and requires them to be few: except for 1690, two in a thousand.
func (c Classes) Check(t *testing.T, of int) {
	sum := 0
	for _, name := range slices.Sorted(maps.Keys(c)) {
		t.Logf("listed: %d %s", c[name], name)
		if name != "1690" {
			sum += c[name]
		}
	}
	require.LessOrEqual(t, sum, of*2/1000+5, "listed differences")
}
