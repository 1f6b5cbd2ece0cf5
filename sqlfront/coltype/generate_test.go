package coltype_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// generator draws columns and values.
type generator struct{ *rand.Rand }

func pick[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

// column is a type with attributes.
func (g generator) column() string {
	declared := g.baseType()
	if g.IntN(4) == 0 {
		return declared + " NOT NULL"
	}
	if strings.HasPrefix(declared, "TIMESTAMP") {
		declared += " NULL"
	}
	return declared
}

func (g generator) baseType() string {
	switch g.IntN(12) {
	case 0, 1:
		return pick(g, "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "TINYINT(1)") + pick(g, "", "", " UNSIGNED")
	case 2:
		return pick(g, "INT(4) ZEROFILL", "YEAR", "TINYINT ZEROFILL", "BIGINT ZEROFILL")
	case 3:
		return fmt.Sprintf("BIT(%d)", 1+g.IntN(64))
	case 4:
		digits := 1 + g.IntN(pick(g, 6, 20, 65))
		return fmt.Sprintf("DECIMAL(%d,%d)", digits, g.IntN(min(digits, 30)+1)) + pick(g, "", "", " UNSIGNED")
	case 5:
		return pick(g, "FLOAT", "DOUBLE", "DOUBLE(8,2)", "FLOAT(7,3)", "DOUBLE(5,0)") + pick(g, "", "", " UNSIGNED")
	case 6, 7:
		return pick(g, "DATE", "TIME", "DATETIME", "TIMESTAMP", "TIME(3)", "DATETIME(3)", "TIMESTAMP(2)", "DATETIME(6)",
			"TIME(6)", "TIMESTAMP(6)")
	case 8:
		return pick(g, "CHAR", "VARCHAR") + fmt.Sprintf("(%d)", g.IntN(12)) +
			pick(g, "", "", " CHARACTER SET utf8", " COLLATE utf8mb4_bin")
	case 9:
		return pick(g, "BINARY", "VARBINARY") + fmt.Sprintf("(%d)", g.IntN(12))
	case 10:
		return pick(g, "ENUM('a','b','Ab c','3','x''y')", "ENUM('ä','ö','1','0')", "SET('a','b','c','d')",
			"SET('1','2','4','eins')")
	}
	return pick(g, "TINYTEXT", "TEXT", "TINYBLOB", "LONGTEXT", "MEDIUMBLOB", "TEXT(10)")
}

// given is a value that may fit.
func (g generator) given(t coltype.Type) given {
	var literal string
	switch g.IntN(12) {
	case 0:
		literal = pick(g, "NULL", "''", "0", "' '", "1", "TRUE", "'0'", "-1", "'a'")
	case 1, 2:
		literal = g.number()
	case 3, 4:
		literal = "'" + g.padding() + g.number() + g.garbage() + "'"
	case 5:
		literal = "'" + g.date() + g.garbage() + "'"
	case 6:
		literal = "'" + g.clock() + g.garbage() + "'"
	case 7:
		literal = g.temporal()
	case 8:
		literal = pick(g, "'a'", "'B'", "'ab C'", "'a,b'", "'b,a,d'", "'a,z'", "'x''y'", "'Ä'", "'3'", "'4 '", "'7'",
			"',a'", "'eins,2'", "'a,'")
	case 9:
		literal = "BINARY '" + pick(g, "a", "\xff", "ab\xc3", "12", "\xf0\x9f\x98\x80") + "'"
	default:
		literal = g.forType(t)
	}
	return given{literal, mustLiteral(literal)}
}

// forType is a value near the type's limits.
func (g generator) forType(t coltype.Type) string {
	switch {
	case t.Base.IsInteger() || t.Base == coltype.Bit:
		limit := int64(1) << pick(g, 7, 8, 15, 16, 23, 24, 31, 32, 62)
		n := strconv.FormatInt((limit+int64(g.IntN(3))-1)*pick(g, int64(1), -1), 10)
		return pick(g, n, "'"+n+"'", n+".5", "'"+n+".49'", n+".0e0", pick(g, "18446744073709551615", "-9223372036854775808",
			"9223372036854775808", "'18446744073709551616'", "'-9223372036854775809'"))
	case t.Base == coltype.Decimal || t.Base.IsFloat():
		whole, fraction := strings.Repeat("9", max(1, t.Length-t.Decimals+g.IntN(2))), pick(g, "4", "9", "5")
		n := pick(g, "", "-") + whole + "." + strings.Repeat(fraction, t.Decimals+1)
		return pick(g, n, "'"+n+"'")
	case t.Base == coltype.Year:
		return pick(g, "'00'", "'0'", "70", "'69'", "1900", "1901", "2155", "2156", "'0000'", "100", "'2024abc'", "'000'")
	case t.Base.IsTemporal():
		return pick(g, g.temporal(), "'"+g.date()+" "+g.clock()+"'", "'"+g.clock()+"'", "20240229",
			"20240229101112.9999995", "'9999-12-31 23:59:59.9999999'", "'2038-01-19 08:44:07'", "'2038-01-19 08:44:08'",
			"'1970-01-01 05:30:00'", "'1970-01-01 05:30:01'", "'838:59:59.5'", "101112")
	case t.Base.HasMembers():
		return pick(g, "1", "2", "4", "5", "15", "16", "17", "0", "-1", "'1'", "'2'", "'5'", "'b'", "'A'", "'c,a'",
			"1.6", "2e0")
	}
	text := strings.Repeat(pick(g, "a", "ä", "😀", " "), g.IntN(12)) + strings.Repeat(pick(g, " ", "b"), g.IntN(4))
	if t.Base.IsLarge() && g.IntN(3) == 0 {
		text = strings.Repeat("x", 253) + text
	}
	return "'" + text + "'"
}

func (g generator) number() string {
	whole := strconv.Itoa(g.IntN(pick(g, 10, 300, 70000, 1<<31)))
	sign := pick(g, "", "", "-")
	switch g.IntN(5) {
	case 0:
		return sign + whole + "." + strconv.Itoa(g.IntN(1000))
	case 1:
		return sign + whole + pick(g, ".5", ".49", ".995", ".05")
	case 2:
		return sign + whole + pick(g, "e0", "e3", "e-2", ".5e1", "e20", "e290", "e-300", ".25e0")
	}
	return sign + whole
}

func (g generator) padding() string { return pick(g, "", "", "", " ", "\n", "+", "0") }

func (g generator) garbage() string {
	return pick(g, "", "", "", "", " ", "abc", " abc", "x", ".", ",")
}

func (g generator) date() string {
	year := pick(g, "2024", "2023", "1999", "0000", "24", "70", "9999", "1970", "2038", "10000")
	month, day := pick(g, "02", "1", "00", "12", "13"), pick(g, "29", "1", "00", "31", "32", "28")
	return year + pick(g, "-", "-", "-", "/", ".") + month + "-" + day
}

func (g generator) clock() string {
	hours, minutes := pick(g, "10", "23", "00", "838", "839", "24", "1 10", "-12", "7"), pick(g, "59", "00", "60", "7")
	return hours + ":" + minutes + ":" + pick(g, "59", "00", "60", "5") +
		pick(g, "", "", ".5", ".499", ".9999995", ".123456", ".9999", ".4999995")
}

func (g generator) temporal() string {
	day := pick(g, "2024-02-29", "1999-12-31", "9999-12-31", "1970-01-01", "2038-01-19")
	clock := pick(g, "00:00:00", "23:59:59", "12:30:45.5", "23:59:59.999999", "08:44:07.4")
	return pick(g, "DATE'"+day+"'", "TIMESTAMP'"+day+" "+clock+"'", "TIME'"+clock+"'", "TIME'-838:59:59'")
}

func readLiteral(t *testing.T, text string) value.Value {
	v, err := literalValue(text)
	require.NoError(t, err, text)
	return v
}

func mustLiteral(text string) value.Value {
	v, err := literalValue(text)
	if err != nil {
		panic(err)
	}
	return v
}

// literalValue is the value of a generated literal.
func literalValue(text string) (value.Value, error) {
	kind, quoted, isQuoted := strings.Cut(text, "'")
	quoted = strings.ReplaceAll(strings.TrimSuffix(quoted, "'"), "''", "'")
	switch {
	case text == "NULL":
		return value.Value{}, nil
	case text == "TRUE":
		return value.NewInt(1), nil
	case isQuoted:
		return quotedValue(kind, quoted)
	case strings.ContainsAny(text, "e"):
		f, whole := value.ParseFloat([]byte(text))
		if !whole {
			return value.NewFloat(0), nil // no database accepts it
		}
		return value.NewFloat(f), nil
	case strings.Contains(text, "."):
		v, _ := value.ParseExact([]byte(text))
		return v, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value.NewInt(n), nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return value.NewUint(n), err
}

func quotedValue(kind, text string) (value.Value, error) {
	switch kind {
	case "":
		return value.NewString(text), nil
	case "X":
		b, err := hex.DecodeString(text)
		return value.NewBytes(b), err
	case "BINARY ":
		return value.NewBytes([]byte(text)), nil
	case "DATE", "TIMESTAMP":
		v, _ := value.ParseDateTime(value.NewString(text))
		return v, nil
	case "TIME":
		v, _ := value.ParseTime(value.NewString(text))
		return v, nil
	}
	return value.Value{}, fmt.Errorf("no literal: %s", kind)
}
