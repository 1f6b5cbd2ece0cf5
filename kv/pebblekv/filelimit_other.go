//go:build !unix

package pebblekv

// fileLimit is how many files the process may have open; 0 where that is not known.
func fileLimit() uint64 { return 0 }
