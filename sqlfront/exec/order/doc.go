// Package order sorts rows and removes duplicates: sorts of all rows (sort.go), and of groups of rows that
// are ordered by the first keys (sortwithin.go), DISTINCT (distinct.go), and calls over windows (window.go,
// windowed.go, window_input.go, window_batch.go), whose frames, ranks and kept rows are in package window.
// Package ordering knows which orders a scan serves; the sorters are in package spill.
package order
