package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

func written(t testing.TB, cells ...cellio.Cell) []byte {
	var out bytes.Buffer
	w := NewCellWriter(&out)
	for _, c := range cells {
		require.NoError(t, w.Write(c))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func readAll(file []byte) (cells []cellio.Cell, err error) {
	r, err := NewReader(bytes.NewReader(file), int64(len(file)))
	for err == nil {
		var c cellio.Cell
		if c, err = r.Read(); err == nil {
			cells = append(cells, c)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return cells, err
}

func randomCells(r *rand.Rand, n int) []cellio.Cell {
	random := func() []byte {
		b := make([]byte, r.IntN(30))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		return b
	}
	cells := make([]cellio.Cell, n)
	times := []int64{0, -1, math.MinInt64, math.MaxInt64}
	for i := range cells {
		cells[i] = cellio.Cell{Row: random(), Qualifier: random(), Timestamp: times[r.IntN(4)]}
		cells[i].Family = []string{"", "f"}[r.IntN(2)]
		if r.IntN(4) > 0 {
			cells[i].Value = random()
		}
	}
	return cells
}

// TestRoundTrip: the cells that were written are read again, over several row
// groups and with a value that is longer than one.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for _, n := range []int{0, 1, 1000, 70_000} {
		want := randomCells(r, n)
		if n > 1000 {
			want[500].Value = bytes.Repeat([]byte{1}, groupBytes+1)
		}
		file := written(t, want...)
		got, err := readAll(file)
		require.NoError(t, err)
		require.Equal(t, len(want), len(got))
		for i := range want {
			require.Equal(t, want[i], got[i])
		}
		if n > 1000 {
			f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
			require.NoError(t, err)
			require.Greater(t, len(f.RowGroups()), 1)
		}
	}
}

// TestOtherColumns reads files of other programs: with SQL's names, in another
// order, with additional columns, and without families.
func TestOtherColumns(t *testing.T) {
	type row struct {
		T     int64
		Extra string
		V     []byte `parquet:",optional"`
		K     string
		Q     []byte
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out)
	_, err := w.Write([]row{{T: 7, Extra: "x", K: "k", Q: []byte("q"), V: []byte("v")}, {T: -7, K: "k"}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	got, err := readAll(out.Bytes())
	require.NoError(t, err)
	require.Equal(t, []cellio.Cell{
		{Row: []byte("k"), Qualifier: []byte("q"), Timestamp: 7, Value: []byte("v")},
		{Row: []byte("k"), Qualifier: []byte{}, Timestamp: -7},
	}, got)
}

func file[T any](t testing.TB, rows ...T) []byte {
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out)
	_, err := w.Write(rows)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// TestUnfit: the error names the columns of a file that are not cells.
func TestUnfit(t *testing.T) {
	type missing struct {
		K, Q, V string
	}
	type text struct {
		K, Q, T, V string
	}
	type micros struct {
		K, Q, V string
		T       time.Time `parquet:",timestamp(microsecond)"`
	}
	type nulls struct {
		K, Q, V *string
		T       int64
	}
	for _, c := range []struct {
		file []byte
		want string
	}{
		{file(t, missing{}), "no column timestamp"},
		{file(t, text{}), "timestamp is INT64"},
		{file(t, micros{}), "timestamp is INT64"},
		{file(t, nulls{}), "the row or the qualifier is null"},
		{[]byte("PAR1"), "not a Parquet file"},
		{[]byte("row,family,qualifier"), "not a Parquet file"},
		{append(bytes.Repeat([]byte("PAR1"), 3), 255, 255, 255, 127, 'P', 'A', 'R', '1'), "longer than the file"},
		{lz4(t), "compressed by LZ4"},
	} {
		_, err := readAll(c.file)
		require.ErrorContains(t, err, c.want)
	}
	var bad *cellio.BadLine
	_, err := readAll(file(t, nulls{}))
	require.True(t, errors.As(err, &bad))
}

// lz4 is a file with an unsupported codec.
func lz4(t testing.TB) []byte {
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, parquet.NewSchema("x", cellColumns()), parquet.Compression(&parquet.Lz4Raw))
	_, err := w.WriteRows([]parquet.Row{{
		parquet.ByteArrayValue(nil).Level(0, 0, 0), parquet.ByteArrayValue(nil).Level(0, 0, 1),
		parquet.ByteArrayValue(nil).Level(0, 0, 2), parquet.Int64Value(1).Level(0, 0, 3), parquet.NullValue().Level(0, 0, 4),
	}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestTypes(t *testing.T) {
	types := []Column{
		{"b", Bytes, 0, 0}, {"i", Int, 0, 0}, {"u", Uint, 0, 0}, {"f", Double, 0, 0}, {"d9", Decimal, 9, 2},
		{"d18", Decimal, 18, 3}, {"d38", Decimal, 65, 30}, {"day", Date, 0, 0}, {"at", DateTime, 0, 0},
		{"a", Time, 0, 0}, {"j", JSON, 0, 0}, {"t", Text, 0, 0},
	}
	var out bytes.Buffer
	w, err := NewRowWriter(&out, types)
	require.NoError(t, err)
	text := strings.Fields("\xff -5 18446744073709551615 1e-3 -1.5 12 -99999999.000000000000000000000000000001 " +
		"1969-12-31 2024-01-02_03:04:05.000006 23:59:59.5 {} é")
	fields := make([][]byte, len(text))
	require.NoError(t, w.Write(fields))
	for i := range text {
		fields[i] = []byte(strings.ReplaceAll(text[i], "_", " "))
	}
	require.NoError(t, w.Write(fields))
	require.NoError(t, w.Close())
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	rows := make([]parquet.Row, 2)
	n, err := f.RowGroups()[0].Rows().ReadRows(rows)
	require.True(t, n == 2 && (err == nil || err == io.EOF))
	for _, v := range rows[0] {
		require.True(t, v.IsNull())
	}
	var got []string
	for i, v := range rows[1] {
		require.Equal(t, types[i].Name, f.Schema().Columns()[v.Column()][0], "the order of the columns is kept")
		if v.Kind() == parquet.FixedLenByteArray {
			got = append(got, fmt.Sprintf("%x", v.ByteArray()))
			continue
		}
		got = append(got, v.String())
	}
	require.Equal(t, []string{"\xff", "-5", "-1", "0.001", "-150", "12000",
		decimalHex("-99999999000000000000000000000000000001"),
		"-1", "1704164645000006", "86399500000", "{}", "é"}, got)
}

// decimalHex is a number in two's complement.
func decimalHex(digits string) string {
	n, _ := new(big.Int).SetString(digits, 10)
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	return fmt.Sprintf("%032x", n)
}

// TestNotInParquet: a value that Parquet's types cannot represent is an error that
// names the row and the column.
func TestNotInParquet(t *testing.T) {
	for _, c := range []struct {
		column Column
		text   string
		want   string
	}{
		{Column{"d", Decimal, 65, 0}, strings.Repeat("9", 39),
			"row 1, column d: it has more than 38 digits: CAST it to CHAR"},
		{Column{"d", Date, 0, 0}, "0000-00-00", "not a valid date"},
		{Column{"d", DateTime, 0, 0}, "2024-02-30 00:00:00", "not a valid date"},
		{Column{"d", Time, 0, 0}, "-25:00:00", "not a time of day"},
	} {
		w, err := NewRowWriter(io.Discard, []Column{c.column})
		require.NoError(t, err)
		require.ErrorContains(t, w.Write([][]byte{[]byte(c.text)}), c.want)
	}
	_, err := NewRowWriter(io.Discard, []Column{{Name: "x"}, {Name: "x"}})
	require.ErrorContains(t, err, "name x")
}

// TestDamaged: a file with any byte changed, or without its end, is read or
// refused, and never causes a panic.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	file := written(t, randomCells(r, 200)...)
	for n := 0; n < len(file); n += 7 {
		_, _ = readAll(file[:n])
		broken := bytes.Clone(file)
		broken[n] ^= byte(1 << r.IntN(8))
		_, _ = readAll(broken)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(written(f, randomCells(rand.New(rand.NewPCG(5, 6)), 3)...))
	f.Add(file(f, struct {
		K, Q, V string
		T       int64
	}{"k", "q", "v", 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = readAll(data)
	})
}
