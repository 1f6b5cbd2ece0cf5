package rowcodec

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// generalKeys are keys of a text in utf8mb4_general_ci and a number, with weights in three bytes and in UTF-8.
func generalKeys(t testing.TB) (forms [2]*Key) {
	for i := range forms {
		var err error
		forms[i], err = NewKey([]Part{{Name: "x", Type: declared(t, "VARCHAR(8)"), UTF8: i == 1},
			{Name: "y", Type: declared(t, "SMALLINT UNSIGNED")}}, nil)
		require.NoError(t, err)
	}
	require.True(t, forms[0].Redundant())
	require.False(t, forms[1].Redundant())
	return forms
}

func generalRow(t testing.TB, k *Key, text []byte, n uint64) []byte {
	row, err := k.AppendRow(nil, []value.Value{value.NewText(text), value.NewUint(n)})
	require.NoError(t, err)
	return row
}

// TestFormsOfWeights has keys byte by byte, as they are stored.
func TestFormsOfWeights(t *testing.T) {
	forms := generalKeys(t)
	for text, want := range map[string][2]string{
		"":                   {"00002002", "2002"},
		"ab":                 {"00004100004200002002", "41422002"},
		"a b ":               {"000041" + "00002003fffffffe" + "000042" + "00002002", "41" + "20fe" + "42" + "2002"},
		" \t":                {"0000200100000001" + "000009" + "00002002", "200101" + "09" + "2002"},
		"é\x00ж":             {"000045" + "000000" + "000416" + "00002002", "45" + "00" + "d096" + "2002"},
		"😀\uffff\xc3(":       {"00fffd" + "00ffff" + "ffc3" + "000028" + "00002002", "efbfbd" + "efbfbf" + "ffc3" + "28" + "2002"},
		spaces(240, "z"):     {"00002003ffffff0f" + "00005a" + "00002002", "200f" + "5a" + "2002"},
		spaces(241, "z"):     {"00002003ffffff0e" + "00005a" + "00002002", "200efe" + "5a" + "2002"},
		spaces(2288, "\x00"): {"00002001000008f0" + "000000" + "00002002", "2001f90000" + "00" + "2002"},
	} {
		for i, k := range forms {
			require.Equal(t, want[i]+"0007", hex.EncodeToString(generalRow(t, k, []byte(text), 7)), "%q", text)
		}
	}
}

func spaces(n int, behind string) string { return strings.Repeat(" ", n) + behind }

// TestFormsOfAllWeights: all characters and invalid bytes sort alike in both forms. No weight is a surrogate,
// which UTF-8 does not have.
func TestFormsOfAllWeights(t *testing.T) {
	forms := generalKeys(t)
	var rows [][2]string
	add := func(character []byte) {
		weight, size := collation.NextWeight(character)
		require.Equal(t, len(character), size)
		require.True(t, weight > utf8.MaxRune || utf8.ValidRune(weight), "%q %x", character, weight)
		rows = append(rows, [2]string{string(generalRow(t, forms[0], character, 0)), string(generalRow(t, forms[1], character, 0))})
	}
	for r := range rune(utf8.MaxRune + 1) {
		if utf8.ValidRune(r) {
			add(utf8.AppendRune(nil, r))
		}
	}
	for b := 0x80; b <= 0xff; b++ {
		add([]byte{byte(b)})
	}
	slices.SortFunc(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	for i, row := range rows[1:] {
		require.Equal(t, strings.Compare(rows[i][0], row[0]), strings.Compare(rows[i][1], row[1]), "%x %x", rows[i], row)
	}
}

// TestFormsSortAlike: texts sort alike in both forms, and are read back with the part that follows.
func TestFormsSortAlike(t *testing.T) {
	g, forms := newDrawn(t), generalKeys(t)
	for range 3000 {
		var texts [4][]byte
		for i := range texts {
			texts[i] = g.manyKinds()
		}
		texts[1] = append(prefix(g, texts[0]), texts[1]...)
		x, y := texts[0], texts[1+g.IntN(3)]
		n, m := uint64(g.IntN(3)), uint64(g.IntN(3))
		want := bytes.Compare(generalRow(t, forms[0], x, n), generalRow(t, forms[0], y, m))
		short := generalRow(t, forms[1], x, n)
		require.Equal(t, want, bytes.Compare(short, generalRow(t, forms[1], y, m)), "%q %q", x, y)
		tuple := make([]value.Value, 2)
		require.True(t, forms[1].ReadRow(short, tuple), "%q %x", x, short)
		require.Equal(t, n, tuple[1].AsUint())
		require.False(t, forms[1].ReadRow(short[:len(short)-3], tuple[:1]), "%q %x", x, short) // it does not end
	}
}

// manyKinds is a text of all kinds of characters, invalid bytes and runs of spaces.
func (g drawn) manyKinds() (out []byte) {
	for range g.IntN(6) {
		switch g.IntN(6) {
		case 0:
			out = append(out, byte(g.IntN(256)))
		case 1:
			out = utf8.AppendRune(out, rune(g.IntN(utf8.MaxRune+1)))
		case 2:
			edge := []int{1, mostOneByte, mostTwoBytes, mostThreeBytes}[g.IntN(4)]
			out = append(out, spaces(edge+g.IntN(3)-1, "")...)
		default:
			out = append(out, g.text()...)
		}
	}
	return out
}

// BenchmarkWeights writes the key of an e-mail address in both forms.
func BenchmarkWeights(b *testing.B) {
	tuple := []value.Value{value.NewString("somebody@example.com"), value.NewUint(1)}
	for i, k := range generalKeys(b) {
		b.Run([]string{"redundant", "utf8"}[i], func(b *testing.B) {
			b.ReportAllocs()
			dst := make([]byte, 0, 128)
			for b.Loop() {
				dst, _ = k.AppendRow(dst[:0], tuple)
			}
		})
	}
}
