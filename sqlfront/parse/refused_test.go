package parse

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// TestRefusedStatements: docs/sql.md lists the statements that are refused entirely, and each is refused.
func TestRefusedStatements(t *testing.T) {
	page, err := os.ReadFile("../../docs/sql.md")
	require.NoError(t, err)
	const begin = "These statements of MySQL are refused as a whole: "
	_, rest, found := strings.Cut(strings.ReplaceAll(string(page), "\n", " "), begin)
	require.True(t, found)
	list, _, _ := strings.Cut(rest, ".")
	var want []string
	for _, phrases := range refused {
		want = append(want, phrases...)
	}
	slices.Sort(want)
	require.Equal(t, want, slices.Sorted(strings.SplitSeq(list, ", ")))
	for _, phrase := range want {
		_, err := Parse(phrase + " x")
		require.True(t, mysqlerr.Is(err, mysqlerr.NotSupportedYet), "%s: %v", phrase, err)
		require.ErrorContains(t, err, phrase)
	}
}
