// Package scan reads one stored relation: [Access] is how its rows are found, [Scan] a running one.
//
// Access binds what its condition is given and works out spans and partitions (access.go, given.go,
// partitions.go), grants what its reader would like (grant.go, sequence.go), and gives cells one by one
// or in batches (scan.go, batch.go, columns.go, cells.go), merged in the order behind a salt
// (bucketmerge.go), or counted where they are alike (tally.go). It says about how much that is
// (estimate.go), what is printed of it (step.go, named.go), and which rows are locked (locking.go).
//
// A chain is a scan and the [Link]s over it that make rows of its cells one after the other (chain.go).
// It may be opened once more for each part of the scan (partrun.go).
package scan
