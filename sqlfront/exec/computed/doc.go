// Package computed is relations whose rows are made while they are read, and not stored: tables of
// the catalog ([Virtual]), whose rows the planner's caller gives ([VirtualRows]), and JSON_TABLE
// ([JSONTable]).
package computed
