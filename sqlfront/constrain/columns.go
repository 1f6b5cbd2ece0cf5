package constrain

import "slices"

// Columns says which columns of a row are the cell's coordinates; -1 is none.
type Columns struct {
	K, Q, T, V int
	// F is the family's column of a table group's virtual table.
	F int
	// Families are the families' names in the order of their tables, where F
	// is a column: conditions on F alone are tried on each of them.
	Families []string
	// G is the generated column that holds the absolute value of T; a table
	// with it has no T without one.
	G int
	// Sliced asks for Constraint.Times.
	Sliced bool
	// Typed says that conditions may be on columns of a typed table's key.
	Typed bool
	// Prefixes are the generated columns that hold the first bytes of K.
	Prefixes []Prefix
}

// Prefix is a generated column that holds the first Length bytes of K.
type Prefix struct{ Index, Length int }

// OfRow reports whether the row's column of that index is K or computed from K.
func (c *Columns) OfRow(index int) bool {
	return index == c.K || slices.ContainsFunc(c.Prefixes, func(p Prefix) bool { return p.Index == index })
}
