package stores

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// column is a cell's address, without the timestamp.
type column struct{ k, q string }

// model is the content of one table: for each column its versions; nil is NULL.
type model struct {
	cells map[column]map[int64]*string
	*keeping
}

func newModel() model { return model{map[column]map[int64]*string{}, &keeping{}} }

// row is one row that a SELECT returns.
type row struct {
	k, q string
	t    int64
	v    *string
}

func (r row) String() string {
	if r.v == nil {
		return fmt.Sprintf("(%q %q %d NULL)", r.k, r.q, r.t)
	}
	return fmt.Sprintf("(%q %q %d %q)", r.k, r.q, r.t, *r.v)
}

func (m model) clone() model {
	return model{cloneCells(m.cells), m.keeping.clone()}
}

func cloneCells(cells map[column]map[int64]*string) map[column]map[int64]*string {
	out := map[column]map[int64]*string{}
	for c, versions := range cells {
		out[c] = maps.Clone(versions)
	}
	return out
}

func (m model) put(r row) {
	c := column{r.k, r.q}
	if m.cells[c] == nil {
		m.cells[c] = map[int64]*string{}
	}
	m.cells[c][r.t] = r.v
	delete(m.gone[c], r.t)
	m.keepOf(c)
}

func (m model) has(r row) bool {
	_, ok := m.cells[column{r.k, r.q}][r.t]
	return ok
}

func (m model) remove(r row) {
	c := column{r.k, r.q}
	delete(m.cells[c], r.t)
	if len(m.cells[c]) == 0 {
		delete(m.cells, c)
	}
}

// view selects versions: of those from min to max the newest n, or all if n is
// 0.
type view struct {
	n        int
	min, max int64
	hint     string // after the statement's first word
	suffix   string // after the table's name
}

func latestView() view { return view{n: 1, min: math.MinInt64, max: math.MaxInt64} }

// writeView returns a view through which DML is allowed.
func writeView(r *rand.Rand) view {
	v := latestView()
	switch r.IntN(4) {
	case 0, 1:
	case 2:
		v.n, v.hint = 0, "/*+ VERSIONS(ALL) */ "
	case 3:
		v.n = 2 + r.IntN(2)
		v.hint = fmt.Sprintf("/*+ VERSIONS(%d) */ ", v.n)
	}
	return v
}

// readView returns any view.
func readView(r *rand.Rand) view {
	v := latestView()
	a, b := modelTime(r), modelTime(r)
	a, b = min(a, b), max(a, b)
	switch r.IntN(8) {
	case 0:
		v.max, v.suffix = a, fmt.Sprintf(" FOR SYSTEM_TIME AS OF %d", a)
	case 1:
		v.n, v.suffix = 0, " FOR SYSTEM_TIME ALL"
	case 2:
		v.hint = fmt.Sprintf("/*+ TIMERANGE(%d, %d) */ ", a, b)
		v.min, v.max = halfOpen(a, b)
	case 3:
		v.n = 2
		v.hint = fmt.Sprintf("/*+ TIMERANGE(%d, %d) VERSIONS(2) */ ", a, b)
		v.min, v.max = halfOpen(a, b)
	case 4:
		v.n, v.min, v.max = 0, a, b
		v.suffix = fmt.Sprintf(" FOR SYSTEM_TIME BETWEEN %d AND %d", a, b)
	case 5:
		v.n = 0
		v.min, v.max = halfOpen(a, b)
		v.suffix = fmt.Sprintf(" FOR SYSTEM_TIME FROM %d TO %d", a, b)
	default:
		return writeView(r)
	}
	return v
}

// halfOpen returns a <= t < b with both ends included: there is no timestamp
// below the first one, so an empty range replaces it.
func halfOpen(a, b int64) (first, last int64) {
	if b == math.MinInt64 {
		return 1, 0
	}
	return a, b - 1
}

// rows returns what the view shows, in HBase's order.
func (m model) rows(v view) []row {
	var out []row
	for c, versions := range m.cells {
		var cell []row
		for t, value := range versions {
			if v.min <= t && t <= v.max {
				cell = append(cell, row{c.k, c.q, t, value})
			}
		}
		slices.SortFunc(cell, compareRows)
		if v.n > 0 && len(cell) > v.n {
			cell = cell[:v.n]
		}
		out = append(out, cell...)
	}
	slices.SortFunc(out, compareRows)
	return out
}

func compareRows(a, b row) int {
	return cmp.Or(cmp.Compare(a.k, b.k), cmp.Compare(a.q, b.q), cmp.Compare(b.t, a.t))
}

// truth is an SQL truth value: 1, 0, or -1 for NULL.
type truth int

func truthOf(b bool) truth {
	if b {
		return 1
	}
	return 0
}

// predicate is a condition in SQL and its value for a row.
type predicate struct {
	sql  string
	eval func(row) truth
}

func always() predicate {
	return predicate{"1 = 1", func(row) truth { return 1 }}
}

