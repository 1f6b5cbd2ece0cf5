// Package rows runs INSERT, REPLACE, UPDATE and DELETE of typed tables, whose rows are cells of a
// family: each statement locks the rows that it changes, reads what the store has of them, and
// writes the cells that differ.
package rows
