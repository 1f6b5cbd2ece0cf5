// Package grouping keeps groups of rows: in memory their keys, what is kept of their first
// rows and the states of their aggregates, and where that is used up, in temporary files, the
// rows of further groups.
//
// A Table is the groups that a goroutine makes; a Union puts the tables of several together.
// Rows of groups for which there is no memory are an Overflow: divided by the hashes of their keys, so
// that groups can be made of a partition at a time, or in the order of their keys. A Backlog is
// what groups in memory would have to remember of further rows.
package grouping
