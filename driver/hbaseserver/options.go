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

// Options say how Serve serves. A field's zero value is its default.
type Options struct {
	// Advertise is the host, or host:port, to which clients are told to connect; empty is the listener's
	// address.
	Advertise string
	// Accounts may log in: clients with a certificate whose common name is that of an account that requires
	// one, and clients that give the name of an account that requires nothing. nil stands for the accounts
	// that the store keeps; until one is created in it, clients may do everything.
	Accounts privilege.Source
	// TLS, if not nil, is for clients that begin with TLS, at both listeners. To verify their certificates,
	// set ClientCAs, and ClientAuth to tls.VerifyClientCertIfGiven.
	TLS *tls.Config
	// Insecure allows listeners that other machines can reach without TLS, and with any account.
	Insecure bool
	// MaxConnections is how many clients may be connected, including those of SQL on the store, and how many
	// to zookeeper; others are turned away. 0 is DefaultMaxConnections.
	MaxConnections int
	// MaxQueuedBytes is how many bytes all running calls may have together; clients are told to retry any
	// more. 0 is 1 GiB, as in HBase.
	MaxQueuedBytes int64
	// ConnectTimeout is how long a client may take until its first call; 0 is 10 seconds. IdleTimeout is how
	// long it may be silent with nothing running; 0 is an hour.
	ConnectTimeout, IdleTimeout time.Duration
	// Grace is how long running calls may go on when the server ends; 0 interrupts them at once. Clients get
	// an answer.
	Grace time.Duration
	// Lease is how long a scanner waits for its client; 0 is a minute, as in HBase.
	Lease time.Duration
	// MaxScanners is how many scanners may be open; 0 is DefaultMaxScanners.
	MaxScanners int
	// Faults, if not nil, stands between clients and the server, for tests.
	Faults Faults
	// Log, if not nil, receives refused clients, the server's own failures, and calls that take longer than
	// long_query_time.
	Log *slog.Logger
}

// The defaults of Options.
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

// limits are the limits of the connections.
func (o Options) limits() rpc.Limits {
	out := rpc.DefaultLimits()
	out.Setup, out.Idle, out.Grace = o.ConnectTimeout, o.IdleTimeout, o.Grace
	if o.MaxQueuedBytes > 0 {
		out.MaxQueued = o.MaxQueuedBytes
	}
	return out
}

// source returns the source of the accounts.
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

// CheckListener fails, unless Insecure, if other machines can reach l and there is no TLS, no account was
// created, or one requires neither a password nor a certificate. Serve calls it.
func (o Options) CheckListener(ctx context.Context, l net.Listener, db *sql.DB) error {
	if o.Insecure || client.IsLocal(l.Addr()) {
		return nil
	}
	reached := "hbaseserver: " + l.Addr().String() + " can be reached from other machines: it needs "
	if o.TLS == nil {
		return errors.New(reached + "a certificate for TLS, or the option Insecure")
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

// advertised is the address to which clients are told to connect.
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
