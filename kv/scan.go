package kv

import (
	"bytes"

	"github.com/hbasekv/hbasekv/partition"
)

// Depth says how many of a Position's parts count.
type Depth uint8

// The depths of a Position.
const (
	DepthNone   Depth = iota // open: the start or the end of the table
	DepthRow                 // a row
	DepthColumn              // a column (row, qualifier)
	DepthCell                // one version (row, qualifier, timestamp)
)

// Position is a place between cells in HBase's order: just before, or just
// after, all cells that share its parts. The zero Position is open: the start
// of the table as a range's Start, its end as a range's End.
type Position struct {
	Row       []byte
	Qualifier []byte
	Timestamp int64
	Depth     Depth
	After     bool
}

// Range is the cells between two positions. If several tables are read, it applies to each of them.
type Range struct {
	Start, End Position
}

// Within returns the part of their keys that all cells of the range share: DepthColumn for those of one
// column, DepthRow for those of one row, otherwise DepthNone.
func (r *Range) Within() Depth {
	start, end := &r.Start, &r.End
	switch {
	case start.Depth == DepthNone || end.Depth == DepthNone || !bytes.Equal(start.Row, end.Row):
		return DepthNone
	case start.Depth == DepthRow || end.Depth == DepthRow || !bytes.Equal(start.Qualifier, end.Qualifier):
		return DepthRow
	}
	return DepthColumn
}

// QualifierRange is the half-open range [Start, End) of qualifiers in unsigned
// byte order. A nil End is open.
type QualifierRange struct {
	Start, End []byte
}

// IsSingle reports whether the range holds one qualifier: Start.
func (r *QualifierRange) IsSingle() bool {
	n := len(r.Start)
	return len(r.End) == n+1 && r.End[n] == 0 && bytes.HasPrefix(r.End, r.Start)
}

// SingleQualifiers returns the qualifiers of ranges that hold one each, sharing their memory; ok
// is false if a range holds others.
func SingleQualifiers(ranges []QualifierRange) (qualifiers [][]byte, ok bool) {
	for i := range ranges {
		if !ranges[i].IsSingle() {
			return nil, false
		}
		qualifiers = append(qualifiers, ranges[i].Start)
	}
	return qualifiers, true
}

// TimeRange is Min <= timestamp <= Max if Bounded, else all timestamps.
// (HBase's TimeRange is half-open and so cannot name the last timestamp.)
type TimeRange struct {
	Min, Max int64
	Bounded  bool
}

// Scan says which cells to read and in which order, like HBase's Scan
// (https://hbase.apache.org/apidocs/org/apache/hadoop/hbase/client/Scan.html). What a table's
// Retention does not keep at Txn.Now does not exist for the scan. The filters apply in this
// order: Ranges, Qualifiers, Time; then MaxVersions picks the newest of what Time has left of
// each column; FirstPerRow last.
type Scan struct {
	// Ranges must be sorted, disjoint and not empty; nil is the whole table. An
	// empty non-nil slice reads nothing.
	Ranges []Range
	// Qualifiers must be sorted and disjoint; nil is all. An empty non-nil slice reads nothing.
	Qualifiers []QualifierRange
	Time       TimeRange
	// MaxVersions is the number of versions of each column, newest first; 0
	// is all of them.
	MaxVersions int
	// Reverse reads in the exact opposite order.
	Reverse bool
	// Ordered asks for HBase's order over the whole table. Without it only the cells of a row
	// are together and in order; rows of a partition are in order, and partitions come in any
	// order.
	Ordered bool
	// ByPartition asks for the partitions in the order of their ordinals, or in the opposite order
	// with Reverse. Tables with the same partitioning are thus read in the same order, at no cost.
	ByPartition bool
	// Parallel is how many partitions may be read concurrently if the order of
	// partitions does not matter; 0 is one.
	Parallel int
	// NeedValue asks for values; without it Cursor.Value must not be called.
	NeedValue bool
	// FirstPerRow reads only the first cell, in reading order, of each row (of each row and
	// family, if several tables are read), like HBase's FirstKeyOnlyFilter.
	FirstPerRow bool
	// Wanted is a hint, nil for none: sorted and disjoint qualifiers. Of cells with other
	// qualifiers, one in a row and family is as good as all: once the store has returned a
	// cell of the row, it may leave out the others.
	Wanted []QualifierRange
	// Partitions restricts the scan to the partitions with these ordinals,
	// ascending; nil is all that the ranges can touch.
	Partitions []int
	// Slices restricts the scan to the slices of time with these ordinals, ascending; nil is all
	// that Time can touch. MaxVersions counts within them. It is ignored for tables without
	// slices of time.
	Slices []int
	// Leaves restricts the scan further, to leaves with these ordinals, ascending; nil is all.
	// It is ignored for tables without slices of time.
	Leaves []int
	// Rows restricts the scan to these rows.
	Rows partition.RowRange
	// Limit is a hint: the reader expects to stop after about this many cells; 0 is no hint.
	Limit int
	// Size is about how many stored bytes a scan from Divide reads; 0 if unknown.
	Size uint64
	// At is a savepoint of the transaction, whose own writes are read as they were then; nil
	// reads them as they are now. It must be of the same transaction.
	At Savepoint
	// Budget, if not nil, pays for each cell that Stats counts. The cursor
	// fails with ErrBudget if it is exhausted.
	Budget *Budget
	// Progress, if not nil, is called at times by the goroutines that read, but not for short scans.
	Progress Progress
}

