package rowcodec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// FuzzReadRow reads any bytes as the rows of keys of every type: AppendRow reproduces each row that is read.
func FuzzReadRow(f *testing.F) {
	var keys []*Key
	for i, first := range allTypes {
		for _, e := range []Encoding{Plain, Text, Bytes, Ordered} {
			second := allTypes[(i*7+int(e))%len(allTypes)]
			parts := []Part{{Name: "x", Type: declared(f, first), Encoding: e, UTF8: i%2 == 0, Padded: i%4 < 2},
				{Name: "y", Type: declared(f, second), Encoding: e, UTF8: i%2 == 1, Padded: i%4 < 2}}
			if k, err := NewKey(parts, []byte{0}); err == nil {
				keys = append(keys, k)
			}
			if k, err := NewKey(parts[:1], nil); err == nil {
				keys = append(keys, k)
			}
			if parts[0].Nullable = e == Plain; parts[0].Nullable {
				if k, err := NewKey(parts, nil); err == nil {
					keys = append(keys, k)
				}
			}
		}
	}
	for _, seed := range []string{"", "a\x00b", "\x00", "\x00\xff\x00\x00", "\x18\x02",
		"\x2c\x80\x00\x00\x00\x00\x00\x00\x01", "\x34ab\x00",
		"\x37\xb0\x40", "2024-02-29", "\x00\x00\x20\x02",
		"\x41\x20\x42\x1f\xfd\x43\x1e", "\x1d\xf9", "\x1d\x01\x1c\x1d\x1e", "\x13\x33\x06\x13\x4a\x04", "\x03\x01\x02\x01\x05",
		"\x22\x0b\x02", "\x01\x80\x00\x00\x01"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, row []byte) {
		for _, k := range keys {
			tuple := make([]value.Value, len(k.parts))
			if !k.ReadRow(row, tuple) || !allRecovered(k) {
				continue
			}
			again, err := k.AppendRow([]byte{}, tuple)
			require.NoError(t, err, describe(k))
			require.Equal(t, row, again, "%s: %v", describe(k), tuple)
		}
	})
}

// FuzzTexts compares any two texts, and their keys, in each collation that pads texts.
func FuzzTexts(f *testing.F) {
	var keys [][2]*Key
	for _, by := range padding {
		keys = append(keys, textKeys(f, by))
	}
	for _, seed := range [][2]string{{"", " "}, {"a b", "a  b"}, {"a \t", "a\t"}, {"John Smith", "john  smith "}, {" \x00", "\x00 "},
		{"\x1b", "\x1c"}, {"\x1f ", "\x1e"}, {"\u00a0a", " !"}, {"\xff \xc2", "\xff\xc2"}, {"中 ", "中 \u0085"}} {
		f.Add([]byte(seed[0]), []byte(seed[1]), uint16(0), uint16(1))
	}
	f.Fuzz(func(t *testing.T, x, y []byte, n, m uint16) {
		for _, forms := range keys {
			checkTexts(t, forms, x, y, uint64(n), uint64(m))
		}
	})
}

func allRecovered(k *Key) bool {
	for i := range k.parts {
		if !k.Recovered(i) {
			return false
		}
	}
	return true
}

// FuzzReadCell reads any bytes as cells of every type: a value that is read is the same after it is written.
func FuzzReadCell(f *testing.F) {
	type column struct {
		name string
		Cell
	}
	var columns []column
	for _, text := range allTypes {
		for _, e := range []Encoding{Plain, Text, Bytes, Ordered} {
			if c, err := NewCell("x", declared(f, text), e); err == nil {
				columns = append(columns, column{text + e.String(), c})
			}
		}
	}
	for _, seed := range []string{"", "0", "-1.5e3", "12:00:00", "2024-02-29 10:11:12.5", "a,b", `{"a": 1}`,
		"\x00\x00\x00\x02\x04\xd2", "\xff",
		"\x7f\xf8\x00\x00\x00\x00\x00\x00", "\x05", "\x18\x02", "\x22\xfc\xff\xff\xff\xff\xff\x02", "\x08\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for i := range columns {
			c := &columns[i]
			v, ok := c.Read(b)
			if !ok || v.IsNull() {
				continue
			}
			_ = v.String()
			again, err := c.Append(nil, v)
			if err != nil {
				continue // a day without milliseconds cannot have come from there
			}
			back, ok := c.Read(again)
			require.True(t, ok, "%s %x %s", c.name, b, v)
			require.Equal(t, v.String(), back.String(), "%s %x", c.name, b)
		}
	})
}
