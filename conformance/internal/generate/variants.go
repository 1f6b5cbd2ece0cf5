package generate

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Literal is a literal in a statement's text that an argument may replace.
type Literal struct {
	Start, End int // in the statement's text
	Text       string
}

var literalIn = regexp.MustCompile(`(?i)\x60[^\x60]*\x60|(?:_?[a-z][a-z0-9_$]*)?'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|0x[0-9a-f]+|` +
	`[a-z_@][a-z0-9_$@.]*|(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?`)

// LiteralsOf finds the literals of a text. Lengths of types and digits of NOW do
// not count.
func LiteralsOf(text string) []Literal {
	var out []Literal
	word := ""
	for _, at := range literalIn.FindAllStringIndex(text, -1) {
		l := Literal{at[0], at[1], text[at[0]:at[1]]}
		switch c := l.Text[0]; {
		case c == '\'' || c == '"' || c >= '0' && c <= '9' || c == '.' || isPrefixed(l.Text):
			if f, err := strconv.ParseFloat(l.Text, 64); !partOfSyntax(text[:at[0]], word) && (err == nil || f == 0) {
				out = append(out, l)
			}
		default:
			word = strings.ToUpper(l.Text)
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
		return argument{b, "_binary" + Quoted(string(b))}
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
	case r == nil:
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
	if at, err := time.Parse(time.DateTime, s); err == nil && at != at.Truncate(24*time.Hour) && r != nil && r.IntN(2) == 0 {
		return argument{at, text}
	}
	if r != nil && r.IntN(6) == 0 {
		return argument{[]byte(s), "_binary" + Quoted(s)}
	}
	return argument{s, Quoted(s)}
}

// Quoted is a literal of the text.
func Quoted(s string) string {
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

// Variant is a statement with arguments for some of its literals, and with
// equivalent literals.
type Variant struct {
	Prepared, Literal string
	Args              []any
	Ordered           bool
}

// wantsInteger: only an integer is allowed there.
var wantsInteger = regexp.MustCompile(`(?i)(?:LIMIT|OFFSET) (?:\d+ *, *)?$`)

// VariantOf has arguments for the literals that take selects, of types that r draws; of the literals' own types if
// r is nil.
func VariantOf(r *rand.Rand, text string, ordered bool, literals []Literal, take func(i int) bool) Variant {
	v := Variant{Ordered: ordered}
	from := 0
	for i, l := range literals {
		if !take(i) {
			continue
		}
		a := argumentFor(r, l.Text)
		if n, err := strconv.ParseInt(l.Text, 10, 64); err == nil && wantsInteger.MatchString(text[:l.Start]) {
			a = argument{n, l.Text}
		}
		v.Prepared += text[from:l.Start] + "?"
		v.Literal += text[from:l.Start] + a.means
		v.Args = append(v.Args, a.value)
		from = l.End
	}
	v.Prepared += text[from:]
	v.Literal += text[from:]
	return v
}

// VariantsOf are variants with an argument for one literal each, up to most of
// them, and one with arguments for all.
func VariantsOf(r *rand.Rand, text string, ordered bool, most int) []Variant {
	literals := LiteralsOf(text)
	if len(literals) == 0 {
		return nil
	}
	out := []Variant{VariantOf(r, text, ordered, literals, func(int) bool { return true })}
	if len(literals) == 1 {
		return out
	}
	for _, only := range r.Perm(len(literals))[:min(most, len(literals))] {
		out = append(out, VariantOf(r, text, ordered, literals, func(i int) bool { return i == only }))
	}
	return out
}
