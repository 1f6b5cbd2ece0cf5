package reads

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// testOrdered requires that an ordered scan returns the sorted result of the
// unordered one, with many cells in each partition and some large values.
func testOrdered(f *fixture.Fixture) {
	r := rand.New(rand.NewPCG(1, 11))
	large := bytes.Repeat([]byte("large"), 1<<10)
	f.Write(func(tx kv.Txn) error {
		for i := range 1500 {
			c := kv.Cell{Row: []byte{byte(i / 80), byte(i / 7)}, Qualifier: []byte{byte(i % 3)}, Timestamp: int64(i % 7),
				Value: []byte{byte(i)}}
			if i%37 == 0 {
				c.Value = large
			}
			if err := tx.Put(f.Ctx, f.Table("s"), c); err != nil {
				return err
			}
		}
		return nil
	})
	f.Storage(func() {
		for i := range 40 {
			tx := f.Begin()
			s := kv.Scan{NeedValue: i%3 > 0, FirstPerRow: i%5 == 0, MaxVersions: i % 4, Limit: []int{0, 1, 100}[i%3]}
			if from := byte(r.IntN(20)); i%2 == 0 {
				s.Ranges = []kv.Range{{Start: fixture.AtRow(string(from)), End: fixture.AtRow(string(from + byte(r.IntN(4)) + 1))}}
			}
			if i%7 == 0 {
				s.Qualifiers = []kv.QualifierRange{{Start: []byte{1}}}
			}
			if i%11 == 0 {
				s.Time = kv.TimeRange{Min: 2, Max: 4, Bounded: true}
			}
			sameSorted(f, tx, s)
			tx.Rollback()
		}
	})
}

// sameSorted reads the scan ordered and unordered, and its first cells alone.
func sameSorted(f *fixture.Fixture, tx kv.Txn, s kv.Scan) {
	tables := f.Tables(tx, []string{"s"})
	want, err := fixture.ScanCells(f.Ctx, tx, tables, &s)
	require.NoError(f, err)
	slices.SortStableFunc(want, func(a, b kv.Cell) int { return cmp.Or(bytes.Compare(a.Row, b.Row)) })
	s.Ordered = true
	got, err := fixture.ScanCells(f.Ctx, tx, tables, &s)
	require.NoError(f, err)
	require.Equal(f, want, got, "%+v", s)
	c, err := tx.Scan(f.Ctx, tables, &s)
	require.NoError(f, err)
	for range min(len(want), 5) {
		require.True(f, c.Next())
	}
	require.NoError(f, c.Close())
}
