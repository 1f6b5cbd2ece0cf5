package kernel

import "github.com/hbasekv/hbasekv/sqlfront/expr"

// Columns are columns of a frame, and those of them whose values are read: of others
// it is enough to know how long they are, or whether they are NULL.
type Columns struct{ known, values columnBits }

// columnBits are columns, by bits; the last stands for all from it on.
type columnBits uint64

func (c columnBits) has(index int) bool { return c&columnBits(0).add(index) != 0 }

func (c columnBits) add(index int) columnBits { return c | 1<<min(index, 63) }

// AllColumns are those of a reader that nothing is known of.
var AllColumns = Columns{^columnBits(0), ^columnBits(0)}

// Has reports whether a column is one of them.
func (c Columns) Has(index int) bool { return c.known.has(index) }

// HasValues reports whether a column is one of those whose values are read.
func (c Columns) HasValues(index int) bool { return c.values.has(index) }

// Add adds a column whose values are read.
func (c Columns) Add(index int) Columns {
	return Columns{c.known.add(index), c.values.add(index)}
}

// AddAs adds a column as another one is there, or is not.
func (c Columns) AddAs(index, other int) Columns {
	if c.known.has(other) {
		c.known = c.known.add(index)
	}
	if c.values.has(other) {
		c.values = c.values.add(index)
	}
	return c
}

// Union adds those of d.
func (c Columns) Union(d Columns) Columns {
	return Columns{c.known | d.known, c.values | d.values}
}

// From are so many of them from one on, by their numbers from there.
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

// Reading adds the columns that expressions read: all where one may run a subquery.
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

// measured is the column of which an expression is the length, or whether it is NULL;
// nil of another expression.
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

// Reader is what reads the rows of a source, and nobody else does.
type Reader interface {
	// ColumnsRead are the frame's columns that it reads. It is asked once, before the
	// first batch: reads that are too small for one need not know.
	ColumnsRead() Columns
}
