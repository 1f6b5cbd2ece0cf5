package cost

import (
	"math"

	"github.com/hbasekv/hbasekv/kv"
)

const (
	// LooksExplained is how many cells EXPLAIN samples for each relation.
	LooksExplained = 2048
	// LooksJoined is how many cells an estimate of a join samples.
	LooksJoined = 256
	// LookupCells is how many cells can be read and kept in the time of one lookup.
	LookupCells = 8
	// SubqueryCells is how many cells can be read, and in part kept, in the time in which a
	// subquery looks up one row: 10 to 14 us.
	SubqueryCells = 32
)

// Guessed is MySQL's guess for the fraction of rows that meet a condition about which nothing is
// known.
const Guessed = 1.0 / 3

// Guess is the estimated fraction of rows that meet so many conditions about which nothing is
// known.
func Guess(conditions int) float64 { return math.Pow(Guessed, float64(conditions)) }

// Filtered estimates the percentage of an estimate's rows that meet conditions: known ones, which
// have been tested on its cells, and others.
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

// OfCell estimates how many cells a lookup of one cell returns if a statement sees so many
// versions.
func OfCell(e kv.Estimate, versions int) int64 { return min(e.Cells, max(1, int64(versions))) }

// OfRows estimates how many cells lookups of so many rows return, from the average of all rows.
func OfRows(e kv.Estimate, rows int) int64 {
	return min(e.Cells, int64(rows)*((e.Cells+e.Rows-1)/max(1, e.Rows)))
}

// Selectivity is the estimated fraction of the pairs of rows of two sides that join: left and right
// are the numbers of distinct keys, which must be equal, and others is the number of conditions
// about which nothing is known. Each key of the side with fewer keys is assumed to meet one of the
// other's: Selinger et al., "Access Path Selection in a Relational Database Management System"
// (SIGMOD 1979).
func Selectivity(left, right float64, others int) float64 {
	return Guess(others) / max(1, left, right)
}

// uneven limits how many times as many cells as on the left a join in parts may read on the right,
// where a few left rows could have been looked up instead; and how many times as many on the left,
// where rows without a match are skipped.
const uneven = 4

// RightInParts reports whether a join in parts may read all of a right side.
func RightInParts(left, right kv.Estimate) bool { return right.Stored <= uneven*left.Stored }

// LeftInParts reports whether a join in parts may read all of a left side whose rows without a
// match could be skipped.
func LeftInParts(left, right kv.Estimate) bool { return left.Stored <= uneven*right.Stored }
