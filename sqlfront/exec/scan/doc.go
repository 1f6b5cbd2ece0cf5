// Package scan reads one stored relation: [Access] is how its rows are found, [Scan] a running one.
//
// Access binds what its condition is given and works out spans and partitions (access.go, given.go,
// partitions.go), decides what it provides of its reader's wishes (provided.go, sequence.go), and
// gives cells one by one or in batches (scan.go, batch.go, columns.go, cells.go), merged in the
// order behind a salt (bucketmerge.go), or counted where they are alike (runcount.go). It says
// about how much that is (estimate.go), what is printed of it (step.go, named.go), and which rows
// are locked (locking.go).
//
// A pipeline is a scan and the operators over it that process its rows one by one, its [Link]s
// (pipeline.go). It may be opened once more for each part of the scan (partrun.go).
package scan
