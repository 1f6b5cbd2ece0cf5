// Package typedscan reads typed tables: it returns rows with their columns, each made of the cells of one row
// of the store.
//
// The main types: [Table], a typed table as a node of a plan, with the access to its cells; [Rows], a running
// one. Rows are read one by one (rows.go), or as vectors if the store returns whole rows (batch.go).
package typedscan
