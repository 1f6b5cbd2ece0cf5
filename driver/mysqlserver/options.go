package mysqlserver

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
)

// Options say how Serve serves. A field's zero value is its default.
type Options struct {
	// Accounts may log in. nil stands for those that the store keeps: at first
	// root@localhost without a password.
	Accounts *Accounts
	// TLS, if not nil, offers TLS to the clients. To verify clients' certificates,
	// set ClientCAs, and ClientAuth to tls.VerifyClientCertIfGiven.
	TLS *tls.Config
	// Insecure allows a listener without TLS that other machines can reach.
	Insecure bool
	// MaxConnections is how many clients may be connected, including those of the
	// store's other listeners. Another one gets 1040, except one client with the right
	// SUPER. 0 is DefaultMaxConnections.
	MaxConnections int
	// ConnectTimeout is how long a client may take to log in; 0 is 10 seconds.
	ConnectTimeout time.Duration
	// MaxNetTimeout is the maximum of a client's net_read_timeout and net_write_timeout,
	// MaxWaitTimeout that of its wait_timeout and interactive_timeout; 0 is
	// DefaultMaxNetTimeout and DefaultMaxWaitTimeout. Fractions of a second are ignored.
	MaxNetTimeout, MaxWaitTimeout time.Duration
	// Grace is how long running statements may go on when the server ends; 0
	// interrupts them at once.
	Grace time.Duration
	// Log, if not nil, receives failed logins, the server's own failures, and
	// statements that take longer than long_query_time. It never receives a
	// password.
	Log *slog.Logger
}

// DefaultMaxConnections is the default of Options.MaxConnections.
const DefaultMaxConnections = 4096

// The defaults of Options.MaxNetTimeout and Options.MaxWaitTimeout.
const (
	DefaultMaxNetTimeout  = time.Hour
	DefaultMaxWaitTimeout = 24 * time.Hour
)

func (o Options) complete() Options {
	if o.MaxConnections == 0 {
		o.MaxConnections = DefaultMaxConnections
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = 10 * time.Second
	}
	if o.MaxNetTimeout == 0 {
		o.MaxNetTimeout = DefaultMaxNetTimeout
	}
	if o.MaxWaitTimeout == 0 {
		o.MaxWaitTimeout = DefaultMaxWaitTimeout
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// most are the maxima of variables that clients may set.
func (o Options) most() map[string]uint64 {
	net, wait := wholeSeconds(o.MaxNetTimeout), wholeSeconds(o.MaxWaitTimeout)
	return map[string]uint64{"net_read_timeout": net, "net_write_timeout": net,
		"wait_timeout": wait, "interactive_timeout": wait}
}

func wholeSeconds(d time.Duration) uint64 { return uint64(max(d, time.Second) / time.Second) }

// CheckListener fails if other machines can reach l and there is no account, or one
// without a password, or no TLS unless Insecure. Serve calls it.
func (o Options) CheckListener(ctx context.Context, l net.Listener, db *sql.DB) error {
	if client.IsLocal(l.Addr()) {
		return nil
	}
	source, err := o.source(ctx, db)
	if err != nil {
		return err
	}
	accounts, err := source.Accounts(ctx)
	if err != nil {
		return err
	}
	if len(accounts.All()) == 0 {
		return fmt.Errorf("mysqlserver: %s can be reached from other machines: it needs an account with a password", l.Addr())
	}
	if open := accounts.WithoutProof(); len(open) > 0 {
		return fmt.Errorf("mysqlserver: %s can be reached from other machines: every account needs a password, but %s has none",
			l.Addr(), strings.Join(open, ", "))
	}
	if o.TLS == nil && !o.Insecure {
		return errors.New("mysqlserver: " + l.Addr().String() +
			" can be reached from other machines: it needs a certificate for TLS, or the option Insecure")
	}
	return nil
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
