//go:build !linux

package tcpio

import "net"

// Wrap returns c.
func Wrap(c net.Conn) net.Conn { return c }
