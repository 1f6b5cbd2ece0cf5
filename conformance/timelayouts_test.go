package conformance

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
)

// timeLayouts are layouts with partitions by time. Their tables have a column
// over T, and so no smallest T; the first has the column alone.
var timeLayouts = map[string]string{
	timedLayout: "",
	"time":      " PARTITION BY RANGE COLUMNS(G) (" + timeRanges("PARTITION") + ")",
	"time-key":  " PARTITION BY RANGE COLUMNS(G) SUBPARTITION BY KEY(K) SUBPARTITIONS 3 (" + timeRanges("PARTITION") + ")",
	"key-time":  " PARTITION BY KEY(K) PARTITIONS 5 SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (" + timeRanges("SUBPARTITION") + ")",
	"range-time": " PARTITION BY RANGE COLUMNS(K) SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (" + timeRanges("SUBPARTITION") +
		") (PARTITION p0 VALUES LESS THAN ('a'), PARTITION p1 VALUES LESS THAN ('b'), PARTITION p9 VALUES LESS THAN (MAXVALUE))",
}

const timedLayout = "timed"

// timeRanges cuts what the oracle's tables and the models hold in small parts.
func timeRanges(kind string) string {
	prefix := strings.ToLower(kind[:1])
	var out []string
	for i, bound := range []string{"1", "2", "10", "1000", "1700000000000"} {
		out = append(out, fmt.Sprintf("%s %s%d VALUES LESS THAN (%s)", kind, prefix, i, bound))
	}
	return strings.Join(append(out, kind+" "+prefix+"9 VALUES LESS THAN (MAXVALUE)"), ", ")
}

// timed reports whether a layout is one of timeLayouts.
func timed(layout string) bool {
	_, ok := timeLayouts[layout]
	return ok
}

// everyLayout are the layouts of both kinds.
func everyLayout() map[string]string {
	out := maps.Clone(partitionings)
	maps.Copy(out, timeLayouts)
	return out
}

// layoutOf is the PARTITION BY of a layout of any kind.
func layoutOf(layout string) string {
	return everyLayout()[layout]
}

const timeColumn = "G bigint GENERATED ALWAYS AS (ABS(T)), "

// smallestTime is the T whose absolute value is no bigint.
const smallestTime = "-9223372036854775808"

// TestTimeLayouts holds that partitions by time change no answer and no effect:
// the recorded statements, a part of them on each layout, do what they do on a
// table without.
func TestTimeLayouts(t *testing.T) {
	selects, queries := readRecorded[answer](t, recordedFile), readRecorded[answer](t, queriesFile)
	writes := readRecorded[written](t, writesFile)
	plain, plainWrites := openOracleTable(t, timedLayout), openWrites(t, timedLayout)
	for part, layout := range slices.Sorted(maps.Keys(timeLayouts)) {
		if layout == timedLayout {
			continue
		}
		t.Run(layout, func(t *testing.T) {
			db := openOracleTable(t, layout)
			for i, each := range slices.Concat(selects, queries) {
				if text := starless(each.SQL); i%16 == part {
					compareLayouts(t, askQuery(plain, text, each.Ordered), askQuery(db, text, each.Ordered))
				}
			}
			changed := openWrites(t, layout)
			for i, each := range writes {
				if i/episode%len(timeLayouts) != part {
					continue
				}
				want := write(t, plainWrites, each.SQL, each.Reset, emptyOwn)
				if got := write(t, changed, each.SQL, each.Reset, emptyOwn); writeDifference(want, got) != "" {
					t.Errorf("%s: %s\n plain: %s\n here: %s", writeDifference(want, got), want.SQL, want.print(), got.print())
				}
			}
		})
	}
}

// compareLayouts allows one of two layouts to meet a bad value that the other
// reads later, or not at all.
func compareLayouts(t *testing.T, want, got answer) {
	t.Helper()
	if badValues[want.Error] || badValues[got.Error] {
		return
	}
	if kind := difference(want, got); kind != "" {
		t.Errorf("%s: %s\n plain: %s\n here: %s", kind, want.SQL, want.print(), got.print())
	}
}

// TestRandomTimeConditions compares conditions on T and G, which prune, with the
// same ones on ABS(T), which do not, in every view and with PARTITION.
func TestRandomTimeConditions(t *testing.T) {
	t.Logf("-model.seed=%d", *modelSeed)
	for layout, partitioning := range timeLayouts {
		t.Run(layout, func(t *testing.T) {
			g := timeGen{rand.New(rand.NewPCG(*modelSeed, uint64(len(layout))))}
			db := openDB(t, ":memory:")
			must(t, db, modelTable("t", layout, partitioning), modelTable("u", "none", ""))
			g.fill(t, db)
			for i := range 240 {
				if i == 120 {
					must(t, db, "FLUSH TABLES")
				}
				v, where := readView(g.Rand), g.condition(3)
				if i%40 == 0 {
					require.Equal(t, lines(t, db, "SELECT COUNT(ABS(T)), MIN(ABS(T)), MAX(ABS(T)), COUNT(DISTINCT ABS(T)), SUM(ABS(T) DIV 7) FROM u FOR SYSTEM_TIME ALL"),
						lines(t, db, "SELECT COUNT(G), MIN(G), MAX(G), COUNT(DISTINCT G), SUM(G DIV 7) FROM t FOR SYSTEM_TIME ALL"))
				}
				query := func(table, where string) []string {
					return lines(t, db, fmt.Sprintf("SELECT %sK, Q, T, V FROM %s%s WHERE %s ORDER BY K, Q, T DESC", v.hint, table, v.suffix, where))
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
		must(t, db, "REPLACE INTO "+table+" (K, Q, T, V) VALUES "+strings.Join(tuples, ", "))
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
	of := pick(g.Rand, []string{"G", "G", "G", "T"})
	at := func() string {
		n := pick(g.Rand, []int64{-1, 0, 1, 2, 3, 7, 10, 11, 999, 1000, 1 << 40, math.MaxInt64})
		return pick(g.Rand, []string{fmt.Sprint(n), fmt.Sprint(n), fmt.Sprintf("'%d'", n), fmt.Sprintf("%d.5", n), "NULL"}[:2+g.IntN(4)])
	}
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("%s BETWEEN %s AND %s", of, at(), at())
	case 1:
		return fmt.Sprintf("%s IN (%s, %s)", of, at(), at())
	case 2:
		return fmt.Sprintf("%s IS NOT NULL", of)
	case 3:
		return "K = " + lit(modelKey(g.Rand))
	case 4:
		return fmt.Sprintf("(K, Q, T) = (%s, %s, %d)", lit(modelKey(g.Rand)), lit(modelQualifier(g.Rand)), modelTime(g.Rand))
	}
	return fmt.Sprintf("%s %s %s", of, pick(g.Rand, []string{"=", "<", "<=", ">", ">=", "<>", "<=>"}), at())
}
