package cost_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
)

// relations are a large one, and a small one whose rows lead to it.
var relations = []cost.Relation{
	{Known: true, Stored: 1e6, Kept: 1e6, PerRow: 1, Distinct: []float64{1e6}},
	{Known: true, Stored: 2000, Kept: 2000, PerRow: 1, Distinct: []float64{2000}},
}

func order(first, next int, looked bool) cost.Order {
	return cost.Order{Steps: []cost.Step{{Relation: first, Key: -1}, {Relation: next, Looked: looked, Key: -1}}}
}

func known(relation int) (cost.Relation, error) { return relations[relation], nil }

func TestChoose(t *testing.T) {
	for name, c := range map[string]struct {
		orders []cost.Order
		best   int
	}{
		"lookups by the small one cost less":           {[]cost.Order{order(0, 1, false), order(1, 0, true)}, 1},
		"as written, where that is the least":          {[]cost.Order{order(1, 0, true), order(0, 1, false)}, 0},
		"as written, where another saves little":       {[]cost.Order{order(0, 1, false), order(0, 1, true)}, 0},
		"the smaller side is kept, and not the larger": {[]cost.Order{order(1, 0, false), order(0, 1, false)}, 1},
	} {
		best, err := cost.Choose(c.orders, known)
		require.NoError(t, err)
		require.Equal(t, c.best, best, name)
	}
}

// TestChooseAsksLittle checks that a join that looks up what few rows lead to estimates only these,
// and that the order stays if a relation is unknown.
func TestChooseAsksLittle(t *testing.T) {
	orders := []cost.Order{order(0, 1, true), order(1, 0, false)}
	asked := 0
	best, err := cost.Choose(orders, func(int) (cost.Relation, error) { asked++; return cost.FewRows(3, 1), nil })
	require.NoError(t, err)
	require.Zero(t, best)
	require.Equal(t, 1, asked)

	best, err = cost.Choose(orders, func(relation int) (cost.Relation, error) { return cost.Relation{}, nil })
	require.NoError(t, err)
	require.Zero(t, best)

	failed := errors.New("no store")
	_, err = cost.Choose(orders, func(int) (cost.Relation, error) { return cost.Relation{}, failed })
	require.Equal(t, failed, err)
}

// TestLookupsAreComparedAtEachDoubling checks that the comparison is made seldom, and immediately
// if a number of rows is forced.
func TestLookupsAreComparedAtEachDoubling(t *testing.T) {
	var l cost.Lookups
	asked := 0
	for range 1 << 20 {
		if l.Made++; l.Doubled(cost.Limits{}, cost.LookupCells) {
			asked++
		}
	}
	require.Equal(t, 10, asked, "from 1,152 lookups on")

	l = cost.Lookups{Made: 1}
	require.False(t, l.Doubled(cost.Limits{Rows: 2}, cost.LookupCells))
	l.Made = 2
	require.True(t, l.Doubled(cost.Limits{Rows: 2}, cost.LookupCells))
}

func TestMemoryBoundsWhatIsKept(t *testing.T) {
	e := kv.Estimate{Cells: 100, Stored: 100, Bytes: 1000}
	require.True(t, cost.Limits{}.ReadsSooner(e, 101))
	require.False(t, cost.Limits{}.ReadsSooner(e, 100), "as many cells take no less")
	require.True(t, cost.Limits{Memory: 2002}.ReadsSooner(e, 101))
	require.False(t, cost.Limits{Memory: 2000}.ReadsSooner(e, 101))
	require.True(t, cost.Limits{Memory: 2001}.Fits(e, 10))
	require.False(t, cost.Limits{Memory: 2000}.Fits(e, 10))

	small := cost.Limits{Memory: 100}
	require.True(t, small.KeepsSooner(e, &cost.Lookups{Made: 1, Cells: 1000, Compared: 1000}), "in files")
	require.False(t, small.KeepsSooner(e, &cost.Lookups{Made: 100, Cells: 1000, Compared: 1000}), "each reads little")
}

func TestSubqueryReadsSooner(t *testing.T) {
	e := kv.Estimate{Cells: 1000, Kept: 1000, Stored: 1000, Distinct: []int64{10}}
	require.False(t, cost.SubqueryReadsSooner(e, cost.AsksOf{Looked: true}, 31))
	require.True(t, cost.SubqueryReadsSooner(e, cost.AsksOf{Looked: true}, 32))
	require.True(t, cost.SubqueryReadsSooner(e, cost.AsksOf{}, 1), "each would read all")
	require.False(t, cost.SubqueryReadsSooner(e, cost.AsksOf{Exists: true}, 20), "each reads one of a hundred")
	require.True(t, cost.SubqueryReadsSooner(e, cost.AsksOf{Exists: true}, 25))
}

func TestFiltered(t *testing.T) {
	require.InDelta(t, 100, cost.Filtered(kv.Estimate{Cells: 8, Kept: 8}, 0, 0), 0)
	require.InDelta(t, 25, cost.Filtered(kv.Estimate{Cells: 8, Kept: 2}, 1, 0), 1e-9)
	require.InDelta(t, 25.0/3, cost.Filtered(kv.Estimate{Cells: 8, Kept: 2}, 1, 1), 1e-9)
	require.InDelta(t, 100.0/3, cost.Filtered(kv.Estimate{}, 2, 0), 1e-9, "nothing was looked at")
	require.EqualValues(t, 6, cost.OfRows(kv.Estimate{Cells: 30, Rows: 10}, 2))
	require.EqualValues(t, 3, cost.OfCell(kv.Estimate{Cells: 30}, 3))
}
