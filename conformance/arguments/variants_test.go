package arguments

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// A literal is a literal in a statement's text that an argument may replace.
type literal struct {
	start, end int
	text       string
}

var literalIn = regexp.MustCompile(`(?i)\x60[^\x60]*\x60|(?:_?[a-z][a-z0-9_$]*)?'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|0x[0-9a-f]+|` +
	`[a-z_@][a-z0-9_$@.]*|(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?`)

// literalsOf finds the literals of a text. Lengths of types and digits of NOW do
// not count.
func literalsOf(text string) []literal {
	var out []literal
	word := ""
	for _, at := range literalIn.FindAllStringIndex(text, -1) {
		l := literal{at[0], at[1], text[at[0]:at[1]]}
		switch c := l.text[0]; {
		case c == '\'' || c == '"' || c >= '0' && c <= '9' || c == '.' || isPrefixed(l.text):
			if f, err := strconv.ParseFloat(l.text, 64); !partOfSyntax(text[:at[0]], word) && (err == nil || f == 0) {
				out = append(out, l)
			}
		default:
			word = strings.ToUpper(l.text)
		}
	}
	return out
}

func isPrefixed(text string) bool {
	return strings.HasSuffix(text, "'") && (text[0] == 'X' || text[0] == 'x' || strings.HasPrefix(strings.ToLower(text), "_binary"))
}

// typeWords are words whose parentheses contain lengths.
var typeWords = []string{"CHAR", "BINARY", "DECIMAL", "DATETIME", "TIME", "NCHAR", "FLOAT", "NOW", "CURTIME", "UTC_TIMESTAMP", "UTC_TIME", "SYSDATE", "CURRENT_TIMESTAMP",
	"LOCALTIME", "LOCALTIMESTAMP", "CURRENT_TIME", "VERSIONS", "TIMERANGE", "MAX_EXECUTION_TIME", "JSON_TABLE"}

func partOfSyntax(before, word string) bool {
	trimmed := strings.TrimRight(before, " ")
	if beforeWord.MatchString(trimmed) || strings.HasSuffix(trimmed, "->") || strings.HasSuffix(trimmed, "->>") {
		return true
	}
	open := strings.LastIndexByte(before, '(')
	return open >= 0 && !strings.Contains(before[open:], ")") && slices.Contains(typeWords, word) && typeCall.MatchString(before[:open+1])
}

var (
	beforeWord = regexp.MustCompile(`(?i)\b(?:DATE|TIME|TIMESTAMP|SEPARATOR|COLLATE)$`)
	typeCall   = regexp.MustCompile(`(?i)\b(?:CHAR|BINARY|DECIMAL|DATETIME|TIME|NCHAR|FLOAT|[A-Z_]*NOW|CURTIME|UTC_TIMESTAMP|UTC_TIME|SYSDATE|CURRENT_TIMESTAMP|LOCALTIME|LOCALTIMESTAMP|CURRENT_TIME|VERSIONS|TIMERANGE|MAX_EXECUTION_TIME)\($`)
)

// argument is a value for a placeholder and the equivalent literal.
type argument struct {
	value any
	means string
}

// argumentFor is an argument of a type that fits a literal.
func argumentFor(r *rand.Rand, text string) argument {
	switch c := text[0]; {
	case c == '\'' || c == '"':
		return stringArgument(r, text)
	case isPrefixed(text) || strings.HasPrefix(text, "0x"):
		b := bytesOfLiteral(text)
		return argument{b, "_binary" + quoted(string(b))}
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return integerArgument(r, i, text)
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return argument{u, text}
	}
	f, _ := strconv.ParseFloat(text, 64)
	return argument{f, strconv.FormatFloat(f, 'e', -1, 64)}
}

func integerArgument(r *rand.Rand, i int64, text string) argument {
	switch {
	case i < 2 && r.IntN(4) == 0:
		return argument{i == 1, text}
	case r.IntN(8) == 0:
		return argument{float64(i), strconv.FormatFloat(float64(i), 'e', -1, 64)}
	}
	return argument{i, text}
}

func stringArgument(r *rand.Rand, text string) argument {
	s := unquotedText(text)
	// Midnight is sent as only a date.
	if at, err := time.Parse(time.DateTime, s); err == nil && at != at.Truncate(24*time.Hour) && r.IntN(2) == 0 {
		return argument{at, text}
	}
	if r.IntN(6) == 0 {
		return argument{[]byte(s), "_binary" + quoted(s)}
	}
	return argument{s, quoted(s)}
}

// quoted is a literal of the text.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`, "\x00", `\0`).Replace(s) + "'"
}

