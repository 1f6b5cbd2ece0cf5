package cost

import "github.com/hbasekv/hbasekv/kv"

// Lookups counts the lookups that one read of everything could replace. The zero Lookups has none.
type Lookups struct {
	Made     int64
	Cells    int64 // that they have read
	Compared int64 // their cost when it was last compared, in cells
}

// Doubled reports whether the cost has doubled since it was last compared; each lookup costs so
// many cells, and those that it reads. So at most half of the work is wasted.
func (l *Lookups) Doubled(limits Limits, each int64) bool {
	spent, rows := each*l.Made+l.Cells, limits.ManyRows()
	forced := limits.Forced() && l.Made >= rows
	if !forced && spent < max((each+1)*rows, 2*l.Compared) {
		return false
	}
	l.Compared = spent
	return true
}

// The cost, in cells, of writing, sorting and rereading one cell in files, and of finding a row
// there.
const (
	fileCells     = 4
	fileFindCells = 128
)

// filesSooner reports whether rows that do not fit in memory can be kept in files in the time of
// the lookups.
func (l *Lookups) filesSooner(e kv.Estimate) bool {
	return fileCells*e.Stored < l.Compared && l.Cells > fileFindCells*l.Made
}

// Beat reports whether so many lookups of cells take at least as long as reading everything in an
// estimate.
func Beat(e kv.Estimate, lookups int64) bool { return e.Stored < LookupCells*lookups }

// AsksOf says what a subquery reads for each outer row.
type AsksOf struct {
	Looked bool // it looks up K, or it is unknown what it reads
	Exists bool // it ends at the first row with the key
}

// SubqueryReadsSooner reports whether everything in an estimate can be read in the time of so many
// lookups of a subquery. One that does not look up K reads everything; EXISTS reads up to the first
// row with the key, if there is one.
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
