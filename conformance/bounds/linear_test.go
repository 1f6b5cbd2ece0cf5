package bounds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// series is n items, in which % is their number.
func series(n int, item, between string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(strings.ReplaceAll(item, "%", fmt.Sprint(i)))
	}
	return b.String()
}

// growing are statements of n parts that are compared with each other.
var growing = map[string]func(n int) string{
	"a chain grouped": func(n int) string {
		chain := series(16*n, "T", " + ")
		return "SELECT " + chain + " FROM t$f GROUP BY " + chain
	},
	"another chain grouped": func(n int) string {
		return "SELECT " + series(16*n, "T", " + ") + " - 1 FROM t$f GROUP BY " + series(16*n, "T", " + ")
	},
	"a chain ordered": func(n int) string {
		chain := series(16*n, "T", " + ")
		return "SELECT DISTINCT " + chain + " FROM t$f ORDER BY " + chain
	},
	"keys": func(n int) string {
		return "SELECT " + series(n, "T + %", ", ") + " FROM t$f GROUP BY " + series(n, "T + %", ", ")
	},
	"keys in HAVING": func(n int) string {
		return "SELECT 1 FROM t$f GROUP BY " + series(n, "T + %", ", ") + " HAVING " + series(n, "T + %", " OR ")
	},
	"orders": func(n int) string {
		return "SELECT " + series(n, "T + %", ", ") + " FROM t$f ORDER BY " + series(2*n, "T + %", ", ")
	},
	"orders of DISTINCT": func(n int) string {
		return "SELECT DISTINCT " + series(n, "T + %", ", ") + " FROM t$f ORDER BY " + series(n, "T + %", ", ")
	},
	"aggregates": func(n int) string {
		return "SELECT " + series(n, "SUM(T + %)", ", ") + " FROM t$f HAVING " + series(n, "SUM(T + %)", " OR ")
	},
	"conditions of both sides": func(n int) string {
		return "SELECT 1 FROM t$f a JOIN t$f b ON a.K = b.K WHERE " + series(n, "a.K <> 'k%'", " AND ")
	},
	"conditions": func(n int) string { return "SELECT 1 FROM t$f WHERE " + series(n, "K <> 'k%'", " AND ") },
	"what a subquery reads outside": func(n int) string {
		return "SELECT (SELECT " + series(n, "SUM(a.T + %)", " + ") + ") FROM t$f a"
	},
}

// TestPlansAreLinear: the steps of planning grow with the text, whatever its
// parts are compared with.
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
