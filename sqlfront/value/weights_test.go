package value_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestSameWeight holds that each character is listed with those of its weight, and that of those that are no
// ASCII none comes before the letters.
func TestSameWeight(t *testing.T) {
	for r := range rune(0x10000) {
		if !utf8.ValidRune(r) || r == utf8.RuneError {
			continue
		}
		w, _ := value.NextWeight([]byte(string(r)))
		if r >= utf8.RuneSelf {
			require.GreaterOrEqual(t, w, 'A', "%U", r)
		}
		require.True(t, slices.Contains(value.SameWeight(w), r), "%U", r)
	}
	require.Equal(t, []rune{'5'}, value.SameWeight('5'))
	require.Equal(t, []rune{'Д', 'д'}, value.SameWeight('Д'))
	require.Subset(t, value.SameWeight('A'), []rune{'A', 'a', 'á', 'Å'})
	require.Empty(t, value.SameWeight(utf8.RuneError), "of all characters beyond the BMP")
}
