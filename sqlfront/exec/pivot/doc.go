// Package pivot is the operator that makes rows of the newest cells of a table, a column of each
// qualifier: typed tables and views of wide rows are read by it.
//
// The types that matter: [Shape], which cells make up the rows, found once for a plan; [Pivot], the
// operator.
package pivot
