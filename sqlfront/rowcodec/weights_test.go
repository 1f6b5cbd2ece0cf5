package rowcodec

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// padding are the collations that pad texts with spaces.
var padding = []string{"utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci"}

// textKeys are keys of a text and a number, in the form of earlier formats and in the present one.
func textKeys(t testing.TB, by string) (forms [2]*Key) {
	for i := range forms {
		var err error
		forms[i], err = NewKey([]Part{{Name: "x", Type: declared(t, "VARCHAR(8) COLLATE "+by), UTF8: i == 1, Padded: true},
			{Name: "y", Type: declared(t, "SMALLINT UNSIGNED")}}, nil)
		require.NoError(t, err)
	}
	require.True(t, forms[0].Redundant())
	require.False(t, forms[1].Redundant())
	return forms
}

func textRow(t testing.TB, k *Key, text []byte, n uint64) []byte {
	row, err := k.AppendRow(nil, []value.Value{value.NewText(text), value.NewUint(n)})
	require.NoError(t, err)
	return row
}

// TestFormsOfWeights has keys byte by byte, as they are stored.
func TestFormsOfWeights(t *testing.T) {
	for by, texts := range map[string]map[string][2]string{
		"utf8mb4_general_ci": {
			"":                   {"00002002", "1e"},
			"ab":                 {"00004100004200002002", "41421e"},
			"a b ":               {"000041" + "00002003fffffffe" + "000042" + "00002002", "412042" + "1e"},
			"a  b":               {"000041" + "00002003fffffffd" + "000042" + "00002002", "41" + "1ffd" + "42" + "1e"},
			"a é":                {"000041" + "00002003fffffffe" + "000045" + "00002002", "412045" + "1e"},
			" \t":                {"0000200100000001" + "000009" + "00002002", "1d01" + "09" + "1e"},
			"é\x00ж":             {"000045" + "000000" + "000416" + "00002002", "45" + "00" + "d096" + "1e"},
			"\x1b\x1c\x1f\x7f":   {"00001b" + "00001c" + "00001f" + "00007f" + "00002002", "1b" + "1c1c" + "1c1f" + "7f" + "1e"},
			"😀\uffff\xc3(":       {"00fffd" + "00ffff" + "ffc3" + "000028" + "00002002", "efbfbd" + "efbfbf" + "ffc3" + "28" + "1e"},
			spaces(240, "z"):     {"00002003ffffff0f" + "00005a" + "00002002", "1f0f" + "5a" + "1e"},
			spaces(241, "z"):     {"00002003ffffff0e" + "00005a" + "00002002", "1f0efe" + "5a" + "1e"},
			spaces(2288, "\x00"): {"00002001000008f0" + "000000" + "00002002", "1df90000" + "00" + "1e"},
		},
		"utf8mb4_bin": {
			"":               {"2002", "1e"},
			"John Smith":     {"4a6f686e" + "2003fffffffe" + "536d697468" + "2002", "4a6f686e20536d697468" + "1e"},
			"a  é":           {"61" + "2003fffffffd" + "c3a9" + "2002", "61" + "1ffd" + "c3a9" + "1e"},
			" \x1d\xff\x00 ": {"200100000001" + "1dff00" + "2002", "1d01" + "1c1d" + "ff00" + "1e"},
		},
		"utf8mb4_unicode_ci": {
			"":              {"020902", "04"},
			"a b":           {"0e33" + "020903fffffffe" + "0e4a" + "020902", "1333" + "06" + "134a" + "04"},
			"!  中":          {"0251" + "020903fffffffd" + "fb40ce2d" + "020902", "0751" + "05fd" + "fb40ce2d" + "04"},
			"\xc2 \t\u00a0": {"ffff00c2" + "02090100000001" + "0201" + "020902", "ffff00c2" + "0301" + "0201" + "04"},
		},
		"utf8mb4_unicode_520_ci": {"": {"020a02", "04"}, "a b": {"120f" + "020a03fffffffe" + "1225" + "020a02", "170f" + "06" + "1725" + "04"}},
	} {
		for i, k := range textKeys(t, by) {
			for text, want := range texts {
				require.Equal(t, want[i]+"0007", hex.EncodeToString(textRow(t, k, []byte(text), 7)), "%s %q", by, text)
			}
		}
	}
}

func spaces(n int, behind string) string { return strings.Repeat(" ", n) + behind }

