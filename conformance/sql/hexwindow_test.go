package sql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestHexArgumentsOfAggregates: an aggregate of numbers reads a hex literal as a number, as MariaDB
// does, over groups and over windows.
func TestHexArgumentsOfAggregates(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	for _, over := range []string{"", " OVER ()"} {
		for call, want := range map[string]string{
			"SUM(0x41)": "65", "AVG(0x41)": "65.0000", "BIT_OR(0x41)": "65", "STD(0x41)": "0", "MAX(0x41)": "A",
			"MAX(0x41 + 0)": "65", "COUNT(0x41)": "1",
		} {
			require.Equal(t, []string{want}, harness.Lines(t, db, "SELECT "+call+over), "%s%s", call, over)
		}
	}
}
