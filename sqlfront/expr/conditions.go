package expr

// Conjuncts are the conditions that must all hold for n to hold; none for nil.
func Conjuncts(n Node) []Node {
	if n == nil {
		return nil
	}
	and, ok := n.(*And)
	if !ok {
		return []Node{n}
	}
	var out []Node
	for _, each := range and.List {
		out = append(out, Conjuncts(each)...)
	}
	return out
}

// Conjoin is the condition that all of them hold; nil for none.
func Conjoin(nodes []Node) Node {
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return nodes[0]
	}
	return &And{List: nodes}
}

// Reads reports whether n reads a column that f accepts.
func Reads(n Node, f func(index int) bool) bool {
	found := false
	Walk(n, func(n Node) bool {
		if c, ok := n.(*Column); ok && f(c.Index) {
			found = true
		}
		return !found
	})
	return found
}

// OnlyColumns reports whether n reads only columns that f accepts.
func OnlyColumns(n Node, f func(index int) bool) bool {
	return !Reads(n, func(index int) bool { return !f(index) })
}

// IsVolatile reports whether n can differ between two evaluations over one row.
func IsVolatile(n Node) bool {
	found := false
	Walk(n, func(n Node) bool {
		if v, ok := n.(Volatile); ok && v.Volatile() {
			found = true
		}
		return !found
	})
	return found
}
