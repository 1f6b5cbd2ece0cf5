// Package order puts rows in order and tells those apart that are alike: sorts of all rows (sort.go), of the
// groups of rows that come in the order of the first keys (sortwithin.go), DISTINCT (distinct.go), and calls
// over windows (window.go, windowed.go, window_input.go, window_batch.go), whose frames, ranks and kept rows
// are package window's. Which orders a scan serves is package ordering's, the sorters are package spill's.
package order
