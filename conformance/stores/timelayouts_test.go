package stores

import (
	"database/sql"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestTimeLayouts: partitions by time change no answers and no effects: the
// recorded statements, a part of them on each layout, do the same as on a table
// without partitions.
func TestTimeLayouts(t *testing.T) {
	selects, queries := oracle.ReadRecorded[oracle.Answer](t, oracle.SelectsFile), oracle.ReadRecorded[oracle.Answer](t,
		oracle.QueriesFile)
	writes := oracle.ReadRecorded[oracle.Written](t, oracle.WritesFile)
	plain, plainWrites := oracle.OpenTables(t, oracle.TimedLayout), oracle.OpenWrites(t, oracle.TimedLayout)
	for part, layout := range slices.Sorted(maps.Keys(oracle.TimeLayouts)) {
		if layout == oracle.TimedLayout {
			continue
		}
		t.Run(layout, func(t *testing.T) {
			db := oracle.OpenTables(t, layout)
			for i, each := range slices.Concat(selects, queries) {
				if text := oracle.Starless(each.SQL); i%16 == part {
					compareLayouts(t, oracle.AskQuery(plain, text, each.Ordered),
						oracle.AskQuery(db, text, each.Ordered))
				}
			}
			changed := oracle.OpenWrites(t, layout)
			for i, each := range writes {
				if i/oracle.Episode%len(oracle.TimeLayouts) != part {
					continue
				}
				want := oracle.Write(t, plainWrites, each.SQL, each.Reset, oracle.EmptyOwn)
				if got := oracle.Write(t, changed, each.SQL, each.Reset, oracle.EmptyOwn); oracle.WriteDifference(want,
					got) != "" {
					t.Errorf("%s: %s\n plain: %s\n here: %s", oracle.WriteDifference(want, got), want.SQL, want.Print(), got.Print())
				}
			}
		})
	}
}

// compareLayouts allows one of two layouts to find a bad value that the other
// reads later, or not at all.
func compareLayouts(t *testing.T, want, got oracle.Answer) {
	t.Helper()
	if oracle.BadValues[want.Error] || oracle.BadValues[got.Error] {
		return
	}
	if kind := oracle.Difference(want, got); kind != "" {
		t.Errorf("%s: %s\n plain: %s\n here: %s", kind, want.SQL, want.Print(), got.Print())
	}
}

// TestRandomTimeConditions compares conditions on T and G, which prune, with the
// same conditions on ABS(T), which do not, in every view and with PARTITION.
func TestRandomTimeConditions(t *testing.T) {
	for layout, partitioning := range oracle.TimeLayouts {
		t.Run(layout, func(t *testing.T) {
			g := timeGen{rand.New(rand.NewPCG(testseed.Of(t), uint64(len(layout))))}
			db := harness.OpenDB(t, ":memory:")
			harness.Must(t, db, oracle.ModelTable("t", layout, partitioning), oracle.ModelTable("u", "none", ""))
			g.fill(t, db)
			for i := range 240 {
				if i == 120 {
					harness.Must(t, db, "FLUSH TABLES")
				}
				v, where := readView(g.Rand), g.condition(3)
				if i%40 == 0 {
					require.Equal(t, harness.Lines(t, db, "SELECT COUNT(ABS(T)), MIN(ABS(T)), MAX(ABS(T)), COUNT(DISTINCT ABS(T)), SUM(ABS(T) DIV 7) FROM u FOR SYSTEM_TIME ALL"),
						harness.Lines(t, db, "SELECT COUNT(G), MIN(G), MAX(G), COUNT(DISTINCT G), SUM(G DIV 7) FROM t FOR SYSTEM_TIME ALL"))
				}
				query := func(table, where string) []string {
					return harness.Lines(t, db, fmt.Sprintf("SELECT %sK, Q, T, V FROM %s%s WHERE %s ORDER BY K, Q, T DESC", v.hint, table, v.suffix, where))
				}
				require.Equal(t, query("u", strings.ReplaceAll(where, "G", "ABS(T)")), query("t", where), "%s%s %s", v.hint, v.suffix, where)
			}
		})
	}
}

type timeGen struct{ *rand.Rand }

// fill writes the same versions to both tables.
func (g timeGen) fill(t *testing.T, db *sql.DB) {
	var tuples []string
	for range 300 {
		at := modelTime(g.Rand)
		if at == math.MinInt64 {
			at++
		}
		tuples = append(tuples, row{modelKey(g.Rand), modelQualifier(g.Rand), at, modelValue(g.Rand)}.tuple())
	}
	for _, table := range []string{"t", "u"} {
		harness.Must(t, db, "REPLACE INTO "+table+" (K, Q, T, V) VALUES "+strings.Join(tuples, ", "))
	}
}

func (g timeGen) condition(depth int) string {
	if depth > 0 {
		switch g.IntN(5) {
		case 0:
			return "(" + g.condition(depth-1) + " AND " + g.condition(depth-1) + ")"
		case 1:
			return "(" + g.condition(depth-1) + " OR " + g.condition(depth-1) + ")"
		case 2:
			return "NOT (" + g.condition(depth-1) + ")"
		}
	}
	of := harness.Pick(g.Rand, []string{"G", "G", "G", "T"})
	at := func() string {
		n := harness.Pick(g.Rand, []int64{-1, 0, 1, 2, 3, 7, 10, 11, 999, 1000, 1 << 40, math.MaxInt64})
		return harness.Pick(g.Rand, []string{fmt.Sprint(n), fmt.Sprint(n), fmt.Sprintf("'%d'", n), fmt.Sprintf("%d.5", n), "NULL"}[:2+g.IntN(4)])
	}
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("%s BETWEEN %s AND %s", of, at(), at())
	case 1:
		return fmt.Sprintf("%s IN (%s, %s)", of, at(), at())
	case 2:
		return fmt.Sprintf("%s IS NOT NULL", of)
	case 3:
		return "K = " + harness.Lit(modelKey(g.Rand))
	case 4:
		return fmt.Sprintf("(K, Q, T) = (%s, %s, %d)", harness.Lit(modelKey(g.Rand)), harness.Lit(modelQualifier(g.Rand)), modelTime(g.Rand))
	}
	return fmt.Sprintf("%s %s %s", of, harness.Pick(g.Rand, []string{"=", "<", "<=", ">", ">=", "<>", "<=>"}), at())
}
