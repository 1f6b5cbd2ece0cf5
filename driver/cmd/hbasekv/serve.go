package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/console"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/hbasedoors"
	"github.com/hbasekv/hbasekv/driver/hbaseserver"
	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

// serveCommand is the state of the serve command.
type serveCommand struct {
	listen, socket        string
	user, passwordFile    string
	accountsFile          string
	certificate, key      string
	clientCA              string
	selfSigned, insecure  bool
	maxConnections        int
	grace, connectTimeout time.Duration
	maxNet, maxWait       time.Duration
	http                  string
	hbase                 hbasedoors.Flags
	pprof                 bool
	console, writes       bool
	slow                  console.SlowStatements
	out                   io.Writer
	log                   *slog.Logger
	accounts              *mysqlserver.Accounts
	certificates          *mysqlserver.Certificates
}

func newServe() *cobra.Command {
	c := &serveCommand{}
	cmd := &cobra.Command{
		Use:   "serve DSN",
		Short: "Serve a store to clients that speak MySQL's protocol, or HBase's",
		Long: `Serve a store to clients that speak MySQL's protocol, and with --hbase to HBase's own clients,
until SIGTERM or an interrupt.

The accounts are those that CREATE USER has made in the store: at first root, who may log in
from this machine without a password, or the one of --user. An address that other machines
reach needs an account with a password, none without one, and TLS unless --insecure is
given. SIGHUP reads the accounts file and the certificate again.

Dumps by mariadb-dump, mysqldump and mydumper hold all versions of each cell, unless the
variable hbasekv_dump_versions says 'latest'. Other tools copy what a session shows, the newest
version of each: serve 'DIR?versions=all' to those. The mariadb command line takes hints
such as /*+ VERSIONS(ALL) */ out of statements unless it is run with --comments: write FOR
SYSTEM_TIME ALL behind the table.`,
		Args: cli.WithUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.out = cmd.ErrOrStderr()
			c.log = slog.New(c.slow.Handler(slog.NewTextHandler(c.out, nil)))
			return c.run(cmd.Context(), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.listen, "listen", "127.0.0.1:3306", "the TCP address to listen on; none if empty")
	f.StringVar(&c.socket, "socket", "", "the path of a socket to listen on, too")
	f.StringVar(&c.user, "user", "", "an account with all privileges, as name or name@host, created unless it exists; the default host is localhost")
	f.StringVar(&c.passwordFile, "password-file", "", "the file with its password, if it is created")
	f.StringVar(&c.accountsFile, "accounts", "", "a script of CREATE USER and GRANT whose accounts take the place of those in the store")
	f.StringVar(&c.certificate, "tls-cert", "", "the certificate for TLS, in PEM")
	f.StringVar(&c.key, "tls-key", "", "its key, in PEM")
	f.StringVar(&c.clientCA, "tls-client-ca", "", "the authorities of clients' certificates, in PEM")
	f.BoolVar(&c.selfSigned, "tls-self-signed", false, "use a certificate made for this run")
	f.BoolVar(&c.insecure, "insecure", false, "allow other machines to connect without TLS")
	f.IntVar(&c.maxConnections, "max-connections", mysqlserver.DefaultMaxConnections, "how many clients may be connected")
	f.DurationVar(&c.grace, "grace", 10*time.Second, "how long statements and calls may go on when the server is to end")
	f.DurationVar(&c.connectTimeout, "connect-timeout", 10*time.Second, "how long a client may take to log in")
	f.DurationVar(&c.maxNet, "max-net-timeout", mysqlserver.DefaultMaxNetTimeout,
		"the longest net_read_timeout and net_write_timeout that a client may set")
	f.DurationVar(&c.maxWait, "max-wait-timeout", mysqlserver.DefaultMaxWaitTimeout,
		"the longest wait_timeout and interactive_timeout that a client may set")
	f.StringVar(&c.http, "http", "", "an address for /metrics, /healthz and /readyz over HTTP, without a password, and for the console; empty is none")
	f.BoolVar(&c.console, "console", true, "let accounts log in at --http with a browser: on this machine, or over TLS")
	f.BoolVar(&c.writes, "console-writes", false, "let them write there, by the rights that they have")
	c.hbase.Define(f)
	f.BoolVar(&c.pprof, "pprof", false, "let --http profile the server at /debug/pprof/, too")
	return cmd
}

func (c *serveCommand) run(ctx context.Context, dsn string) error {
	options, err := c.options()
	if err != nil {
		return err
	}
	listeners, err := c.listeners()
	if err != nil {
		return err
	}
	for _, l := range listeners {
		defer l.Close()
	}
	doors, err := c.hbase.Open(hbaseserver.Options{Insecure: c.insecure, TLS: options.TLS, MaxConnections: c.maxConnections,
		ConnectTimeout: c.connectTimeout, Grace: c.grace, Log: c.log})
	if err != nil {
		return err
	}
	defer doors.Close()
	db, err := sql.Open(driver.Name, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.PingContext(ctx); err != nil {
		return err
	}
	if err := c.ensureUser(ctx, db, &options); err != nil {
		return err
	}
	for _, l := range listeners {
		if err := options.CheckListener(ctx, l, db); err != nil {
			return err
		}
	}
	defer c.reloadOn(syscall.SIGHUP)()
	stop, err := c.startHTTP(ctx, db)
	if err != nil {
		return err
	}
	defer stop()
	sessions, err := driver.SessionsOf(ctx, db)
	if err != nil {
		return err
	}
	watching, unwatch := context.WithCancel(ctx)
	defer unwatch()
	go c.watchHealth(watching, sessions)
	serve, err := doors.Serve(ctx, db, sourceOf(options.Accounts), c.out)
	if err != nil {
		return err
	}
	for _, l := range listeners {
		fmt.Fprintf(c.out, "hbasekv: serving %s on %s\n", dsn, l.Addr())
		serve = append(serve, func(ctx context.Context) error { return mysqlserver.Serve(ctx, l, db, options) })
	}
	defer mysqlserver.Dedicate()()
	if err := serveAll(ctx, serve); err != nil {
		return err
	}
	return db.Close()
}

// serveAll serves at all doors until all have ended; if one fails, it ends the
// others.
func serveAll(ctx context.Context, serve []func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(serve))
	for _, each := range serve {
		go func() {
			ended <- each(ctx)
			cancel()
		}()
	}
	var errs []error
	for range serve {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

func (c *serveCommand) listeners() (all []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, l := range all {
				l.Close()
			}
		}
	}()
	for network, address := range map[string]string{"tcp": c.listen, "unix": c.socket} {
		if address == "" {
			continue
		}
		if network == "unix" {
			removeStale(address)
		}
		l, err := net.Listen(network, address)
		if err != nil {
			return all, err
		}
		all = append(all, l)
	}
	if len(all) == 0 && !c.hbase.Given() {
		return nil, errors.New("nothing to listen on: give --listen, --socket or --hbase")
	}
	return all, nil
}

// removeStale removes a socket on which no process listens any more.
func removeStale(path string) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return
	}
	c, err := net.Dial("unix", path)
	if err == nil {
		c.Close()
		return
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		os.Remove(path)
	}
}

