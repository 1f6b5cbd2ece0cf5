package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// Access is how the rows of one stored relation are found: the cells of a
// view for which a condition holds. It is immutable.
//
// Its rows have the relation's columns, with V only where it was asked for.
type Access struct {
	relation *Relation
	// first is the row's column that holds the relation's first one.
	first   int
	where   expr.Node
	columns constrain.Columns
	// needV says that someone other than the condition reads V.
	needV bool
	// given are the columns that the condition reads and that have their
	// values before the access is opened: those of the blocks around a
	// subquery, and of the other side of a join.
	given func(index int) bool
	// subqueries says that the condition compares keys with subqueries, whose
	// results are known before the access is opened.
	subqueries bool
}

// newAccess finds the rows of a table or group, whose columns start at first in
// the frame, for which where holds; where may be nil. needV asks for V in the
// rows, which are else given without it (as NULL) where the condition does not
// read it.
func (p *Planner) newAccess(r *Relation, first int, where expr.Node, needValue bool) *Access {
	a := &Access{
		relation: r, first: first, where: where, needV: needValue,
		columns: r.keyColumns(first),
	}
	expr.Walk(where, func(n expr.Node) bool {
		s, ok := n.(*subquery)
		a.subqueries = a.subqueries || ok && s.leadsTo(a)
		return true
	})
	return a
}

// keyColumns says where K, F, Q, T and V are, for a relation whose columns
// start at first.
func (r *Relation) keyColumns(first int) constrain.Columns {
	if r.kind == kindGroup {
		return constrain.Columns{K: first, F: first + 1, Q: first + 2, T: first + 3, V: first + 4, G: -1,
			Sliced: len(r.tables) > 0 && r.tables[0].Partitioning.Slices() != nil, Families: r.familyNames()}
	}
	c := constrain.Columns{K: first, F: -1, Q: first + 1, T: first + 2, V: first + 3, G: -1}
	t := r.tables[0]
	c.Sliced = t.Partitioning.Slices() != nil
	for i, p := range t.Prefixes {
		c.Prefixes = append(c.Prefixes, constrain.Prefix{Index: first + 4 + t.PrefixPlace(i), Length: p.Length})
	}
	if t.TimeColumn != nil {
		c.G = first + 4 + t.TimeColumn.Behind
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

// order is the order of the columns in which the store keeps the rows.
func (a *Access) order() scanOrder {
	c := a.columns
	o := scanOrder{columns: []int{c.K, c.Q, c.T}, rowColumn: c.K, timeColumn: c.T}
	if c.F >= 0 {
		o.columns = []int{c.K, c.F, c.Q, c.T}
	}
	for _, p := range c.Prefixes {
		o.prefixes = append(o.prefixes, p.Index)
	}
	return o
}
