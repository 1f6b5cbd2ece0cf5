package exec_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/computed"
	"github.com/hbasekv/hbasekv/sqlfront/exec/join"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/exec/setop"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// memory returns rows of integers and NULLs, and counts the calls.
type memory struct {
	rows    [][]value.Value
	at      int // where err is returned, -1 for nowhere
	err     error
	asked   int
	open    int
	onFirst func()
}

func newMemory(rows [][]value.Value) *memory { return &memory{rows: rows, at: -1} }

func (m *memory) Rows(*exec.Context, computed.Wanted) (computed.RowSource, error) {
	m.open++
	return &memoryRows{m, 0}, nil
}

type memoryRows struct {
	*memory
	next int
}

func (m *memoryRows) Next() ([]value.Value, error) {
	m.asked++
	if m.next == 0 && m.onFirst != nil {
		m.onFirst()
	}
	if m.next == m.at {
		return nil, m.err
	}
	if m.next == len(m.rows) {
		return nil, io.EOF
	}
	m.next++
	return m.rows[m.next-1], nil
}

func (m *memoryRows) Close() error {
	m.open--
	return nil
}

// scan reads rows into the columns from first on.
func (m *memory) scan(first int) op.Node {
	return &computed.Virtual{Name: "m", Table: m, First: first}
}

// column returns an integer of the frame.
func column(i int) *expr.Column {
	return &expr.Column{Index: i, Name: fmt.Sprintf("c%d", i), T: value.Type{Kind: value.Int, Nullable: true}}
}

func columns(n int) []expr.Node {
	out := make([]expr.Node, n)
	for i := range out {
		out[i] = column(i)
	}
	return out
}

// selectAll returns a SELECT of the first n columns of a source.
func selectAll(source op.Node, n int) *query.Select {
	return &query.Select{Source: source, Projection: pipeline.NewProjection(columns(n)), Columns: n}
}

// queryOf returns a query with a frame of that width.
func queryOf(body query.Body, width int) *query.Query {
	columns := width
	if s, ok := body.(*query.Select); ok {
		columns = s.Columns
	}
	types := make([]value.Type, columns)
	for i := range types {
		types[i] = value.Type{Kind: value.Int, Nullable: true}
	}
	return &query.Query{Types: types, Width: width, Body: body}
}

func newContext(t *testing.T, ctx context.Context, memory int64) *exec.Context {
	store := kvtest.NewModel()
	txn := kvtest.Begin(store, kv.TxnOptions{ReadOnly: true})
	t.Cleanup(txn.Rollback)
	return &exec.Context{Ctx: ctx, Txn: txn, View: versions.Latest(), Parallelism: 1,
		Spill: spill.Options{Memory: memory, Dir: t.TempDir(), Counters: &spill.Counters{}},
		Env:   &expr.Env{Env: function.Env{Ctx: ctx}}}
}

// read returns all rows, printed.
func read(c *exec.Context, q *query.Query) ([]string, error) {
	rows, err := (&exec.Select{Query: q}).Open(c)
	if err != nil {
		return nil, err
	}
	out := []string{}
	for {
		row, err := rows.Next()
		if err != nil {
			if closing := rows.Close(); err == io.EOF {
				err = closing
			}
			return out, err
		}
		out = append(out, printRow(row))
	}
}

func printRow(row []value.Value) string {
	var words []string
	for _, v := range row {
		words = append(words, value.Print(v))
	}
	return strings.Join(words, " ")
}

func printRows(rows [][]value.Value) []string {
	out := []string{}
	for _, row := range rows {
		out = append(out, printRow(row))
	}
	return out
}

// random returns rows of small integers, one in ten of them NULL.
func random(r *rand.Rand, count, width, most int) [][]value.Value {
	rows := make([][]value.Value, count)
	for i := range rows {
		rows[i] = make([]value.Value, width)
		for j := range rows[i] {
			if r.IntN(10) > 0 {
				rows[i][j] = value.NewInt(int64(r.IntN(most)))
			}
		}
	}
	return rows
}

func newRand(t *testing.T) *rand.Rand {
	return rand.New(rand.NewPCG(testseed.Of(t), 1))
}

// budgets are memory limits of statements: none, and almost nothing.
var budgets = []int64{0, 4 << 10}

