package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// Resolve implements bind.Scope: it finds a column in this block or in an outer one.
func (b *blockPlanner) Resolve(table, column string) (expr.Node, error) {
	b.Scope.Clause = b.clause
	n, err := b.Scope.Find(table, column)
	if err != nil {
		return nil, err
	}
	if n != nil {
		return n, nil
	}
	if outer, err := b.resolveOutside(table, column); outer != nil || err != nil {
		return outer, err
	}
	return nil, b.Scope.Unknown(table, column)
}

// resolveOutside finds a column in the outer blocks; nil if there is none.
func (b *blockPlanner) resolveOutside(table, column string) (expr.Node, error) {
	if b.outer == nil {
		return nil, nil
	}
	names := b.outer.names
	if names == nil {
		names = b.outer
	}
	n, err := names.Resolve(table, column)
	if mysqlerr.Is(err, mysqlerr.BadField) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &expr.Column{Index: b.correlate(n), Name: column, T: n.Type()}, nil
}

// correlate assigns a column of the frame to an expression of an outer block.
func (b *blockPlanner) correlate(outer expr.Node) int {
	if b.outerIndex != nil {
		if i := b.outerIndex.Find(outer); i >= 0 {
			return b.Correlations[i].Slot
		}
	}
	b.indexOuter(outer, len(b.Correlations))
	slot := b.Alloc()
	b.Correlations = append(b.Correlations, block.Correlation{Outer: outer, Slot: slot})
	return slot
}

func (b *blockPlanner) indexOuter(outer expr.Node, at int) {
	if b.outerIndex == nil {
		b.outerIndex = condition.NewIndex(b.Meter)
	}
	b.outerIndex.Add(outer, at)
}
