package pebblekv

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// TestOtherTimes reads ranges of times, with and without a transaction's own writes. The
// result is what is left of all cells, whether nothing is skipped, or everything unwanted
// from the first on or from some steps on.
func TestOtherTimes(t *testing.T) {
	for _, own := range []bool{false, true} {
		for seed := range uint64(scaled(5)) {
			r := rand.New(rand.NewPCG(seed, 1))
			s := openMem(t)
			table := createTable(t, s, "g", "f", &partition.Scheme{})
			tx := manyTimes(t, s, table, r, own)
			s.engine.Tuning.PassSteps = 0
			all, _ := readTimes(t, tx, table, kv.Scan{NeedValue: true}, r)
			for range 40 {
				scan := anyTimes(r)
				want := ofTimes(all, &scan)
				for _, steps := range []int{0, 1, 40} {
					s.engine.Tuning.PassSteps = steps
					cells, tallied := readTimes(t, tx, table, scan, r)
					require.Equal(t, want, cells, "%+v after %d steps, seed %d", scan, steps, seed)
					require.Equal(t, len(want), tallied, "%+v after %d steps, seed %d", scan, steps, seed)
				}
			}
			tx.Rollback()
		}
	}
}

const mostTime = 1000

// manyTimes fills a table in which a few columns have many versions and some cells are
// deleted, and returns a transaction with or without own writes.
func manyTimes(t *testing.T, s *Store, table *kv.Table, r *rand.Rand, own bool) kv.Txn {
	begin := func() kv.Txn {
		tx, err := s.Begin(t.Context(), kv.TxnOptions{})
		require.NoError(t, err)
		return tx
	}
	write := func(tx kv.Txn, columns int) {
		for range columns {
			c := kv.Cell{Row: fmt.Appendf(nil, "row%03d", r.IntN(100)), Qualifier: fmt.Appendf(nil, "q%d", r.IntN(4))}
			for n := 1 + r.IntN(2) + r.IntN(12)/11*40; n > 0; n-- {
				c.Timestamp = r.Int64N(mostTime)
				c.Value = fmt.Appendf(nil, "%d", r.IntN(1e9))
				if r.IntN(8) == 0 {
					require.NoError(t, tx.DeleteVersion(t.Context(), table, c.Row, c.Qualifier, c.Timestamp))
				}
				require.NoError(t, tx.Put(t.Context(), table, c))
			}
		}
	}
	for range 2 {
		tx := begin()
		write(tx, 250)
		require.NoError(t, tx.Commit(t.Context()))
		require.NoError(t, s.Flush(t.Context()))
	}
	tx := begin()
	if own {
		write(tx, 40)
	}
	return tx
}

// anyTimes returns a scan of a range of times.
func anyTimes(r *rand.Rand) kv.Scan {
	low, high := r.Int64N(mostTime), r.Int64N(mostTime)
	switch r.IntN(3) {
	case 0:
		low = -1
	case 1:
		high = mostTime
	}
	s := kv.Scan{NeedValue: true, MaxVersions: r.IntN(3), Time: kv.TimeRange{Min: min(low, high), Max: max(low, high), Bounded: true}}
	for q := range 4 {
		if r.IntN(2) == 0 {
			from := fmt.Appendf(nil, "q%d", q)
			s.Qualifiers = append(s.Qualifiers, kv.QualifierRange{Start: from, End: append(from[:2:2], 0)})
		}
	}
	return s
}

// ofTimes returns those of all cells that the scan asks for.
func ofTimes(all []string, s *kv.Scan) []string {
	out, column, versions := []string{}, "", 0
	for _, cell := range all {
		var row, qualifier, value string
		var at int64
		fmt.Sscan(cell, &row, &qualifier, &at, &value)
		wanted := s.Qualifiers == nil
		for _, q := range s.Qualifiers {
			wanted = wanted || string(q.Start) == qualifier
		}
		if !wanted || at < s.Time.Min || at > s.Time.Max {
			continue
		}
		if row+qualifier != column {
			column, versions = row+qualifier, 0
		}
		if versions++; s.MaxVersions == 0 || versions <= s.MaxVersions {
			out = append(out, cell)
		}
	}
	return out
}

// readTimes reads a scan in batches, and counts its cells.
func readTimes(t *testing.T, tx kv.Txn, table *kv.Table, s kv.Scan, r *rand.Rand) (cells []string, tallied int) {
	c, err := tx.Scan(t.Context(), []*kv.Table{table}, &s)
	require.NoError(t, err)
	cells = []string{}
	batch := kv.Batch{Shares: r.IntN(4) > 0}
	for c.(kv.Batcher).NextBatch(&batch, 1+r.IntN(100)) {
		rows, qualifiers, values := batch.Rows(), batch.Qualifiers(), batch.Values()
		for i, at := range batch.Timestamps() {
			cells = append(cells, fmt.Sprintf("%s %s %d %s", rows[i], qualifiers[i], at, values[i]))
		}
	}
	require.NoError(t, c.Err())
	require.NoError(t, c.Close())
	c, err = tx.Scan(t.Context(), []*kv.Table{table}, &s)
	require.NoError(t, err)
	for n := int64(1); n > 0; tallied += int(n) {
		_, n = c.(kv.RunCounter).CountRun(r.IntN(8))
	}
	require.NoError(t, c.Err())
	require.NoError(t, c.Close())
	return cells, tallied
}
