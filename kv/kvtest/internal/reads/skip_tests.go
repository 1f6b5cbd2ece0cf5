package reads

import (
	"bytes"
	"cmp"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// testSkips requires that a skipping cursor loses no cell at or after the row,
// and that it skips by seeks if it says so.
func testSkips(f *fixture.Fixture) {
	r := rand.New(rand.NewPCG(1, 7))
	f.Put("s", f.InOrder()...)
	f.Write(func(tx kv.Txn) error {
		for i := range 300 {
			c := kv.Cell{Row: []byte{'m', byte(i / 50), byte(i / 5)}, Qualifier: []byte{byte(i % 5)}, Timestamp: int64(i)}
			if err := tx.Put(f.Ctx, f.Table("s"), c); err != nil {
				return err
			}
		}
		return nil
	})
	f.Storage(func() {
		for i := range 200 {
			tx := f.Begin()
			s := kv.Scan{Ordered: i%2 == 0, ByPartition: true, FirstPerRow: i%5 == 0, MaxVersions: i % 3}
			if i%7 == 0 {
				s.Ranges = []kv.Range{{End: fixture.AtRow("a\xff")}, {Start: fixture.AtRow("m\x00\x03"), End: fixture.AtRow("m\x01\x10")},
					{Start: fixture.AtRow("m\x05"), End: fixture.AtRow("\xff\x00")}}
			}
			if i%11 == 0 {
				require.NoError(f, tx.Put(f.Ctx, f.Table("s"), kv.Cell{Row: []byte("m\x02own"), Timestamp: 1}))
			}
			skipAtRandom(f, r, tx, &s)
			tx.Rollback()
		}
	})
}

// skipAtRandom compares a skipping cursor with all cells of the scan.
func skipAtRandom(f *fixture.Fixture, r *rand.Rand, tx kv.Txn, s *kv.Scan) {
	tables := f.Tables(tx, []string{"s"})
	all, err := fixture.ScanCells(f.Ctx, tx, tables, s)
	require.NoError(f, err)
	c, err := tx.Scan(f.Ctx, tables, s)
	require.NoError(f, err)
	defer func() { require.NoError(f, c.Close()) }()
	at, least := 0, 0
	for c.Next() {
		for at < len(all) && !fixture.SameKey(all[at], *c.Cell()) {
			at++
		}
		if at >= len(all) { // require.Less would determine its caller for each cell
			f.Fatal("a cell that the scan does not have, or one before the last")
		}
		require.LessOrEqual(f, at, least, "cells were lost at %q", c.Cell().Row)
		at++
		least = at
		skipper, ok := c.(kv.Skipper)
		if ok && r.IntN(3) == 0 {
			target := all[r.IntN(len(all))].Row
			if r.IntN(3) == 0 {
				target = append(bytes.Clone(target), byte(r.IntN(256)))
			}
			if skipper.SkipTo(target) {
				for least < len(all) && placeOrder(f, s, all[least].Row, target) < 0 {
					least++
				}
			}
		}
	}
	require.NoError(f, c.Err())
	require.Equal(f, len(all), least, "cells were lost at the end")
}

// placeOrder compares rows by their places in the scan.
func placeOrder(f *fixture.Fixture, s *kv.Scan, a, b []byte) int {
	order := bytes.Compare(a, b)
	if s.Ordered {
		return order
	}
	x, _ := f.Layout.Scheme.Locate(a)
	y, _ := f.Layout.Scheme.Locate(b)
	return cmp.Or(cmp.Compare(x, y), order)
}
