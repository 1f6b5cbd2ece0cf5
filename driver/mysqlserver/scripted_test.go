package mysqlserver

import (
	"io"
	"net"
	"time"
)

// scripted is a connection from which a text is read, and to which nothing is
// written.
type scripted struct{ io.Reader }

func (s *scripted) Write(p []byte) (int, error)      { return len(p), nil }
func (s *scripted) Close() error                     { return nil }
func (s *scripted) LocalAddr() net.Addr              { return &net.UnixAddr{} }
func (s *scripted) RemoteAddr() net.Addr             { return &net.UnixAddr{} }
func (s *scripted) SetDeadline(time.Time) error      { return nil }
func (s *scripted) SetReadDeadline(time.Time) error  { return nil }
func (s *scripted) SetWriteDeadline(time.Time) error { return nil }
