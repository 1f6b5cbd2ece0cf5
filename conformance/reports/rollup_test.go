package reports

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var rollupN = flag.Int("rollups.n", 10, "statements of TestRandomRollups in each layout")

// rollupSettings are the ways to combine groups.
var rollupSettings = []string{"parallelism=1", "parallelism=3", "parallelism=1&queryMemory=16KiB",
	"parallelism=3&queryMemory=16KiB", "parallelism=1&hbasekv_batch_cells=1"}

// TestRandomRollups compares groups WITH ROLLUP, and their GROUPING(), with the union of the
// groups by fewer and fewer expressions, and their order with that of ORDER BY.
func TestRandomRollups(t *testing.T) {
	seed := testseed.Of(t)
	for layout := range oracle.Partitionings {
		t.Run(layout, func(t *testing.T) {
			union := harness.OpenDB(t, "file::memory:?versions=all&parallelism=1")
			fillReports(t, union, layout, 300)
			g := rollupGen{reportGen{rand.New(rand.NewPCG(seed, uint64(len(layout))))}}
			statements, unions := make([]rolledUp, *rollupN), make([]oracle.Answer, *rollupN)
			for i := range statements {
				statements[i] = g.statement()
				unions[i] = oracle.AskQuery(union, statements[i].union, false)
			}
			for _, setting := range rollupSettings {
				db := harness.OpenDB(t, "file::memory:?versions=all&"+setting)
				fillReports(t, db, layout, 300)
				for i, s := range statements {
					s.compare(t, setting, db, unions[i])
				}
			}
		})
	}
}

// rolledUp is a statement, the same with an order, and as a union.
type rolledUp struct{ text, sorted, union string }

// compare runs the statement, and compares its rows with those of the union and its order with
// that of the statement that has one.
func (s rolledUp) compare(t *testing.T, setting string, db *sql.DB, union oracle.Answer) {
	got, sorted := oracle.AskQuery(db, s.text, true), oracle.AskQuery(db, s.sorted, true)
	if oracle.Difference(sorted, got) != "" {
		t.Errorf("%s: sorted: %s", setting, explainRows(sorted, got))
	}
	got.Ordered = false
	if oracle.Difference(union, got) != "" {
		t.Errorf("%s: %s: %s", setting, oracle.Difference(union, got), explainRows(union, got))
	}
}

type rollupGen struct{ reportGen }

func (g *rollupGen) statement() rolledUp {
	s := g.cells(g.of(oracle.ReportTables...), "")
	if g.one(2) {
		s = g.pivots()
	}
	keys := g.keys(s)
	items := g.items(s)
	from, having := " FROM "+s.from+g.filter(s), ""
	if g.one(4) {
		having = g.of("COUNT(*) > 1", "COUNT(*) BETWEEN 2 AND 9", "SUM("+g.of(s.numbers...)+") > 10")
	}
	out := rolledUp{union: g.parts(keys, items, from, having)}
	out.text = "SELECT " + strings.Join(keys, ", ") + ", GROUPING(" + strings.Join(keys, ", ") + ") AS open, " + items + from +
		" GROUP BY " + strings.Join(keys, ", ") + " WITH ROLLUP"
	if having != "" {
		out.text += " HAVING " + having
	}
	var order []string
	for _, k := range keys {
		order = append(order, "GROUPING("+k+"), "+k)
	}
	out.sorted = out.text + " ORDER BY " + strings.Join(order, ", ")
	return out
}

// keys are up to three different expressions.
func (g *rollupGen) keys(s reported) (out []string) {
	seen := map[string]bool{}
	for range 1 + g.r.IntN(3) {
		if key := g.of(s.names...); !seen[key] {
			seen[key] = true
			out = append(out, key)
		}
	}
	return out
}

func (g *rollupGen) items(s reported) string {
	items := make([]string, 1+g.r.IntN(4))
	for i := range items {
		number, any := g.of(s.numbers...), g.of(s.all...)
		items[i] = g.of(g.aggregate(s), g.aggregate(s), "SUM(DISTINCT "+number+")", "FORMAT(STD(LENGTH("+any+")), 3)",
			"BIT_XOR(LENGTH("+any+"))", "COUNT(DISTINCT "+any+", "+g.of(s.names...)+")", "MIN(DISTINCT "+any+")", "MAX("+number+" + 0.5)")
		items[i] += fmt.Sprintf(" AS a%d", i)
	}
	return strings.Join(items, ", ")
}

// parts are the groups by all keys, by all but the last, and so on to none.
func (g *rollupGen) parts(keys []string, items, from, having string) string {
	var parts []string
	for n := len(keys); n >= 0; n-- {
		shown := append([]string(nil), keys[:n]...)
		for range keys[n:] {
			shown = append(shown, "NULL")
		}
		part := fmt.Sprintf("SELECT %s, %d AS open, %s%s", strings.Join(shown, ", "), 1<<(len(keys)-n)-1, items, from)
		conds := []string{"COUNT(*) > 0"}
		if n > 0 {
			part += " GROUP BY " + strings.Join(keys[:n], ", ")
		}
		if having != "" {
			conds = append(conds, having)
		}
		parts = append(parts, part+" HAVING "+strings.Join(conds, " AND "))
	}
	return strings.Join(parts, " UNION ALL ")
}
