package physical

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/computed"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/setop"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// build makes the node of a table expression whose rows satisfy the conditions.
func (b *builder) build(from block.From, conds []expr.Node) (op.Node, error) {
	if l, ok := from.(*block.Leaf); ok {
		return b.buildLeaf(l, conds)
	}
	j := from.(*block.Join)
	if !b.ordering {
		b.ordering = true
		n, err := b.ordered(j, conds)
		if b.ordering = false; n != nil || err != nil {
			return n, err
		}
	}
	return b.buildJoin(j, conds)
}

func (b *builder) buildLeaf(l *block.Leaf, conds []expr.Node) (op.Node, error) {
	where := expr.Conjoin(conds)
	switch l.Relation.Kind {
	case relation.KindTable, relation.KindGroup:
		needV := b.used[l.Relation.KeyColumns(l.First).V]
		return b.access(l, where, needV), nil
	case relation.KindVirtual:
		return b.buildVirtual(l, where), nil
	case relation.KindTyped:
		return b.byIndexes(l, nil, conds), nil
	case relation.KindDerived:
		return b.buildDerived(l, conds)
	case relation.KindJSON:
		return b.buildJSONTable(l, where)
	case relation.KindWorking:
		r := l.Relation
		return filtered(&setop.Working{Of: r.Working, Alias: r.Alias, First: l.First, Columns: len(r.Columns)}, where), nil
	}
	return filtered(op.Dual{}, where), nil
}

func (b *builder) buildVirtual(l *block.Leaf, where expr.Node) op.Node {
	r := l.Relation
	v := &computed.Virtual{Database: r.Database, Name: r.Name, Alias: r.Alias, Table: r.Virtual, First: l.First, Where: where,
		Read: make([]bool, len(r.Columns))}
	for i := range v.Read {
		v.Read[i] = b.used[l.First+i]
	}
	expr.Columns(where, func(c *expr.Column) {
		if i := c.Index - l.First; 0 <= i && i < len(v.Read) { // subqueries' conditions also read outer columns
			v.Read[i] = true
		}
	})
	return v
}
