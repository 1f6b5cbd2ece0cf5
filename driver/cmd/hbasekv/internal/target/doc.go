// Package target finds what a name on the command line is in a store: a table, or a table group
// with its families.
package target