// TestFormsOfAllWeights: all characters and invalid bytes sort alike in both forms. No weight of
// utf8mb4_general_ci is a surrogate, which UTF-8 does not have.
func TestFormsOfAllWeights(t *testing.T) {
	for _, by := range padding {
		forms := textKeys(t, by)
		var rows [][2]string
		add := func(character []byte) {
			weight, _ := collation.NextWeight(character)
			require.True(t, weight > utf8.MaxRune || utf8.ValidRune(weight), "%q %x", character, weight)
			rows = append(rows, [2]string{string(textRow(t, forms[0], character, 0)), string(textRow(t, forms[1], character, 0))})
		}
		for r := rune(0); r <= utf8.MaxRune; r += 1 + r>>17*0x100 { // beyond, weights are the characters' numbers
			if utf8.ValidRune(r) {
				add(utf8.AppendRune(nil, r))
			}
		}
		for b := 0x80; b <= 0xff; b++ {
			add([]byte{byte(b)})
		}
		slices.SortFunc(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
		for i, row := range rows[1:] {
			require.Equal(t, strings.Compare(rows[i][0], row[0]), strings.Compare(rows[i][1], row[1]), "%s %x %x", by, rows[i], row)
		}
	}
}

// TestShortTextsSort sorts all texts of up to five characters that lie around the space.
func TestShortTextsSort(t *testing.T) {
	texts := []string{""}
	for at, most := 0, 5; at < len(texts); at++ {
		for _, c := range []string{"\t", "\x1e", " ", "!", "é"} {
			if utf8.RuneCountInString(texts[at]) < most {
				texts = append(texts, texts[at]+c)
			}
		}
	}
	for _, by := range padding {
		compare, _ := collation.Named(by)
		for _, k := range textKeys(t, by) {
			rows := map[string][]byte{}
			for _, text := range texts {
				rows[text] = textRow(t, k, []byte(text), 0)
			}
			slices.SortFunc(texts, func(a, b string) int { return bytes.Compare(rows[a], rows[b]) })
			for i, text := range texts[1:] {
				want := compare.Compare([]byte(texts[i]), []byte(text))
				require.Equal(t, want, bytes.Compare(rows[texts[i]], rows[text]), "%s %q %q", by, texts[i], text)
			}
		}
	}
}

// TestFormsSortAlike: texts sort as in their collation in both forms.
func TestFormsSortAlike(t *testing.T) {
	g := newDrawn(t)
	for _, by := range padding {
		forms := textKeys(t, by)
		for range 1500 {
			x, y := g.manyKinds(), g.manyKinds()
			if g.IntN(2) == 0 {
				y = append(prefix(g, x), y...)
			}
			checkTexts(t, forms, x, y, uint64(g.IntN(3)), uint64(g.IntN(3)))
		}
	}
}

// checkTexts compares two texts and the numbers that follow them, reads them back, and looks one up by its
// beginning. Inverted bytes sort backwards, as no text's bytes begin with those of another one.
func checkTexts(t *testing.T, forms [2]*Key, x, y []byte, n, m uint64) {
	by := forms[0].parts[0].Type.By()
	want := cmp.Or(by.Compare(x, y), cmp.Compare(n, m))
	for i, k := range forms {
		a, b := textRow(t, k, x, n), textRow(t, k, y, m)
		require.Equal(t, want, bytes.Compare(a, b), "%s %d: %q %q", by, i, x, y)
		require.Equal(t, a, textRow(t, k, append(slices.Clip(x), "  "...), n), "%s %d: %q", by, i, x)
		tuple := make([]value.Value, 2)
		require.True(t, k.ReadRow(a, tuple), "%s %d: %q %x", by, i, x, a)
		require.Equal(t, n, tuple[1].AsUint())
		for end := range len(a) - 2 {
			require.False(t, k.ReadRow(a[:end], tuple[:1]), "%s %d: %q %x", by, i, x, a[:end]) // it does not end
		}
		for _, c := range [][]byte{nil, y} {
			both := slices.Concat(x, c)
			if !utf8.Valid(x) || !utf8.Valid(c) {
				continue // a character could be divided
			}
			require.True(t, contains(k.StartsWith(nil, x), textRow(t, k, both, m)), "%s %d: %q %q", by, i, x, both)
		}
		turn(a)
		turn(b)
		require.Equal(t, -want, bytes.Compare(a, b), "%s %d: %q %q", by, i, x, y)
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
			edge := []int{1, 1, 2, mostOneByte, mostTwoBytes, mostThreeBytes}[g.IntN(6)]
			out = append(out, spaces(edge+g.IntN(3)-1, "")...)
		case 3:
			out = append(out, byte(g.IntN('"')))
		default:
			out = append(out, g.text()...)
		}
	}
	return out
}

// BenchmarkWeights writes and reads the keys of texts in both forms.
func BenchmarkWeights(b *testing.B) {
	for _, by := range padding {
		for i, k := range textKeys(b, by) {
			for _, text := range []string{"somebody@example.com", "John Smith"} {
				tuple := []value.Value{value.NewString(text), value.NewUint(1)}
				row, err := k.AppendRow(nil, tuple)
				require.NoError(b, err)
				name := by + "/" + []string{"redundant", "present"}[i] + "/" + strings.ReplaceAll(text, " ", "")
				b.Run("write/"+name, func(b *testing.B) {
					b.ReportAllocs()
					dst := make([]byte, 0, 128)
					for b.Loop() {
						dst, _ = k.AppendRow(dst[:0], tuple)
					}
					b.ReportMetric(float64(len(dst)-2), "bytes")
				})
				b.Run("read/"+name, func(b *testing.B) {
					out := make([]value.Value, 2)
					for b.Loop() {
						k.ReadRow(row, out)
					}
				})
			}
		}
	}
}
