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

// Sessions opens sessions on the store of a sql.DB, beside those of its pool, for
// a server with clients of its own: they share one engine, one catalog and one
// lock table. Many goroutines may use it.
type Sessions struct{ connector *connector }

// SessionsOf returns the Sessions of db, and opens the store if it is not open yet.
// It fails if db is not of this driver, or if another driver wraps it. Closing db
// ends all sessions.
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

// NextID returns a session's number before the session is opened. It fails with
// 1053 if db has been closed.
func (s *Sessions) NextID() (uint64, error) {
	engine, err := s.connector.engine()
	if err != nil {
		return 0, err
	}
	return engine.NextID(), nil
}

// Accounts returns the accounts that the store keeps. It fails with 1053 if db has
// been closed.
func (s *Sessions) Accounts() (privilege.Source, error) {
	engine, err := s.connector.engine()
	if err != nil {
		return nil, err
	}
	return engine.Accounts(), nil
}

// CountAborted counts, for SHOW STATUS, a client that a server did not admit.
func (s *Sessions) CountAborted() {
	if engine, err := s.connector.engine(); err == nil {
		engine.CountAborted()
	}
}

// Wire returns the counters of a server's clients, for the store's figures. It fails with
// 1053 if db has been closed.
func (s *Sessions) Wire() (*metrics.Wire, error) {
	engine, err := s.connector.engine()
	if err != nil {
		return nil, err
	}
	return engine.Wire(), nil
}

// OpenFiles is how many files the store keeps open; 0 if it has none or is closed.
func (s *Sessions) OpenFiles() int {
	_, store, err := s.connector.opened()
	if files, ok := store.(interface{ OpenFiles() int }); ok && err == nil {
		return files.OpenFiles()
	}
	return 0
}

// Store returns the store itself, for a server that deals in rows rather than SQL. It lives as long
// as the sql.DB, and must not be closed by the caller. It fails with 1053 if db has been closed.
func (s *Sessions) Store() (kv.Store, error) {
	_, store, err := s.connector.opened()
	return store, err
}

// Announce tells programs that find the store held by this process where the process serves
// it, until withdraw is called. The network is tcp or unix, and the address has net.Addr's
// form.
func (s *Sessions) Announce(network, address string) (withdraw func()) {
	if _, store, err := s.connector.opened(); err == nil {
		if a, ok := store.(kv.Announcer); ok {
			return a.Announce(kv.Address{Network: network, Address: address})
		}
	}
	return func() {}
}

// Options are the session options of the data source name, which a server
// adapts to what its client asks for.
func (s *Sessions) Options() sqlfront.SessionOptions { return s.connector.cfg.sessionOptions() }

// Open opens a session. Its errors are those of a connection: 1049 if the
// database does not exist, 1053 if db has been closed.
func (s *Sessions) Open(ctx context.Context, o sqlfront.SessionOptions) (*sqlfront.Session, error) {
	session, err := s.connector.open(ctx, o)
	return session, userError(err)
}

// Closed reports whether the sql.DB has been closed.
func (s *Sessions) Closed() bool { return s.connector.closed.Load() }
