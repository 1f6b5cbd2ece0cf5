// Package filter has HBase's filters and comparators
// (https://hbase.apache.org/book.html#client.filter), and the language in which HBase's shell and its
// Thrift server write them ([Parse]).
//
// A [Filter] is a description: a value that many scans may use at once. Each scan opens it and gets an
// [Evaluator] of its own, which it asks about rows and cells in HBase's order:
//
//	FilterAllRemaining   before each row and each cell; true ends the scan
//	FilterRowKey         once for each row; true leaves the row out
//	FilterCell           for each version of a wanted column, before versions are counted
//	TransformCell        for each cell that is included
//	FilterRowCells       once for each row, where HasFilterRow
//	FilterRow            once for each row of which there is something; true leaves it out
//	Reset                behind each row
package filter

// Cell is one version of one column of one row.
type Cell struct {
	Row       []byte
	Family    string
	Qualifier []byte
	Timestamp int64
	Value     []byte
}

// Code is what becomes of a cell and of those behind it. All but those behind a hint are of the same
// row and family.
type Code uint8

// The codes.
const (
	Include               Code = iota // the cell is in
	IncludeAndNextCol                 // the cell is in, older versions of its column are not looked at
	IncludeAndSeekNextRow             // the cell is in, nothing behind it is looked at
	Skip                              // the cell is out
	NextCol                           // the cell and the older versions of its column are out
	NextRow                           // the cell and what is behind it are out
	SeekNextUsingHint                 // what is before NextCellHint is out
)

// Filter is a filter as it is described. Evaluators do not change it.
type Filter interface {
	// Open gives an Evaluator for one scan, or says why there is none: ErrInvalid, ErrRegex. reversed is
	// true of scans whose rows descend.
	Open(reversed bool) (Evaluator, error)
}

// Evaluator is a filter while it is asked, of one scan. A Cell and its bytes belong to the caller
// and are valid during the call only.
type Evaluator interface {
	// Reset is called between rows.
	Reset()
	// FilterAllRemaining is true where the scan is over.
	FilterAllRemaining() bool
	// FilterRowKey is true where the row is left out without a look at its cells.
	FilterRowKey(row []byte) bool
	// FilterCell says what becomes of a cell.
	FilterCell(c *Cell) Code
	// TransformCell changes a cell that is included. It may replace Value, and does not write into it.
	TransformCell(c *Cell)
	// HasFilterRow is true where rows must be whole to be judged.
	HasFilterRow() bool
	// FilterRowCells gives those of a row's cells that stay, in the same memory.
	FilterRowCells(cells []Cell) []Cell
	// FilterRow is true where the row is left out after all.
	FilterRow() bool
	// NextCellHint is the first place that may pass, after SeekNextUsingHint for c.
	NextCellHint(c *Cell) Hint
	// Versionless is true where FilterCell says of all versions of a column the same as of the
	// newest, whatever their timestamps and values, so that a store may count versions first.
	Versionless() bool
}

// Hint is a place to go on at. One without a Row is none: the next cell. In a reversed scan the rows
// before it, in descending order, are passed over.
type Hint struct {
	Row []byte
	// Family and Qualifier are the column; without a Family it is the start of the row.
	Family    string
	Qualifier []byte
}
