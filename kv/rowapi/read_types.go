package rowapi

import (
	"math"

	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// Cell is one version of one column of one row.
type Cell = filter.Cell

// Latest as a timestamp is none: the store's clock in a mutation, see [Delete] for what is deleted.
const Latest = math.MaxInt64

// TimeRange is Min <= timestamp < Max. The zero TimeRange is all timestamps, and so is a Max of
// Latest with regard to later ones.
type TimeRange struct{ Min, Max int64 }

// AllVersions as a number of versions is all that the table keeps.
const AllVersions = math.MaxInt32

// FamilyColumns are the columns of one family that are read.
type FamilyColumns struct {
	Family string
	// Qualifiers are the columns, in any order; nil is all of the family.
	Qualifiers [][]byte
	// Time is the family's own time range, in the place of the whole operation's; nil is none.
	Time *TimeRange
}

// Columns say which cells of rows are read.
type Columns struct {
	// Families are those that are read; nil is all, and all columns of each.
	Families []FamilyColumns
	// Time is which timestamps are seen.
	Time TimeRange
	// MaxVersions is the number of versions of a column, newest first; 0 is 1.
	MaxVersions int
	// StoreLimit is the most cells of one row and family, versions counted; 0 is no limit.
	// StoreOffset is how many of them are passed over first.
	StoreLimit, StoreOffset int
	// Filter sees cells before their versions are counted; nil is none.
	Filter filter.Filter
}

// Get reads one row.
type Get struct {
	Row []byte
	Columns
	// ExistenceOnly asks for nothing but Result.Exists.
	ExistenceOnly bool
}

// Scan reads rows in their order.
type Scan struct {
	// Start is the row to begin at, which is the last one of a Reversed scan; empty is the table's
	// first row, of a Reversed scan its last. Stop is the row to end at; empty is the table's end.
	Start, Stop []byte
	// StartExclusive leaves the row Start out. StopInclusive reads the row Stop.
	StartExclusive, StopInclusive bool
	// Reversed gives rows in descending order; the cells of a row ascend.
	Reversed bool
	Columns
	// Limit is the most rows, by all calls of Next; 0 is no limit.
	Limit int
	// Batch is the most cells of a Result; longer rows come in pieces. 0 is no limit. A Filter
	// that looks at whole rows gets whole rows, and Batch means nothing.
	Batch int
}

// Result is a row or a piece of it.
type Result struct {
	// Cells are in the order of families, qualifiers and descending timestamps.
	Cells []Cell
	// Exists is true where there is a cell.
	Exists bool
	// Partial is true where more cells of the row come in the next Result.
	Partial bool
}

// Row is the row of the cells, nil where there are none.
func (r *Result) Row() []byte {
	if len(r.Cells) == 0 {
		return nil
	}
	return r.Cells[0].Row
}

// Value is the newest value of a column that the Result has; ok is false where it has none.
func (r *Result) Value(family string, qualifier []byte) (value []byte, ok bool) {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Family == family && string(c.Qualifier) == string(qualifier) {
			return c.Value, true
		}
	}
	return nil, false
}
