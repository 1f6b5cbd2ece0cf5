// Package filter has HBase's filters and comparators
// (https://hbase.apache.org/book.html#client.filter), and the language in which HBase's shell and its
// Thrift server write them ([Parse]).
//
// A [Filter] is a description: a value that many scans may use concurrently. Each scan opens it and gets
// an [Evaluator] of its own, which it calls for rows and cells in HBase's order:
//
//	FilterAllRemaining   before each row and each cell; true ends the scan
//	FilterRowKey         once for each row; true excludes the row
//	FilterCell           for each version of a wanted column, before versions are counted
//	TransformCell        for each cell that is included
//	FilterRowCells       once for each row, if HasFilterRow
//	FilterRow            once for each row with cells left; true excludes it
//	Reset                after each row
package filter

// Cell is one version of one column of one row.
type Cell struct {
	Row       []byte
	Family    string
	Qualifier []byte
	Timestamp int64
	Value     []byte
}

// Code says what becomes of a cell and of those after it in the same row and family; a hint may lead
// further.
type Code uint8

// The codes.
const (
	Include               Code = iota // the cell is included
	IncludeAndNextCol                 // the cell is included, older versions of its column are skipped
	IncludeAndSeekNextRow             // the cell is included, everything after it is skipped
	Skip                              // the cell is excluded
	NextCol                           // the cell and the older versions of its column are excluded
	NextRow                           // the cell and everything after it are excluded
	SeekNextUsingHint                 // everything before NextCellHint is excluded
)

// Filter is the description of a filter. Evaluators do not change it.
type Filter interface {
	// Open returns an Evaluator for one scan, or the reason why there is none: ErrInvalid, ErrRegex.
	// reversed is true for scans whose rows descend.
	Open(reversed bool) (Evaluator, error)
}

// Evaluator is a filter in use by one scan. A Cell and its bytes belong to the caller and are
// only valid during the call.
type Evaluator interface {
	// Reset is called between rows.
	Reset()
	// FilterAllRemaining reports whether the scan is over.
	FilterAllRemaining() bool
	// FilterRowKey reports whether the row is excluded, whatever its cells.
	FilterRowKey(row []byte) bool
	// FilterCell returns what becomes of a cell.
	FilterCell(c *Cell) Code
	// TransformCell changes an included cell. It may replace Value, but must not write into it.
	TransformCell(c *Cell)
	// HasFilterRow reports whether the filter needs whole rows.
	HasFilterRow() bool
	// FilterRowCells returns those of a row's cells that stay, in the same memory.
	FilterRowCells(cells []Cell) []Cell
	// FilterRow reports whether the row is excluded after all.
	FilterRow() bool
	// NextCellHint returns the first place that may pass, after SeekNextUsingHint for c.
	NextCellHint(c *Cell) Hint
	// Versionless reports whether FilterCell returns the same for all versions of a column as for the
	// newest, whatever their timestamps and values, so that a store may count versions first.
	Versionless() bool
}

// Hint is a place at which to continue. Without a Row it is none: the next cell. In a reversed scan the
// rows before it, in descending order, are skipped.
type Hint struct {
	Row []byte
	// Family and Qualifier are the column; without a Family it is the start of the row.
	Family    string
	Qualifier []byte
}
