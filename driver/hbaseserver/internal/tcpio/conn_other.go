//go:build !linux

package tcpio

import "net"

// Wrap is c.
func Wrap(c net.Conn) net.Conn { return c }
