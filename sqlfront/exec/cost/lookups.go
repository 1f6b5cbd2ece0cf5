package cost

import "github.com/hbasekv/hbasekv/kv"

// Lookups are those that have been made where one read of everything could take their place.
// The zero Lookups are none.
type Lookups struct {
	Made     int64
	Cells    int64 // that they have read
	Compared int64 // what they had cost when that was last compared, in cells
}

// Doubled reports whether they have cost twice of what was compared last, where each costs
// as much as so many cells besides those that it reads. So what is wasted is never
// more than half.
func (l *Lookups) Doubled(limits Limits, each int64) bool {
	spent, rows := each*l.Made+l.Cells, limits.ManyRows()
	forced := limits.Forced() && l.Made >= rows
	if !forced && spent < max((each+1)*rows, 2*l.Compared) {
		return false
	}
	l.Compared = spent
	return true
}

// What is kept in files is written, sorted and read again in the time of so many cells for each,
// and found in that of so many.
const (
	fileCells     = 4
	fileFindCells = 128
)

// filesSooner reports whether rows for which there is no memory are kept in files in the time of
// the lookups.
func (l *Lookups) filesSooner(e kv.Estimate) bool {
	return fileCells*e.Stored < l.Compared && l.Cells > fileFindCells*l.Made
}

// Beat reports whether so many lookups of a cell take at least the time in which all of an
// estimate is read.
func Beat(e kv.Estimate, lookups int64) bool { return e.Stored < LookupCells*lookups }

// AsksOf is what a subquery asks of the rows that it may look up for each outer row.
type AsksOf struct {
	Looked bool // it names their K, or it is not known what is read of them
	Exists bool // it is over with the first row that has the key
}

// SubqueryReadsSooner reports whether all of an estimate is read in the time of so many lookups of
// a subquery. One that names no K reads all, but for EXISTS up to the first row that has the
// key, where some has.
func SubqueryReadsSooner(e kv.Estimate, asks AsksOf, lookups int64) bool {
	cost := float64(SubqueryCells)
	switch {
	case asks.Looked:
	case asks.Exists:
		cost += float64(e.Stored) * float64(e.Distinct[0]) / float64(max(1, e.Kept))
	default:
		cost += float64(e.Stored)
	}
	return float64(e.Stored) < cost*float64(lookups)
}
