package harness

import (
	"database/sql"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
)

// Clock is a store's clock that stands still unless the test moves it.
type Clock struct{ ms atomic.Int64 }

// NewClock returns a clock that stands at a time.
func NewClock(at time.Time) *Clock {
	c := &Clock{}
	c.Set(at)
	return c
}

// Now is the time that was set.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.ms.Load()) }

// Set moves the clock to a time.
func (c *Clock) Set(at time.Time) { c.ms.Store(at.UnixMilli()) }

// Advance moves the clock forward.
func (c *Clock) Advance(by time.Duration) { c.ms.Add(by.Milliseconds()) }

// OpenAt opens a database with a clock that stands at a time in milliseconds since 1970.
func OpenAt(t testing.TB, dsn string, at int64) (*sql.DB, *Clock) {
	t.Helper()
	cfg, err := driver.ParseDSN(dsn)
	require.NoError(t, err)
	clock := NewClock(time.UnixMilli(at))
	cfg.Clock = clock
	connector, err := driver.NewConnector(cfg)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db, clock
}
