package driver

import (
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// errShutdown is MySQL's error for a statement that a shutdown interrupts.
func errShutdown() error {
	return mysqlerr.New(mysqlerr.ServerShutdown, "Server shutdown in progress: the database has been closed")
}

// userError turns err into the error that the user sees.
func userError(err error) error {
	if errors.Is(err, kv.ErrClosed) {
		return errShutdown()
	}
	return err
}
