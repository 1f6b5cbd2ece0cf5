package cost

import (
	"math"

	"github.com/hbasekv/hbasekv/kv"
)

const (
	// LooksExplained is how many cells EXPLAIN looks at for each relation.
	LooksExplained = 2048
	// LooksJoined is how many cells an estimate of a join looks at.
	LooksJoined = 256
	// LookupCells is how many cells are read and kept in the time of a lookup.
	LookupCells = 8
	// SubqueryCells is how many cells are read, and in part kept, in the time in which a
	// subquery looks one row up: 10 to 14 us.
	SubqueryCells = 32
)

// Guessed is MySQL's guess at which part of the rows meets a condition of which
// nothing is known.
const Guessed = 1.0 / 3

// Guess is about which part of the rows meets so many conditions of which nothing is known.
func Guess(conditions int) float64 { return math.Pow(Guessed, float64(conditions)) }

// Filtered is about how many of a hundred rows of an estimate meet conditions: known ones, which
// have been tried on its cells, and others.
func Filtered(e kv.Estimate, known, unknown int) float64 {
	filtered := 100 * Guess(unknown)
	switch {
	case e.Cells > 0:
		filtered *= float64(e.Kept) / float64(e.Cells)
	case known > 0:
		filtered *= Guessed
	}
	return filtered
}

// OfCell is about how many cells a lookup of one cell gives, of which a statement sees so many
// versions.
func OfCell(e kv.Estimate, versions int) int64 { return min(e.Cells, max(1, int64(versions))) }

// OfRows is about how many cells lookups of so many rows give, by what all rows are on the
// average.
func OfRows(e kv.Estimate, rows int) int64 {
	return min(e.Cells, int64(rows)*((e.Cells+e.Rows-1)/max(1, e.Rows)))
}

// Selectivity is which part of the pairs of rows of two sides join, where some keys are
// equal, and other conditions hold of which nothing is known. Each key of the side that has
// fewer of them meets one of the other's: Selinger et al., "Access Path Selection in a
// Relational Database Management System" (SIGMOD 1979).
func Selectivity(left, right float64, others int) float64 {
	return Guess(others) / max(1, left, right)
}

// uneven is how many times as many cells as on the left a join in parts may read on
// the right, where few left rows might have been looked up instead; and how many times
// as many on the left, where rows without a match are passed over.
const uneven = 4

// RightInParts reports whether a join in parts may read all of a right side.
func RightInParts(left, right kv.Estimate) bool { return right.Stored <= uneven*left.Stored }

// LeftInParts reports whether a join in parts may read all of a left side, where rows without a
// match could be passed over.
func LeftInParts(left, right kv.Estimate) bool { return left.Stored <= uneven*right.Stored }
