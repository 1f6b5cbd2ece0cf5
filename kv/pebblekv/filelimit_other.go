//go:build !unix

package pebblekv

// fileLimit returns how many files the process may have open; 0 if unknown.
func fileLimit() uint64 { return 0 }
