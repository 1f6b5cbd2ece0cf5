// Package typedscan reads typed tables: its rows have their columns, made of the cells of one row of the store
// each.
//
// The types that matter: [Table], a typed table as a node of a plan, with the access to its cells;
// [Rows], a running one. Rows come one by one (rows.go), or as vectors where the store gives whole rows
// (batch.go).
package typedscan
