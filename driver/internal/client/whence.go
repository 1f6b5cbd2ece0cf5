// Package client tells servers where a client comes from, and whether its connection is what an account requires.
package client

import "net"

// Whence is where a client comes from: its address as the process list has it, and what the host of an account
// may match, the name for USER() first.
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

// IsLocal is true of addresses that only this machine reaches.
func IsLocal(a net.Addr) bool {
	switch a := a.(type) {
	case *net.UnixAddr:
		return true
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	}
	return a.Network() == "pipe"
}
