package collation_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
)

// TestSameWeight: each character is listed with those of its weight, and those that are not ASCII never come
// before the letters.
func TestSameWeight(t *testing.T) {
	for r := range rune(0x10000) {
		if !utf8.ValidRune(r) || r == utf8.RuneError {
			continue
		}
		w, _ := collation.NextWeight([]byte(string(r)))
		if r >= utf8.RuneSelf {
			require.GreaterOrEqual(t, w, 'A', "%U", r)
		}
		require.True(t, slices.Contains(collation.SameWeight(w), r), "%U", r)
	}
	require.Equal(t, []rune{'5'}, collation.SameWeight('5'))
	require.Equal(t, []rune{'Д', 'д'}, collation.SameWeight('Д'))
	require.Subset(t, collation.SameWeight('A'), []rune{'A', 'a', 'á', 'Å'})
	require.Empty(t, collation.SameWeight(utf8.RuneError), "of all characters beyond the BMP")
}
