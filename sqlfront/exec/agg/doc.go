// Package agg makes groups of rows: [Aggregate] plans them, as they come (aggregate_stream.go), by a hash
// in memory and behind that in files (aggregate_hash.go), on several goroutines (parallelgroups.go), or
// without reading each row (minmaxseek.go). [Rollup] adds the groups of fewer keys (rollup.go,
// rolluprows.go). Files batch_*.go read batches and make them; what groups remember is of packages
// aggregate and grouping.
package agg
