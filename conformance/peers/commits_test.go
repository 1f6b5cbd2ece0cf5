package peers

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// inParallel divides b.N operations among workers.
func inParallel(b *testing.B, workers int, op func(i int) error) {
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, workers)
	b.ResetTimer()
	for w := range workers {
		all.Go(func() {
			for i := int(next.Add(1)); i <= b.N && errs[w] == nil; i = int(next.Add(1)) {
				errs[w] = op(i)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	for _, err := range errs {
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkCommits inserts one new cell a transaction, each durable when it
// returns. That concurrent writers share the waiting for the disk shows in the
// step from 1 writer to 64.
func BenchmarkCommits(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			eachContender(b, func(b *testing.B, db *sql.DB, c *contender) {
				insert, err := db.Prepare(c.insert)
				require.NoError(b, err)
				defer insert.Close()
				b.ReportAllocs()
				inParallel(b, writers, func(i int) error {
					_, err := insert.Exec(key(i), qualifier, someTime, value100)
					return err
				})
			})
		})
	}
}

// BenchmarkIncrement adds one to one of a hundred cells, and to a single one,
// by a statement that is a durable transaction.
func BenchmarkIncrement(b *testing.B) {
	for _, cells := range []int{1, 100} {
		b.Run(fmt.Sprintf("cells=%d", cells), func(b *testing.B) {
			eachContender(b, func(b *testing.B, db *sql.DB, c *contender) {
				fill(b, db, c, cells, []byte("0"))
				add, err := db.Prepare(c.add)
				require.NoError(b, err)
				defer add.Close()
				b.ReportAllocs()
				inParallel(b, 8, func(i int) error {
					_, err := add.Exec(key(i % cells))
					return err
				})
			})
		})
	}
}

// fill writes cells 0 to n in one transaction.
func fill(b *testing.B, db *sql.DB, c *contender, n int, value []byte) {
	tx, err := db.Begin()
	require.NoError(b, err)
	for i := range n {
		_, err := tx.Exec(c.insert, key(i), qualifier, someTime, value)
		require.NoError(b, err)
	}
	require.NoError(b, tx.Commit())
}

// BenchmarkGetBesideWriter reads a cell at a time, alone and while another
// connection commits one insert after the other.
func BenchmarkGetBesideWriter(b *testing.B) {
	const cells = 10_000
	for _, writing := range []bool{false, true} {
		b.Run(fmt.Sprintf("writing=%v", writing), func(b *testing.B) {
			eachContender(b, func(b *testing.B, db *sql.DB, c *contender) {
				fill(b, db, c, cells, value100)
				if writing {
					defer keepWriting(b, db, c)()
				}
				get, err := db.Prepare(c.get)
				require.NoError(b, err)
				defer get.Close()
				var v sql.RawBytes
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					rows, err := get.Query(key(i * 7919 % cells))
					require.NoError(b, err)
					require.True(b, rows.Next())
					require.NoError(b, rows.Scan(&v))
					require.NoError(b, rows.Close())
				}
			})
		})
	}
}

// keepWriting commits inserts until it is told to stop.
func keepWriting(b *testing.B, db *sql.DB, c *contender) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		var err error
		for i := 1_000_000; ctx.Err() == nil && err == nil; i++ {
			_, err = db.Exec(c.insert, key(i), qualifier, someTime, value100)
		}
		done <- err
	}()
	return func() {
		cancel()
		require.NoError(b, <-done)
	}
}
