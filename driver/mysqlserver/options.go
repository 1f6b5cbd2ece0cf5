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

// Options say how Serve serves. Of each field the zero value is the default.
type Options struct {
	// Accounts are those who may log in. nil are those that the store keeps: at first
	// root@localhost without a password.
	Accounts *Accounts
	// TLS, where it is not nil, offers TLS to the clients. To have certificates of
	// clients verified, set ClientCAs and ClientAuth to tls.VerifyClientCertIfGiven.
	TLS *tls.Config
	// Insecure allows a listener that others than this machine can reach to be without
	// TLS.
	Insecure bool
	// MaxConnections is how many clients may be connected, those of other listeners on
	// the store among them; a further one gets 1040, except for one that has the right
	// SUPER. 0 is DefaultMaxConnections.
	MaxConnections int
	// ConnectTimeout is how long a client may take to log in; 0 is 10 seconds.
	ConnectTimeout time.Duration
	// MaxNetTimeout is the longest net_read_timeout and net_write_timeout that a client
	// may ask for, MaxWaitTimeout the longest wait_timeout and interactive_timeout; 0 are
	// DefaultMaxNetTimeout and DefaultMaxWaitTimeout. Fractions of a second are left out.
	MaxNetTimeout, MaxWaitTimeout time.Duration
	// Grace is how long statements may go on when the server is asked to end; 0 is not
	// at all.
	Grace time.Duration
	// Log, where it is not nil, is told of failed logins, of the server's own
	// failures and of statements that take longer than long_query_time. No password
	// is ever in it.
	Log *slog.Logger
}

// DefaultMaxConnections is Options.MaxConnections where nobody says.
const DefaultMaxConnections = 4096

// What Options grant to clients where nobody says.
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

// most are the greatest values of variables that clients may set.
func (o Options) most() map[string]uint64 {
	net, wait := wholeSeconds(o.MaxNetTimeout), wholeSeconds(o.MaxWaitTimeout)
	return map[string]uint64{"net_read_timeout": net, "net_write_timeout": net,
		"wait_timeout": wait, "interactive_timeout": wait}
}

func wholeSeconds(d time.Duration) uint64 { return uint64(max(d, time.Second) / time.Second) }

// CheckListener refuses what must not be open to other machines: accounts without a
// password, and a listener without TLS unless Insecure. Serve asks it.
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
		return fmt.Errorf("mysqlserver: %s can be reached from other machines: it needs an account with a password, and %s has none",
			l.Addr(), strings.Join(open, ", "))
	}
	if o.TLS == nil && !o.Insecure {
		return errors.New("mysqlserver: " + l.Addr().String() +
			" can be reached from other machines: it needs a certificate for TLS, or to be called insecure")
	}
	return nil
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