func where(r *rand.Rand, depth int) predicate {
	if depth == 0 || r.IntN(3) == 0 {
		return simplePredicate(r)
	}
	a, b := where(r, depth-1), where(r, depth-1)
	switch r.IntN(5) {
	case 0:
		return predicate{"NOT (" + a.sql + ")", func(x row) truth { return not(a.eval(x)) }}
	case 1, 2:
		return predicate{"(" + a.sql + " OR " + b.sql + ")", func(x row) truth {
			return not(and(not(a.eval(x)), not(b.eval(x))))
		}}
	}
	return predicate{"(" + a.sql + " AND " + b.sql + ")", func(x row) truth { return and(a.eval(x), b.eval(x)) }}
}

func not(t truth) truth {
	if t == -1 {
		return -1
	}
	return 1 - t
}

func and(a, b truth) truth {
	switch {
	case a == 0 || b == 0:
		return 0
	case a == -1 || b == -1:
		return -1
	}
	return 1
}

func simplePredicate(r *rand.Rand) predicate {
	k, k2, q, q2 := modelKey(r), modelKey(r), modelQualifier(r), modelQualifier(r)
	t, v := modelTime(r), modelValue(r)
	op := harness.Pick(r, []string{"=", "<", "<=", ">", ">=", "<>"})
	switch r.IntN(14) {
	case 0, 1:
		return predicate{"K " + op + " " + harness.Lit(k),
			func(x row) truth { return compareOp(op, cmp.Compare(x.k, k)) }}
	case 2, 3:
		return predicate{"Q " + op + " " + harness.Lit(q),
			func(x row) truth { return compareOp(op, cmp.Compare(x.q, q)) }}
	case 4:
		return predicate{fmt.Sprintf("T %s %d", op, t), func(x row) truth { return compareOp(op, cmp.Compare(x.t, t)) }}
	case 5:
		return predicate{fmt.Sprintf("K = %s AND Q = %s", harness.Lit(k), harness.Lit(q)), func(x row) truth { return truthOf(x.k == k && x.q == q) }}
	case 6:
		return predicate{fmt.Sprintf("K BETWEEN %s AND %s", harness.Lit(k), harness.Lit(k2)), func(x row) truth { return truthOf(k <= x.k && x.k <= k2) }}
	case 7:
		return predicate{fmt.Sprintf("K IN (%s, %s)", harness.Lit(k), harness.Lit(k2)), func(x row) truth { return truthOf(x.k == k || x.k == k2) }}
	case 8:
		return predicate{fmt.Sprintf("(K, Q) > (%s, %s)", harness.Lit(k), harness.Lit(q)), func(x row) truth {
			return truthOf(x.k > k || x.k == k && x.q > q)
		}}
	case 9:
		return predicate{fmt.Sprintf("(K, Q) IN ((%s, %s), (%s, %s))", harness.Lit(k), harness.Lit(q), harness.Lit(k2), harness.Lit(q2)), func(x row) truth {
			return truthOf(x.k == k && x.q == q || x.k == k2 && x.q == q2)
		}}
	case 10:
		p := k[:min(len(k), 1)]
		return predicate{fmt.Sprintf("LEFT(K, 1) = %s", harness.Lit(p)), func(x row) truth { return truthOf(x.k[:min(len(x.k), 1)] == p) }}
	case 11:
		return predicate{"V IS NULL", func(x row) truth { return truthOf(x.v == nil) }}
	case 12:
		if v == nil {
			return always()
		}
		return predicate{"V = " + harness.Lit(*v), func(x row) truth {
			if x.v == nil {
				return -1
			}
			return truthOf(*x.v == *v)
		}}
	}
	prefix := k[:len(k)-len(strings.TrimLeft(k, "abc"))] // only letters: no wildcards
	return predicate{"K LIKE '" + prefix + "%'", func(x row) truth { return truthOf(strings.HasPrefix(x.k, prefix)) }}
}

func compareOp(op string, c int) truth {
	switch op {
	case "=":
		return truthOf(c == 0)
	case "<":
		return truthOf(c < 0)
	case "<=":
		return truthOf(c <= 0)
	case ">":
		return truthOf(c > 0)
	case ">=":
		return truthOf(c >= 0)
	}
	return truthOf(c != 0)
}

func litOrNull(s *string) string {
	if s == nil {
		return "NULL"
	}
	return harness.Lit(*s)
}

func modelKey(r *rand.Rand) string {
	return harness.Pick(r, []string{"a", "a\x00", "ab", "b", "ba", "c", "\x00", "\xff", "\xff\xff", "", "abc", "b\xff"})
}

func modelQualifier(r *rand.Rand) string {
	return harness.Pick(r, []string{"", "q", "q\x00", "qq", "\xff", "r"})
}

func modelTime(r *rand.Rand) int64 {
	return harness.Pick(r, []int64{math.MinInt64, -7, -1, 0, 1, 2, 3, 10, 1000, 1 << 40, math.MaxInt64})
}

func modelValue(r *rand.Rand) *string {
	v := harness.Pick(r, []string{"x", "y", "", "\x00", "12", "z\xff"})
	if r.IntN(8) == 0 {
		return nil
	}
	return &v
}