// Progress receives what a scan reads, including the scans into which it was divided. It must be
// safe for concurrent use.
type Progress interface {
	// Read reports how many more cells Stats counts than at the last call, and how many more of
	// the partitions that the spans touch have been read, by the positions of rows in them; 0 if
	// the store counts the cells itself.
	Read(cells int64, partitions float64)
}

// Cursor steps over the cells of a Scan. Only one goroutine at a time may use it.
type Cursor interface {
	// Next steps to the next cell and reports whether there is one. It returns false at the end,
	// on an error and once the scan's context is cancelled.
	Next() bool
	// Cell returns the current cell without its value. The cell and its bytes
	// are valid until the next call of Next or Close and must not be written.
	Cell() *Cell
	// Value returns the value of the current cell, nil for null. Its bytes are
	// valid as long as the cell's.
	Value() ([]byte, error)
	// Err returns the reason why Next returned false: nil at the end of the
	// scan, the context's own error after a cancellation.
	Err() error
	// Stats returns what the cursor has done so far.
	Stats() ScanStats
	// Close releases the cursor; it may be called again.
	Close() error
}

// Releaser is a Cursor or a Txn whose memory can be reused.
type Releaser interface {
	// Release is the last Close of a cursor, or the last Rollback of a transaction. Nobody may
	// use the cursor or the transaction afterwards.
	Release() error
}

// Skipper is a Cursor that can skip rows without reading them.
type Skipper interface {
	// SkipTo makes Next skip to the row: no cell after the current one and before it, in the
	// order of the scan, is wanted. The scan must be Ordered or ByPartition. It returns false
	// and does nothing if that is not cheaper than reading.
	SkipTo(row []byte) bool
}

// RunCounter is a Cursor that can count cells without returning each.
type RunCounter interface {
	// CountRun steps over consecutive cells whose rows share their first n bytes, or are the
	// same shorter row, and returns these bytes and the number of cells. The next call may
	// return more cells with the same bytes. The bytes are valid until then. If the number is 0,
	// no cells are left; Err returns the reason. After CountRun, a cursor returns no more cells.
	CountRun(n int) (row []byte, cells int64)
}

// Explainer is a Txn that can list its requests to servers.
type Explainer interface {
	// ExplainScan returns the calls that Scan would make, in the store's own terms, one to a
	// line. It reads nothing.
	ExplainScan(tables []*Table, s *Scan) ([]string, error)
}

// Divider is a Cursor that can leave what it has not read to other cursors.
type Divider interface {
	// Divide ends the cursor at a place that it has not reached, and returns about n scans for
	// what follows, which may be read in any order or concurrently. In the returned order they
	// follow the cursor, in its order, and are about equally large; a row is never divided. It
	// returns none if there is nothing to divide; then, and on an error, the cursor is as
	// before. A cursor that has not been stepped leaves everything.
	Divide(n int) ([]Scan, error)
}

// ScanStats counts the work of a cursor.
type ScanStats struct {
	Cells      int64 // versions looked at
	Seeks      int64 // repositionings of an iterator
	Requests   int64 // sent to servers, if the store has some
	Bytes      int64 // size of the cells that the servers sent
	Partitions int   // partitions opened so far; in tables with slices of time, leaves
}
