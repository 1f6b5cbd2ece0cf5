package constrain

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// RowRange lets tests name what RowRanges returns.
type RowRange = partition.RowRange

// StartsBefore reports whether a range from start to end holds a place.
func StartsBefore(start, end kv.Position) bool {
	s := spanOf(kv.Range{Start: start, End: end})
	return s.lo.compare(s.hi) < 0
}

// EndsBefore reports whether there is a place between a range's end and the
// next one's start.
func EndsBefore(end, start kv.Position) bool {
	return end.Depth != kv.DepthNone && place(end).compare(place(start)) < 0
}
