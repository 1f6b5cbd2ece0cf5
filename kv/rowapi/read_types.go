package rowapi

import (
	"math"

	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// Cell is one version of one column of one row.
type Cell = filter.Cell

// Latest as a timestamp means none: the store's clock in a mutation; see [Delete] for deletions.
const Latest = math.MaxInt64

// TimeRange is Min <= timestamp < Max. The zero TimeRange is all timestamps; a Max of Latest is open.
type TimeRange struct{ Min, Max int64 }

// AllVersions as a number of versions means all that the table keeps.
const AllVersions = math.MaxInt32

// FamilyColumns are the columns to read of one family.
type FamilyColumns struct {
	Family string
	// Qualifiers are the columns, in any order; nil is all of the family.
	Qualifiers [][]byte
	// Time is the family's own time range, which replaces that of the whole operation; nil for none.
	Time *TimeRange
}

// Columns say which cells of rows are read.
type Columns struct {
	// Families are the families to read; nil is all, with all columns of each.
	Families []FamilyColumns
	// Time is the range of timestamps that are read.
	Time TimeRange
	// MaxVersions is the number of versions of a column, newest first; 0 is 1.
	MaxVersions int
	// StoreLimit is the most cells of one row and family, counting versions; 0 is no limit.
	// StoreOffset is how many of them are skipped first.
	StoreLimit, StoreOffset int
	// Filter sees cells before their versions are counted; nil for none.
	Filter filter.Filter
}

// Get reads one row.
type Get struct {
	Row []byte
	Columns
	// ExistenceOnly asks only for Result.Exists.
	ExistenceOnly bool
}

// Scan reads rows in order.
type Scan struct {
	// Start is the row to begin at, which is the last one of a Reversed scan; empty means the
	// table's first row, or for a Reversed scan its last. Stop is the row to end at; empty means
	// the table's end.
	Start, Stop []byte
	// StartExclusive excludes the row Start. StopInclusive includes the row Stop.
	StartExclusive, StopInclusive bool
	// Reversed returns rows in descending order; the cells of a row ascend.
	Reversed bool
	Columns
	// Limit is the most rows of all calls of Next; 0 is no limit.
	Limit int
	// Batch is the most cells of a Result; longer rows come in pieces. 0 is no limit. It is ignored
	// if the Filter needs whole rows.
	Batch int
}

// Result is a row or a piece of it.
type Result struct {
	// Cells are in the order of families, qualifiers and descending timestamps.
	Cells []Cell
	// Exists is true if there is a cell.
	Exists bool
	// Partial is true if more cells of the row come in the next Result.
	Partial bool
}

// Row returns the row of the cells, nil if there are none.
func (r *Result) Row() []byte {
	if len(r.Cells) == 0 {
		return nil
	}
	return r.Cells[0].Row
}

// Value returns the newest value of a column in the Result; ok is false if it has none.
func (r *Result) Value(family string, qualifier []byte) (value []byte, ok bool) {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Family == family && string(c.Qualifier) == string(qualifier) {
			return c.Value, true
		}
	}
	return nil, false
}
