// Package load is the command that loads files into tables.
package load
