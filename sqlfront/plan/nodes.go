package plan

import "github.com/hbasekv/hbasekv/sqlfront/expr"

// conjuncts are the conditions that all must hold for n to hold; none for nil.
func conjuncts(n expr.Node) []expr.Node {
	if n == nil {
		return nil
	}
	and, ok := n.(*expr.And)
	if !ok {
		return []expr.Node{n}
	}
	var out []expr.Node
	for _, each := range and.List {
		out = append(out, conjuncts(each)...)
	}
	return out
}

// conjoin is the condition that all of them hold; nil for none.
func conjoin(nodes []expr.Node) expr.Node {
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return nodes[0]
	}
	return &expr.And{List: nodes}
}

// reads reports whether n reads a column that f accepts.
func reads(n expr.Node, f func(index int) bool) bool {
	found := false
	expr.Walk(n, func(n expr.Node) bool {
		if c, ok := n.(*expr.Column); ok && f(c.Index) {
			found = true
		}
		return !found
	})
	return found
}

// onlyColumns reports whether n reads no column but such that f accepts.
func onlyColumns(n expr.Node, f func(index int) bool) bool {
	return !reads(n, func(index int) bool { return !f(index) })
}

// volatile reports whether n can differ between two evaluations over one row.
func volatile(n expr.Node) bool {
	found := false
	expr.Walk(n, func(n expr.Node) bool {
		if v, ok := n.(expr.Volatile); ok && v.Volatile() {
			found = true
		}
		return !found
	})
	return found
}
