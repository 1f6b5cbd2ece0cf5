package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/lookup"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/exec/typedscan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// usesIndexes reports whether a relation reads the newest rows, which index entries stand for.
func usesIndexes(r *relation.Relation) bool { return len(r.Indexes) > 0 && r.View.Period == nil }

// lookupOf is the condition that the rows of a typed table, whose row key is k, are looked up by its indexes,
// if conditions on its columns lead to entries; else nil.
func lookupOf(l *block.Leaf, k *expr.Column, conds []expr.Node, given func(index int) bool) expr.Node {
	onRow := func(n expr.Node) expr.Node {
		if asksMore(n) {
			return nil
		}
		return typedscan.OfRow(n, l.Relation.Typed, l.First, rowK, func(int) bool { return false })
	}
	ways, unions := leading(l, conds, given), unionsOf(l, conds, given, onRow)
	if len(ways)+len(unions) == 0 {
		return nil
	}
	return &lookup.Lookup{K: k, Ways: ways, Unions: unions}
}

// unionsOf are the conditions with OR each part of which leads to entries, or is a condition on the row.
func unionsOf(l *block.Leaf, conds []expr.Node, given func(index int) bool, onRow func(expr.Node) expr.Node) (out []lookup.Union) {
	if !usesIndexes(l.Relation) {
		return nil
	}
	for _, cond := range answerable(conds) {
		if u := unionOf(l, operandsOf(cond), given, onRow); u != nil {
			out = append(out, *u)
		}
	}
	return out
}

// operandsOf are the operands of OR, none for another condition.
func operandsOf(cond expr.Node) []expr.Node {
	if or, ok := cond.(*expr.Or); ok {
		return or.List
	}
	return nil
}

func unionOf(l *block.Leaf, parts []expr.Node, given func(index int) bool, onRow func(expr.Node) expr.Node) *lookup.Union {
	u, byIndex := &lookup.Union{}, false
	for _, part := range parts {
		p := lookup.Part{Ways: leading(l, expr.Conjuncts(part), given)}
		p.Ways = slices.DeleteFunc(p.Ways, func(w lookup.Way) bool { return !w.ReadsFirst() })
		if len(p.Ways) == 0 {
			p.OnRow = onRow(part)
		}
		if len(p.Ways) == 0 && p.OnRow == nil || slices.ContainsFunc(p.Ways, func(w lookup.Way) bool { return w.Asks }) {
			return nil
		}
		byIndex, u.Parts = byIndex || len(p.Ways) > 0, append(u.Parts, p)
	}
	if !byIndex {
		return nil
	}
	return u
}

// semiOf is the condition that the rows of a typed table, whose row key is k, are those that a subquery in a
// condition on its key has; nil if the condition is another one.
func semiOf(l *block.Leaf, k *expr.Column, cond expr.Node) expr.Node {
	s, ok := cond.(*subquery.Subquery)
	if !ok || s.Use.Kind != expr.SubqueryExists || !s.HasMembers() {
		return nil
	}
	of, ok := typedscan.OfRow(s, l.Relation.Typed, l.First, rowK, func(int) bool { return false }).(*subquery.Subquery)
	if !ok {
		return nil
	}
	return &lookup.Semi{K: k, Of: of}
}

// cellLookup is the condition that the cells of a family are looked up by its indexes, if conditions lead to
// entries; else nil.
func cellLookup(l *block.Leaf, where expr.Node) expr.Node {
	if l.Relation.Table() == nil || !usesIndexes(l.Relation) {
		return nil
	}
	conds, given := expr.Conjuncts(where), func(int) bool { return false }
	ways, unions := leading(l, conds, given), unionsOf(l, conds, given, func(expr.Node) expr.Node { return nil })
	if len(ways)+len(unions) == 0 {
		return nil
	}
	return &lookup.Lookup{K: keyOf(l, 0), Q: keyOf(l, 1), Ways: ways, Unions: unions}
}

// keyOf is a key column of a family's cells.
func keyOf(l *block.Leaf, at int) expr.Node {
	c := l.Relation.Columns[at]
	return &expr.Column{Name: c.Name, Index: l.First + at, T: c.Type}
}

// leading are the indexes to whose entries conditions lead.
func leading(l *block.Leaf, conds []expr.Node, given func(index int) bool) (out []lookup.Way) {
	if !usesIndexes(l.Relation) {
		return nil
	}
	for _, w := range waysOf(l, answerable(conds), given) {
		if w.Where != nil {
			out = append(out, w.Way)
		}
	}
	return out
}

// answerable are the conditions that can be evaluated before rows are read, if need be by running subqueries.
func answerable(conds []expr.Node) []expr.Node {
	return slices.DeleteFunc(slices.Clone(conds), func(n expr.Node) bool {
		if s, ok := n.(*subquery.Subquery); ok {
			return !s.HasMembers()
		}
		return !condition.Pushable(n) || asksForRows(n)
	})
}

// asksForRows reports whether an expression has subqueries other than those that give a value or a list.
func asksForRows(n expr.Node) (found bool) {
	expr.Walk(n, func(n expr.Node) bool {
		s, ok := n.(*subquery.Subquery)
		found = found || ok && (!s.HasMembers() || s.Use.Kind == expr.SubqueryExists)
		return !found
	})
	return found
}

// way is an index with the conditions that are not on its columns alone.
type way struct {
	lookup.Way
	rest []expr.Node
}

// waysOf are the indexes of a table with the conditions on their columns.
func waysOf(l *block.Leaf, conds []expr.Node, given func(index int) bool) (out []way) {
	for i := range l.Relation.Indexes {
		index := &l.Relation.Indexes[i]
		where, rest := onKey(conds, l.First, index.Key.Columns(), func(part int) expr.Node { return index.Key.PartOf(rowK, part) },
			given)
		out = append(out, way{lookup.Way{Key: index.Key, Entries: index.Entries, Where: where, Forced: index.Forced, Binds: lookup.Binds(where),
			Asks: lookup.Asks(where)}, rest})
	}
	return out
}

// asksMore reports whether evaluating a condition does more than leave rows out.
func asksMore(n expr.Node) bool { return expr.IsVolatile(n) || op.HasSubquery(n) }

// rowK is the column that conditions on keys are over: the row key of an entry or of a table.
var rowK = &expr.Column{Name: relation.ColumnK}

// onKey are the conditions on the given columns of a table, whose first one is at first, and on values that
// are given. They are rewritten over the parts of a key that have these columns; nil for none. rest are the
// others.
func onKey(conds []expr.Node, first int, columns []int, partOf func(part int) expr.Node, given func(index int) bool) (_ expr.Node,
	rest []expr.Node) {
	var out []expr.Node
	for _, cond := range conds {
		found, other := false, false
		moved := expr.Rewrite(cond, func(n expr.Node) expr.Node {
			c, ok := n.(*expr.Column)
			if !ok {
				return n
			}
			if part := slices.Index(columns, c.Index-first); part >= 0 {
				found = true
				return partOf(part)
			}
			other = other || !given(c.Index)
			return &lookup.Given{Column: c}
		})
		if found && !other {
			out = append(out, moved)
		} else {
			rest = append(rest, cond)
		}
	}
	return expr.Conjoin(out), rest
}

// leadsIndex reports whether a column of a typed table is the first one of an index.
func leadsIndex(l *block.Leaf, column int) bool {
	return usesIndexes(l.Relation) && slices.ContainsFunc(l.Relation.Indexes, func(i relation.Index) bool { return i.Key.PartAt(column) == 0 })
}
