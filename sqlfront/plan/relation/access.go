package relation

import (
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Access finds the rows of a table or group for which where holds; where may be nil. The relation's columns
// start at first in the frame. Without needV, rows have NULL for V if the condition does not read it.
func (r *Relation) Access(first int, where expr.Node, needV bool) *scan.Access {
	a := &scan.Access{
		Alias: r.Alias, Tables: r.tables, Families: r.families, Selection: r.selection,
		First: first, Width: len(r.Columns), Columns: r.KeyColumns(first), Where: where, NeedValue: needV,
	}
	if r.View.Says() {
		a.View = &r.View
	}
	expr.Walk(where, func(n expr.Node) bool {
		s, ok := n.(scan.KeySubquery)
		a.Subqueries = a.Subqueries || ok && s.LeadsTo(a)
		return true
	})
	return a
}

// KeyColumns says where K, F, Q, T and V are, for a relation whose columns
// start at first.
func (r *Relation) KeyColumns(first int) constrain.Columns {
	if r.Kind == KindGroup {
		return constrain.Columns{K: first, F: first + 1, Q: first + 2, T: first + 3, V: first + 4, G: -1,
			Sliced: len(r.tables) > 0 && r.tables[0].Partitioning.Slices() != nil, Families: r.familyNames()}
	}
	c := constrain.Columns{K: first, F: -1, Q: first + 1, T: first + 2, V: first + 3, G: -1}
	t := r.tables[0]
	c.Sliced = t.Partitioning.Slices() != nil
	for i, p := range schema.Of(t).Prefixes {
		c.Prefixes = append(c.Prefixes, constrain.Prefix{Index: first + 4 + schema.Of(t).PrefixPlace(i), Length: p.Length})
	}
	if schema.Of(t).TimeColumn != nil {
		c.G = first + 4 + schema.Of(t).TimeColumn.Behind
	}
	return c
}

func (r *Relation) familyNames() []string {
	out := make([]string, len(r.families))
	for i, f := range r.families {
		out[i] = string(f)
	}
	return out
}

// CellColumns is the number of the frame's columns for the cells of a typed table.
func (r *Relation) CellColumns() int {
	if len(r.tables) > 1 {
		return 5
	}
	return 4
}

// AccessCells finds the cells of a typed table's rows for which where holds: a condition on the row alone, or
// nil. The cells' columns start at first in the frame. They are the newest version of each cell, whatever the
// session's view, or the newest of a moment.
func (r *Relation) AccessCells(first int, where expr.Node) *scan.Access {
	cells := *r
	cells.Kind, cells.View = KindTable, rowsView(r.View)
	if len(r.tables) > 1 {
		cells.Kind, cells.families = KindGroup, familyNames(r.tables)
	}
	a := cells.Access(first, where, true)
	a.Width, a.Columns.Typed, a.PerRow = r.CellColumns(), true, true
	a.Columns.Sliced = a.Columns.Sliced && !r.OfMoments() // rows have cells of earlier times, too
	return a
}

// rowsView is how the cells of typed tables are read.
func rowsView(c versions.Choice) versions.Choice {
	if c.Period != nil {
		return versions.Choice{Period: c.Period, A: c.A, B: c.B}
	}
	return versions.Choice{Versions: &clause.VersionsHint{N: clause.Operand{Const: 1, Param: -1}}}
}
