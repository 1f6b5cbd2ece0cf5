package driver

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/privilege"
)

// Sessions opens sessions on the store of a sql.DB beside those of its pool, for a
// server that speaks to clients of its own: one engine, one catalog, one lock
// table. It may be used by many goroutines.
type Sessions struct{ connector *connector }

// SessionsOf is the Sessions of db, which opens its store where that is not open
// yet. It fails where db is not one of this driver, or is wrapped by another. Closing
// db ends all sessions.
func SessionsOf(ctx context.Context, db *sql.DB) (*Sessions, error) {
	pooled, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer pooled.Close()
	var out *Sessions
	err = pooled.Raw(func(raw any) error {
		c, ok := raw.(*conn)
		if !ok {
			return fmt.Errorf("hbasekv: a connection of the database is a %T, not one of the driver %s", raw, Name)
		}
		out = &Sessions{c.connector}
		return nil
	})
	return out, err
}

// NextID gives a session's number before the session is opened.
func (s *Sessions) NextID() (uint64, error) {
	engine, err := s.connector.engine()
	if err != nil {
		return 0, err
	}
	return engine.NextID(), nil
}

// Accounts are those that the store keeps.
func (s *Sessions) Accounts() (privilege.Source, error) {
	engine, err := s.connector.engine()
	if err != nil {
		return nil, err
	}
	return engine.Accounts(), nil
}

// CountAborted counts a client that a server has not let in, for SHOW STATUS.
func (s *Sessions) CountAborted() {
	if engine, err := s.connector.engine(); err == nil {
		engine.CountAborted()
	}
}

// Wire is what a server counts of its clients, for the figures of the store. It fails
// where db has been closed.
func (s *Sessions) Wire() (*metrics.Wire, error) {
	engine, err := s.connector.engine()
	if err != nil {
		return nil, err
	}
	return engine.Wire(), nil
}

// OpenFiles is how many files the store keeps open; 0 of one that has none, or is closed.
func (s *Sessions) OpenFiles() int {
	_, store, err := s.connector.opened()
	if files, ok := store.(interface{ OpenFiles() int }); ok && err == nil {
		return files.OpenFiles()
	}
	return 0
}

// Store is the store itself, for a server that speaks of rows rather than of SQL. Its life is that of
// the sql.DB: it must not be closed. It fails with 1053 where db has been closed.
func (s *Sessions) Store() (kv.Store, error) {
	_, store, err := s.connector.opened()
	return store, err
}

// Announce tells programs that find the store held by this process where it serves it, until
// withdraw is called: the network is tcp or unix, and the address as net.Addr has it.
func (s *Sessions) Announce(network, address string) (withdraw func()) {
	if _, store, err := s.connector.opened(); err == nil {
		if a, ok := store.(kv.Announcer); ok {
			return a.Announce(kv.Address{Network: network, Address: address})
		}
	}
	return func() {}
}

// Options are what the data source name says of its connections, which a server
// changes to what its client asks for.
func (s *Sessions) Options() sqlfront.SessionOptions { return s.connector.cfg.sessionOptions() }

// Open opens a session. Its errors are those of a connection: 1049 for a database
// that does not exist, 1053 where db has been closed.
func (s *Sessions) Open(ctx context.Context, o sqlfront.SessionOptions) (*sqlfront.Session, error) {
	session, err := s.connector.open(ctx, o)
	return session, userError(err)
}

// Closed reports whether the sql.DB has been closed.
func (s *Sessions) Closed() bool { return s.connector.closed.Load() }
