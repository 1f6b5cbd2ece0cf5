package cancellation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// growing are statements of n parts that are compared with each other.
var growing = map[string]func(n int) string{
	"a chain grouped": func(n int) string {
		chain := harness.Series(16*n, "T", " + ")
		return "SELECT " + chain + " FROM t$f GROUP BY " + chain
	},
	"another chain grouped": func(n int) string {
		return "SELECT " + harness.Series(16*n, "T", " + ") + " - 1 FROM t$f GROUP BY " + harness.Series(16*n, "T", " + ")
	},
	"a chain ordered": func(n int) string {
		chain := harness.Series(16*n, "T", " + ")
		return "SELECT DISTINCT " + chain + " FROM t$f ORDER BY " + chain
	},
	"keys": func(n int) string {
		return "SELECT " + harness.Series(n, "T + %", ", ") + " FROM t$f GROUP BY " + harness.Series(n, "T + %", ", ")
	},
	"keys in HAVING": func(n int) string {
		return "SELECT 1 FROM t$f GROUP BY " + harness.Series(n, "T + %", ", ") + " HAVING " + harness.Series(n, "T + %", " OR ")
	},
	"orders": func(n int) string {
		return "SELECT " + harness.Series(n, "T + %", ", ") + " FROM t$f ORDER BY " + harness.Series(2*n, "T + %", ", ")
	},
	"orders of DISTINCT": func(n int) string {
		return "SELECT DISTINCT " + harness.Series(n, "T + %", ", ") + " FROM t$f ORDER BY " + harness.Series(n, "T + %", ", ")
	},
	"aggregates": func(n int) string {
		return "SELECT " + harness.Series(n, "SUM(T + %)", ", ") + " FROM t$f HAVING " + harness.Series(n, "SUM(T + %)", " OR ")
	},
	"conditions of both sides": func(n int) string {
		return "SELECT 1 FROM t$f a JOIN t$f b ON a.K = b.K WHERE " + harness.Series(n, "a.K <> 'k%'", " AND ")
	},
	"conditions": func(n int) string { return "SELECT 1 FROM t$f WHERE " + harness.Series(n, "K <> 'k%'", " AND ") },
	"what a subquery reads outside": func(n int) string {
		return "SELECT (SELECT " + harness.Series(n, "SUM(a.T + %)", " + ") + ") FROM t$f a"
	},
}

// TestPlansAreLinear: the steps of planning are proportional to the text,
// whatever its parts are compared with.
func TestPlansAreLinear(t *testing.T) {
	const few, times = 512, 6
	db := hostileDB(t)
	for name, text := range growing {
		t.Run(name, func(t *testing.T) {
			least, most := looksOf(t, db, hostile{text(few), 0}), looksOf(t, db, hostile{text(times * few), 0})
			t.Log(least, most)
			require.LessOrEqual(t, most, 2*times*(least+1))
		})
	}
}
