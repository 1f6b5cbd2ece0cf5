package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// hbaseDoors are the listeners of HBase's clients; both are nil where --hbase is not given.
type hbaseDoors struct{ calls, zookeeper net.Listener }

func (c *serveCommand) hbaseOptions() hbaseserver.Options {
	return hbaseserver.Options{Advertise: c.hbaseHost, Insecure: c.insecure, MaxConnections: c.maxConnections, Log: c.log}
}

// openHBase opens what --hbase and --zookeeper say.
func (c *serveCommand) openHBase() (d hbaseDoors, err error) {
	if c.hbase == "" {
		if c.zookeeper != "" || c.hbaseHost != "" {
			err = errors.New("--zookeeper and --hbase-host go with --hbase")
		}
		return d, err
	}
	if d.calls, err = c.listenHBase(c.hbase); err == nil && c.zookeeper != "" {
		d.zookeeper, err = c.listenHBase(c.zookeeper)
	}
	if err != nil {
		d.close()
		return hbaseDoors{}, err
	}
	return d, nil
}

func (c *serveCommand) listenHBase(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if err := c.hbaseOptions().CheckListener(l); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (d hbaseDoors) close() {
	for _, l := range []net.Listener{d.calls, d.zookeeper} {
		if l != nil {
			l.Close()
		}
	}
}

// serveHBase is what serves HBase's clients; nothing where there are no listeners.
func (c *serveCommand) serveHBase(d hbaseDoors, db *sql.DB) (serve []func(context.Context) error) {
	if d.calls == nil {
		return nil
	}
	fmt.Fprintf(c.out, "hbasekv: HBase's clients on %s\n", d.calls.Addr())
	if d.zookeeper != nil {
		fmt.Fprintf(c.out, "hbasekv: their ZooKeeper on %s\n", d.zookeeper.Addr())
	}
	return append(serve, func(ctx context.Context) error {
		return hbaseserver.Serve(ctx, d.calls, d.zookeeper, db, c.hbaseOptions())
	})
}
