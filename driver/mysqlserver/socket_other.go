//go:build !linux

package mysqlserver

import "net"

// places is what GOMAXPROCS should be in a process that does little but serve, where
// it would be n: here that is n.
func places(n int) int { return n }

// parking is where sockets wait: here they wait in Go's poller.
type parking struct{}

func newParking() (*parking, error) { return nil, nil }

func (*parking) close() {}

func (*parking) takeOver(c net.Conn) net.Conn { return c }
