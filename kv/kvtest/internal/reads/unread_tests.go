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

// testUnread requires that batches without the parts that are not read have the same
// cells, whatever is done with the cursor between them. This includes scans of a few
// qualifiers that most cells do not have.
func testUnread(f *fixture.Fixture) {
	r := rand.New(rand.NewPCG(testseed.Of(f), 0))
	f.Put("s", f.InOrder()...)
	f.Write(func(tx kv.Txn) error {
		for range 600 {
			q := [][]byte{{}, {'q'}, []byte("q\x00"), []byte("q\x00\x01"), []byte("qualifier"), []byte("\x00qualifier")}[r.IntN(6)]
			c := kv.Cell{Row: fmt.Appendf(nil, "m%02d", r.IntN(30)), Qualifier: q, Timestamp: int64(r.IntN(20)), Value: []byte{byte(r.Uint32())}}
			if err := tx.Put(f.Ctx, f.Table("s"), c); err != nil {
				return err
			}
		}
		for i := range 1600 {
			c := kv.Cell{Row: fmt.Appendf(nil, "a%03d", i/3), Qualifier: []byte{"pqr"[i%3]}, Timestamp: int64(i % 20)}
			if i >= 1500 {
				c.Row, c.Qualifier = []byte("m15"), fmt.Appendf(nil, "other%03d", i)
			}
			if err := tx.Put(f.Ctx, f.Table("s"), c); err != nil {
				return err
			}
		}
		return nil
	})
	f.Storage(func() {
		for i := range fixture.Scans(r, 120) {
			tx := f.Begin()
			s := kv.Scan{Ordered: true, NeedValue: i%4 > 0, MaxVersions: r.IntN(4), Reverse: i%9 == 0}
			if i%5 == 0 {
				s.Time = kv.TimeRange{Min: int64(r.IntN(15)), Max: 20, Bounded: true}
			}
			if i%3 == 0 {
				s.Qualifiers = [][]kv.QualifierRange{only("q"), only("q\x00"), only("", "qualifier"), only("other1550")}[r.IntN(4)]
			}
			if i%7 == 0 {
				middle := kv.Position{Row: []byte("m05"), Qualifier: []byte("q"), Timestamp: 9, Depth: kv.DepthCell}
				s.Ranges = []kv.Range{{End: middle}, {Start: kv.Position{Row: []byte("m05"), Qualifier: []byte("q"), Timestamp: 7, Depth: kv.DepthCell}}}
			}
			if i%11 == 0 {
				require.NoError(f, tx.Put(f.Ctx, f.Table("s"), kv.Cell{Row: []byte("m07"), Qualifier: []byte("own"), Timestamp: 1}))
			}
			unreadAtRandom(f, r, tx, s, fmt.Sprintf("scan %d", i))
			tx.Rollback()
		}
	})
}

// only returns the ranges of these qualifiers, which must be ascending.
func only(qualifiers ...string) (out []kv.QualifierRange) {
	for _, q := range qualifiers {
		out = append(out, kv.QualifierRange{Start: []byte(q), End: []byte(q + "\x00")})
	}
	return out
}

// unreadAtRandom compares a scan, read in batches with and without parts, with the
// complete cells.
func unreadAtRandom(f *fixture.Fixture, r *rand.Rand, tx kv.Txn, s kv.Scan, name string) {
	tables := f.Tables(tx, []string{"s"})
	whole := s
	whole.Qualifiers = nil
	all, err := fixture.ScanCells(f.Ctx, tx, tables, &whole)
	require.NoError(f, err)
	all = slices.DeleteFunc(all, func(c kv.Cell) bool { return s.Qualifiers != nil && !isWanted(s.Qualifiers, c.Qualifier) })
	var batch kv.Batch
	at, left := 0, []kv.Scan{s}
	for len(left) > 0 {
		c, err := tx.Scan(f.Ctx, tables, &left[0])
		require.NoError(f, err)
		batcher, ok := c.(kv.Batcher)
		if left = left[1:]; !ok {
			require.NoError(f, c.Close())
			return
		}
		for divided := false; ; {
			batch.Reset()
			batch.Shares, batch.Unread = r.IntN(4) > 0, kv.Parts(r.IntN(16))
			if r.IntN(4) == 0 && c.Next() {
				require.True(f, at < len(all) && fixture.SameKey(all[at], *c.Cell()), "%s: cell %d is %v", name, at, c.Cell())
				at++
			}
			if divider, ok := c.(kv.Divider); ok && !divided && r.IntN(20) == 0 {
				rest, err := divider.Divide(2)
				require.NoError(f, err)
				left, divided = append(rest, left...), true
			}
			if !batcher.NextBatch(&batch, 1+r.IntN(40)) {
				break
			}
			for i := range batch.Len() {
				if at >= len(all) { // require.Less would determine its caller for each cell
					f.Fatal(name)
				}
				require.Equal(f, withParts(all[at], &batch), withParts(batch.Cell(i), &batch), "%s: cell %d", name, at)
				at++
			}
		}
		require.NoError(f, c.Err())
		require.NoError(f, c.Close())
	}
	require.Equal(f, len(all), at, name)
}

// withParts returns a cell with only the parts that a batch has.
func withParts(c kv.Cell, b *kv.Batch) kv.Cell {
	if b.Unread&kv.PartRow != 0 {
		c.Row = nil
	}
	if b.Unread&kv.PartQualifier != 0 {
		c.Qualifier = nil
	}
	switch {
	case b.Unread&kv.PartValue != 0:
		c.Value = nil
	case b.Unread&kv.PartValueBytes != 0 && c.Value != nil:
		c.Value = make([]byte, len(c.Value))
	}
	return c
}
