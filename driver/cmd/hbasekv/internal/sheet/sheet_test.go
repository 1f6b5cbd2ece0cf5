package sheet

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("ä", 70)
	require.Equal(t, []string{"id", "full name", "column_3", "ID_2", "id_3", "column_6", "id_2_2", "a b", "?x", long[:2*64], long[:2*62] + "_2", "a\"b`c'd"},
		Names([]string{" id ", "full\r\n name", "", "ID", "id", "\t", "id_2", "a\x00 b", "\xff" + "x", long, long, "a\"b`c'd"}))
	names := map[string]bool{}
	for _, name := range Names(make([]string, 1000)) {
		require.False(t, names[name])
		names[name] = true
	}
}

func TestIdentifier(t *testing.T) {
	for stem, want := range map[string]string{"orders": "orders", "my.orders-2024 (1)": "my_orders_2024__1_", "a$b`": "a_b_", "Größe": "Größe",
		"\xff\xfe": "__", strings.Repeat("x", 99): strings.Repeat("x", 58)} {
		require.Equal(t, want, Identifier(stem))
	}
}

// TestGuess checks the types that are guessed for values.
func TestGuess(t *testing.T) {
	const bytes = "V"
	for _, c := range []struct{ values, want string }{
		{"", "CAST(V AS CHAR(255))"},
		{"1|-2|0", "CAST(V AS SIGNED)"},
		{"9223372036854775807|-9223372036854775808", "CAST(V AS SIGNED)"},
		{"9223372036854775808|0", "CAST(V AS UNSIGNED)"},
		{"9223372036854775808|-1", "CAST(V AS DECIMAL(19, 0))"},
		{"18446744073709551616", "CAST(V AS DECIMAL(20, 0))"},
		{strings.Repeat("9", 65), "CAST(V AS DECIMAL(65, 0))"},
		{strings.Repeat("9", 66), "CAST(V AS CHAR(255))"},
		{"1.50|-20|.5|-.25", "CAST(V AS DECIMAL(17, 2))"},
		{"0.1234567890123456789012345678901", "CAST(V AS CHAR(255))"},
		{"1.5e-7|2|-0.25", "CAST(V AS DOUBLE)"},
		{"1e+06|1e-05|1E+3", "CAST(V AS DOUBLE)"},
		{"12E4|7", "CAST(V AS CHAR(255))"},
		{"1e+400", "CAST(V AS CHAR(255))"},
		{"1e+06|1234567890123456789", "CAST(V AS CHAR(255))"},
		{"007|1", "CAST(V AS CHAR(255))"},
		{"00.5", "CAST(V AS CHAR(255))"},
		{"+1", "CAST(V AS CHAR(255))"},
		{"-0", "CAST(V AS CHAR(255))"},
		{" 1", "CAST(V AS CHAR(255))"},
		{"1.", "CAST(V AS CHAR(255))"},
		{"1,5", "CAST(V AS CHAR(255))"},
		{"0x10", "CAST(V AS CHAR(255))"},
		{"NaN|1", "CAST(V AS CHAR(255))"},
		{"-", "CAST(V AS CHAR(255))"},
		{"1e+", "CAST(V AS CHAR(255))"},
		{"1e+1.5", "CAST(V AS CHAR(255))"},
		{"2024-02-29|1999-12-31", "CAST(V AS DATE)"},
		{"2023-02-29", "CAST(V AS CHAR(255))"},
		{"0000-00-00", "CAST(V AS CHAR(255))"},
		{"2024-02-29|2024-02-29 23:59", "CAST(V AS DATETIME(0))"},
		{"2024-02-29T23:59:59.123|2024-02-29 00:00:00", "CAST(V AS DATETIME(3))"},
		{"2024-02-29 23:59:59.123456789", "CAST(V AS DATETIME(6))"},
		{"2024-02-29T23:59:59Z|2024-02-29T23:59:59.5Z", "CAST(TRIM(TRAILING 'Z' FROM V) AS DATETIME(1))"},
		{"2024-02-29T23:59:59Z|2024-02-29T23:59:59", "CAST(V AS CHAR(255))"},
		{"2024-02-29T23:59:59+01:00", "CAST(V AS CHAR(255))"},
		{"2024-02-29 24:00:00", "CAST(V AS CHAR(255))"},
		{"2024-02-29 10:00:00,5", "CAST(V AS CHAR(255))"},
		{"2024-02-29 10:00.5", "CAST(V AS CHAR(255))"},
		{"2024-02-29 1:00:00", "CAST(V AS CHAR(255))"},
		{"2024-02-29 ", "CAST(V AS CHAR(255))"},
		{"true|FALSE|True", "CAST(V AS CHAR(5)) = 'true'"},
		{"true|yes", "CAST(V AS CHAR(255))"},
		{"1|true", "CAST(V AS CHAR(255))"},
		{"2024-01-01|1", "CAST(V AS CHAR(255))"},
		{"a|" + strings.Repeat("ä", 255), "CAST(V AS CHAR(255))"},
		{strings.Repeat("ä", 256), "CAST(V AS CHAR(2000))"},
		{strings.Repeat("a", 16_000), "CAST(V AS CHAR(16000))"},
		{strings.Repeat("a", 16_001), "CAST(V AS CHAR)"},
		{"a|\xff|b", "V"},
	} {
		var g Guess
		for _, v := range strings.Split(c.values, "|") {
			if v != "" {
				g.See(v)
			}
		}
		require.Equal(t, c.want, g.Type().Cast(bytes), "%.60q", c.values)
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		value, kind string
		want        bool
	}{
		{"1", "bigint(20)", true}, {"1.5", "bigint(20)", false}, {"9223372036854775808", "bigint(20)", false},
		{"9223372036854775808", "bigint(20) unsigned", true}, {"1", "decimal(17,2)", true}, {"1.25", "decimal(17,2)", true},
		{"1.255", "decimal(17,2)", false}, {"1234567890123456", "decimal(17,2)", false}, {"1.5e-7", "decimal(17,2)", false},
		{"1.5e-7", "double", true}, {"1", "double", true}, {"x", "double", false}, {"2024-01-01", "date", true},
		{"2024-01-01 10:00", "date", false}, {"2024-01-01", "datetime", true}, {"2024-01-01 10:00:00.5", "datetime", false},
		{"2024-01-01 10:00:00.5", "datetime(3)", true}, {"true", "int(1)", true}, {"x", "int(1)", false},
		{"x", "varchar(1)", true}, {"xy", "varchar(1)", false}, {"\xff", "varchar(9)", false}, {"xy", "longtext", true},
	} {
		var g Guess
		g.See(c.value)
		require.Equal(t, c.want, g.Fits(c.kind), "%s in %s", c.value, c.kind)
	}
}

