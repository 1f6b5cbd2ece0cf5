package hbaseserver

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tcpio"
	"github.com/hbasekv/hbasekv/driver/internal/accept"
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
)

// Serve serves db, a database of the driver hbasekv, to HBase's clients that connect to calls, and answers
// their requests to ZooKeeper at zookeeper, which may be nil, until ctx ends or a listener fails. Then it
// reads no more calls, answers the running ones, which it interrupts after Options.Grace, and returns when
// all clients have gone: nil if ctx ended it. It closes the listeners, but not db.
func Serve(ctx context.Context, calls, zookeeper net.Listener, db *sql.DB, o Options) error {
	o = o.complete()
	doors := []*door{{listener: calls}}
	if zookeeper != nil {
		doors = append(doors, &door{listener: zookeeper})
	}
	for _, d := range doors {
		defer d.listener.Close()
		if err := o.CheckListener(ctx, d.listener, db); err != nil {
			return err
		}
	}
	s, err := newServer(ctx, calls, db, o)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil // it ended before the first client
	case err != nil:
		return err
	}
	defer s.handover.closeAll()
	defer s.scanners.closeAll()
	connections := &rpc.Server{Handler: s, Registry: s.clusterID(), Log: o.Log, Limits: o.limits(),
		Received: &s.wire.Received, Sent: &s.wire.Sent}
	doors[0].serve, doors[0].enters = connections.ServeConn, s.enters
	if zookeeper != nil {
		doors[1].serve = s.zookeeper().ServeConn
	}
	watching, unwatch := context.WithCancel(ctx)
	defer unwatch()
	go s.watch(watching)
	return open(ctx, doors, o)
}

// watchEvery is how often the server looks for sessions that were killed.
const watchEvery = 100 * time.Millisecond

// watch closes the connections of sessions that were killed.
func (s *server) watch(ctx context.Context) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.live.endKilled()
		}
	}
}

// enters counts a client among all clients of the store; ok is false if it is one too many.
func (s *server) enters() (leave func(), ok bool) {
	s.wire.Accepted.Add(1)
	leave = func() { s.wire.Open.Add(-1) }
	if s.wire.Open.Add(1) <= int64(s.options.MaxConnections) {
		return leave, true
	}
	leave()
	s.wire.Refused.Add(1)
	return nil, false
}

// server is the state of one Serve.
type server struct {
	options  Options
	self     tables.Server
	cluster  string // its ID
	store    kv.Store
	client   *rowapi.Client
	views    *tables.Views
	changes  *tables.Changes
	scanners *scanners
	handover handover
	nonces   nonces
	services map[string]map[string]method
	guards   *guard.Guards
	sessions *driver.Sessions
	accounts privilege.Source
	wire     *metrics.Wire
	live     sessions
	switches switches

	procedures procedures
}

func newServer(ctx context.Context, calls net.Listener, db *sql.DB, o Options) (*server, error) {
	sessions, err := driver.SessionsOf(ctx, db)
	if err != nil {
		return nil, err
	}
	store, err := sessions.Store()
	if err != nil {
		return nil, err
	}
	accounts, err := o.source(ctx, db)
	if err != nil {
		return nil, err
	}
	wire, err := sessions.Wire()
	if err != nil {
		return nil, err
	}
	host, port, err := o.advertised(calls)
	if err != nil {
		return nil, err
	}
	database := sessions.Options().Database
	names := tables.Names{Default: database}
	s := &server{options: o, store: store, self: tables.Server{Host: host, Port: port, Start: uint64(time.Now().UnixMilli())},
		views: tables.NewViews(store, names), changes: tables.NewChanges(store, names), cluster: newClusterID(),
		scanners: newScanners(o.Lease, o.MaxScanners), handover: handover{lease: o.Lease, most: o.MaxScanners},
		sessions: sessions, accounts: accounts, wire: wire}
	s.client = rowapi.New(store, rowapi.Options{Database: database, Disabled: s.views.Disabled})
	s.services = s.methods()
	s.guards = guard.New(s.views, names, slices.Collect(maps.Keys(quietMethods())))
	_, err = s.views.View(ctx)
	return s, err
}

// door is a listener and the function that serves its clients.
type door struct {
	listener net.Listener
	serve    func(context.Context, net.Conn)
	// enters counts a client; ok is false if it is one too many. nil counts only the clients of this door.
	enters func() (leave func(), ok bool)
}

// open accepts clients at all doors until ctx ends or a listener fails, and waits for them to leave.
func open(ctx context.Context, doors []*door, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	for _, d := range doors {
		context.AfterFunc(ctx, func() { d.listener.Close() })
		running.Go(func() {
			if err := d.accept(ctx, o); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return nil
}

// accept serves each client in its own goroutine, and returns when all have gone.
func (d *door) accept(ctx context.Context, o Options) error {
	var running sync.WaitGroup
	defer running.Wait()
	if d.enters == nil {
		d.enters = atMost(o.MaxConnections)
	}
	start := func(conn net.Conn) {
		leave, ok := d.enters()
		if !ok {
			conn.Close()
			return
		}
		running.Go(func() {
			defer leave()
			secured, err := o.secure(ctx, tcpio.Wrap(conn))
			if err != nil {
				conn.Close()
				o.Log.Warn("connection refused", "client", conn.RemoteAddr(), "error", err)
				return
			}
			d.serve(ctx, secured)
		})
	}
	return accept.Each(ctx, d.listener, start, func(err error, again time.Duration) {
		o.Log.Error("accept", "error", err, "again", again)
	})
}

// atMost limits the clients of one door to n.
func atMost(n int) func() (leave func(), ok bool) {
	free := make(chan struct{}, n)
	return func() (leave func(), ok bool) {
		select {
		case free <- struct{}{}:
			return func() { <-free }, true
		default:
			return nil, false
		}
	}
}
