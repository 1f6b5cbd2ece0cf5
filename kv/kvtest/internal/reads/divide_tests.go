package reads

import (
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// testDivisions requires that a divided cursor and the scans it returns have
// the cells of the whole scan, in its order.
func testDivisions(f *fixture.Fixture) {
	r := rand.New(rand.NewPCG(1, 13))
	f.Put("s", f.InOrder()...)
	f.Write(func(tx kv.Txn) error {
		for i := range 600 {
			c := kv.Cell{Row: []byte{'m', byte(i / 90), byte(i / 9)}, Qualifier: []byte{byte(i / 3 % 3)}, Timestamp: int64(i)}
			if err := tx.Put(f.Ctx, f.Table("s"), c); err != nil {
				return err
			}
		}
		return nil
	})
	f.Storage(func() {
		for i := range 30 {
			tx := f.Begin()
			s := kv.Scan{Ordered: i%3 == 0, Reverse: i%20 == 19, ByPartition: true, FirstPerRow: i%7 == 0, MaxVersions: i % 3}
			switch i % 5 {
			case 0:
				s.Ranges = []kv.Range{{End: fixture.AtRow("a\xff")}, {Start: fixture.AtRow("m\x00\x03"), End: fixture.AtRow("m\x01\x10")},
					{Start: fixture.AtRow("m\x02")}}
			case 1:
				s.Ranges = []kv.Range{{Start: fixture.AtRow("m\x00\x02"), End: fixture.AtRow("m\x04")}}
			}
			if i%11 == 0 {
				require.NoError(f, tx.Put(f.Ctx, f.Table("s"), kv.Cell{Row: []byte("m\x01\x0aown"), Timestamp: 1}))
			}
			divideAtRandom(f, r, tx, &s)
			tx.Rollback()
		}
	})
}

// testDivisionsOfOwnWrites requires that a transaction's writes are read when
// almost nothing is stored.
func testDivisionsOfOwnWrites(f *fixture.Fixture) {
	r := rand.New(rand.NewPCG(1, 14))
	f.Put("s", f.InOrder()[len(f.InOrder())-1])
	f.Storage(func() {
		tx := f.Begin()
		defer tx.Rollback()
		require.NoError(f, f.PutIn(tx, "s", f.InOrder()...))
		for i := range 10 {
			divideAtRandom(f, r, tx, &kv.Scan{ByPartition: true, MaxVersions: i % 3})
		}
	})
}

// divideAtRandom divides a scan at a random point, and some of its scans again.
func divideAtRandom(f *fixture.Fixture, r *rand.Rand, tx kv.Txn, s *kv.Scan) {
	tables := f.Tables(tx, []string{"s"})
	all, err := fixture.ScanCells(f.Ctx, tx, tables, s)
	require.NoError(f, err)
	got := readDivided(f, r, tx, tables, s, []int{0, r.IntN(len(all) + 1)}[r.IntN(2)], 3)
	require.Len(f, got, len(all))
	for i, c := range got {
		require.True(f, fixture.SameKey(all[i], c), "cell %d is %q, want %q: %+v", i, c.Row, all[i].Row, *s)
	}
}

// readDivided reads some cells, divides, and reads the rest.
func readDivided(f *fixture.Fixture, r *rand.Rand, tx kv.Txn, tables []*kv.Table, s *kv.Scan, before, depth int) []kv.Cell {
	c, err := tx.Scan(f.Ctx, tables, s)
	require.NoError(f, err)
	defer func() { require.NoError(f, c.Close()) }()
	cells, err := fixture.Take(c, before, false)
	require.NoError(f, err)
	var rest []kv.Scan
	if d, ok := c.(kv.Divider); ok && depth > 0 {
		rest, err = d.Divide(1 + r.IntN(6))
		require.NoError(f, err)
	}
	left, err := fixture.Take(c, -1, false)
	require.NoError(f, err)
	cells = append(cells, left...)
	for i := range rest {
		cells = append(cells, readDivided(f, r, tx, tables, &rest[i], r.IntN(10), depth-1)...)
	}
	return cells
}
