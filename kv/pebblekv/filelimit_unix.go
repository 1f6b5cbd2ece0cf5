//go:build unix

package pebblekv

import "syscall"

// fileLimit returns how many files the process may have open; 0 if unknown.
func fileLimit() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return uint64(limit.Cur)
}
