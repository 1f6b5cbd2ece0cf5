package kernel

import "github.com/hbasekv/hbasekv/sqlfront/expr"

// Columns is a set of a frame's columns, and the subset whose values are read: of the others, only
// the length is needed, or whether they are NULL.
type Columns struct{ known, values columnBits }

// columnBits is a set of columns; the last bit stands for all columns from 63 on.
type columnBits uint64

func (c columnBits) has(index int) bool { return c&columnBits(0).add(index) != 0 }

func (c columnBits) add(index int) columnBits { return c | 1<<min(index, 63) }

// AllColumns is for readers about which nothing is known.
var AllColumns = Columns{^columnBits(0), ^columnBits(0)}

// Has reports whether a column is in the set.
func (c Columns) Has(index int) bool { return c.known.has(index) }

// HasValues reports whether a column's values are read.
func (c Columns) HasValues(index int) bool { return c.values.has(index) }

// Add adds a column whose values are read.
func (c Columns) Add(index int) Columns {
	return Columns{c.known.add(index), c.values.add(index)}
}

// AddAs adds a column as far as another one is in the set.
func (c Columns) AddAs(index, other int) Columns {
	if c.known.has(other) {
		c.known = c.known.add(index)
	}
	if c.values.has(other) {
		c.values = c.values.add(index)
	}
	return c
}

// Union returns the columns of both.
func (c Columns) Union(d Columns) Columns {
	return Columns{c.known | d.known, c.values | d.values}
}

// From returns the n columns from first on, renumbered from 0.
func (c Columns) From(first, n int) (out Columns) {
	for i := range n {
		if c.known.has(first + i) {
			out.known = out.known.add(i)
		}
		if c.values.has(first + i) {
			out.values = out.values.add(i)
		}
	}
	return out
}

// Reading adds the columns that expressions read: all if one may run a subquery.
func (c Columns) Reading(nodes ...expr.Node) Columns {
	for _, n := range nodes {
		if n != nil && !Pure(n) {
			return AllColumns
		}
		expr.Walk(n, func(n expr.Node) bool {
			if column := measured(n); column != nil {
				c.known = c.known.add(column.Index)
				return false
			}
			if column, is := n.(*expr.Column); is {
				c = c.Add(column.Index)
			}
			return true
		})
	}
	return c
}

// measured returns the column of which an expression needs only the length, or whether it is NULL;
// nil for other expressions.
func measured(n expr.Node) *expr.Column {
	var x expr.Node
	switch n := n.(type) {
	case *expr.IsNull:
		x = n.X
	case *expr.Call:
		if n.Name == "LENGTH" || n.Name == "OCTET_LENGTH" {
			x = n.Args[0]
		}
	}
	column, _ := x.(*expr.Column)
	return column
}

// Reader is the only reader of a source's rows.
type Reader interface {
	// ColumnsRead returns the frame's columns that it reads. It is called once, before the first
	// batch, and not at all for reads that are too small for batches.
	ColumnsRead() Columns
}
