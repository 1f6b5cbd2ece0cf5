package constrain

import "slices"

// Columns says which columns of a row are the coordinates of a cell; -1 means none.
type Columns struct {
	K, Q, T, V int
	// F is the column of the family in the virtual table of a table group.
	F int
	// Families are the names of the families in the order of their tables, if F is a column: a condition on F
	// alone is evaluated for each of them.
	Families []string
	// G is the generated column with the absolute value of T. A table that has it allows no T without an
	// absolute value.
	G int
	// Sliced asks for Constraint.Times.
	Sliced bool
	// Typed says that conditions may be on the key columns of a typed table.
	Typed bool
	// Prefixes are the generated columns that hold the first bytes of K.
	Prefixes []Prefix
}

// Prefix is a generated column that has the first Length bytes of K.
type Prefix struct{ Index, Length int }

// OfRow reports whether the row's column of that index is K or computed from K.
func (c *Columns) OfRow(index int) bool {
	return index == c.K || slices.ContainsFunc(c.Prefixes, func(p Prefix) bool { return p.Index == index })
}