func constant(n int) clause.Operand { return clause.Operand{Param: -1, Const: int64(n)} }

// TestSort compares ORDER BY, whole and cut by LIMIT, with sorting in memory.
func TestSort(t *testing.T) {
	r := newRand(t)
	for i := range 30 {
		rows := random(r, r.IntN(600), 3, 12)
		m := newMemory(rows)
		desc := r.IntN(2) == 0
		body := selectAll(m.scan(0), 3)
		for c := range 3 { // all columns, so that the order is unambiguous
			key := ordering.Key{Expr: column(c), Desc: desc && c == 0}
			body.Order = append(body.Order, order.OrderItem{Key: key, Column: c})
		}
		want := slices.Clone(rows)
		slices.SortStableFunc(want, func(a, b []value.Value) int {
			for c := range a {
				order := value.Order(a[c], b[c])
				if desc && c == 0 {
					order = -order
				}
				if order != 0 {
					return order
				}
			}
			return 0
		})
		if i%2 == 1 {
			offset, count := r.IntN(20), r.IntN(20)
			body.Limit = pipeline.Limit{Present: true, Offset: constant(offset), Count: constant(count)}
			want = want[min(offset, len(want)):]
			want = want[:min(count, len(want))]
		}
		for _, budget := range budgets {
			got, err := read(newContext(t, context.Background(), budget), queryOf(body, 3))
			require.NoError(t, err)
			require.Equal(t, printRows(want), got)
			require.Zero(t, m.open)
		}
	}
}

// TestSortSpills checks that rows beyond the budget go to temporary files, which are gone at the
// end.
func TestSortSpills(t *testing.T) {
	m := newMemory(random(newRand(t), 5000, 2, 1_000_000))
	body := selectAll(m.scan(0), 2)
	body.Order = []order.OrderItem{{Key: ordering.Key{Expr: column(0)}, Column: 0}}
	c := newContext(t, context.Background(), 16<<10)
	got, err := read(c, queryOf(body, 2))
	require.NoError(t, err)
	require.Len(t, got, 5000)
	require.Positive(t, c.Spill.Counters.Files.Load())
	require.Positive(t, c.Spill.Counters.Rows.Load())
}

// TestJoin compares inner and outer joins, by equal keys and by conditions only, with loops.
func TestJoin(t *testing.T) {
	r := newRand(t)
	for range 20 {
		left, right := random(r, r.IntN(120), 2, 8), random(r, r.IntN(120), 2, 8)
		for _, keyed := range []bool{true, false} {
			for _, outer := range []bool{true, false} {
				l, rt := newMemory(left), newMemory(right)
				equal := &expr.Compare{Op: expr.Eq, L: column(0), R: column(2)}
				on := &expr.And{List: []expr.Node{equal, &expr.Compare{Op: expr.Le, L: column(1), R: column(3)}}}
				j := &join.Join{Left: l.scan(0), Right: rt.scan(2), Outer: outer, On: on, RightFirst: 2, RightEnd: 4,
					Kept: []int{2, 3}, LeftEnd: 2}
				if keyed {
					j.LeftKeys, j.RightKeys = []expr.Node{column(0)}, []expr.Node{column(2)}
				}
				want := joined(left, right, outer)
				for _, budget := range budgets {
					got, err := read(newContext(t, context.Background(), budget), queryOf(selectAll(j, 4), 4))
					require.NoError(t, err)
					slices.Sort(got)
					require.Equal(t, want, got, "keyed %v, outer %v, budget %d", keyed, outer, budget)
					require.Zero(t, l.open)
					require.Zero(t, rt.open)
				}
			}
		}
	}
}

// joined returns the joined rows, sorted as text: the first columns are equal and the second ones
// ascend.
func joined(left, right [][]value.Value, outer bool) []string {
	out := []string{}
	for _, l := range left {
		matched := false
		for _, r := range right {
			equal, ok := value.Compare(l[0], r[0])
			order, ok2 := value.Compare(l[1], r[1])
			if ok && ok2 && equal == 0 && order <= 0 {
				matched = true
				out = append(out, printRow(l)+" "+printRow(r))
			}
		}
		if outer && !matched {
			out = append(out, printRow(l)+" NULL NULL")
		}
	}
	slices.Sort(out)
	return out
}

