package hbaseserver

import (
	"errors"
	"log/slog"
	"net"
	"strconv"
	"time"
)

// Options say how Serve serves. Of each field the zero value is the default.
type Options struct {
	// Advertise is the host, or host:port, that clients are told to connect to; empty is the address of the
	// listener.
	Advertise string
	// Insecure allows listeners that others than this machine can reach. Clients do not log in.
	Insecure bool
	// MaxConnections is how many clients may be connected to a listener; others are turned away. 0 is
	// DefaultMaxConnections.
	MaxConnections int
	// Lease is how long a scanner waits for its client; 0 is a minute, as in HBase.
	Lease time.Duration
	// MaxScanners is how many scanners may be open; 0 is DefaultMaxScanners.
	MaxScanners int
	// Log, where it is not nil, is told of clients that are refused and of the server's own failures.
	Log *slog.Logger
}

// What Options are where nobody says.
const (
	DefaultMaxConnections = 4096
	DefaultMaxScanners    = 10000
)

func (o Options) complete() Options {
	if o.MaxConnections == 0 {
		o.MaxConnections = DefaultMaxConnections
	}
	if o.MaxScanners == 0 {
		o.MaxScanners = DefaultMaxScanners
	}
	if o.Lease == 0 {
		o.Lease = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// CheckListener refuses what must not be open to other machines. Serve asks it.
func (o Options) CheckListener(l net.Listener) error {
	if a, ok := l.Addr().(*net.TCPAddr); o.Insecure || ok && a.IP.IsLoopback() {
		return nil
	}
	return errors.New("hbaseserver: " + l.Addr().String() +
		" can be reached from other machines, and HBase's clients do not log in: it needs to be called insecure")
}

// advertised is where clients are told to connect to.
func (o Options) advertised(l net.Listener) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(l.Addr().String())
	if err == nil && o.Advertise != "" {
		if h, p, err := net.SplitHostPort(o.Advertise); err == nil {
			host, text = h, p
		} else {
			host = o.Advertise
		}
	}
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(text)
	return host, port, err
}
