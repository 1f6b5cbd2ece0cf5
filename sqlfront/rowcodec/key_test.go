package rowcodec

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func newDrawn(t *testing.T) drawn { return drawn{rand.New(rand.NewPCG(testseed.Of(t), 0))} }

// key draws a key; it is nil if the drawn columns cannot be one.
func (g drawn) key(t *testing.T) *Key {
	parts := make([]Part, 1+g.IntN(3))
	mapped := g.IntN(2) == 0
	for i := range parts {
		parts[i] = Part{Name: "x", Type: declared(t, allTypes[g.IntN(len(allTypes))]), Nullable: !mapped && g.IntN(4) == 0,
			UTF8: g.IntN(2) == 0, Padded: !mapped && g.IntN(2) == 0}
		if mapped {
			parts[i].Encoding = []Encoding{Text, Bytes, Ordered}[g.IntN(3)]
		}
	}
	k, err := NewKey(parts, [][]byte{nil, {0}, []byte("|"), []byte("::")}[g.IntN(4)])
	if err != nil {
		require.Equal(t, uint16(1235), errorNumber(err), err)
		return nil
	}
	return k
}

func (g drawn) tuple(k *Key) []value.Value {
	out := make([]value.Value, len(k.parts))
	for i, p := range k.parts {
		if !p.Nullable || g.IntN(4) > 0 {
			out[i] = g.value(p.Type)
		}
	}
	return out
}

