package filter_test

import (
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func TestComparators(t *testing.T) {
	b := func(s string) []byte { return []byte(s) }
	for i, c := range []struct {
		c      filter.Comparator
		stored string
		want   int
	}{
		{filter.BinaryComparator{Value: b("b")}, "a", 1}, {filter.BinaryComparator{Value: b("b")}, "b", 0},
		{filter.BinaryComparator{Value: b("b")}, "bb", -1}, {filter.BinaryComparator{}, "", 0},
		{filter.BinaryPrefixComparator{Value: b("ab")}, "abc", 0}, {filter.BinaryPrefixComparator{Value: b("ab")}, "a", 1},
		{filter.BinaryComponentComparator{Value: b("b"), Offset: 1}, "abc",
			0}, {filter.BinaryComponentComparator{Value: b("b"), Offset: 9}, "abc", 1},
		{filter.BitComparator{Value: b("\x01\x00"), Op: filter.BitAnd}, "\x01\x00",
			0}, {filter.BitComparator{Value: b("\x01"), Op: filter.BitAnd}, "\x02", 1},
		{filter.BitComparator{Value: b("\x01"), Op: filter.BitOr}, "\x00", 0}, {filter.BitComparator{Value: b("\x01"),
			Op: filter.BitXor}, "\x01", 1},
		{filter.BitComparator{Value: b("\x01"), Op: filter.BitOr}, "\x01\x01", 1},
		{filter.LongComparator{Value: -5}, string(binary.BigEndian.AppendUint64(nil, 3)), -1},
		{filter.LongComparator{Value: 5}, string(binary.BigEndian.AppendUint64(nil, ^uint64(8))),
			1}, {filter.LongComparator{Value: 5}, "abc", -1},
		{filter.NullComparator{}, "", 1}, {filter.SubstringComparator{Text: "BC"}, "abcd",
			0}, {filter.SubstringComparator{Text: "x"}, "abcd", 1},
		{filter.BigDecimalComparator{Value: decimal(15, 1)}, string(decimal(150, 2)), 0},
		{filter.BigDecimalComparator{Value: decimal(-15, 1)}, string(decimal(-149, 2)), -1},
		{filter.BigDecimalComparator{Value: decimal(1, -2_000_000_000)}, string(decimal(99, 2_000_000_000)), 1},
		{filter.BigDecimalComparator{Value: decimal(0, 5)}, string(decimal(0, 0)), 0},
		{filter.BigDecimalComparator{Value: decimal(2, 0)}, string(decimal(10, 0)), -1},
		{filter.BigDecimalComparator{Value: decimal(2, 0)}, "", -1},
	} {
		require.Equal(t, c.want, sign(c.c.Compare([]byte(c.stored))), "%d %+v", i, c)
	}
}

// decimal returns n times ten to the power of -scale, as HBase stores it.
func decimal(n int64, scale int32) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(scale))
	if n >= 0 {
		return append(append(out, 0), big.NewInt(n).Bytes()...)
	}
	return binary.BigEndian.AppendUint64(out, uint64(n))
}

func TestRegularExpressions(t *testing.T) {
	const ci = filter.RegexCaseInsensitive
	for _, c := range []struct {
		pattern string
		flags   int
		stored  string
		finds   bool
	}{
		{"b+", 0, "abbc", true}, {"^b", 0, "ab", false}, {"b$", 0, "ab", true}, {"b$", 0, "ab\n", true}, {"b$", 0,
			"ab\r\n", true},
		{"b$", 0, "ab\n\n", false}, {"b$", filter.RegexUnixLines, "ab\r\n", false}, {`b\z`, 0, "ab\n", false}, {`b\Z`, 0,
			"ab\n", true},
		{"(foo|bar$)", 0, "bar\n", true}, {"a$|b", 0, "xbx", true},
		{"a.b", 0, "a\nb", false}, {"a.b", 0, "a\u0085b", false}, {"a.b", filter.RegexDotAll, "a\nb", true}, {"a.b",
			filter.RegexUnixLines, "a\rb", true},
		{"(?s)a.b", 0, "a\nb", true}, {"(?s:a.)b.", 0, "a\nb\n", false},
		{"AbC", ci, "xaBcx", true}, {"k", ci, "\u212a", false}, {"[k-m]", ci, "L", true}, {"[^k-m]", ci, "L",
			false}, {"(?i)a(?-i)b", 0, "AB", false},
		{"(?i)a(?-i)b", 0, "Ab", true}, {"(?i:a)b", 0, "Ab", true}, {"(?i:a)b", 0, "AB", false},
		{"a.b", filter.RegexLiteral, "axb", false}, {"a.b", filter.RegexLiteral | ci, "xA.Bx", true}, {`\Qa.b\E+`, 0,
			"a.bb", true},
		{`\d{2,3}?x`, 0, "12x", true}, {`\s`, 0, "\x0b", true}, {`\S`, 0, " ", false}, {`\w\W`, 0, "a-", true}, {`[\d_]`,
			0, "_", true},
		{`\p{Alpha}\P{Digit}`, 0, "ab", true}, {`[]a]`, 0, "]", true}, {`[a\]]`, 0, "]", true}, {`[a-]`, 0, "-",
			true}, {`\x41\u0042\0103`, 0, "ABC", true},
		{`\.\\\/`, 0, `.\/`, true}, {`(?<name>a)\tb`, 0, "a\tb", true}, {"\u00e9", 0, "caf\u00e9", true}, {"", 0, "",
			true}, {`\bab\b`, 0, "x ab y", true},
	} {
		r, err := filter.NewRegexStringComparator(c.pattern, c.flags, "")
		require.NoError(t, err, c.pattern)
		require.Equal(t, c.finds, r.Compare([]byte(c.stored)) == 0, "%q with %d in %q", c.pattern, c.flags, c.stored)
		require.Equal(t, c.pattern, string(r.Operand()))
	}
	latin, err := filter.NewRegexStringComparator("\u00e9$", 0, "ISO-8859-1")
	require.NoError(t, err)
	require.Zero(t, latin.Compare([]byte("caf\xe9")))
}

