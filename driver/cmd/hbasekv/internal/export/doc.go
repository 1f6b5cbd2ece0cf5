// Package export is the command that writes tables, table groups and results of queries to files.
package export
