package ordering

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// OfWindow returns the sort keys for a window. Its partitions may come in any order and direction;
// within each, the rows are in the window's own order. If want begins with such an order, or is the
// beginning of one, one sort serves both. Columns computed for the window cannot be sort keys below
// it.
func OfWindow(partition, order, want []Key, computed func(index int) bool) (keys []Key, serves bool) {
	own := append(slices.Clone(partition), order...)
	if len(want) == 0 {
		return own, false
	}
	left := slices.Clone(partition)
	for i, k := range want {
		at := slices.IndexFunc(left, func(p Key) bool { return same(p.Expr, k.Expr) })
		if at >= 0 {
			keys, left = append(keys, k), slices.Delete(left, at, at+1)
			continue
		}
		done := len(keys) - len(partition) // of order
		switch {
		case len(left) > 0:
			return own, false
		case done < len(order):
			if o := order[done]; o.Desc != k.Desc || !same(o.Expr, k.Expr) {
				return own, false
			}
			keys = append(keys, k)
		case isAbove(want[i:], computed):
			return own, false
		default:
			return append(keys, want[i:]...), true
		}
	}
	keys = append(keys, left...)
	return append(keys, order[max(len(keys)-len(partition), 0):]...), true
}

// isAbove reports whether the keys cannot be evaluated below the operator that computes some
// columns.
func isAbove(keys []Key, computed func(index int) bool) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return expr.IsVolatile(k.Expr) || expr.Reads(k.Expr, computed) })
}

// Ascending returns the keys with the first ones ascending: for a sort by partitions whose
// direction does not matter.
func Ascending(keys []Key, first int) []Key {
	keys = slices.Clone(keys)
	for i := range first {
		keys[i].Desc = false
	}
	return keys
}

// same reports whether two keys are one: the planner has one node for all equal expressions.
func same(a, b expr.Node) bool {
	x, ok := a.(*expr.Column)
	y, both := b.(*expr.Column)
	return a == b || ok && both && x.Index == y.Index
}

// Gathers reports whether rows with equal values of the nodes are consecutive if the rows are in
// the order of the keys.
func Gathers(keys []Key, nodes []expr.Node) bool {
	return len(nodes) <= len(keys) && !slices.ContainsFunc(keys[:len(nodes)], func(k Key) bool {
		return !slices.ContainsFunc(nodes, func(n expr.Node) bool { return same(k.Expr, n) })
	})
}

// Nodes are the expressions of the keys.
func Nodes(keys []Key) []expr.Node {
	out := make([]expr.Node, len(keys))
	for i, k := range keys {
		out[i] = k.Expr
	}
	return out
}
