package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// Name is the name under which the driver is registered.
const Name = "hbasekv"

func init() { sql.Register(Name, Driver{}) }

// Driver is the registered driver.
type Driver struct{}

var (
	_ driver.Driver        = Driver{}
	_ driver.DriverContext = Driver{}
)

// OpenConnector reads the DSN; sql.Open calls it. The first connection opens the store. The
// error is that of ParseDSN.
func (Driver) OpenConnector(dsn string) (driver.Connector, error) {
	cfg, err := ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	return newConnector(cfg, stores), nil
}

// Open opens a connection that holds its store by itself: an in-memory store lasts as long as the
// connection. sql.Open does not call it. The error is that of the DSN, or of opening the store.
func (d Driver) Open(dsn string) (driver.Conn, error) {
	cfg, err := ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	c := newConnector(cfg, stores)
	opened, err := c.connect(context.Background())
	if err != nil {
		return nil, err
	}
	opened.owns = c
	return opened, nil
}