// TestKeyOrder: keys sort like the values of their columns, compared one after another.
func TestKeyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	header := []string{"a", "b", "c"}
	numbers := []string{"0", "-1", "1", "9", "10", "-10", strconv.Itoa(math.MaxInt64), strconv.Itoa(math.MinInt64)}
	texts := []string{"a", "a ", "a!", "aa", "b", "ä", "\x01", "10", "9"}
	for _, spec := range []string{"a", "b", "a,b", "b,a", "b,c,a", "c,b", "a:text,b"} {
		var rows [][]string
		for range 300 {
			rows = append(rows, []string{numbers[r.IntN(len(numbers))], texts[r.IntN(len(texts))], texts[r.IntN(len(texts))]})
		}
		k, err := ParseKey(spec, header, header)
		require.NoError(t, err)
		k.Settle(rows)
		key := func(row []string) []byte {
			b, err := k.Append(nil, row)
			require.NoError(t, err)
			return b
		}
		compare := func(x, y []string) int {
			for _, column := range k.Columns() {
				a, errA := strconv.Atoi(x[column])
				b, errB := strconv.Atoi(y[column])
				c := cmp.Compare(x[column], y[column])
				if column == 0 && !strings.Contains(spec, ":text") && errA == nil && errB == nil {
					c = cmp.Compare(a, b)
				}
				if c != 0 {
					return c
				}
			}
			return 0
		}
		for range 3000 {
			x, y := rows[r.IntN(len(rows))], rows[r.IntN(len(rows))]
			require.Equal(t, compare(x, y), bytes.Compare(key(x), key(y)), "%s: %q, %q", spec, x, y)
		}
	}
}

