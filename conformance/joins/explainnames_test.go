package joins

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestExplainOfComputedKeys: EXPLAIN shows a key that is computed from another table's columns
// as the whole expression, not as the function's value for a name.
func TestExplainOfComputedKeys(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?parallelism=1")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "CREATE TABLE some_t "+harness.PlainTable)
	const join = "SELECT COUNT(*) FROM some_t e STRAIGHT_JOIN t ON "
	for on, spans := range map[string]string{
		"t.K = e.V":                            "[/'<e.V>' - /'<e.V>']",
		"t.K = SUBSTRING(e.V, 1, 4)":           "[/'<substring(e.V,1,4)>' - /'<substring(e.V,1,4)>']",
		"t.K = LEFT(e.V, 4)":                   "[/'<left(e.V,4)>' - /'<left(e.V,4)>']",
		"t.K = REVERSE(e.V)":                   "[/'<reverse(e.V)>' - /'<reverse(e.V)>']",
		"t.K = CONCAT('user:', e.V)":           "[/'user:<e.V>' - /'user:<e.V>']",
		"t.K = CONCAT(LEFT(e.V, 2), ':', e.Q)": "[/'<left(e.V,2)>:<e.Q>' - /'<left(e.V,2)>:<e.Q>']",
		"t.K = UNHEX(e.V) AND t.Q = e.Q":       "[/'<unhex(e.V)>'/'<e.Q>' - /'<unhex(e.V)>'/'<e.Q>']",
		"t.K IN (e.V, LEFT(e.V, 4))":           "",
		"t.K = IF(e.T > 5, e.V, e.K)":          "",
		"t.K = CAST(e.V AS BINARY(2))":         "",
		"LEFT(t.K, 4) = SUBSTRING(e.V, 1, 4)":  "[/'<substring(e.V,1,4)>' - /'<substring(e.V,1,4)> and longer keys with this prefix')",
		"t.K LIKE CONCAT(e.V, '%')":            "[/'<e.V>' - /'<e.V?')",
	} {
		plan := strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+join+on), "\n")
		got := regexp.MustCompile(`spans: (\[/.*)`).FindStringSubmatch(plan)
		if !strings.Contains(plan, "lookup for each row") {
			continue
		}
		require.NotNil(t, got, plan)
		require.Regexp(t, `^\[/'[^']*>'.* - /'[^']*'.*[\])]$`, got[1], on)
		if spans != "" {
			require.Equal(t, spans, got[1], on)
		}
	}
	for correlated, want := range map[string]string{
		"SELECT (SELECT V FROM t WHERE K = SUBSTRING(o.V, 2, 3)) FROM some_t o":              "<substring(V,2,3)>",
		"SELECT (SELECT MAX(V) FROM t WHERE K LIKE CONCAT(o.V, '%')) FROM some_t o":          "<V>",
		"SELECT (SELECT MAX(V) FROM t WHERE K LIKE CONCAT(some_t.V, '%')) FROM some_t":       "<V>",
		"SELECT (SELECT MAX(V) FROM t WHERE K = o.x) FROM (SELECT UPPER(V) x FROM some_t) o": "<",
	} {
		plan := strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+correlated), "\n")
		require.Contains(t, plan, want, plan)
	}
}

// TestExplainAnalyzeTellsOfSubqueries: the time of a subquery is shown, and is included in the
// time of the whole.
func TestExplainAnalyzeTellsOfSubqueries(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('a', 'q', 1, '1'), ('b', 'q', 1, '2'), ('c', 'q', 1, '3')")
	for _, query := range []string{
		"SELECT K FROM t WHERE V > (SELECT AVG(V) + SLEEP(0.05) FROM t x)",
		"SELECT K FROM t WHERE K = (SELECT MIN(K) FROM t x WHERE SLEEP(0.02) = 0)",
		"SELECT K FROM t WHERE K IN (SELECT K FROM t x WHERE SLEEP(0.02) = 0)",
		"SELECT K FROM t WHERE V IN (SELECT V FROM t x WHERE SLEEP(0.02) = 0)",
		"SELECT (SELECT COUNT(*) FROM t x WHERE SLEEP(0.02) = 0)",
		"SELECT K FROM t WHERE EXISTS (SELECT 1 FROM t x WHERE SLEEP(0.05) = 0)",
		"SELECT K, (SELECT SLEEP(0.02) FROM t x WHERE x.K = t.K) FROM t",
	} {
		text := strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE "+query), "\n")
		behind := text[strings.LastIndex(text, "ubquery"):]
		require.Regexp(t, `^ubquery.*\n.* in [1-9][0-9.]*(ms|s)`, behind, text)
		require.Regexp(t, `took [1-9][0-9.]*(ms|s)\n?$`, text)
	}
}
