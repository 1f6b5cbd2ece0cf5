package reads

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// testWanted requires that a scan that wants some qualifiers returns all their cells,
// and at least one cell of each row, in order, however it is read.
func testWanted(f *fixture.Fixture) {
	r := rand.New(rand.NewPCG(testseed.Of(f), 0))
	f.Put("s", f.InOrder()...)
	f.Write(func(tx kv.Txn) error {
		for range 4000 {
			c := kv.Cell{Row: fmt.Appendf(nil, "m%03d", r.IntN(200)), Qualifier: fmt.Appendf(nil, "q%02d", r.IntN(16)),
				Timestamp: int64(r.IntN(3)), Value: []byte{byte(r.Uint32())}}
			if err := tx.Put(f.Ctx, f.Table("s"), c); err != nil {
				return err
			}
		}
		return nil
	})
	f.Storage(func() {
		for i := range fixture.Scans(r, 80) {
			tx := f.Begin()
			s := kv.Scan{Ordered: i%2 == 0, NeedValue: true, MaxVersions: r.IntN(3), Reverse: i%9 == 0, FirstPerRow: i%10 == 0}
			if i%5 == 0 {
				s.Time = kv.TimeRange{Min: int64(r.IntN(3)), Max: 2, Bounded: true}
			}
			if i%7 == 0 {
				s.Ranges = []kv.Range{{Start: fixture.AtRow("m002"), End: fixture.AtRow("m005")}, {Start: fixture.AtRow("m007"), End: fixture.AtRow("m170")}}
			}
			if i%11 == 0 {
				for j := range 16 {
					q := fmt.Appendf(nil, "q%02d", j)
					require.NoError(f, tx.DeleteColumn(f.Ctx, f.Table("s"), []byte("m007"), q))
				}
				require.NoError(f, tx.Put(f.Ctx, f.Table("s"), kv.Cell{Row: []byte("m009"), Qualifier: []byte("own"), Timestamp: 1}))
			}
			s.Wanted = []kv.QualifierRange{}
			for q := r.IntN(12); q < 16 && len(s.Wanted) < i%4; q += 1 + r.IntN(5) {
				one := fmt.Appendf(nil, "q%02d", q)
				s.Wanted = append(s.Wanted, kv.QualifierRange{Start: one, End: append(slices.Clone(one), 0)})
			}
			if i%6 == 0 {
				s.Wanted = append(s.Wanted, kv.QualifierRange{Start: []byte("q155")})
			}
			wantedAtRandom(f, r, tx, s, fmt.Sprintf("scan %d", i))
			tx.Rollback()
		}
	})
}

// wantedAtRandom compares a scan that wants some qualifiers with a scan of everything.
func wantedAtRandom(f *fixture.Fixture, r *rand.Rand, tx kv.Txn, s kv.Scan, name string) {
	tables := f.Tables(tx, []string{"s"})
	whole := s
	whole.Wanted = nil
	all, err := fixture.ScanCells(f.Ctx, tx, tables, &whole)
	require.NoError(f, err)
	given := readAtRandom(f, r, tx, tables, s)
	at, met := 0, map[string]bool{}
	for _, c := range given {
		for at < len(all) && !fixture.SameKey(all[at], c) {
			require.False(f, isWanted(s.Wanted, all[at].Qualifier), "%s: %v is left out", name, all[at])
			at++
		}
		if at >= len(all) { // require.Less would determine its caller for each cell
			f.Fatalf("%s: %v is not there, or not in order", name, c)
		}
		require.Equal(f, all[at].Value, c.Value, name)
		met[string(c.Row)] = true
		at++
	}
	for _, c := range all {
		require.True(f, met[string(c.Row)], "%s: nothing of row %q", name, c.Row)
	}
	for ; at < len(all); at++ {
		require.False(f, isWanted(s.Wanted, all[at].Qualifier), "%s: %v is left out", name, all[at])
	}
}

func isWanted(ranges []kv.QualifierRange, q []byte) bool {
	return slices.ContainsFunc(ranges, func(r kv.QualifierRange) bool {
		return string(q) >= string(r.Start) && (r.End == nil || string(q) < string(r.End))
	})
}

// readAtRandom reads a scan in one part or in several.
func readAtRandom(f *fixture.Fixture, r *rand.Rand, tx kv.Txn, tables []*kv.Table, s kv.Scan) (out []kv.Cell) {
	for left := []kv.Scan{s}; len(left) > 0; {
		c, err := tx.Scan(f.Ctx, tables, &left[0])
		require.NoError(f, err)
		left = left[1:]
		cells, err := fixture.Take(c, r.IntN(60), true)
		require.NoError(f, err)
		if divider, ok := c.(kv.Divider); ok && r.IntN(4) == 0 {
			rest, err := divider.Divide(2)
			require.NoError(f, err)
			left = append(rest, left...)
		}
		more, err := fixture.Take(c, -1, true)
		require.NoError(f, err)
		require.NoError(f, c.Close())
		out = append(append(out, cells...), more...)
	}
	return out
}
