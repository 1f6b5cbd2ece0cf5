package reports

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

var (
	distinctSeed  = flag.Uint64("distinct.seed", 1, "first seed of TestDistinct")
	distinctSeeds = flag.Uint64("distinct.seeds", 1, "seeds of TestDistinct, one after the other")
)

// The factors within which a number of distinct keys is estimated, for keys that are evenly
// distributed, and for others: skewed, or equal in some places and not elsewhere.
const even, uneven = 3, 8

// spreads are values of a row's columns by its number: as many distinct ones as rows,
// evenly distributed, equal neighbours some of which recur, and skewed.
var spreads = []struct {
	name   string
	value  func(r *rand.Rand, row int) int
	factor float64
}{
	{"unique", func(_ *rand.Rand, row int) int { return row }, even},
	{"ten", func(r *rand.Rand, _ int) int { return r.IntN(10) }, even},
	{"hundreds", func(r *rand.Rand, _ int) int { return r.IntN(700) }, even},
	{"thousands", func(r *rand.Rand, _ int) int { return r.IntN(5000) }, even},
	{"runs", func(_ *rand.Rand, row int) int { return row / 20 }, uneven},
	{"returning", func(_ *rand.Rand, row int) int { return row / 20 * 7919 % 300 }, uneven},
	{"half", func(r *rand.Rand, row int) int { return row * r.IntN(2) }, uneven},
	{"zipf", func(r *rand.Rand, _ int) int { return int(rand.NewZipf(r, 1.3, 1, 1e6).Uint64()) }, uneven},
}

// probes are rows with one value that join none. The estimated size of their join with
// a table is that of all its rows, by the number of keys.
const probes = 1000

func distinctDB(t testing.TB, r *rand.Rand, layout string, rows int) *sql.DB {
	db := harness.OpenDB(t, "file:"+filepath.Join(t.TempDir(), "store")+"?versions=all&sync=false")
	harness.Must(t, db, oracle.CreateTable("o", layout), oracle.CreateTable("probe", "none"))
	var cells []string
	for i := range probes {
		cells = append(cells, fmt.Sprintf("('p%04d', '-', -1, '-')", i))
	}
	harness.Must(t, db, "REPLACE INTO probe (K, Q, T, V) VALUES "+strings.Join(cells, ", "))
	for from := 0; from < rows; from += 500 {
		cells = cells[:0]
		for i := from; i < min(from+500, rows); i++ {
			for _, s := range spreads {
				cells = append(cells, fmt.Sprintf("('%06d', '%s', %d, '%06d')", i, s.name, r.IntN(3000), s.value(r, i)))
			}
		}
		harness.Must(t, db, "REPLACE INTO o (K, Q, T, V) VALUES "+strings.Join(cells, ", "))
		if r.IntN(6) == 0 {
			harness.Must(t, db, "FLUSH TABLES")
		}
	}
	return db
}

var estimatedJoin = regexp.MustCompile(`estimated: rows (\d+)\n`)

// joinedRows is the estimated number of rows of a join.
func joinedRows(t testing.TB, db *sql.DB, from string) float64 {
	text := strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE SELECT COUNT(*) FROM "+from), "\n")
	found := estimatedJoin.FindStringSubmatch(text)
	require.NotNil(t, found, text)
	n, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	return n
}

// distinctCase is a join of the probes by an expression of the table, whose rows are
// restricted.
type distinctCase struct {
	on, key, where string
	factor         float64
}

