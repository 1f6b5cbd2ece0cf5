package kvtest

import (
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// testDivisions: a cursor that is divided, and the scans that it leaves, have
// the cells of the whole scan, in its order.
func testDivisions(f *fixture) {
	r := rand.New(rand.NewPCG(1, 13))
	f.put("s", f.inOrder()...)
	f.write(func(tx kv.Txn) error {
		for i := range 600 {
			c := kv.Cell{Row: []byte{'m', byte(i / 90), byte(i / 9)}, Qualifier: []byte{byte(i / 3 % 3)}, Timestamp: int64(i)}
			if err := tx.Put(f.ctx, f.table("s"), c); err != nil {
				return err
			}
		}
		return nil
	})
	f.storage(func() {
		for i := range 30 {
			tx := f.begin()
			s := kv.Scan{Ordered: i%3 == 0, Reverse: i%20 == 19, ByPartition: true, FirstPerRow: i%7 == 0, MaxVersions: i % 3}
			switch i % 5 {
			case 0:
				s.Ranges = []kv.Range{{End: atRow("a\xff")}, {Start: atRow("m\x00\x03"), End: atRow("m\x01\x10")},
					{Start: atRow("m\x02")}}
			case 1:
				s.Ranges = []kv.Range{{Start: atRow("m\x00\x02"), End: atRow("m\x04")}}
			}
			if i%11 == 0 {
				require.NoError(f, tx.Put(f.ctx, f.table("s"), kv.Cell{Row: []byte("m\x01\x0aown"), Timestamp: 1}))
			}
			f.divideAtRandom(r, tx, &s)
			tx.Rollback()
		}
	})
}

// testDivisionsOfOwnWrites: what the transaction has written is read where next
// to nothing is stored.
func testDivisionsOfOwnWrites(f *fixture) {
	r := rand.New(rand.NewPCG(1, 14))
	f.put("s", f.inOrder()[len(f.inOrder())-1])
	f.storage(func() {
		tx := f.begin()
		defer tx.Rollback()
		require.NoError(f, f.putIn(tx, "s", f.inOrder()...))
		for i := range 10 {
			f.divideAtRandom(r, tx, &kv.Scan{ByPartition: true, MaxVersions: i % 3})
		}
	})
}

// divideAtRandom divides a scan somewhere, and some of its scans once more.
func (f *fixture) divideAtRandom(r *rand.Rand, tx kv.Txn, s *kv.Scan) {
	tables := f.tables(tx, []string{"s"})
	all, err := scanCells(f.ctx, tx, tables, s)
	require.NoError(f, err)
	got := f.readDivided(r, tx, tables, s, []int{0, r.IntN(len(all) + 1)}[r.IntN(2)], 3)
	require.Len(f, got, len(all))
	for i, c := range got {
		require.True(f, sameKey(all[i], c), "cell %d is %q, want %q: %+v", i, c.Row, all[i].Row, *s)
	}
}

// readDivided reads some cells, divides, and reads the rest.
func (f *fixture) readDivided(r *rand.Rand, tx kv.Txn, tables []*kv.Table, s *kv.Scan, before, depth int) []kv.Cell {
	c, err := tx.Scan(f.ctx, tables, s)
	require.NoError(f, err)
	defer func() { require.NoError(f, c.Close()) }()
	cells, err := take(c, before, false)
	require.NoError(f, err)
	var rest []kv.Scan
	if d, ok := c.(kv.Divider); ok && depth > 0 {
		rest, err = d.Divide(1 + r.IntN(6))
		require.NoError(f, err)
	}
	left, err := take(c, -1, false)
	require.NoError(f, err)
	cells = append(cells, left...)
	for i := range rest {
		cells = append(cells, f.readDivided(r, tx, tables, &rest[i], r.IntN(10), depth-1)...)
	}
	return cells
}
