package constrain

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
)

// RowRange lets tests name the result type of RowRanges.
type RowRange = partition.RowRange

// StartsBefore reports whether a range from start to end contains a place.
func StartsBefore(start, end kv.Position) bool {
	s := spanOf(kv.Range{Start: start, End: end})
	return s.Lo.Compare(s.Hi) < 0
}

// EndsBefore reports whether there is a place between a range's end and the next one's start.
func EndsBefore(end, start kv.Position) bool {
	return end.Depth != kv.DepthNone && interval.Place(end).Compare(interval.Place(start)) < 0
}
