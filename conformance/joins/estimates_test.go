package joins

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

var (
	estimateSeed  = flag.Uint64("estimates.seed", 1, "first seed of TestEstimates")
	estimateSeeds = flag.Uint64("estimates.seeds", 1, "seeds of TestEstimates, one after the other")
)

// Estimates may be off by more than a factor of two for fewer cells than smallSpan,
// and for what is rarer among a span's cells than one in rarest.
const (
	smallSpan = 1000
	rarest    = 3
)

// loaded is a table as a load leaves it: some of it in files of several levels, some
// in memory, with rows of very different sizes.
type loaded struct {
	db   *sql.DB
	r    *rand.Rand
	keys []string // some of the row keys, sorted
	at   int64
}

func load(t testing.TB, r *rand.Rand, layout string, cells int) *loaded {
	l := &loaded{db: harness.OpenDB(t, "file:"+filepath.Join(t.TempDir(), "store")+"?versions=all&sync=false"), r: r, at: 1700000000000}
	harness.Must(t, l.db, oracle.CreateTable("o", layout))
	const batch = 2000
	for n := 0; n < cells; n += batch {
		rows := make([]string, 0, batch)
		for len(rows) < batch {
			rows = l.appendRow(rows)
		}
		harness.Must(t, l.db, "REPLACE INTO o (K, Q, T, V) VALUES "+strings.Join(rows, ", "))
		if n < cells*3/4 && r.IntN(8) == 0 {
			harness.Must(t, l.db, "FLUSH TABLES")
		}
	}
	slices.Sort(l.keys)
	return l
}

// appendRow appends the cells of a row: usually few, sometimes a thousand, with
// values whose length depends on the row.
func (l *loaded) appendRow(cells []string) []string {
	kind := l.r.IntN(40)
	key := fmt.Sprintf("%c%05d", "aabbcd"[kind%6], l.r.IntN(100000))
	columns, length := 1+l.r.IntN(6), 1+l.r.IntN(12)
	switch {
	case kind == 0:
		columns = 200 + l.r.IntN(800)
	case kind%6 == 4:
		length = 100 + l.r.IntN(300)
	}
	if l.r.IntN(20) == 0 {
		l.keys = append(l.keys, key)
	}
	for i := range columns {
		l.at += int64(l.r.IntN(50))
		cells = append(cells, fmt.Sprintf("('%s', 'q%d', %d, '%0*d')", key, i%7, l.at, length, l.r.IntN(1000)))
	}
	return cells
}

// span is a condition on K, or none.
func (l *loaded) span() string {
	a, b := l.keys[l.r.IntN(len(l.keys))], l.keys[l.r.IntN(len(l.keys))]
	switch l.r.IntN(6) {
	case 0:
		return "K > '" + a + "'"
	case 1:
		return "K LIKE '" + a[:1+l.r.IntN(2)] + "%'"
	case 2:
		return "TRUE"
	}
	return fmt.Sprintf("K >= '%s' AND K < '%s'", min(a, b), max(a, b))
}

// within is a condition on Q or T that restricts what the store reads.
func (l *loaded) within() string {
	first := int64(1700000000000)
	part := func() int64 { return first + l.r.Int64N(l.at-first) }
	switch l.r.IntN(5) {
	case 0:
		return fmt.Sprintf(" AND Q = 'q%d'", l.r.IntN(7))
	case 1:
		return " AND Q IN ('q1', 'q3', 'q6')"
	case 2:
		a, b := part(), part()
		return fmt.Sprintf(" AND T BETWEEN %d AND %d", min(a, b), max(a, b))
	}
	return ""
}

// TestEstimates compares EXPLAIN's rows and filtered with the real numbers.
func TestEstimates(t *testing.T) {
	for seed := *estimateSeed; seed < *estimateSeed+*estimateSeeds; seed++ {
		for _, layout := range []string{"none", "key", "range"} {
			t.Run(fmt.Sprintf("%s %d", layout, seed), func(t *testing.T) { estimates(t, seed, layout) })
		}
	}
}

