// Package agg groups rows and computes their aggregates. [Aggregate] plans it: for rows that arrive
// group by group (aggregate_stream.go), by a hash table in memory or, beyond that, in files
// (aggregate_hash.go), on several goroutines (parallelgroups.go), or without reading each row
// (minmaxseek.go). [Rollup] adds the groups of fewer keys (rollup.go, rolluprows.go). Files batch_*.go
// read and make batches. Packages aggregate and grouping have what groups remember.
package agg