func TestKeyRefusals(t *testing.T) {
	header := []string{" Order Id ", "x:int", "", "y"}
	names := Names(header)
	for spec, columns := range map[string][]int{"Order Id": {0}, "order id": {0}, "x:int": {1}, "x:int:text": {1}, "column_3,y": {2, 3}, "y:int, x:int": {3, 1}} {
		k, err := ParseKey(spec, header, names)
		require.NoError(t, err, spec)
		require.Equal(t, columns, k.Columns(), spec)
	}
	for spec, want := range map[string]string{"z": "no such column; it has Order Id, x:int, column_3, y", "y,y": "occurs twice", "": "no such column", "z:int": "no such column"} {
		_, err := ParseKey(spec, header, names)
		require.ErrorContains(t, err, want, spec)
	}
	k, err := ParseKey("y,x:int", header, names)
	require.NoError(t, err)
	k.Settle([][]string{{"", "", "", "7"}, {}})
	for y, want := range map[string]string{"": "y is empty", "08": `y is "08", and those of the first lines`, "9223372036854775808": "y is"} {
		_, err = k.Append(nil, []string{"", "x", "", y})
		require.ErrorContains(t, err, want)
	}
	_, err = k.Append(nil, []string{"", "a\x00b", "", "1"})
	require.ErrorContains(t, err, "zero byte")
}

// TestDuplicates finds the first line with a duplicate key, even if there are more keys than are
// kept in memory.
func TestDuplicates(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 12_345} {
		for _, twice := range []bool{false, true} {
			d := NewDuplicates()
			d.Dir, d.most = t.TempDir(), 1000
			for i := range n {
				require.NoError(t, d.Add(fmt.Appendf(nil, "key %d", i), i+2))
			}
			if twice && n > 1 {
				require.NoError(t, d.Add([]byte("key 998"), n+2))
				require.NoError(t, d.Add([]byte("key 7"), n+3))
				require.NoError(t, d.Add([]byte("key 7"), n+4))
			}
			first, second, found, err := d.Find()
			require.NoError(t, err)
			if require.Equal(t, twice && n > 1, found); found {
				require.Equal(t, []int{1000, n + 2}, []int{first, second})
			}
			require.NoError(t, d.Close())
			files, err := os.ReadDir(d.Dir)
			require.NoError(t, err)
			require.Empty(t, files)
		}
	}
}

// FuzzGuess: no value is mistaken for something else: one that is guessed to be a number or a
// date reads back as it is written.
func FuzzGuess(f *testing.F) {
	for _, seed := range []string{"1", "-1.5", "1e-7", "2024-02-29", "2024-02-29 10:00:00.5", "true", "\xff", "-.", "."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		var g Guess
		g.See(value)
		cast := g.Type().Cast("V")
		switch {
		case strings.Contains(cast, "SIGNED"):
			n, err := strconv.ParseInt(value, 10, 64)
			if u, errU := strconv.ParseUint(value, 10, 64); errU == nil {
				require.Equal(t, value, strconv.FormatUint(u, 10))
				return
			}
			require.NoError(t, err)
			require.Equal(t, value, strconv.FormatInt(n, 10))
		case strings.Contains(cast, "DECIMAL"), strings.Contains(cast, "DOUBLE"):
			_, err := strconv.ParseFloat(value, 64)
			require.NoError(t, err)
			require.False(t, slices.ContainsFunc([]byte(value), func(b byte) bool { return !bytes.ContainsRune([]byte("0123456789.eE+-"), rune(b)) }))
		case cast == "V":
			require.False(t, utf8.ValidString(value))
		}
	})
}