func errorNumber(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// tupleRow is a tuple and its row.
type tupleRow struct {
	tuple []value.Value
	row   []byte
}

// rows draws tuples that the key has rows for; the others are refused.
func (g drawn) rows(t *testing.T, k *Key, n int) (out []tupleRow) {
	for range n {
		tuple := g.tuple(k)
		row, err := k.AppendRow([]byte{}, tuple)
		if err != nil {
			require.Contains(t, []uint16{1366, 1264}, errorNumber(err), err)
			continue
		}
		out = append(out, tupleRow{tuple, row})
	}
	return out
}

// TestKeys: rows differ and sort as their tuples, and can be read back.
func TestKeys(t *testing.T) {
	g, keys := newDrawn(t), 0
	for range 1500 {
		k := g.key(t)
		if k == nil {
			continue
		}
		keys++
		rows := g.rows(t, k, 12)
		for _, x := range rows {
			checkReads(t, k, x)
			for _, y := range rows {
				checkOrder(t, k, x, y)
			}
		}
	}
	require.Greater(t, keys, 300)
	t.Log(keys, "keys")
}

func checkReads(t *testing.T, k *Key, x tupleRow) {
	back := make([]value.Value, len(k.parts))
	require.True(t, k.ReadRow(x.row, back), "%s: %x %v", describe(k), x.row, x.tuple)
	for i, p := range k.parts {
		if !k.Recovered(i) {
			require.True(t, back[i].IsNull())
			continue
		}
		require.Equal(t, 0, order(p.Part, x.tuple[i], back[i]), "%s: %v %v", describe(k), x.tuple, back)
		require.Equal(t, x.tuple[i].String(), back[i].String(), describe(k))
		require.Equal(t, x.tuple[i].Kind(), back[i].Kind(), describe(k))
	}
	if len(k.parts) == 1 && k.parts[0].Encoding == Plain && k.parts[0].Type.Octets() > 0 {
		require.NotEmpty(t, x.row, describe(k))
	}
}

func checkOrder(t *testing.T, k *Key, x, y tupleRow) {
	sorted := k.Sorted()
	if o := orderOf(k, sorted, x.tuple, y.tuple); o != 0 {
		require.Equal(t, o, bytes.Compare(x.row, y.row), "%s: %v %v %x %x", describe(k), x.tuple, y.tuple, x.row, y.row)
	}
	all := orderOf(k, len(k.parts), x.tuple, y.tuple) == 0
	require.Equal(t, all, bytes.Equal(x.row, y.row), "%s: %v %v %x %x", describe(k), x.tuple, y.tuple, x.row, y.row)
}

func describe(k *Key) string {
	var out []string
	for _, p := range k.parts {
		text := p.Type.String() + " " + p.Type.Collation + p.Encoding.String()
		if p.Nullable {
			text += " NULL"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// TestSpans: each span has the rows that it is for, and no others.
func TestSpans(t *testing.T) {
	g, spans := newDrawn(t), 0
	for range 1500 {
		k := g.key(t)
		if k == nil {
			continue
		}
		rows := g.rows(t, k, 30)
		if len(rows) == 0 {
			continue
		}
		at := g.IntN(len(k.parts))
		like, low, high := rows[g.IntN(len(rows))], g.tuple(k)[at], g.tuple(k)[at]
		first := like.tuple[:at]
		checkSpan(t, k, k.Equal(like.tuple[:at+1]), rows, func(x tupleRow) bool {
			return orderOf(k, at+1, x.tuple, like.tuple) == 0
		})
		spans++
		if at < k.Sorted() && g.encodable(k, at, low) && g.encodable(k, at, high) {
			l, h := Bound{low, g.IntN(2) == 0}, Bound{high, g.IntN(2) == 0}
			checkSpan(t, k, k.Between(first, l, h), rows, func(x tupleRow) bool {
				return orderOf(k, at, x.tuple, like.tuple) == 0 && within(k.parts[at].Part, x.tuple[at], l, h)
			})
			spans++
		}
		if k.parts[at].begin != nil && !k.parts[at].weighed {
			text := prefix(g, like.tuple[at].Raw())
			span := k.StartsWith(first, text)
			for _, x := range rows {
				if orderOf(k, at, x.tuple, like.tuple) == 0 && !x.tuple[at].IsNull() && bytes.HasPrefix(x.tuple[at].Raw(), text) {
					require.True(t, contains(span, x.row), "%s: %q %x", describe(k), text, x.row)
				}
			}
			spans++
		}
	}
	require.Greater(t, spans, 300)
	t.Log(spans, "spans")
}

// encodable reports whether a bound can be encoded, or is a text of which a part can be.
func (g drawn) encodable(k *Key, at int, v value.Value) bool {
	p := &k.parts[at]
	if v.IsNull() || p.cut != nil {
		return true
	}
	_, err := p.append(nil, v)
	return err == nil
}

func prefix(g drawn, b []byte) []byte { return b[:g.IntN(len(b)+1)] }

func within(p Part, v value.Value, low, high Bound) bool {
	if v.IsNull() {
		return false
	}
	if o := order(p, v, low.Value); !low.Value.IsNull() && (o < 0 || o == 0 && low.Open) {
		return false
	}
	o := order(p, v, high.Value)
	return high.Value.IsNull() || o < 0 || o == 0 && !high.Open
}

func contains(s Span, row []byte) bool {
	return bytes.Compare(row, s.Start) >= 0 && (s.End == nil || bytes.Compare(row, s.End) < 0)
}

func checkSpan(t *testing.T, k *Key, s Span, rows []tupleRow, want func(tupleRow) bool) {
	for _, x := range rows {
		require.Equal(t, want(x), contains(s, x.row), "%s: %v %x in %x", describe(k), x.tuple, x.row, s)
		require.False(t, s.IsEmpty() && want(x))
	}
}

// TestWeightPrefixes: the span of a prefix has the texts that begin with it by the collation.
func TestWeightPrefixes(t *testing.T) {
	for i, by := range []string{"utf8mb4_general_ci", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci", "utf8mb4_0900_as_cs"} {
		k, err := NewKey([]Part{{Name: "x", Type: declared(t, "VARCHAR(20) COLLATE "+by), UTF8: i > 0}}, nil)
		require.NoError(t, err)
		for text, prefix := range map[string]string{"Abcd": "ab", "ab": "AB", "a b": "a ", "a  ": "a ", "äb": "a",
			"a b c": "A B"} {
			if by == "utf8mb4_0900_as_cs" {
				prefix = text[:1]
			}
			v := value.NewString(text).WithCollation(k.parts[0].Type.By())
			row, err := k.AppendRow(nil, []value.Value{v})
			require.NoError(t, err)
			require.True(t, contains(k.StartsWith(nil, []byte(prefix)), row), "%s %q %q", by, text, prefix)
		}
	}
}

// TestRefusedKeys lists types that a key cannot have.
func TestRefusedKeys(t *testing.T) {
	for _, parts := range [][]Part{
		{{Name: "x", Type: declared(t, "JSON")}},
		{{Name: "x", Type: declared(t, "VARCHAR(3)"), Encoding: Text}},
		{{Name: "x", Type: declared(t, "DECIMAL(3,1)"), Encoding: Bytes},
			{Name: "y", Type: declared(t, "INT"), Encoding: Bytes}},
		{{Name: "x", Type: declared(t, "DATETIME(6)"), Encoding: Ordered}},
	} {
		_, err := NewKey(parts, nil)
		require.Equal(t, uint16(1235), errorNumber(err), err)
	}
	text := declared(t, "VARCHAR(9) COLLATE utf8mb4_bin")
	k, err := NewKey([]Part{{Name: "x", Type: text, Encoding: Text}, {Name: "y", Type: text, Encoding: Text}}, []byte("|"))
	require.NoError(t, err)
	_, err = k.AppendRow(nil, []value.Value{value.NewString("a|b"), value.NewString("c|d")})
	require.Equal(t, uint16(1366), errorNumber(err))
	_, err = k.AppendRow(nil, []value.Value{value.NewString("a"), {}})
	require.Equal(t, uint16(1048), errorNumber(err))
	row, err := k.AppendRow(nil, []value.Value{value.NewString("a"), value.NewString("c|d")})
	require.NoError(t, err)
	require.Equal(t, "a|c|d", string(row))
	require.Equal(t, 0, k.Sorted())
	require.True(t, k.Equal([]value.Value{value.NewString("a|b")}).IsEmpty())
}

// TestFloatsOfKeys lists numbers that a key cannot have.
func TestFloatsOfKeys(t *testing.T) {
	for _, e := range []Encoding{Plain, Ordered} {
		k, err := NewKey([]Part{{Name: "x", Type: declared(t, "DOUBLE"), Encoding: e}}, nil)
		require.NoError(t, err)
		zero, err := k.AppendRow(nil, []value.Value{value.NewFloat(0)})
		require.NoError(t, err)
		tuple := make([]value.Value, 1)
		require.True(t, k.ReadRow(zero, tuple))
		head := zero[:len(zero)-8]
		for _, bits := range []string{"\x7f\xff\xff\xff\xff\xff\xff\xff", "\xff\xf8\x00\x00\x00\x00\x00\x00",
			"\xff\xf0\x00\x00\x00\x00\x00\x00"} {
			require.False(t, k.ReadRow([]byte(string(head)+bits), tuple), "%x", bits) // -0, NaN, infinity
		}
	}
}

// TestCells: cells return what was written, by every type and encoding.
func TestCells(t *testing.T) {
	g, values := newDrawn(t), 0
	for _, text := range allTypes {
		typ := declared(t, text)
		for _, e := range []Encoding{Plain, Text, Bytes, Ordered} {
			c, err := NewCell("x", typ, e)
			if err != nil {
				require.Equal(t, uint16(1235), errorNumber(err), err)
				require.Greater(t, typ.Decimals, 3, text)
				continue
			}
			for range 60 {
				checkCell(t, &c, typ, e, g.value(typ))
				values++
			}
		}
	}
	t.Log(values, "values")
}

func checkCell(t *testing.T, c *Cell, typ coltype.Type, e Encoding, v value.Value) {
	b, err := c.Append(nil, v)
	if err != nil {
		require.Contains(t, []uint16{1366, 1264}, errorNumber(err))
		require.NotContains(t, []Encoding{Plain, Text}, e)
		return
	}
	back, ok := c.Read(b)
	require.True(t, ok, "%s%s %s %x", typ, e, v, b)
	require.True(t, value.Identical(plainDigits(v), plainDigits(back)), "%s%s %s %s %x", typ, e, v, back, b)
}

// plainDigits is a DECIMAL as in its text: the same number may have several representations.
func plainDigits(v value.Value) value.Value {
	if v.Kind() == value.Decimal {
		return value.NewString(v.String())
	}
	return v
}
