package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/lookup"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// usesIndexes reports whether a relation reads the newest rows, which index entries stand for.
func usesIndexes(r *relation.Relation) bool { return len(r.Indexes) > 0 && r.View.Period == nil }

// lookupOf is the condition that the rows of a typed table, whose row key is k, are looked up by its indexes,
// if conditions on its columns lead to entries; else nil.
func lookupOf(l *block.Leaf, k *expr.Column, conds []expr.Node, given func(index int) bool) expr.Node {
	if ways := leading(l, conds, given); len(ways) > 0 {
		return &lookup.Lookup{K: k, Ways: ways}
	}
	return nil
}

// cellLookup is the condition that the cells of a family are looked up by its indexes, if conditions lead to
// entries; else nil.
func cellLookup(l *block.Leaf, where expr.Node) expr.Node {
	if l.Relation.Table() == nil || !usesIndexes(l.Relation) {
		return nil
	}
	if ways := leading(l, expr.Conjuncts(where), func(int) bool { return false }); len(ways) > 0 {
		return &lookup.Lookup{K: keyOf(l, 0), Q: keyOf(l, 1), Ways: ways}
	}
	return nil
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
	for _, w := range waysOf(l, conds, given) {
		if w.Where != nil {
			out = append(out, w.Way)
		}
	}
	return out
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
		out = append(out, way{lookup.Way{Key: index.Key, Entries: index.Entries, Where: where, Forced: index.Forced, Binds: lookup.Binds(where)}, rest})
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
		found, other := false, asksMore(cond)
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
