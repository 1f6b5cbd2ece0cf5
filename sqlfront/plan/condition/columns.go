package condition

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// EqualColumns recognizes an equality of two columns that implies the same value: binary strings, or
// integers.
func EqualColumns(n expr.Node) (a, b *expr.Column, ok bool) {
	c, ok := n.(*expr.Compare)
	if !ok || c.Op != expr.Eq {
		return nil, nil, false
	}
	a, isColumn := c.L.(*expr.Column)
	b, both := c.R.(*expr.Column)
	if !isColumn || !both || a.T.Kind != b.T.Kind {
		return nil, nil, false
	}
	return a, b, a.T.Kind == value.Bytes || a.T.Kind == value.Int
}

// ColumnClasses gives, by column, the columns that conditions set equal to it.
type ColumnClasses struct {
	Equal []expr.Node
	known map[int]map[int]bool
}

// Of are the columns equal to this one, itself included.
func (c *ColumnClasses) Of(index int) map[int]bool {
	if c.known[index] == nil {
		if c.known == nil {
			c.known = map[int]map[int]bool{}
		}
		c.known[index] = equalTo(index, c.Equal)
	}
	return c.known[index]
}

// equalTo are the columns that the conditions set equal to this one, itself included.
func equalTo(index int, equal []expr.Node) map[int]bool {
	out := map[int]bool{index: true}
	for before := 0; before < len(out); {
		before = len(out)
		for _, n := range equal {
			if a, b, ok := EqualColumns(n); ok && (out[a.Index] || out[b.Index]) {
				out[a.Index], out[b.Index] = true, true
			}
		}
	}
	return out
}

// IsColumnAt reports whether n is the row's column with that index.
func IsColumnAt(n expr.Node, index int) bool {
	c, ok := n.(*expr.Column)
	return ok && c.Index == index
}

// IsColumn reports whether n is a plain column, whose values have the declared kind.
func IsColumn(n expr.Node) bool {
	_, ok := n.(*expr.Column)
	return ok
}

// ColumnsIn are the columns that the expressions read.
func ColumnsIn(nodes []expr.Node) map[int]bool {
	out := map[int]bool{}
	for _, n := range nodes {
		expr.Columns(n, func(c *expr.Column) { out[c.Index] = true })
	}
	return out
}

// Has reports whether an expression that prints like n is in the list.
func Has(list []expr.Node, n expr.Node) bool {
	return slices.ContainsFunc(list, func(other expr.Node) bool { return expr.Print(other) == expr.Print(n) })
}

// AddNew appends the conditions that the list does not have yet.
func AddNew(meter *cancelcheck.Meter, list, more []expr.Node) []expr.Node {
	if len(more) == 0 {
		return list
	}
	have := NewIndex(meter)
	for i, n := range list {
		have.Add(n, i)
	}
	for _, n := range more {
		if have.Find(n) < 0 {
			have.Add(n, len(list))
			list = append(list, n)
		}
	}
	return list
}
