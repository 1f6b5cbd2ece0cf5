package hbaseserver

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// Options say how Serve serves. Of each field the zero value is the default.
type Options struct {
	// Advertise is the host, or host:port, that clients are told to connect to; empty is the address of the
	// listener.
	Advertise string
	// Accounts are those who may log in: clients with a certificate whose common name is an account's that requires
	// one, and those who say the name of one that asks for nothing. nil are those that the store keeps, and as long
	// as nobody has made one in it, clients may do everything.
	Accounts privilege.Source
	// TLS, where it is not nil, is what clients that begin with TLS are answered by, at both listeners. To have
	// their certificates verified, set ClientCAs and ClientAuth to tls.VerifyClientCertIfGiven.
	TLS *tls.Config
	// Insecure allows listeners that others than this machine can reach to be without TLS, and to any account.
	Insecure bool
	// MaxConnections is how many clients may be connected, those of SQL on the store among them, and how many to
	// zookeeper; others are turned away. 0 is DefaultMaxConnections.
	MaxConnections int
	// MaxQueuedBytes is how many bytes the calls under way may have together; clients are told to come again with others.
	// 0 is 1 GiB, as in HBase.
	MaxQueuedBytes int64
	// ConnectTimeout is how long a client may take until it calls; 0 is 10 seconds. IdleTimeout is how long it may
	// be silent with nothing under way; 0 is an hour.
	ConnectTimeout, IdleTimeout time.Duration
	// Grace is how long calls may go on when the server ends; 0 is not at all. Their clients are answered.
	Grace time.Duration
	// Lease is how long a scanner waits for its client; 0 is a minute, as in HBase.
	Lease time.Duration
	// MaxScanners is how many scanners may be open; 0 is DefaultMaxScanners.
	MaxScanners int
	// Faults, where it is not nil, stands between clients and the server, for tests.
	Faults Faults
	// Log, where it is not nil, is told of clients that are refused, of the server's own failures, and of calls
	// that take longer than long_query_time.
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
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = 10 * time.Second
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = time.Hour
	}
	if o.Lease == 0 {
		o.Lease = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// limits are those of the connections.
func (o Options) limits() rpc.Limits {
	out := rpc.DefaultLimits()
	out.Setup, out.Idle, out.Grace = o.ConnectTimeout, o.IdleTimeout, o.Grace
	if o.MaxQueuedBytes > 0 {
		out.MaxQueued = o.MaxQueuedBytes
	}
	return out
}

// source is where the accounts are.
func (o Options) source(ctx context.Context, db *sql.DB) (privilege.Source, error) {
	if o.Accounts != nil {
		return o.Accounts, nil
	}
	sessions, err := driver.SessionsOf(ctx, db)
	if err != nil {
		return nil, err
	}
	return sessions.Accounts()
}

// CheckListener refuses what must not be open to other machines unless Insecure says so: a listener without TLS,
// and accounts that ask for neither a password nor a certificate. Serve asks it.
func (o Options) CheckListener(ctx context.Context, l net.Listener, db *sql.DB) error {
	if o.Insecure || client.IsLocal(l.Addr()) {
		return nil
	}
	reached := "hbaseserver: " + l.Addr().String() + " can be reached from other machines: it needs "
	if o.TLS == nil {
		return errors.New(reached + "a certificate for TLS, or to be called insecure")
	}
	source, err := o.source(ctx, db)
	if err != nil {
		return err
	}
	accounts, err := source.Accounts(ctx)
	if err != nil {
		return err
	}
	if accounts == rights.First {
		return errors.New(reached + "accounts, which its clients log in to by certificates")
	}
	if open := accounts.WithoutProof(); len(open) > 0 {
		return errors.New(reached + "accounts with passwords or certificates, and " + strings.Join(open, ", ") + " has neither")
	}
	return nil
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