func TestRegularExpressionsRefused(t *testing.T) {
	for _, c := range []struct {
		pattern string
		flags   int
		want    error
		what    string
	}{
		{"(?=a)", 0, filter.ErrRegex, "looking ahead"}, {"(?<!a)b", 0, filter.ErrRegex, "looking behind"}, {"(?>a)", 0,
			filter.ErrRegex, "atomic"},
		{`(a)\1`, 0, filter.ErrRegex, "back reference"}, {"a++", 0, filter.ErrRegex, "possessive"}, {"a{2}+", 0,
			filter.ErrRegex, "possessive"},
		{"[a&&b]", 0, filter.ErrRegex, "classes"}, {"[a[b]]", 0, filter.ErrRegex, "classes"}, {`\G`, 0, filter.ErrRegex,
			`\G`}, {`\p{L}`, 0, filter.ErrRegex, "property"},
		{"a$b", 0, filter.ErrRegex, "$"}, {"(a$)b", 0, filter.ErrRegex, "$"}, {"a", filter.RegexMultiline,
			filter.ErrRegex, "MULTILINE"},
		{"(?m)a", 0, filter.ErrRegex, "MULTILINE"}, {"(?x)a", 0, filter.ErrRegex, "COMMENTS"}, {"a", 66, filter.ErrRegex,
			"UNICODE_CASE"}, {"a", 1024, filter.ErrRegex, "unknown"},
		{"a{1,2000}", 0, filter.ErrRegex, "repeat"}, {"(", 0, filter.ErrInvalid, "not closed"}, {")", 0,
			filter.ErrInvalid, "not opened"}, {"[a", 0, filter.ErrInvalid, "not closed"},
		{"a{2}{3}", 0, filter.ErrRegex, "a repeated repetition"}, {"^*a", 0, filter.ErrRegex, "a repeated repetition"},
		{"*a", 0, filter.ErrInvalid, "nothing to repeat"}, {"a{x}", 0, filter.ErrInvalid, "count"}, {`a\`, 0,
			filter.ErrInvalid, "backslash"}, {"[b-a]", 0, filter.ErrInvalid, "descends"},
		{"(?z)", 0, filter.ErrInvalid, "flag"}, {"\xff", 0, filter.ErrInvalid, "UTF-8"}, {`\y`, 0, filter.ErrRegex,
			`\y`}, {`[\b]`, 0, filter.ErrRegex, `\b`},
	} {
		_, err := filter.NewRegexStringComparator(c.pattern, c.flags, "")
		require.ErrorIs(t, err, c.want, c.pattern)
		require.ErrorContains(t, err, c.what, c.pattern)
	}
	_, err := filter.NewRegexStringComparator("a", 0, "EBCDIC")
	require.ErrorIs(t, err, filter.ErrRegex)
}

func FuzzRegularExpressions(f *testing.F) {
	for _, seed := range []string{"^a[b-d]+$", `\Qx\E{2}`, "(?i:a|b)c?", `[^\d\]&-]`, "(?<n>.)*?", `\x{10ffff}\u0041`} {
		f.Add(seed, 0, []byte("abc"))
	}
	f.Fuzz(func(_ *testing.T, pattern string, flags int, stored []byte) {
		if c, err := filter.NewRegexStringComparator(pattern, flags, ""); err == nil {
			c.Compare(stored)
		}
	})
}
