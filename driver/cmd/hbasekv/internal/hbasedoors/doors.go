// Package hbasedoors is the listeners by which the command serves HBase's clients.
package hbasedoors

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/spf13/pflag"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
)

// Flags are the values of the command line.
type Flags struct {
	calls, zookeeper, host string
	lease, idle            time.Duration
}

// Define adds the flags to those of a command.
func (f *Flags) Define(of *pflag.FlagSet) {
	of.StringVar(&f.calls, "hbase", "", "the address for HBase clients, which log in with certificates, or as accounts without a password; none if empty")
	of.StringVar(&f.zookeeper, "zookeeper", "", "the address where HBase clients look up --hbase, as in ZooKeeper; none if empty")
	of.StringVar(&f.host, "hbase-host", "", "the host, or host:port, that clients are given for --hbase (default: the address itself)")
	of.DurationVar(&f.lease, "hbase-lease", time.Minute, "how long a scanner stays open without a request from its client")
	of.DurationVar(&f.idle, "hbase-idle", time.Hour, "how long a client connection may be idle")
}

// Given reports whether to serve HBase's clients.
func (f *Flags) Given() bool { return f.calls != "" }

// Doors are listeners; the zero value has none.
type Doors struct {
	calls, zookeeper net.Listener
	options          hbaseserver.Options
}

// Open opens the listeners of the flags, which also set Advertise, Lease and IdleTimeout of the options.
func (f *Flags) Open(o hbaseserver.Options) (*Doors, error) {
	o.Advertise, o.Lease, o.IdleTimeout = f.host, f.lease, f.idle
	d := &Doors{options: o}
	if !f.Given() {
		if f.zookeeper != "" || f.host != "" {
			return nil, errors.New("--zookeeper and --hbase-host go with --hbase")
		}
		return d, nil
	}
	err := d.listen(&d.calls, f.calls)
	if err == nil && f.zookeeper != "" {
		err = d.listen(&d.zookeeper, f.zookeeper)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *Doors) listen(into *net.Listener, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	*into = l
	return nil
}

// Close closes the listeners. It may be called twice.
func (d *Doors) Close() {
	for _, l := range []net.Listener{d.calls, d.zookeeper} {
		if l != nil {
			l.Close()
		}
	}
}

// Serve returns the functions that serve db at the doors, which it prints to out; none without doors.
// accounts are those for logins, nil for those that the store keeps. It fails if CheckListener does.
func (d *Doors) Serve(ctx context.Context, db *sql.DB, accounts privilege.Source, out io.Writer,
) ([]func(context.Context) error, error) {
	if d.calls == nil {
		return nil, nil
	}
	d.options.Accounts = accounts
	for _, l := range []net.Listener{d.calls, d.zookeeper} {
		if l == nil {
			continue
		}
		if err := d.options.CheckListener(ctx, l, db); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(out, "hbasekv: HBase's clients on %s\n", d.calls.Addr())
	if d.zookeeper != nil {
		fmt.Fprintf(out, "hbasekv: their ZooKeeper on %s\n", d.zookeeper.Addr())
	}
	return []func(context.Context) error{func(ctx context.Context) error {
		return hbaseserver.Serve(ctx, d.calls, d.zookeeper, db, d.options)
	}}, nil
}