// aggregate binds a call of an aggregate function to the frame's columns.
func boundAggregate(t *testing.T, text string) (bound *setfunc.Aggregate) {
	parsed, err := parse.Parse("DO " + text)
	require.NoError(t, err)
	b := &bind.Binder{Scope: frame{}, Agg: func(a *setfunc.Aggregate) (expr.Node, error) {
		bound = a
		return &expr.Const{}, nil
	}}
	_, err = b.Bind(parsed.Stmt.(*ast.Do).Exprs[0])
	require.NoError(t, err)
	return bound
}

// frame finds c0, c1 and so on.
type frame struct{}

func (frame) Resolve(_, name string) (expr.Node, error) { return column(int(name[1] - '0')), nil }

// TestGroup compares groups with sums in a map.
func TestGroup(t *testing.T) {
	r := newRand(t)
	for range 20 {
		rows := random(r, r.IntN(500), 2, 20)
		sums, counts := map[string]int64{}, map[string]int64{}
		for _, row := range rows {
			key := value.Print(row[0])
			if counts[key] += 0; !row[1].IsNull() {
				counts[key]++
				sums[key] += row[1].Int()
			}
		}
		want := []string{}
		for key, n := range counts {
			sum := "NULL"
			if n > 0 {
				sum = fmt.Sprint(sums[key])
			}
			want = append(want, fmt.Sprintf("%s %s %d", key, sum, n))
		}
		slices.Sort(want)
		m := newMemory(rows)
		n := &agg.Aggregate{
			Child: m.scan(0), Keys: []agg.GroupKey{{Node: column(0), Slot: 2}}, RowColumn: -1, Width: 5,
			Aggs: []agg.AggSlot{{Agg: boundAggregate(t, "SUM(c1)"), Slot: 3}, {Agg: boundAggregate(t, "COUNT(c1)"), Slot: 4}},
		}
		body := &query.Select{Source: n, Projection: pipeline.NewProjection(columns(5)[2:]), Columns: 3}
		for _, budget := range budgets {
			got, err := read(newContext(t, context.Background(), budget), queryOf(body, 5))
			require.NoError(t, err)
			slices.Sort(got)
			require.Equal(t, want, got)
			require.Zero(t, m.open)
		}
	}
}

// TestGroupsOfOtherKinds checks that a group returns the key of its first row unchanged, also if a
// column has equal values of several kinds.
func TestGroupsOfOtherKinds(t *testing.T) {
	r := newRand(t)
	for range 20 {
		rows := random(r, r.IntN(300), 1, 30)
		for _, row := range rows[min(len(rows), r.IntN(300)):] {
			if row[0].Kind() == value.Int && r.IntN(5) == 0 {
				row[0] = value.NewFloat(float64(row[0].Int()) + float64(r.IntN(2))/2)
			}
		}
		want, seen := []string{}, map[string]bool{}
		for _, row := range rows {
			if key := string(value.AppendKey(nil, row[0])); !seen[key] {
				seen[key] = true
				want = append(want, fmt.Sprint(row[0].Kind(), " ", value.Print(row[0])))
			}
		}
		n := &agg.Aggregate{Child: newMemory(rows).scan(0), Keys: []agg.GroupKey{{Node: column(0), Slot: 1}},
			RowColumn: -1, Width: 2}
		body := &query.Select{Source: n, Projection: pipeline.NewProjection([]expr.Node{column(1)}), Columns: 1}
		for _, budget := range budgets {
			got := []string{}
			rows, err := (&exec.Select{Query: queryOf(body, 2)}).Open(newContext(t, context.Background(), budget))
			require.NoError(t, err)
			for row, err := rows.Next(); err != io.EOF; row, err = rows.Next() {
				require.NoError(t, err)
				got = append(got, fmt.Sprint(row[0].Kind(), " ", value.Print(row[0])))
			}
			require.NoError(t, rows.Close())
			require.Equal(t, want, got)
		}
	}
}

