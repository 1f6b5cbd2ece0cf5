package constrain_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestRandomConditions reads random rows through random views, once with the whole WHERE as a filter and once
// through its constraint. HBASEKV_SEED repeats a run.
func TestRandomConditions(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	n := 20_000
	if testing.Short() {
		n = 3_000
	}
	choices := make([]byte, 400)
	for range n {
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		checkConstraint(t, choices)
	}
}

func FuzzConstrain(f *testing.F) {
	for _, seed := range []string{"", "\x01", "keys and qualifiers", "\xff\x00\xff\x00\x80\x7f\x01\x02\x03"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, choices []byte) { checkConstraint(t, choices) })
}

// checkConstraint makes rows, a view and a WHERE from the choices, and compares the rows that satisfy WHERE
// with those of the constrained scan that satisfy the remaining filter.
func checkConstraint(t *testing.T, choices []byte) {
	g := &generator{choices: choices}
	families := g.n(4) == 0
	g.written = g.n(3) > 0
	cols := tableColumns
	switch {
	case families:
		cols = groupColumns
	case g.n(3) == 0:
		cols = timedColumns
	}
	cells := g.cells(families, cols.G >= 0)
	view := g.view()
	where := g.condition(cols, 3)
	env := &expr.Env{Params: g.params}

	c, err := constrain.Build(where, cols, env, view.View)
	require.NoError(t, err)
	describe := func() string {
		return fmt.Sprintf("where %s params %v view %+v\nconstraint %s\ncells %v", expr.Print(where), g.params, view, c,
			cells)
	}
	requireValid(t, c, describe)
	want := filter(t, view.read(cells, nil), where, env)
	got := filter(t, view.read(cells, c), c.Remaining, env)
	if !slices.Equal(want, got) {
		t.Fatalf("%s\nwant %v\ngot  %v", describe(), want, got)
	}
	requireRowRanges(t, c, want, describe)
	check(t, !families || !slices.ContainsFunc(c.Ranges, cutsRows), describe)
}

// cutsRows reports whether a range ends inside a row.
func cutsRows(r kv.Range) bool { return max(r.Start.Depth, r.End.Depth) > kv.DepthRow }

// cell is a row of the SQL table.
type cell struct {
	row, qualifier string
	timestamp      int64
	family         int
}

func (c cell) values() []value.Value {
	return []value.Value{
		value.NewBytes([]byte(c.row)), value.NewBytes([]byte(c.qualifier)), value.NewInt(c.timestamp),
		value.NewBytes([]byte("v")), value.NewBytes([]byte(c.row[:min(len(c.row), 2)])),
		value.NewBytes([]byte(groupColumns.Families[c.family])), value.NewInt(max(c.timestamp, -c.timestamp)),
	}
}

var (
	tableColumns = constrain.Columns{K: 0, Q: 1, T: 2, V: 3, F: -1, G: -1,
		Prefixes: []constrain.Prefix{{Index: 4, Length: 2}}}
	timedColumns = constrain.Columns{K: 0, Q: 1, T: 2, V: 3, F: -1, G: 6, Sliced: true,
		Prefixes: []constrain.Prefix{{Index: 4, Length: 2}}}
	groupColumns = constrain.Columns{K: 0, Q: 1, T: 2, V: 3, F: 5, G: -1, Sliced: true, Families: []string{"f", "g", "h"},
		Prefixes: []constrain.Prefix{{Index: 4, Length: 2}}}
)

func filter(t *testing.T, cells []cell, condition expr.Node, env *expr.Env) []cell {
	var out []cell
	for _, c := range cells {
		env.Row = c.values()
		holds, err := expr.Holds(condition, env)
		require.NoError(t, err)
		if holds {
			out = append(out, c)
		}
	}
	env.Row = nil
	return out
}

// testView is a view with the number of versions that it shows; 0 is all.
type testView struct {
	constrain.View
	newest int
}

