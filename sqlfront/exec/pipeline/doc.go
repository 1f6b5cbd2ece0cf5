// Package pipeline has what runs over one or several scans without keeping rows: filters (filter.go),
// projections and their expressions that are evaluated when a row is returned (project.go, whengiven.go),
// LIMIT (limit.go), rows that are read ahead (readahead.go), or evaluated many at a time for readers that
// keep them (batch_rows.go).
//
// Several goroutines read the parts of a pipeline (exchange.go), or the branches of a union (branches.go);
// joins decide how they are done in parts (joinlink.go). The rows read are kept in order (parallelrows.go)
// or returned early (parallelresults.go).
package pipeline
