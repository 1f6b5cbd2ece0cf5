package reads

import (
	"bytes"
	"math"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// testRunCounts requires that tallies count the cells that the scan returns, in
// its order.
func testRunCounts(f *fixture.Fixture) {
	r := rand.New(rand.NewPCG(1, 9))
	f.Put("s", f.InOrder()...)
	f.Write(func(tx kv.Txn) error {
		for i := range 400 {
			c := kv.Cell{Row: []byte{'m', byte(i / 90), byte(i / 9), byte(i / 6)}, Qualifier: []byte{byte(i / 3 % 2)},
				Timestamp: int64(i)}
			if err := tx.Put(f.Ctx, f.Table("s"), c); err != nil {
				return err
			}
		}
		for t := range 60 {
			if err := tx.Put(f.Ctx, f.Table("s"), kv.Cell{Row: []byte("m\x01many"), Timestamp: int64(t)}); err != nil {
				return err
			}
		}
		return nil
	})
	f.Storage(func() {
		for i := range 120 {
			tx := f.Begin()
			s := kv.Scan{Ordered: i%2 == 0, Reverse: i%5 == 4, ByPartition: true, FirstPerRow: i%7 == 0, MaxVersions: i % 4}
			switch i % 6 {
			case 0:
				s.Ranges = []kv.Range{{End: fixture.AtRow("a\xff")}, {Start: fixture.AtRow("m\x00\x03"), End: fixture.AtRow("m\x01\x10")},
					{Start: fixture.AtRow("m\x02")}}
			case 1:
				s.Ranges = []kv.Range{{Start: fixture.AtRow("m\x00\x02"), End: fixture.AtRow("m\x02")}}
			case 2:
				s.Qualifiers = []kv.QualifierRange{{Start: []byte{1}, End: []byte{2}}}
			}
			if i%13 == 0 {
				s.Time = kv.TimeRange{Min: 20, Max: 200, Bounded: true}
			}
			if i%11 == 0 {
				require.NoError(f, tx.Put(f.Ctx, f.Table("s"), kv.Cell{Row: []byte("m\x01\x0aown"), Timestamp: 1}))
				require.NoError(f, tx.DeleteColumn(f.Ctx, f.Table("s"), []byte("m\x01many"), nil))
			}
			countRunsAtRandom(f, r, tx, &s)
			tx.Rollback()
		}
	})
}

// countRunsAtRandom compares tallies, with one or several lengths, with the cells
// of the scan.
func countRunsAtRandom(f *fixture.Fixture, r *rand.Rand, tx kv.Txn, s *kv.Scan) {
	tables := f.Tables(tx, []string{"s"})
	all, err := fixture.ScanCells(f.Ctx, tx, tables, s)
	require.NoError(f, err)
	c, err := tx.Scan(f.Ctx, tables, s)
	require.NoError(f, err)
	defer func() { require.NoError(f, c.Close()) }()
	counter, ok := c.(kv.RunCounter)
	if !ok {
		return
	}
	length := []int{0, 1, 2, 3, 4, math.MaxInt}[r.IntN(6)]
	for {
		n := length
		if r.IntN(9) == 0 {
			n = r.IntN(5)
		}
		row, cells := counter.CountRun(n)
		if cells == 0 {
			break
		}
		require.LessOrEqual(f, int(cells), len(all), "more cells than there are, at %q", row)
		for _, each := range all[:cells] {
			require.True(f, bytes.Equal(each.Row[:min(n, len(each.Row))], row), "%q in the count of %q", each.Row, row)
		}
		all = all[cells:]
	}
	require.NoError(f, c.Err())
	require.Empty(f, all, "cells were not counted")
}