// read is what a scan returns: the filters in the order that kv.Scan documents. A nil constraint is the whole
// table.
func (v testView) read(cells []cell, c *constrain.Constraint) []cell {
	if c == nil {
		c = &constrain.Constraint{Time: v.Time}
	}
	picked := map[cell]int{}
	var out []cell
	for _, each := range cells {
		if !inRanges(each, c.Ranges) || !inQualifiers(each, c.Qualifiers) || !inTime(each, c.Time) ||
			!inTimes(each, c.Times) ||
			c.Families != nil && !slices.Contains(c.Families, each.family) {
			continue
		}
		column := each
		column.timestamp = 0
		picked[column]++
		if v.newest == 0 || picked[column] <= v.newest {
			out = append(out, each)
		}
	}
	return out
}

func inRanges(c cell, ranges []kv.Range) bool {
	return ranges == nil || slices.ContainsFunc(ranges, func(r kv.Range) bool {
		return (r.Start.Depth == kv.DepthNone || behind(c, r.Start)) && (r.End.Depth == kv.DepthNone || !behind(c, r.End))
	})
}

// behind reports whether the cell is after the position, by comparing only the parts that the position has.
func behind(c cell, p kv.Position) bool {
	order := cmp.Compare(c.row, string(p.Row))
	if order == 0 && p.Depth >= kv.DepthColumn {
		order = cmp.Compare(c.qualifier, string(p.Qualifier))
	}
	if order == 0 && p.Depth == kv.DepthCell {
		order = cmp.Compare(p.Timestamp, c.timestamp)
	}
	return order > 0 || order == 0 && !p.After
}

func inQualifiers(c cell, ranges []kv.QualifierRange) bool {
	return ranges == nil || slices.ContainsFunc(ranges, func(r kv.QualifierRange) bool {
		return c.qualifier >= string(r.Start) && (r.End == nil || c.qualifier < string(r.End))
	})
}

func inTime(c cell, t kv.TimeRange) bool {
	return !t.Bounded || t.Min <= c.timestamp && c.timestamp <= t.Max
}

func inTimes(c cell, times []kv.TimeRange) bool {
	return times == nil || slices.ContainsFunc(times, func(t kv.TimeRange) bool { return inTime(c, t) })
}

// requireValid checks that ranges are sorted, disjoint and not empty.
func requireValid(t *testing.T, c *constrain.Constraint, describe func() string) {
	for i, r := range c.Ranges {
		check(t, constrain.StartsBefore(r.Start, r.End), describe)
		check(t, i == 0 || constrain.EndsBefore(c.Ranges[max(i, 1)-1].End, r.Start), describe)
	}
	for i, q := range c.Qualifiers {
		check(t, q.End == nil || bytes.Compare(q.Start, q.End) < 0, describe)
		check(t, i == 0 || bytes.Compare(c.Qualifiers[max(i, 1)-1].End, q.Start) < 0, describe)
	}
	for i, each := range c.Times {
		check(t, each.Bounded && each.Min <= each.Max, describe)
		check(t, i == 0 || c.Times[max(i, 1)-1].Max < each.Min, describe)
	}
	check(t, c.Contradiction || !c.Time.Bounded || c.Time.Min <= c.Time.Max, describe)
	check(t, c.Contradiction == (c.Access() == constrain.AccessNone), describe)
}

// requireRowRanges checks that the row ranges have every row of the result.
func requireRowRanges(t *testing.T, c *constrain.Constraint, result []cell, describe func() string) {
	rows := c.RowRanges()
	for i, r := range rows {
		check(t, r.End == nil || bytes.Compare(r.Start, r.End) < 0, describe)
		check(t, i == 0 || bytes.Compare(rows[max(i, 1)-1].End, r.Start) < 0, describe)
	}
	for _, each := range result {
		check(t, slices.ContainsFunc(rows, func(r constrain.RowRange) bool {
			return each.row >= string(r.Start) && (r.End == nil || each.row < string(r.End))
		}), describe)
	}
}

func check(t *testing.T, ok bool, describe func() string) {
	t.Helper()
	if !ok {
		t.Fatal(describe())
	}
}
