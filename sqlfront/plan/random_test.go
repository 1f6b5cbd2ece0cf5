package plan_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/exec/computed"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestRandomSelects runs statements over stored tables and over the same rows in memory, where nothing is
// pushed down, no order is known and every group is hashed: the answers are the same. HBASEKV_SEED repeats a
// run.
func TestRandomSelects(t *testing.T) {
	seed := testseed.Of(t)
	count := 4000
	if testing.Short() {
		count = 400
	}
	for round := range 4 {
		r := newRandomDB(t, rand.New(rand.NewPCG(seed, uint64(round))))
		for range count / 4 {
			r.check()
		}
	}
}

// randomDB is a database with the same cells in a table of each layout and, divided between two families, in
// a table group.
type randomDB struct {
	*db
	r       *rand.Rand
	tables  []string
	cells   []kv.Cell // of each table
	grouped []kv.Cell // of the group; Family is the ordinal
}

func newRandomDB(t *testing.T, r *rand.Rand) *randomDB {
	d := &randomDB{db: newDB(t), r: r}
	for _, l := range kvtest.Layouts() {
		d.create("t"+l.Name, l.Scheme, 1)
		d.tables = append(d.tables, "t"+l.Name)
	}
	scheme := kvtest.Layouts()[r.IntN(5)].Scheme
	d.create("g$f0", scheme, 0)
	d.create("g$f1", scheme, 0)
	seen := map[string]bool{}
	for range 120 {
		c := kv.Cell{Row: d.bytes(), Qualifier: d.bytes(), Timestamp: d.time(), Value: d.value(), Family: r.IntN(2)}
		key := fmt.Sprintf("%q %q %d", c.Row, c.Qualifier, c.Timestamp)
		if seen[key] {
			continue
		}
		seen[key] = true
		d.grouped = append(d.grouped, c)
		d.db.put([]string{"g$f0", "g$f1"}[c.Family], c)
		c.Family = 0
		d.cells = append(d.cells, c)
	}
	for _, name := range d.tables {
		d.put(name, d.cells...)
	}
	return d
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (d *randomDB) bytes() []byte {
	return []byte(pick(d.r, "", "a", "a\x00", "ab", "abc", "b", "b\xff", "c", "\xff", "\xff\xff", "\x00", "q", "1", "10",
		"A"))
}

func (d *randomDB) time() int64 {
	return pick[int64](d.r, math.MinInt64, -7, 0, 1, 2, 3, 10, 1000, math.MaxInt64)
}

func (d *randomDB) value() []byte {
	return pick(d.r, nil, []byte{}, []byte("x"), []byte("y"), []byte("12"), []byte("\x00\xff"))
}

// rows are the rows of a view of the cells, in no order: of the versions with first <= T <= last the newest
// ones, or all for 0.
func (d *randomDB) rows(group bool, versions int, first, last int64) [][]value.Value {
	cells := slices.Clone(d.cells)
	if group {
		cells = slices.Clone(d.grouped)
	}
	slices.SortFunc(cells, func(a, b kv.Cell) int {
		return cmp.Or(a.Family-b.Family, bytes.Compare(a.Row, b.Row), bytes.Compare(a.Qualifier, b.Qualifier),
			cmp.Compare(b.Timestamp, a.Timestamp))
	})
	var out [][]value.Value
	count := map[string]int{}
	for _, c := range cells {
		key := fmt.Sprintf("%d %q %q", c.Family, c.Row, c.Qualifier)
		if c.Timestamp < first || c.Timestamp > last || versions > 0 && count[key] >= versions {
			continue
		}
		count[key]++
		out = append(out, sqlRow(c, group))
	}
	d.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func sqlRow(c kv.Cell, group bool) []value.Value {
	k, q, ts, v := value.NewBytes(c.Row), value.NewBytes(c.Qualifier), value.NewInt(c.Timestamp), value.Value{}
	if c.Value != nil {
		v = value.NewBytes(c.Value)
	}
	if group {
		return []value.Value{k, value.NewBytes([]byte{'f', byte('0' + c.Family)}), q, ts, v}
	}
	return []value.Value{k, q, ts, v, value.NewBytes(c.Row[:min(len(c.Row), 1)])}
}

// memory is a catalog table with given rows.
type memory struct {
	columns []relation.Column
	rows    [][]value.Value
}

func (m *memory) Columns() []relation.Column { return m.columns }

func (m *memory) Rows(*exec.Context, computed.Wanted) (computed.RowSource, error) {
	return computed.Slice(m.rows), nil
}

// check runs one statement both ways.
func (d *randomDB) check() {
	group := d.r.IntN(4) == 0
	table := pick(d.r, d.tables...)
	if group {
		table = "g"
	}
	suffix, rows := d.randomView(group)
	sql, ordered, limited := d.statement(group)
	sql = suffix.hint(sql)
	d.parallelism, d.memory = d.r.IntN(4), pick(d.r, int64(0), 0, 1<<10, 1<<20)
	got, gotErr := d.query(strings.ReplaceAll(sql, "@", table+suffix.behind+" x"))
	d.virtual = &memory{columns: d.columnsOf(table), rows: rows}
	d.parallelism, d.memory = 1, 0
	want, wantErr := d.query(strings.ReplaceAll(sql, "@", "information_schema.memory x"))
	message := table + suffix.behind + ": " + sql
	if wantErr != nil || gotErr != nil {
		require.False(d.t, mysqlerr.Is(gotErr, mysqlerr.Parse), "%s: %v", message, gotErr)
		require.Equal(d.t, fmt.Sprint(wantErr), fmt.Sprint(gotErr), message)
		return
	}
	if limited && !ordered {
		require.Len(d.t, got, len(want), message)
		return
	}
	if !ordered {
		slices.Sort(got)
		slices.Sort(want)
	}
	require.Equal(d.t, want, got, message)
}

func (d *randomDB) columnsOf(table string) []relation.Column {
	rows, done, err := d.open(d.t.Context(), "SELECT * FROM "+table)
	require.NoError(d.t, err)
	defer done()
	return rows.columns
}

// viewText is how a statement states a view.
type viewText struct{ hints, behind string }

func (v viewText) hint(sql string) string {
	return strings.Replace(sql, "SELECT ", "SELECT "+v.hints, 1)
}

func (d *randomDB) randomView(group bool) (viewText, [][]value.Value) {
	a, b := d.time(), d.time()
	a, b = min(a, b), max(a, b)
	all := func(n int) [][]value.Value { return d.rows(group, n, math.MinInt64, math.MaxInt64) }
	switch d.r.IntN(7) {
	case 0:
		return viewText{behind: " FOR SYSTEM_TIME ALL"}, all(0)
	case 1:
		return viewText{hints: "/*+ VERSIONS(2) */ "}, all(2)
	case 2:
		return viewText{behind: fmt.Sprintf(" FOR SYSTEM_TIME AS OF %d", a)}, d.rows(group, 1, math.MinInt64, a)
	case 3:
		return viewText{behind: fmt.Sprintf(" FOR SYSTEM_TIME BETWEEN %d AND %d", a, b)}, d.rows(group, 0, a, b)
	case 4:
		if b == math.MinInt64 {
			b++
		}
		return viewText{hints: fmt.Sprintf("/*+ TIMERANGE(%d, %d) */ ", a, b)}, d.rows(group, 1, a, b-1)
	}
	return viewText{}, all(1)
}

// statement is a SELECT from @, whether its order is total, and whether it has
// a LIMIT.
func (d *randomDB) statement(group bool) (sql string, ordered, limited bool) {
	where := ""
	if d.r.IntN(5) > 0 {
		where = " WHERE " + d.cond(2, group)
	}
	key := "K, Q, T"
	if group {
		key = "K, F, Q, T"
	}
	switch d.r.IntN(6) {
	case 0:
		return d.aggregate() + " FROM @" + where, true, false
	case 1:
		by := pick(d.r, "K", "K, Q", "LEFT(K,1)", "LEFT(K,2)", "Q", "T", "V", key, "LEFT(K,1), K", "Q, K", "LENGTH(V)")
		sql = "SELECT " + by + ", COUNT(*), MIN(V), SUM(LENGTH(K)), MAX(T) FROM @" + where + " GROUP BY " + by +
			pick(d.r, "", " HAVING COUNT(*) > 1", " HAVING MIN(V) IS NOT NULL")
		if d.r.IntN(2) == 0 {
			return sql, false, false
		}
		direction := pick(d.r, "", " DESC")
		return d.limit(sql + " ORDER BY " + strings.ReplaceAll(by, ", ", direction+", ") + direction)
	case 2:
		columns := pick(d.r, "K", "Q", "K, Q", "LEFT(K,1)", "T", "V", "K, V", "LEFT(K,2), LENGTH(K)")
		sql = "SELECT DISTINCT " + columns + " FROM @" + where
		if d.r.IntN(2) == 0 {
			return sql, false, false
		}
		return d.limit(sql + " ORDER BY " + columns)
	}
	sql = "SELECT " + pick(d.r, "*", "K, Q, T, V", "K", "V, K", "T, K, Q", "K, T + 0", "LENGTH(V), K") + " FROM @" + where
	switch d.r.IntN(3) {
	case 0:
		return sql, false, false
	case 1:
		sql += fmt.Sprintf(" LIMIT %d", d.r.IntN(9))
		return sql, false, true
	}
	return d.limit(sql + " ORDER BY " + d.totalOrder(key))
}

func (d *randomDB) limit(sql string) (string, bool, bool) {
	if d.r.IntN(2) == 0 {
		sql += fmt.Sprintf(" LIMIT %d OFFSET %d", d.r.IntN(9), d.r.IntN(4))
	}
	return sql, true, true
}

func (d *randomDB) totalOrder(key string) string {
	columns := strings.Split(key, ", ")
	if d.r.IntN(2) == 0 {
		d.r.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	}
	columns = append([]string{pick(d.r, "V", "LEFT(K,1)", "LEFT(K,2) DESC", "K", "K DESC", "Q", "'c'", "LENGTH(V) DESC",
		"UNSALT(K)", "UNSALT(K) DESC", "SUBSTRING(K,2)", "SUBSTRING(K,2,1)")}, columns...)
	columns = columns[d.r.IntN(2):]
	reverse := d.r.IntN(3)
	for i, c := range columns {
		if reverse == 1 && (c == "T") == (d.r.IntN(8) == 0) || reverse == 0 && c == "T" {
			columns[i] = strings.TrimSuffix(c, " DESC") + " DESC"
		}
	}
	return strings.Join(columns, ", ")
}

func (d *randomDB) aggregate() string {
	items := []string{"COUNT(*)", "MIN(K)", "MAX(K)", "MIN(T)", "MAX(T)", "COUNT(V)", "COUNT(DISTINCT K)",
		"SUM(T DIV 1000000)", "MAX(Q)", "MIN(LEFT(K,1))", "MAX(V)", "COUNT(DISTINCT Q)", "MIN(UNSALT(K))",
		"MAX(SUBSTRING(K,2))"}
	d.r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return "SELECT " + strings.Join(items[:1+d.r.IntN(2)], ", ")
}

// buckets is a condition on ranges of rows, most of which have one first byte.
func (d *randomDB) buckets() string {
	terms := []string{"K >= 'a' AND K < 'b'", "K > 'a' AND K <= 'ab'", "K LIKE 'b%'", "K >= 'c' AND K < 'd'",
		"K >= X'FF'", "K >= X'00' AND K < X'01'",
		"K > '' AND K < '2'", "K >= 'ab' AND K < 'c'", "(K, Q) > ('a', 'a') AND K < 'b'", "K LIKE '1%'"}
	d.r.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	return "(" + strings.Join(terms[:1+d.r.IntN(4)], " OR ") + ")"
}

func (d *randomDB) cond(depth int, group bool) string {
	if depth > 0 && d.r.IntN(2) == 0 {
		op := pick(d.r, "AND", "AND", "OR")
		not := pick(d.r, "", "", "", "NOT ")
		return fmt.Sprintf("%s(%s %s %s)", not, d.cond(depth-1, group), op, d.cond(depth-1, group))
	}
	lit := func() string { return fmt.Sprintf("X'%X'", d.bytes()) }
	op := pick(d.r, "=", "=", "<", "<=", ">", ">=", "<>")
	if group && d.r.IntN(5) == 0 {
		return pick(d.r, "F = 'f0'", "F <> 'f0'", "F IN ('f1', 'zz')", "F > 'f0'", "F = 'none'")
	}
	switch d.r.IntN(13) {
	case 10, 11:
		return d.buckets()
	case 0, 1:
		return "K " + op + " " + lit()
	case 2:
		return "Q " + op + " " + lit()
	case 3:
		return fmt.Sprintf("T %s %d", op, d.time())
	case 4:
		return fmt.Sprintf("K = %s AND Q = %s", lit(), lit())
	case 5:
		return fmt.Sprintf("%s IN (%s, %s)", pick(d.r, "K", "Q", "LEFT(K,1)"), lit(), lit())
	case 6:
		return fmt.Sprintf("(K, Q) %s (%s, %s)", op, lit(), lit())
	case 7:
		return fmt.Sprintf("LEFT(K, %d) %s %s", 1+d.r.IntN(2), op, lit())
	case 8:
		return "K LIKE " + pick(d.r, "'a%'", "'ab%'", "'%'", "'_b%'", "'a'", "''")
	case 9:
		return fmt.Sprintf("T BETWEEN %d AND %d", d.time(), d.time())
	}
	return pick(d.r, "V IS NULL", "V = 'x'", "V > 'x'", "LENGTH(K) = 1", "K = Q", "K = 10", "V", "Q = 1", "T = '1'",
		"1 = 1", "1 = 0", "K <=> NULL")
}
