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

// Range is the cells between two positions. Where several tables are read, it
// holds in each of them.
type Range struct {
	Start, End Position
}

// QualifierRange is the half-open range [Start, End) of qualifiers in unsigned
// byte order. A nil End leaves it open above.
type QualifierRange struct {
	Start, End []byte
}

// IsSingle reports whether the range holds one qualifier: Start.
func (r *QualifierRange) IsSingle() bool {
	n := len(r.Start)
	return len(r.End) == n+1 && r.End[n] == 0 && bytes.HasPrefix(r.End, r.Start)
}

// SingleQualifiers are the qualifiers of ranges that hold one each, whose memory they
// share; ok is false where a range holds others.
func SingleQualifiers(ranges []QualifierRange) (qualifiers [][]byte, ok bool) {
	for i := range ranges {
		if !ranges[i].IsSingle() {
			return nil, false
		}
		qualifiers = append(qualifiers, ranges[i].Start)
	}
	return qualifiers, true
}

// TimeRange is Min <= timestamp <= Max where Bounded, else all timestamps.
// (HBase's TimeRange is half-open and so cannot name the last timestamp.)
type TimeRange struct {
	Min, Max int64
	Bounded  bool
}

// Scan says which cells to read and in which order, as HBase's Scan does
// (https://hbase.apache.org/apidocs/org/apache/hadoop/hbase/client/Scan.html).
// What a table's Retention does not keep at Txn.Now is not there for any of it.
// The filters apply in this order: Ranges, Qualifiers, Time, then MaxVersions
// picks the newest of what Time left over in each column; FirstPerRow last.
type Scan struct {
	// Ranges are sorted, disjoint and not empty; nil is the whole table.
	// An empty non-nil slice reads nothing.
	Ranges []Range
	// Qualifiers are sorted and disjoint; nil is all. An empty non-nil slice
	// reads nothing.
	Qualifiers []QualifierRange
	Time       TimeRange
	// MaxVersions is the number of versions of each column, newest first; 0
	// is all of them.
	MaxVersions int
	// Reverse reads in exactly the opposite order.
	Reverse bool
	// Ordered asks for HBase's order over the whole table. Without it only
	// the cells of one row are together and in order; rows of one partition
	// are in order, partitions come in any order.
	Ordered bool
	// ByPartition asks for the partitions in the order of their ordinals, in
	// the opposite one with Reverse: tables that are partitioned alike are
	// then read in the same order, which costs nothing.
	ByPartition bool
	// Parallel is how many partitions may be read at the same time, where the order
	// of partitions is free; 0 is one.
	Parallel int
	// NeedValue asks for values; without it Cursor.Value must not be called.
	NeedValue bool
	// FirstPerRow reads only the first cell, in reading order, of each row (of
	// each row and family, where several tables are read), as HBase's
	// FirstKeyOnlyFilter does.
	FirstPerRow bool
	// Wanted is a hint, nil for none: sorted and disjoint qualifiers beside which one
	// cell of a row, and family, is as good as all. Of a row that has given a cell the
	// store may leave out those of other qualifiers.
	Wanted []QualifierRange
	// Partitions restricts the scan to the partitions with these ordinals,
	// ascending; nil is all that the ranges can touch.
	Partitions []int
	// Slices restricts the scan to the slices of time with these ordinals,
	// ascending; nil is all that Time can touch. MaxVersions counts within them.
	// It means nothing to tables that are not cut by time.
	Slices []int
	// Leaves restricts the scan further, to leaves with these ordinals,
	// ascending; nil is all. It means nothing to tables that are not cut by
	// time.
	Leaves []int
	// Rows restricts the scan to these rows.
	Rows partition.RowRange
	// Limit is a hint: the reader expects to stop after about so many cells;
	// 0 says nothing.
	Limit int
	// Size is about how many stored bytes the scan is, where Divide gave it; 0 says
	// nothing.
	Size uint64
	// At is a savepoint of the transaction, whose own writes are read as they
	// were then; nil reads them as they are now. It must be from the present
	// transaction.
	At Savepoint
	// Budget, where it is not nil, pays for each cell that Stats counts. The
	// cursor fails with ErrBudget where it is not enough.
	Budget *Budget
	// Progress, where it is not nil, is called now and then by the goroutines that read, but not
	// for short scans.
	Progress Progress
}

// Progress is told what a scan reads, and what the scans read that it was divided into.
// It is safe for goroutines.
type Progress interface {
	// Read tells how many more cells Stats counts than the last time, and how many more
	// partitions of those that the spans touch have been read, by the places of rows in
	// them; 0 where the store knows of the cells themselves.
	Read(cells int64, partitions float64)
}

// Cursor steps over the cells of a Scan. A Cursor is used by one goroutine at
// a time.
type Cursor interface {
	// Next steps to the next cell and reports whether there is one. At the
	// end, on an error and once the scan's context is cancelled it is false.
	Next() bool
	// Cell is the current cell without its value. The cell and its bytes are
	// valid until the next call of Next or Close and must not be written.
	Cell() *Cell
	// Value is the value of the current cell, nil for the null value. Its
	// bytes are valid as the cell's are.
	Value() ([]byte, error)
	// Err is why Next returned false: nil at the end of the scan, the
	// context's own error after a cancellation.
	Err() error
	// Stats is what the cursor did so far.
	Stats() ScanStats
	// Close releases the cursor; it may be called again.
	Close() error
}

// Releaser is a Cursor or a Txn whose memory can go to the next one.
type Releaser interface {
	// Release is the last Close, of a transaction the last Rollback: it also
	// gives up the cursor or the transaction itself, which nobody may use any
	// more.
	Release() error
}

// Skipper is a Cursor that can pass over rows without reading them.
type Skipper interface {
	// SkipTo says that behind the current cell none is wanted of a row before
	// this one in the order of the scan, which must be Ordered or ByPartition:
	// Next then steps over them. It reports false and does nothing where that
	// is not cheaper than to read them.
	SkipTo(row []byte) bool
}

// RunCounter is a Cursor that can count cells without giving out each.
type RunCounter interface {
	// CountRun steps over cells that follow each other and whose rows share their
	// first n bytes, or are one row that is shorter, and gives these bytes and
	// the number of the cells; more cells of the same bytes may come in the next
	// call. The bytes are valid until then. No cells are left where the number is
	// 0; Err says why. A cursor that has been asked for a run gives no cells
	// any more.
	CountRun(n int) (row []byte, cells int64)
}

// Explainer is a Txn that can say what it asks servers.
type Explainer interface {
	// ExplainScan is the calls that Scan would make, in the store's own words, one a
	// line. It reads nothing.
	ExplainScan(tables []*Table, s *Scan) ([]string, error)
}

// Divider is a Cursor that can leave what it has not read to others.
type Divider interface {
	// Divide ends the cursor at a place that it has not reached, and gives
	// about n scans for what is behind, to be read in any order or at the same
	// time. In their order they follow the cursor, in its own, and are about
	// equally large; a row is never divided. There are none where nothing is to
	// be divided; then, and on an error, the cursor is as before. A cursor that
	// has not been stepped leaves everything.
	Divide(n int) ([]Scan, error)
}

// ScanStats counts the work of a cursor.
type ScanStats struct {
	Cells      int64 // versions looked at
	Seeks      int64 // repositionings of an iterator
	Requests   int64 // sent to servers, of a store that has some
	Bytes      int64 // of cells that the servers sent
	Partitions int   // partitions opened so far; of those cut by time, leaves
}