func estimates(t *testing.T, seed uint64, layout string) {
	cells, queries := 60000, 40
	if *harness.Long {
		cells, queries = 500000, 300
	}
	r := rand.New(rand.NewPCG(seed, 7))
	l := load(t, r, layout, cells)
	for range queries {
		span := l.span()
		rows, _ := explainedRows(t, l.db, span)
		all := l.near(t, "load", span, rows, smallSpan)
		where := span + l.within()
		rows, _ = explainedRows(t, l.db, where)
		l.near(t, "load", where, rows, max(smallSpan, all/rarest))
		filter := harness.Pick(r, []string{"V LIKE '%1%'", "LENGTH(V) > 4", "V > 500", "LENGTH(V) < 50 AND V > 100", "T % 3 = 1"})
		rows, filtered := explainedRows(t, l.db, where+" AND "+filter)
		l.near(t, "load", where+" AND "+filter, rows*filtered/100, max(smallSpan, all/rarest))
	}
}

// explainedRows are EXPLAIN's rows, and filtered as a percentage of them.
func explainedRows(t *testing.T, db *sql.DB, where string) (rows, filtered float64) {
	t.Helper()
	var text sql.NullString
	var id int
	var all, kept sql.NullFloat64 // NULL if the condition is known to be false
	dest := []any{&id, &text, &text, &text, &text, &text, &text, &text, &text, &all, &kept, &text}
	require.NoError(t, db.QueryRow("EXPLAIN SELECT V FROM o WHERE "+where).Scan(dest...), where)
	return all.Float64, kept.Float64
}

// near fails unless the estimate is within a factor of two of the rows, if these
// are more than a minimum.
func (l *loaded) near(t *testing.T, after, where string, estimate, than float64) (truth float64) {
	t.Helper()
	require.NoError(t, l.db.QueryRow("SELECT COUNT(*) FROM o WHERE "+where).Scan(&truth))
	if truth > than && (estimate > 2*truth || estimate < truth/2) {
		t.Errorf("%s: %s: %.0f rows are taken for %.0f", after, where, truth, estimate)
	}
	return truth
}

// TestEstimatesOfDeleted estimates what is left after much was deleted or
// overwritten, in memory, in files, and after OPTIMIZE TABLE.
func TestEstimatesOfDeleted(t *testing.T) {
	for _, layout := range []string{"none", "key", "range"} {
		l := load(t, rand.New(rand.NewPCG(4, 7)), layout, 60000)
		for _, statement := range []string{
			"DELETE FROM o WHERE K >= 'a2' AND K < 'a9' OR K > 'b4'", "FLUSH TABLES",
			"UPDATE o SET V = REPEAT('x', 150) WHERE K < 'b' AND V < 300", "OPTIMIZE TABLE o",
			"DELETE FROM o WHERE T % 5 < 4", "FLUSH TABLES", "OPTIMIZE TABLE o",
		} {
			harness.Must(t, l.db, statement)
			for _, where := range []string{"TRUE", "K < 'b'", "K >= 'a9'", "K > 'a1' AND K < 'b3'", "K < 'b' AND LENGTH(V) = 150", "LENGTH(V) < 100"} {
				rows, filtered := explainedRows(t, l.db, where)
				l.near(t, layout+" "+statement, where, rows*filtered/100, smallSpan)
			}
		}
	}
}

// TestEstimatesFollow repeats an estimate: it changes after many writes, and
// when everything is deleted.
func TestEstimatesFollow(t *testing.T) {
	l := load(t, rand.New(rand.NewPCG(1, 7)), "key", 20000)
	follow := func(step string) {
		t.Helper()
		for _, where := range []string{"TRUE", "K < 'b'", "K < 'b' AND V > 500"} {
			for range 2 {
				rows, filtered := explainedRows(t, l.db, where)
				l.near(t, step, where, rows*filtered/100, smallSpan)
			}
		}
	}
	follow("load")
	harness.Must(t, l.db, "INSERT INTO o (K, Q, T, V) SELECT CONCAT('a', K), Q, T, V FROM o")
	follow("insert")
	harness.Must(t, l.db, "TRUNCATE TABLE o")
	rows, _ := explainedRows(t, l.db, "TRUE")
	require.Zero(t, rows)
	harness.Must(t, l.db, "INSERT INTO o (K, Q, T, V) VALUES ('a', 'q', 1, 'v')")
	rows, _ = explainedRows(t, l.db, "TRUE")
	require.EqualValues(t, 1, rows)
}