func unquotedText(text string) string {
	q := text[:1]
	body := strings.ReplaceAll(text[1:len(text)-1], q+q, q)
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' || i+1 == len(body) {
			b.WriteByte(body[i])
			continue
		}
		i++
		switch c := body[i]; c {
		case '0':
			b.WriteByte(0)
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'Z':
			b.WriteByte(26)
		case '%', '_':
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// bytesOfLiteral are the bytes of X'61', 0x61 and _binary'a'.
func bytesOfLiteral(text string) []byte {
	if strings.HasPrefix(strings.ToLower(text), "_binary") {
		return []byte(unquotedText(text[len("_binary"):]))
	}
	digits := strings.Trim(strings.TrimPrefix(text, "0x"), "Xx'")
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	out := make([]byte, len(digits)/2)
	for i := range out {
		n, _ := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		out[i] = byte(n)
	}
	return out
}

// variant is a statement with arguments for some of its literals, and with
// equivalent literals.
type variant struct {
	prepared, literal string
	args              []any
	ordered           bool
}

// wantsInteger: only an integer is allowed there.
var wantsInteger = regexp.MustCompile(`(?i)(?:LIMIT|OFFSET) (?:\d+ *, *)?$`)

// variantOf has arguments for the literals that take selects.
func variantOf(r *rand.Rand, text string, ordered bool, literals []literal, take func(i int) bool) variant {
	v := variant{ordered: ordered}
	from := 0
	for i, l := range literals {
		if !take(i) {
			continue
		}
		a := argumentFor(r, l.text)
		if n, err := strconv.ParseInt(l.text, 10, 64); err == nil && wantsInteger.MatchString(text[:l.start]) {
			a = argument{n, l.text}
		}
		v.prepared += text[from:l.start] + "?"
		v.literal += text[from:l.start] + a.means
		v.args = append(v.args, a.value)
		from = l.end
	}
	v.prepared += text[from:]
	v.literal += text[from:]
	return v
}

// variantsOf are variants with an argument for one literal each, up to most of
// them, and one with arguments for all.
func variantsOf(r *rand.Rand, text string, ordered bool, most int) []variant {
	literals := literalsOf(text)
	if len(literals) == 0 {
		return nil
	}
	out := []variant{variantOf(r, text, ordered, literals, func(int) bool { return true })}
	if len(literals) == 1 {
		return out
	}
	for _, only := range r.Perm(len(literals))[:min(most, len(literals))] {
		out = append(out, variantOf(r, text, ordered, literals, func(i int) bool { return i == only }))
	}
	return out
}

// told is an answer with the codes of its warnings.
type told struct {
	oracle.Answer
	warnings string
}

// tell runs a statement, prepared if there are arguments.
func tell(t testing.TB, conn *sql.Conn, text string, ordered bool, args ...any) told {
	ctx := context.Background()
	a := told{Answer: oracle.Answer{SQL: text, Ordered: ordered}}
	rows, err := conn.QueryContext(ctx, text, args...)
	if err == nil {
		types, _ := rows.ColumnTypes()
		for _, c := range types {
			a.Types = append(a.Types, oracle.KindName(c.DatabaseTypeName()))
		}
		a.JSON = oracle.JSONColumns(types)
		a.Rows, err = harness.PrintRows(rows)
	}
	if err != nil {
		a.Rows, a.Types, a.Error = nil, nil, harness.ErrorNumber(err)
		return a
	}
	a.warnings = codesOf(t, conn)
	return a
}

func codesOf(t testing.TB, conn *sql.Conn) string {
	rows, err := conn.QueryContext(context.Background(), "SHOW WARNINGS")
	require.NoError(t, err)
	defer rows.Close()
	var codes []string
	for rows.Next() {
		var level, message string
		var code int
		require.NoError(t, rows.Scan(&level, &code, &message))
		codes = append(codes, strconv.Itoa(code))
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

// sameTold says how the answers for a literal and for an argument differ.
func sameTold(literal, prepared told) string {
	literal.Columns, prepared.Columns = nil, nil
	if kind := oracle.Difference(literal.Answer, prepared.Answer); kind != "" {
		return kind
	}
	if literal.warnings != prepared.warnings {
		return fmt.Sprintf("warnings %q %q", literal.warnings, prepared.warnings)
	}
	return ""
}

func (v variant) explain(literal, prepared told) string {
	return fmt.Sprintf("%s %#v\n literal:  %v %s %s\n prepared: %v %s %s", v.prepared, v.args, literal.Types, literal.Print(), literal.warnings,
		prepared.Types, prepared.Print(), prepared.warnings)
}
