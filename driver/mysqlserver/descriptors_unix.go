//go:build unix

package mysqlserver

import (
	"math"

	"golang.org/x/sys/unix"
)

// descriptors is how many files the process may have open; 0 if that is not known.
func descriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt32))
}
