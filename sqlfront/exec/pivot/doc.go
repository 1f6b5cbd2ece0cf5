// Package pivot has the operator that turns the newest cells of a table into rows with a column for
// each qualifier, for typed tables and views of wide rows.
//
// The main types: [Shape], which cells make up the rows, found once for a plan; [Pivot], the
// operator.
package pivot