func distinctCases() []distinctCase {
	out := []distinctCase{
		{"o.Q = p.Q", "Q", "TRUE", 1.5},
		{"o.T = p.T", "T", "Q < 'i'", even},
		{"o.Q = p.Q AND o.V = p.V", "Q, V", "TRUE", uneven},
		{"LEFT(o.V, 4) = p.V", "LEFT(V, 4)", "Q = 'hundreds'", even},
		{"CONCAT(o.Q, o.T % 30) = p.V", "CONCAT(Q, T % 30)", "Q < 'i'", even},
		{"o.K = p.V", "K", "TRUE", even},
		{"o.K = p.V AND o.Q = p.Q", "K, Q", "TRUE", even},
		{"o.V = p.V", "V", "Q = 'unique' AND V < '005000'", even},
		{"o.V = p.V", "V", "Q = 'hundreds' AND T < 300", even},
	}
	for _, s := range spreads {
		out = append(out, distinctCase{"o.V = p.V", "V", "Q = '" + s.name + "'", s.factor})
	}
	return out
}

// TestDistinct compares the sizes of joins that are estimated from the number of
// distinct keys, of K, Q, T, V and of expressions, with what these numbers
// imply.
func TestDistinct(t *testing.T) {
	for seed := *distinctSeed; seed < *distinctSeed+*distinctSeeds; seed++ {
		for rows, layout := range map[int]string{100: "range", 10000: []string{"key", "none"}[seed%2]} {
			t.Run(fmt.Sprintf("%d rows, %s, seed %d", rows, layout, seed), func(t *testing.T) {
				db := distinctDB(t, rand.New(rand.NewPCG(seed, 7)), layout, rows)
				for _, c := range distinctCases() {
					var all, keys float64
					require.NoError(t, db.QueryRow("SELECT COUNT(*), COUNT(DISTINCT "+c.key+") FROM o WHERE "+c.where).Scan(&all, &keys))
					from := "probe p JOIN o ON " + c.on + " WHERE " + strings.NewReplacer("Q ", "o.Q ", "V ", "o.V ", "T ", "o.T ").Replace(c.where)
					got, want := joinedRows(t, db, from), probes*all/keys
					if rows <= 100 {
						require.InDelta(t, want, got, 1, from)
					}
					if got > c.factor*want || got < want/c.factor {
						t.Errorf("%s: %.0f rows, by %.0f keys of %.0f %.0f", from, got, keys, all, want)
					}
				}
			})
		}
	}
}

// TestFilteredOfJoins: EXPLAIN's filtered is the percentage of a joined table's rows that
// join one row of the previous tables.
func TestFilteredOfJoins(t *testing.T) {
	db := distinctDB(t, rand.New(rand.NewPCG(1, 7)), "none", 100)
	for on, want := range map[string]float64{
		"o.Q = p.Q":                    100.0 / float64(len(spreads)),
		"o.V = p.V AND o.Q = 'unique'": 1,
		"o.V = p.V AND o.Q = 'unique' AND o.V < '000050'": 50 / 50.0,
		"o.Q = p.Q AND o.Q < 'i'":                         100 / 2.0,
		"o.Q = p.Q AND o.V < p.V":                         100.0 / float64(len(spreads)) / 3,
		"o.V < p.V AND o.T < p.T":                         100.0 / 9,
		"o.K = p.K AND o.Q = 'hundreds'":                  100 / 1000.0,
		"o.K = p.V AND o.Q = 'ten'":                       100,
		"o.Q = p.Q AND p.V IN ('x', '-')":                 100.0 / float64(len(spreads)),
	} {
		row := explainedTable(t, db, "SELECT STRAIGHT_JOIN COUNT(*) FROM probe p JOIN o ON "+on, "o")
		require.InDelta(t, want, row, 0.01+want/3, on)
	}
}

// explainedTable is EXPLAIN's filtered for a table.
func explainedTable(t *testing.T, db *sql.DB, statement, table string) float64 {
	t.Helper()
	rows, err := db.Query("EXPLAIN " + statement)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var text [9]sql.NullString
		var all, filtered sql.NullFloat64
		dest := []any{&text[0], &text[1], &text[2], &text[3], &text[4], &text[5], &text[6], &text[7], &text[8]}
		require.NoError(t, rows.Scan(append(dest, &all, &filtered, &text[3])...))
		if text[2].String == table {
			return filtered.Float64
		}
	}
	t.Fatal("no such table in ", statement)
	return 0
}
