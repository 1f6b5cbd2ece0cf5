package shop

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
)

func TestOrder(t *testing.T) {
	t.Parallel()
	clock := hbasekvtest.NewClock(time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC))
	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema), hbasekvtest.WithClock(clock))
	id, err := Order(t.Context(), db, "tea", 3)
	require.NoError(t, err)
	require.EqualValues(t, 1, id)

	var stock int
	require.NoError(t, db.QueryRow("SELECT stock FROM articles WHERE name = 'tea'").Scan(&stock))
	require.Equal(t, 7, stock)
	var ordered string // NOW() is the clock's
	require.NoError(t, db.QueryRow("SELECT ordered FROM orders WHERE id = ?", id).Scan(&ordered))
	require.Equal(t, "2026-11-28 09:00:00", ordered)
}

func TestOrderOfTooMuchLeavesNothing(t *testing.T) {
	t.Parallel()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	before := hbasekvtest.Dump(t, db, "articles$d") // the family in which a table of rows has its cells
	_, err := Order(t.Context(), db, "salt", 2)
	require.ErrorIs(t, err, ErrSoldOut)
	hbasekvtest.Expect(t, db, "articles$d", before)
	hbasekvtest.Expect(t, db, "orders$d", "")
}

// The store reports a conflict at the COMMIT: the program runs its transaction again.
func TestOrderRunsAgainAfterAConflict(t *testing.T) {
	t.Parallel()
	faults := hbasekvtest.NewFaults()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema), hbasekvtest.WithFaults(faults))
	faults.Fail(hbasekvtest.Commit, 1, hbasekvtest.Conflict)
	_, err := Order(t.Context(), db, "tea", 3)
	require.NoError(t, err)
	require.Zero(t, faults.Pending())
}

func TestOrdersOfOnePiece(t *testing.T) {
	t.Parallel()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	var sold atomic.Int32
	var buyers sync.WaitGroup
	for range 8 {
		buyers.Go(func() {
			if _, err := Order(context.Background(), db, "salt", 1); err == nil {
				sold.Add(1)
			}
		})
	}
	buyers.Wait()
	require.EqualValues(t, 1, sold.Load())
}

// A query that reads the whole table fails here, before it is slow in production.
func TestOrdersOfAnArticleAreFoundByTheIndex(t *testing.T) {
	t.Parallel()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	hbasekvtest.ExpectPlan(t, db, "SELECT id FROM orders WHERE article = ?", "article", "tea")
}