func (c *serveCommand) options() (mysqlserver.Options, error) {
	o := mysqlserver.Options{Insecure: c.insecure, MaxConnections: c.maxConnections, ConnectTimeout: c.connectTimeout,
		MaxNetTimeout: c.maxNet, MaxWaitTimeout: c.maxWait, Grace: c.grace, Log: c.log}
	var err error
	if c.accounts, err = c.givenAccounts(); err != nil {
		return o, err
	}
	o.Accounts = c.accounts
	switch {
	case c.certificate != "":
		c.certificates, err = mysqlserver.LoadCertificates(c.certificate, c.key, c.clientCA)
	case c.selfSigned:
		c.certificates, err = mysqlserver.SelfSigned()
	case c.key != "" || c.clientCA != "":
		err = errors.New("--tls-key and --tls-client-ca go with --tls-cert")
	}
	if err == nil && c.certificates != nil {
		o.TLS = c.certificates.Config()
	}
	return o, err
}

// reloadOn reloads the accounts and the certificate at each of the signals, until
// stop is called.
func (c *serveCommand) reloadOn(signals ...os.Signal) (stop func()) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, signals...)
	go func() {
		for range asked {
			if err := c.reload(); err != nil {
				c.log.Error("reload", "error", err)
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		close(asked)
	}
}

// reload keeps the old state of what cannot be read.
func (c *serveCommand) reload() error {
	var errs []error
	if c.accounts != nil {
		errs = append(errs, c.reloadAccounts())
	}
	if c.certificates != nil {
		errs = append(errs, c.certificates.Reload())
	}
	return errors.Join(errs...)
}
