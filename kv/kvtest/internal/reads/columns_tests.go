package reads

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// testColumns requires that batches of requested columns have the same rows and the same
// cells in them, whether the scan reads only those qualifiers, is told that others are
// not wanted, or reads everything. This includes null values, values that are not read,
// and cells that are read between batches.
func testColumns(f *fixture.Fixture) {
	r := rand.New(rand.NewPCG(testseed.Of(f), 0))
	names := []string{"", "\x00qualifier", "q", "q\x00", "q\x00\x01", "qualifier", "qualifier2", "z"}
	f.Put("s", f.InOrder()...)
	f.Write(func(tx kv.Txn) error {
		for i := range 1500 {
			c := kv.Cell{Row: fmt.Appendf(nil, "m%03d", i/5), Qualifier: []byte(names[r.IntN(len(names))]), Timestamp: int64(r.IntN(3)), Value: bytes.Repeat([]byte{'v'}, r.IntN(20))}
			switch {
			case i%50 == 0:
				c.Value = nil
			case i%40 == 0:
				c.Value = make([]byte, kv.LargeValue+r.IntN(100))
			case i%30 == 0:
				c.Row = append(c.Row, 0)
			}
			if err := tx.Put(f.Ctx, f.Table("s"), c); err != nil {
				return err
			}
		}
		return nil
	})
	f.Storage(func() {
		for i := range fixture.Scans(r, 90) {
			tx := f.Begin()
			asked := slices.DeleteFunc(slices.Clone(names), func(string) bool { return r.IntN(2) == 0 })
			s := kv.Scan{Ordered: true, NeedValue: true, MaxVersions: 1, Reverse: i%9 == 0}
			switch i % 3 {
			case 0:
				s.Qualifiers = only(asked...)
			case 1:
				s.Wanted = only(asked...)
			}
			if i%5 == 0 {
				s.Time = kv.TimeRange{Min: 1, Max: 2, Bounded: true}
			}
			if i%7 == 0 {
				s.Ranges = []kv.Range{{End: kv.Position{Row: []byte("m050"), Depth: kv.DepthRow}}, {Start: kv.Position{Row: []byte("m100"), Qualifier: []byte("q"), Depth: kv.DepthColumn}}}
			}
			if i%11 == 0 {
				require.NoError(f, tx.Put(f.Ctx, f.Table("s"), kv.Cell{Row: []byte("m070"), Qualifier: []byte("q"), Timestamp: 5, Value: []byte("own")}))
			}
			r.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
			columnsAtRandom(f, r, tx, s, asked, fmt.Sprintf("scan %d", i))
			tx.Rollback()
		}
	})
}

// rowOfColumns is a row with short descriptions of its cells, by column.
type rowOfColumns struct {
	row   string
	cells map[string]string
}

// addRow adds a row unless it is already the last one.
func addRow(rows []rowOfColumns, row []byte) []rowOfColumns {
	if n := len(rows); n == 0 || rows[n-1].row != string(row) {
		rows = append(rows, rowOfColumns{string(row), map[string]string{}})
	}
	return rows
}

// columnCell describes a cell in a few words.
func columnCell(timestamp int64, value []byte) string {
	return fmt.Sprintf("at %d, %t, %d bytes, %x", timestamp, value != nil, len(value), crc32.ChecksumIEEE(value))
}

// columnsAtRandom compares a scan in batches of rows with the same scan of cells.
func columnsAtRandom(f *fixture.Fixture, r *rand.Rand, tx kv.Txn, s kv.Scan, asked []string, name string) {
	var want, got []rowOfColumns
	plain := s
	plain.Wanted = nil
	cells, err := fixture.ScanCells(f.Ctx, tx, f.Tables(tx, []string{"s"}), &plain)
	require.NoError(f, err)
	batch, columns := kv.Batch{Shares: true}, make([][]byte, len(asked))
	if r.IntN(3) == 0 {
		batch.Unread = kv.PartValue
	}
	add := func(rows []rowOfColumns, c *kv.Cell, value []byte) []rowOfColumns {
		if rows = addRow(rows, c.Row); slices.Contains(asked, string(c.Qualifier)) {
			if batch.Unread != 0 {
				value = nil
			}
			rows[len(rows)-1].cells[string(c.Qualifier)] = columnCell(c.Timestamp, value)
		}
		return rows
	}
	for i := range cells {
		want = add(want, &cells[i], cells[i].Value)
	}
	c, err := tx.Scan(f.Ctx, f.Tables(tx, []string{"s"}), &s)
	require.NoError(f, err)
	batcher, ok := c.(kv.Batcher)
	if !ok {
		require.NoError(f, c.Close())
		return
	}
	for i, q := range asked {
		columns[i] = []byte(q)
	}
	batch.AskColumns(columns)
	for {
		if r.IntN(4) == 0 && c.Next() {
			value, err := c.Value()
			require.NoError(f, err)
			got = add(got, c.Cell(), value)
		}
		if !batcher.NextBatch(&batch, 1+r.IntN(200)) {
			break
		}
		require.GreaterOrEqual(f, batch.Cells(), batch.Len(), name)
		for i, row := range batch.Rows() {
			got = addRow(got, row)
			for at, q := range asked {
				if _, found := slices.BinarySearch(batch.EntriesOf(at), int32(i)); found {
					got[len(got)-1].cells[q] = columnCell(batch.ColumnTimestamps(at)[i], valueOfColumn(&batch, at, i))
				}
			}
		}
	}
	require.NoError(f, c.Err())
	require.NoError(f, c.Close())
	require.Len(f, got, len(want), name)
	for i := range want {
		require.Equal(f, want[i], got[i], "%s, row %d", name, i)
	}
}

// valueOfColumn returns the value of an entry's cell, or nil if values are not read.
func valueOfColumn(b *kv.Batch, at, entry int) []byte {
	if b.Unread != 0 {
		return nil
	}
	return b.Column(at)[entry]
}
