package mysqlserver

import (
	"context"
	"database/sql"
	"net"
	"path/filepath"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/internal/accept"
	"github.com/hbasekv/hbasekv/driver/internal/client"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/socket"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// Serve serves db, a database of the driver hbasekv, to the clients that connect to
// l, until ctx ends or l fails. Then it accepts no more clients, disconnects idle
// ones, lets running statements go on for Options.Grace, and returns when all have
// ended: nil if ctx ended it. It closes l, but not db. Closing db ends the clients'
// statements. Errors before the first client are those of CheckListener and
// driver.SessionsOf.
//
// Several calls of Serve may share one db, one for each listener.
func Serve(ctx context.Context, l net.Listener, db *sql.DB, o Options) error {
	defer l.Close()
	s, err := newServer(ctx, l, db, o.complete())
	switch {
	case ctx.Err() != nil && err != nil:
		return nil // it ended before the first client
	case err != nil:
		return err
	}
	defer s.parking.Close()
	defer s.announce(l.Addr())()
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer s.cancel()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	go s.watch()
	err = s.accept(ctx, l)
	s.shutdown()
	return err
}

// announce tells programs that find the store held where it is served, until withdraw is called.
func (s *server) announce(a net.Addr) (withdraw func()) {
	address := a.String()
	if a.Network() == "unix" {
		if whole, err := filepath.Abs(address); err == nil {
			address = whole
		}
	}
	return s.sessions.Announce(a.Network(), address)
}

// newServer makes a server that does not serve yet.
func newServer(ctx context.Context, l net.Listener, db *sql.DB, o Options) (*server, error) {
	if err := o.CheckListener(ctx, l, db); err != nil {
		return nil, err
	}
	sessions, err := driver.SessionsOf(ctx, db)
	if err != nil {
		return nil, err
	}
	accounts, err := o.source(ctx, db)
	if err != nil {
		return nil, err
	}
	o = o.fitDescriptors(sessions)
	s := &server{options: o, endpoint: endpointOf(l, o), accounts: accounts, sessions: sessions, conns: map[*conn]struct{}{},
		throttle: client.Throttle{First: client.FirstDelay}, most: o.most()}
	if s.wire, err = sessions.Wire(); err != nil {
		return nil, err
	}
	s.parking, err = socket.NewParking()
	return s, err
}

// endpointOf returns the server's address as reported to clients.
func endpointOf(l net.Listener, o Options) sysvar.Endpoint {
	e := sysvar.Endpoint{MaxConnections: o.MaxConnections}
	switch a := l.Addr().(type) {
	case *net.TCPAddr:
		e.Port = a.Port
	case *net.UnixAddr:
		e.Socket = a.Name
	}
	return e
}

// server is the state of one Serve.
type server struct {
	options  Options
	endpoint sysvar.Endpoint
	accounts privilege.Source
	digests  digests
	sessions *driver.Sessions
	wire     *metrics.Wire
	throttle client.Throttle
	parking  *socket.Parking
	most     map[string]uint64 // of variables
	// ctx ends the running statements.
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	conns   map[*conn]struct{}
	running sync.WaitGroup // a goroutine of each conn
}

func (s *server) accept(ctx context.Context, l net.Listener) error {
	return accept.Each(ctx, l, s.start, func(err error, again time.Duration) {
		s.options.Log.Error("accept", "error", err, "again", again)
	})
}

// start serves a client in a goroutine of its own.
func (s *server) start(c net.Conn) {
	id, err := s.sessions.NextID()
	if err != nil {
		c.Close()
		return
	}
	dedicated.serve()
	served := s.newConn(s.parking.TakeOver(c), id)
	if !s.keep(served) {
		s.turnAway(served)
		return
	}
	go func() {
		defer s.running.Done()
		served.serve()
		s.forget(served)
	}()
}

// turnAway sends 1040 to a client; a new socket's buffer has room for it. The next client is
// accepted only when this one is gone: many that come at once would use up the store's
// descriptors.
func (s *server) turnAway(c *conn) {
	defer s.running.Done()
	s.wire.Refused.Add(1)
	c.refuse(errTooManyConnections)
}

// keep counts a client, and returns false if it is one too many. One client beyond the limit may
// log in if it has the right SUPER, so that it can KILL others
// (https://dev.mysql.com/doc/refman/5.7/en/client-connections.html).
func (s *server) keep(c *conn) bool {
	s.wire.Accepted.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running.Add(1)
	c.beyond = int(s.wire.Open.Add(1)) - s.options.MaxConnections
	if c.beyond > 1 {
		s.wire.Open.Add(-1)
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

func (s *server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.wire.Open.Add(-1)
}

func (s *server) each(fn func(*conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		fn(c)
	}
}

// shutdown disconnects the clients, those with a running statement last.
func (s *server) shutdown() {
	s.each((*conn).stop)
	ended := make(chan struct{})
	go func() {
		s.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return
	case <-time.After(s.options.Grace):
	}
	s.cancel()
	s.each((*conn).hurry)
	<-ended
}

// lastWords is how long the answer to an interrupted statement may wait for the client.
const lastWords = 500 * time.Millisecond

// watchEvery is how often the server checks for clients that have disconnected, and for
// statements and sessions that were interrupted.
const watchEvery = 100 * time.Millisecond

// watch ends the statements of clients that have disconnected, and the connections of
// clients that were interrupted and do not read.
func (s *server) watch() {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case now := <-ticker.C:
			s.each(func(c *conn) { c.look(now) })
		}
	}
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
