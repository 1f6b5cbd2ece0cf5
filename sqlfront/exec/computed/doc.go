// Package computed has relations whose rows are computed instead of stored: tables of the catalog
// ([Virtual]), whose rows come from the planner's caller ([VirtualRows]), and JSON_TABLE
// ([JSONTable]).
package computed
