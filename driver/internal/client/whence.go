// Package client tells servers where a client comes from, and whether its connection is what an account requires.
package client

import "net"

// Whence returns where a client comes from: its address as in the process list, and the names that an
// account's host may match, the one for USER() first.
func Whence(peer net.Addr) (address string, hosts []string) {
	tcp, ok := peer.(*net.TCPAddr)
	switch {
	case !ok:
		return "localhost", []string{"localhost"}
	case tcp.IP.IsLoopback():
		return tcp.String(), []string{"localhost", tcp.IP.String()}
	}
	return tcp.String(), []string{tcp.IP.String()}
}

// IsLocal reports whether only this machine can reach the address.
func IsLocal(a net.Addr) bool {
	switch a := a.(type) {
	case *net.UnixAddr:
		return true
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	}
	return a.Network() == "pipe"
}
