package driver

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront"
)

// connector makes the connections of one sql.DB. It holds the store from the
// first connection until Close, so that the store stays open between
// connections.
type connector struct {
	cfg      *Config
	registry *registry

	mu     sync.Mutex
	store  *store // nil until the first connection and after Close
	closed atomic.Bool
}

var (
	_ driver.Connector = (*connector)(nil)
	_ io.Closer        = (*connector)(nil)
)

// informationSchema is the database that exists without being created.
const informationSchema = "information_schema"

// NewConnector returns a connector for sql.OpenDB from a copy of cfg. The first connection opens
// the store, and the sql.DB's Close closes it. An error says which field of cfg is invalid.
func NewConnector(cfg *Config) (driver.Connector, error) {
	complete, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	return newConnector(complete, stores), nil
}

func newConnector(cfg *Config, r *registry) *connector {
	return &connector{cfg: cfg, registry: r}
}

// Driver is the registered driver.
func (c *connector) Driver() driver.Driver { return Driver{} }

// Connect opens a connection; the first one opens the store.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.connect(ctx)
	if err != nil {
		return nil, err // never a nil *conn in the interface
	}
	return opened, nil
}

func (c *connector) connect(ctx context.Context) (*conn, error) {
	session, err := c.open(ctx, c.cfg.sessionOptions())
	if err != nil {
		return nil, err
	}
	return c.newConn(session), nil
}

// open opens a session and sets it up as the configuration says.
func (c *connector) open(ctx context.Context, o sqlfront.SessionOptions) (*sqlfront.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	engine, err := c.engine()
	if err != nil {
		return nil, err
	}
	if !c.cfg.ReadOnly && scheme(c.cfg.Path) == "" && !strings.EqualFold(c.cfg.DB, informationSchema) {
		if err := engine.EnsureDatabase(ctx, c.cfg.DB); err != nil {
			return nil, userError(err)
		}
	}
	session, err := engine.NewSession(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := c.cfg.prepareSession(ctx, session); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return session, nil
}

func (c *connector) newConn(session *sqlfront.Session) *conn {
	opened := &conn{connector: c, session: session}
	opened.binder.Times = c.cfg.times()
	return opened
}

func (cfg *Config) sessionOptions() sqlfront.SessionOptions {
	return sqlfront.SessionOptions{
		Database:          cfg.DB,
		Versions:          cfg.Versions,
		ClientFoundRows:   cfg.ClientFoundRows,
		IgnoreForeignKeys: cfg.IgnoreForeignKeys,
		ReadOnly:          cfg.ReadOnly,
		LockTimeout:       cfg.LockTimeout,
		QueryMemory:       cfg.QueryMemory,
		SessionMemory:     cfg.SessionMemory,
		TempDir:           cfg.TempDir,
		Files:             &files{dir: cfg.FileDir, allowAll: cfg.AllowAllFiles},
		MaxAllowedPacket:  int(cfg.MaxAllowedPacket),
		Parallelism:       cfg.Parallelism,
		RefuseFullScan:    cfg.RefuseFullScan,
		ScanLimit:         cfg.ScanLimit,
		SlowLog:           cfg.SlowLog,
	}
}

// engine returns the store's engine, and opens the store if necessary.
func (c *connector) engine() (*sqlfront.Engine, error) {
	engine, _, err := c.opened()
	return engine, err
}

// opened opens the store if it is not open yet. After a failure the next
// connection tries again.
func (c *connector) opened() (*sqlfront.Engine, kv.Store, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed.Load() {
		return nil, nil, errShutdown()
	}
	if c.store != nil {
		return c.store.engine, c.store.kv, nil
	}
	s, err := c.registry.acquire(c.cfg.storeOptions())
	if err != nil {
		return nil, nil, err
	}
	c.store = s
	return s.engine, s.kv, nil
}

// Close ends what runs on the connector's connections, and closes the store if
// no other connector uses it. It may be called twice.
func (c *connector) Close() error {
	c.closed.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.store == nil {
		return nil
	}
	s := c.store
	c.store = nil
	return s.release()
}
