package rowmem

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Grid keeps copies of rows of one width by their numbers, contiguously. The zero Grid is empty.
type Grid struct {
	values []value.Value
	kept   Arena // the bytes
}

// Add adds a copy of a row.
func (g *Grid) Add(row []value.Value) {
	if cap(g.values)-len(g.values) < len(row) {
		g.values = slices.Grow(g.values, max(len(g.values), len(row)))
	}
	for _, v := range row {
		g.values = append(g.values, g.kept.keep(v))
	}
}

// Set replaces a row by a copy of another.
func (g *Grid) Set(number int, row []value.Value) {
	for i, v := range row {
		g.values[number*len(row)+i] = g.kept.keep(v)
	}
}

// Row returns the row with a number; width must be that of all rows.
func (g *Grid) Row(number, width int) []value.Value {
	return g.values[number*width:][:width:width]
}