// TestImplicitGroup checks that without GROUP BY there is one group, even of no rows.
func TestImplicitGroup(t *testing.T) {
	for want, rows := range map[string][][]value.Value{"0 NULL": nil, "2 3": {{value.NewInt(3)}, {value.NewInt(1)}}} {
		n := &agg.Aggregate{Child: newMemory(rows).scan(0), RowColumn: -1, Width: 3, Implicit: true,
			Aggs: []agg.AggSlot{{Agg: boundAggregate(t, "COUNT(*)"), Slot: 1}, {Agg: boundAggregate(t, "MAX(c0)"), Slot: 2}}}
		body := &query.Select{Source: n, Projection: pipeline.NewProjection([]expr.Node{column(1), column(2)}), Columns: 2}
		got, err := read(newContext(t, context.Background(), 0), queryOf(body, 3))
		require.NoError(t, err)
		require.Equal(t, []string{want}, got)
	}
}

// TestDistinctAndSetOperations compares with the same operations on rows as text.
func TestDistinctAndSetOperations(t *testing.T) {
	r := newRand(t)
	for range 20 {
		first, second := random(r, r.IntN(300), 2, 6), random(r, r.IntN(300), 2, 6)
		body := selectAll(newMemory(first).scan(0), 2)
		body.Distinct = true
		for _, budget := range budgets {
			got, err := read(newContext(t, context.Background(), budget), queryOf(body, 2))
			require.NoError(t, err)
			require.ElementsMatch(t, once(printRows(first)), got)
		}
		for o := clause.UnionAll; o <= clause.Except; o++ {
			union := &setop.Union{Types: queryOf(nil, 2).Types, Parts: []setop.UnionPart{
				{Query: queryOf(selectAll(newMemory(first).scan(0), 2), 2)},
				{Query: queryOf(selectAll(newMemory(second).scan(0), 2), 2), Operation: o},
			}}
			want := combined(o, printRows(first), printRows(second))
			for _, budget := range budgets {
				got, err := read(newContext(t, context.Background(), budget), queryOf(union, 2))
				require.NoError(t, err)
				require.ElementsMatch(t, want, got)
			}
		}
	}
}

// combined returns the result of an operation on the rows of its sides.
func combined(o clause.SetOperation, left, right []string) (out []string) {
	if !o.IsAll() {
		left, right = once(left), once(right)
	}
	switch o {
	case clause.UnionAll:
		return append(left, right...)
	case clause.Union:
		return once(append(left, right...))
	}
	for _, row := range left {
		at := slices.Index(right, row)
		if (at >= 0) == (o == clause.Intersect || o == clause.IntersectAll) {
			out = append(out, row)
		}
		if at >= 0 {
			right = slices.Delete(right, at, at+1)
		}
	}
	return out
}

func once(rows []string) []string {
	slices.Sort(rows)
	return slices.Compact(rows)
}

// TestLimitReadsNoFurther counts the rows that a LIMIT reads of its source, and with
// SQL_CALC_FOUND_ROWS those that it counts after the limit.
func TestLimitReadsNoFurther(t *testing.T) {
	rows := random(newRand(t), 1000, 1, 10)
	limit := pipeline.Limit{Present: true, Offset: constant(2), Count: clause.Operand{Param: 0}}
	for _, countAll := range []bool{false, true} {
		m := newMemory(rows)
		body := selectAll(m.scan(0), 1)
		body.Limit = limit
		c := newContext(t, context.Background(), 0)
		c.Env.Params = []value.Value{value.NewInt(5)}
		opened, err := (&exec.Select{Query: queryOf(body, 1), CountAll: countAll}).Open(c)
		require.NoError(t, err)
		for i := range 5 {
			row, err := opened.Next()
			require.NoError(t, err)
			require.Equal(t, printRow(rows[i+2]), printRow(row))
		}
		require.LessOrEqual(t, m.asked, 8)
		_, err = opened.Next()
		require.ErrorIs(t, err, io.EOF)
		if countAll {
			require.EqualValues(t, 1000, found(opened))
		} else {
			require.EqualValues(t, 5, found(opened))
			require.LessOrEqual(t, m.asked, 8)
		}
		require.NoError(t, opened.Close())
		require.Zero(t, m.open)
	}
	c := newContext(t, context.Background(), 0)
	body := selectAll(newMemory(rows).scan(0), 1)
	body.Limit = limit
	_, err := (&exec.Select{Query: queryOf(body, 1)}).Open(c) // the argument is missing
	require.Equal(t, pipeline.WrongLimit(), err)
}

