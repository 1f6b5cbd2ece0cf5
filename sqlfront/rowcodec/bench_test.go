package rowcodec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// samples are values as applications have them.
var samples = []struct{ declared, literal string }{
	{"BIGINT", "123456789"}, {"INT UNSIGNED", "77"}, {"DOUBLE", "3.25"}, {"DECIMAL(10,2)", "12345.67"},
	{"DATE", "2024-02-29"},
	{"DATETIME", "2024-02-29 10:11:12"}, {"DATETIME(3)", "2024-02-29 10:11:12.345"}, {"TIME", "10:11:12"},
	{"VARCHAR(20) COLLATE utf8mb4_bin", "somebody@example"}, {"ENUM('new','old')", "old"}, {"JSON", `{"a": [1, 2, 3]}`},
}

// BenchmarkCell writes and reads each sample in each encoding.
func BenchmarkCell(b *testing.B) {
	for _, s := range samples {
		for _, e := range []Encoding{Plain, Text, Bytes, Ordered} {
			typ := declared(b, s.declared)
			c, err := NewCell("x", typ, e)
			require.NoError(b, err)
			text, err := NewCell("x", typ, Text)
			require.NoError(b, err)
			v, ok := text.Read([]byte(s.literal))
			require.True(b, ok)
			written, err := c.Append(nil, v)
			require.NoError(b, err)
			b.Run("read/"+s.declared+e.String(), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.Read(written)
				}
			})
			b.Run("write/"+s.declared+e.String(), func(b *testing.B) {
				b.ReportAllocs()
				dst := make([]byte, 0, 64)
				for b.Loop() {
					dst, _ = c.Append(dst[:0], v)
				}
			})
		}
	}
}

// BenchmarkKey writes and reads a key of three parts.
func BenchmarkKey(b *testing.B) {
	k, err := NewKey([]Part{{Name: "x", Type: declared(b, "BIGINT")},
		{Name: "y", Type: declared(b, "VARCHAR(20) COLLATE utf8mb4_bin")}, {Name: "z", Type: declared(b, "DATETIME")}}, nil)
	require.NoError(b, err)
	d, _ := value.ParseDateTime(value.NewString("2024-02-29 10:11:12"))
	tuple := []value.Value{value.NewInt(-5), value.NewString("somebody"), d}
	row, err := k.AppendRow(nil, tuple)
	require.NoError(b, err)
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		dst := make([]byte, 0, 64)
		for b.Loop() {
			dst, _ = k.AppendRow(dst[:0], tuple)
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			k.ReadRow(row, tuple)
		}
	})
}

// TestAllocations: ordinary values are written and read without allocations.
func TestAllocations(t *testing.T) {
	for _, s := range samples {
		c, err := NewCell("x", declared(t, s.declared), Plain)
		require.NoError(t, err)
		text, err := NewCell("x", declared(t, s.declared), Text)
		require.NoError(t, err)
		v, ok := text.Read([]byte(s.literal))
		require.True(t, ok)
		written, err := c.Append(nil, v)
		require.NoError(t, err)
		dst := make([]byte, 0, 64)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			dst, _ = c.Append(dst[:0], v)
			c.Read(written)
		}), s.declared)
	}
}
