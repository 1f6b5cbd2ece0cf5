// Package pipeline is what runs over one scan, or several, without keeping rows: filters (filter.go),
// projections and what of them is evaluated when a row is given (project.go, whengiven.go), LIMIT
// (limit.go), rows that are read ahead (readahead.go), or evaluated many at a time for those who keep
// them (batch_rows.go).
//
// Several goroutines read the parts of a pipeline (exchange.go), or the branches of a union (branches.go),
// in which joins tell how they are done (joinlink.go). What they have read is kept in its order
// (parallelrows.go) or given ahead (parallelresults.go).
package pipeline
