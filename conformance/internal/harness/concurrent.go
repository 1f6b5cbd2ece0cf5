package harness

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Workers is the number of goroutines of AtOnce.
const Workers = 8

// AtOnce runs fn in each worker at the same time, and fails the test with their
// errors.
func AtOnce(t *testing.T, fn func(worker int) error) {
	t.Helper()
	var group sync.WaitGroup
	errs := make([]error, Workers)
	start := make(chan struct{})
	for i := range Workers {
		group.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	group.Wait()
	require.NoError(t, errors.Join(errs...))
}

// InBackground runs a statement in a goroutine and sends its error.
func InBackground(db Execer, query string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := db.ExecContext(context.Background(), query)
		done <- err
	}()
	return done
}
