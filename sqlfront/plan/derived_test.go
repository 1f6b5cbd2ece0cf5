package plan_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

var derivedCount = flag.Int("derived-n", 100, "statements of TestDerivedRandom on each layout")

// derivations are SELECTs for FROM, with the columns a, b and c.
var derivations = []string{
	"SELECT K AS a, Q AS b, T AS c FROM t",
	"SELECT K AS a, CONCAT(Q, V) AS b, T % 3 AS c FROM t WHERE V IS NOT NULL",
	"SELECT K AS a, MAX(CASE WHEN Q = 'q1' THEN V END) AS b, COUNT(*) AS c FROM t GROUP BY K",
	"SELECT K AS a, MAX(CASE WHEN Q = 'q1' THEN V END) AS b, MAX(T) AS c FROM t GROUP BY a HAVING c > 1",
	"SELECT LEFT(K, 1) AS a, MIN(Q) AS b, T AS c FROM t GROUP BY LEFT(K, 1), T",
	"SELECT CAST(V AS CHAR) AS a, MAX(K) AS b, COUNT(*) AS c FROM t GROUP BY CAST(V AS CHAR)",
	"SELECT DISTINCT K AS a, Q AS b, 7 AS c FROM t",
	"SELECT DISTINCT CAST(V AS CHAR) AS a, K AS b, T AS c FROM t",
	"SELECT x.K AS a, y.V AS b, y.T AS c FROM t x JOIN t y ON x.K = y.K AND y.Q > x.Q",
	"SELECT x.K AS a, y.V AS b, y.T AS c FROM t x LEFT JOIN t y ON y.K = x.V",
	"SELECT K AS a, Q AS b, T AS c FROM t UNION SELECT V, K, 1 FROM t",
	"SELECT K AS a, Q AS b, T AS c FROM t WHERE T > 1 UNION ALL SELECT V, 'text', 1.5 FROM t WHERE Q = 'q1'",
	"SELECT a, MAX(b) AS b, MAX(c) AS c FROM (SELECT K AS a, V AS b, T AS c FROM t WHERE Q <> 'q2') i GROUP BY a",
	"SELECT K AS a, (SELECT MAX(V) FROM t i WHERE i.K = o.K) AS b, T AS c FROM t o",
	"SELECT MAX(K) AS a, MIN(Q) AS b, COUNT(*) AS c FROM t",
	"SELECT a, b, c FROM (SELECT K AS a, Q AS b, T AS c FROM t ORDER BY K, Q LIMIT 3) l",
}

var derivedConditions = []string{
	"a = 'p1'", "a IN ('p1', 'q3', ?)", "a > 'p1'", "a LIKE 'p%'", "a BETWEEN 'p' AND 'p2'", "LEFT(a, 1) = 'q'",
	"a IS NULL", "a <> 'p1'",
	"b = 'q1'", "b > 'Q2'", "b IS NULL", "CONCAT(a, b) LIKE '%1%'", "c = 1", "c > 1", "c IN (0, 2)", "c IS NOT NULL",
	"HEX(a) = '7031'", "HEX(a) = '58'", "BINARY b = 'X'",
	"(a, c) = ('p1', 1)", "(a, b) > ('p1', 'q1')", "a = 'p2' OR c = 2", "NOT (a < 'p2')", "a = ?", "a + 0 = 0",
	"a IN (SELECT K FROM t WHERE T = 1)",
	"EXISTS (SELECT 1 FROM t z WHERE z.K = d.a)", "1 = 0", "c = b",
}

var derivedSelects = []string{
	"SELECT * FROM (@) d WHERE #",
	"SELECT a FROM (@) d WHERE # AND #",
	"SELECT c FROM (@) d WHERE # ORDER BY a, b, c",
	"SELECT a, b FROM (@) d WHERE # ORDER BY a DESC, b, c LIMIT 2",
	"SELECT COUNT(*), MIN(a), MAX(a), MAX(c) FROM (@) d WHERE #",
	"SELECT HEX(a), COUNT(*) FROM (@) d WHERE # GROUP BY HEX(a)",
	"SELECT DISTINCT b FROM (@) d WHERE #",
	"SELECT o.K, d.b FROM t o JOIN (@) d ON o.K = d.a AND #",
	"SELECT o.K, d.b FROM t o LEFT JOIN (@) d ON o.K = d.a AND # WHERE o.T > 0",
	"SELECT o.K, d.b FROM (@) d LEFT JOIN t o ON o.K = d.a WHERE #",
	"SELECT o.K, p.Q, d.b FROM t o JOIN t p LEFT JOIN (@) d ON o.K = d.a AND p.T <> d.c AND # WHERE p.Q <> 'q1'",
	"SELECT o.K, d.b FROM t o JOIN (@) d ON o.V = d.a OR o.K = d.a AND #",
	"SELECT o.K, d.b FROM t o LEFT JOIN (@) d ON o.V = d.a AND # ORDER BY o.K, d.b, d.c LIMIT 3",
	"SELECT K, Q FROM t o WHERE EXISTS (SELECT 1 FROM (@) d WHERE d.a = o.K AND #)",
	"SELECT K, (SELECT MAX(c) FROM (@) d WHERE d.a = o.K) FROM t o",
	"SELECT a, c FROM (SELECT * FROM (@) i WHERE i.b <> 'zz') d WHERE #",
}

// TestDerivedRandom compares derived tables with the same ones into which a LIMIT that passes all rows
// prevents any pushing down.
func TestDerivedRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for _, partitions := range []string{"none", "key(3)", "range(p2)"} {
		d := newDB(t)
		d.create("t", scheme(t, partitions), 1)
		for range 25 {
			d.put("t", randomCell(r))
		}
		for range *derivedCount {
			d.compareDerived(t, r)
		}
	}
}

func randomCell(r *rand.Rand) kv.Cell {
	c := kv.Cell{
		Row:       fmt.Appendf(nil, "%c%d", 'p'+rune(r.IntN(2)), r.IntN(4)),
		Qualifier: fmt.Appendf(nil, "q%d", r.IntN(4)),
		Timestamp: int64(r.IntN(4)),
	}
	if values := []string{"p1", "x", "X", "", "1", "q2"}; r.IntN(8) > 0 {
		c.Value = []byte(values[r.IntN(len(values))])
	}
	return c
}

func (d *db) compareDerived(t *testing.T, r *rand.Rand) {
	t.Helper()
	sql := derivedSelects[r.IntN(len(derivedSelects))]
	for strings.Contains(sql, "#") {
		sql = strings.Replace(sql, "#", "("+derivedConditions[r.IntN(len(derivedConditions))]+")", 1)
	}
	derivation := derivations[r.IntN(len(derivations))]
	args := make([]value.Value, strings.Count(sql, "?"))
	for i := range args {
		args[i] = value.NewBytes([]byte("p2"))
	}
	pushed := strings.Replace(sql, "@", derivation, 1)
	kept := strings.Replace(sql, "@", "SELECT * FROM ("+derivation+") whole LIMIT 1000000", 1)
	got, err := d.query(pushed, args...)
	require.NoError(t, err, pushed)
	want, err := d.query(kept, args...)
	require.NoError(t, err, kept)
	slices.Sort(got)
	slices.Sort(want)
	require.Equal(t, want, got, pushed)
}
