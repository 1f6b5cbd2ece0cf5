//go:build !unix

package hbase

import "syscall"

// hungUp cannot tell here: the first call on such a connection fails.
func hungUp(syscall.RawConn) bool { return false }