// operators returns queries over one source, each of which reads all of it.
func operators(t *testing.T, m *memory) map[string]*query.Query {
	sorted := selectAll(m.scan(0), 2)
	sorted.Order = []order.OrderItem{{Key: ordering.Key{Expr: column(1)}, Column: 1}}
	top := *sorted
	top.Limit = pipeline.Limit{Present: true, Offset: constant(0), Count: constant(3)}
	distinct := selectAll(m.scan(0), 2)
	distinct.Distinct = true
	one := newMemory([][]value.Value{{value.NewInt(1), value.NewInt(1)}})
	join := &join.Join{Left: one.scan(0), Right: m.scan(2), RightFirst: 2, RightEnd: 4, Kept: []int{2, 3}, LeftEnd: 2,
		On: &expr.Compare{Op: expr.Eq, L: column(0), R: column(2)}, LeftKeys: columns(1), RightKeys: []expr.Node{column(2)}}
	group := &agg.Aggregate{Child: m.scan(0), Keys: []agg.GroupKey{{Node: column(0), Slot: 2}}, RowColumn: -1, Width: 4,
		Aggs: []agg.AggSlot{{Agg: boundAggregate(t, "COUNT(DISTINCT c1)"), Slot: 3}}}
	negative := &expr.Compare{Op: expr.Lt, L: column(0), R: &expr.Const{V: value.NewInt(-1)}}
	scan := queryOf(selectAll(m.scan(0), 2), 2)
	return map[string]*query.Query{
		"scan": scan, "sort": queryOf(sorted, 2), "top": queryOf(&top, 2), "distinct": queryOf(distinct, 2),
		"join": queryOf(selectAll(join, 4), 4), "group": queryOf(selectAll(group, 4), 4),
		"filter": queryOf(selectAll(&pipeline.Filter{Child: m.scan(0), Cond: negative}, 2), 2),
		"union":  queryOf(&setop.Union{Types: scan.Types, Parts: []setop.UnionPart{{Query: scan}}}, 2),
	}
}

// TestCancelledOperators checks that a statement, whatever it is doing, ends soon after its context
// has ended, with the context's error, and closes its sources.
func TestCancelledOperators(t *testing.T) {
	const count = 200_000
	rows := random(newRand(t), count, 2, 1_000_000)
	for _, budget := range []int64{0, 64 << 10} {
		m := newMemory(rows)
		for name, q := range operators(t, m) {
			ctx, cancel := context.WithCancel(context.Background())
			m.asked, m.onFirst = 0, cancel
			_, err := read(newContext(t, ctx, budget), q)
			require.ErrorIs(t, err, context.Canceled, name)
			require.Less(t, m.asked, count/10, name)
			require.Zero(t, m.open, name)
			cancel()
		}
	}
}

// TestFailingSources checks that an error of a source becomes the statement's, and everything is
// closed.
func TestFailingSources(t *testing.T) {
	failure := errors.New("the source fails")
	rows := random(newRand(t), 1000, 2, 100)
	for _, at := range []int{0, 1, 999, 1000} {
		m := newMemory(rows)
		m.at, m.err = at, failure
		for name, q := range operators(t, m) {
			_, err := read(newContext(t, context.Background(), 4<<10), q)
			require.ErrorIs(t, err, failure, name)
			require.Zero(t, m.open, name)
		}
	}
}

// TestClosedEarly closes results after none, one and some rows, more than once.
func TestClosedEarly(t *testing.T) {
	rows := random(newRand(t), 1000, 2, 100)
	m := newMemory(rows)
	for _, taken := range []int{0, 1, 2} {
		for name, q := range operators(t, m) {
			opened, err := (&exec.Select{Query: q}).Open(newContext(t, context.Background(), 4<<10))
			require.NoError(t, err)
			for range taken {
				if _, err := opened.Next(); err != nil {
					require.ErrorIs(t, err, io.EOF, name)
				}
			}
			require.NoError(t, opened.Close(), name)
			require.NoError(t, opened.Close(), name)
			require.Zero(t, m.open, name)
		}
	}
}

func found(rows *exec.Rows) int64 {
	_, found := rows.Counts()
	return found
}
