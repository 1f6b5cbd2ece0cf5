package parse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTrees: statements that differ in their strings have one tree, all others
// trees of their own, and each its own strings.
func TestTrees(t *testing.T) {
	trees := NewTrees(100)
	for _, c := range []struct {
		sql  string
		kept int
	}{
		{"SELECT K FROM t WHERE K = 'a' AND Q IN ('b', X'00')", 1},
		{"SELECT K FROM t WHERE K = 'it''s' AND Q IN (\"c\", 0x01)", 1},
		{"SELECT K FROM t WHERE K = 'a' AND Q IN ('b', 1)", 2},
		{"SELECT K FROM t WHERE K = 'a' AND Q IN ('b', 2)", 3},
		{"SELECT K FROM t WHERE K = 'a' AND Q IN ('b')", 4},
		{"SELECT 'a' FROM t", 5},
		{"SELECT 'b' FROM t", 6},
		{"SELECT K FROM t WHERE ,", 6},
	} {
		want, wantErr := Parse(c.sql)
		for range 2 {
			got, err := trees.Parse(c.sql)
			require.Equal(t, wantErr, err)
			require.Equal(t, want, got)
		}
		require.Equal(t, c.kept, trees.byText.Len(), c.sql)
	}
}
