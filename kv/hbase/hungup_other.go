//go:build !unix

package hbase

import "syscall"

// hungUp is not found out here: the first call on such a connection fails.
func hungUp(syscall.RawConn) bool { return false }
