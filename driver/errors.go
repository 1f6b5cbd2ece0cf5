package driver

import (
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// errShutdown is MySQL's error of a statement that the server's end cut off.
func errShutdown() error {
	return mysqlerr.New(mysqlerr.ServerShutdown, "Server shutdown in progress: the database has been closed")
}

// userError is err as the user sees it.
func userError(err error) error {
	if errors.Is(err, kv.ErrClosed) {
		return errShutdown()
	}
	return err
}
