// Package grouping keeps groups of rows: in memory their keys, what is kept of their first rows and the
// states of their aggregates, and once memory is used up, in temporary files the rows of further groups.
//
// A Table has the groups that one goroutine makes; a Union combines the tables of several. An Overflow
// has the rows of groups that do not fit in memory: partitioned by the hashes of their keys, so that
// groups can be made one partition at a time, or sorted by their keys. A Backlog has the further rows
// that groups in memory would have to remember.
package grouping
