package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/lookup"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// lookupOf has the rows of a typed table, whose row is k, looked up by its indexes where conditions on its columns lead to
// entries; nil where none do. The rows are those of the newest versions: entries say nothing of others.
func lookupOf(l *block.Leaf, k *expr.Column, conds []expr.Node) expr.Node {
	r := l.Relation
	if len(r.Indexes) == 0 || r.View.Period != nil {
		return nil
	}
	var ways []lookup.Way
	for i := range r.Indexes {
		index := &r.Indexes[i]
		if where := onEntries(index, l.First, conds); where != nil {
			ways = append(ways, lookup.Way{Key: index.Key, Entries: index.Entries, Where: where, Forced: index.Forced})
		}
	}
	if len(ways) == 0 {
		return nil
	}
	return &lookup.Lookup{K: k, Ways: ways}
}

// onEntries are the conditions that are on columns of an index alone, over its entries; nil where there are none.
func onEntries(index *relation.Index, first int, conds []expr.Node) expr.Node {
	var out []expr.Node
	columns := index.Key.Columns()
	for _, cond := range conds {
		other, found := expr.IsVolatile(cond) || op.HasSubquery(cond), false
		moved := expr.Rewrite(cond, func(n expr.Node) expr.Node {
			c, ok := n.(*expr.Column)
			if !ok {
				return n
			}
			part := slices.Index(columns, c.Index-first)
			if part < 0 {
				other = true
				return n
			}
			found = true
			return index.Key.PartOf(&expr.Column{Name: relation.ColumnK}, part)
		})
		if found && !other {
			out = append(out, moved)
		}
	}
	return expr.Conjoin(out)
}
