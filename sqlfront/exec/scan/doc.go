// Package scan reads one stored relation: [Access] is how its rows are found, [Scan] a running one.
//
// Access binds the values of its condition and determines spans and partitions (access.go,
// given.go, partitions.go), decides which of its reader's wishes it provides (open.go,
// sequence.go), and returns cells one by one or in batches (scan.go, batch.go, columns.go), merged
// in the order after a salt (bucketmerge.go), or counted if they share a prefix (runcount.go). It
// estimates the work (estimate.go), and has what EXPLAIN prints (step.go, named.go), and which rows
// are locked (locking.go).
//
// A pipeline is a scan and the operators over it that process its rows one by one, its [Link]s
// (pipeline.go). It may be opened again for each part of the scan (partrun.go).
package scan
