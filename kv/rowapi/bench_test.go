package rowapi_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

const benchRows = 10_000

func benchPlace(b *testing.B) *place {
	p := newPlace(b, func(t testing.TB, _ func() time.Time) kv.Store { return openPebble(t, time.Now) }, nil)
	var actions []rowapi.Action
	for i := range benchRows {
		actions = append(actions, rowapi.NewPut(benchRow(i)).AddAt("a", []byte("q"), 1, make([]byte, 100)))
	}
	_, err := p.client.Batch(p.ctx, p.table, actions)
	require.NoError(b, err)
	require.NoError(b, p.store.(kv.Flusher).Flush(p.ctx))
	b.ReportAllocs()
	b.ResetTimer()
	return p
}

func benchRow(i int) []byte { return fmt.Appendf(nil, "row%07d", i) }

// BenchmarkStoreGet measures the store's part of a Get.
func BenchmarkStoreGet(b *testing.B) {
	p := benchPlace(b)
	for range b.N {
		tx, err := p.store.Begin(p.ctx, kv.TxnOptions{ReadOnly: true})
		require.NoError(b, err)
		at := kv.Position{Row: benchRow(rand.IntN(benchRows)), Depth: kv.DepthRow}
		end := at
		end.After = true
		cursor, err := tx.Scan(p.ctx, []*kv.Table{tx.Catalog().Table("shop", "t$a")},
			&kv.Scan{Ranges: []kv.Range{{Start: at, End: end}}, MaxVersions: 1, NeedValue: true})
		require.NoError(b, err)
		require.True(b, cursor.Next())
		value, err := cursor.Value()
		require.NoError(b, err)
		_ = append([]byte{}, value...)
		require.False(b, cursor.Next())
		_ = cursor.(kv.Releaser).Release()
		_ = tx.(kv.Releaser).Release()
	}
}

func BenchmarkGet(b *testing.B) {
	p := benchPlace(b)
	for range b.N {
		r, err := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: benchRow(rand.IntN(benchRows)),
			Columns: rowapi.Columns{Families: []rowapi.FamilyColumns{{Family: "a"}}}})
		require.NoError(b, err)
		require.Len(b, r.Cells, 1)
	}
}

func BenchmarkGetColumn(b *testing.B) {
	p := benchPlace(b)
	for range b.N {
		r, err := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: benchRow(rand.IntN(benchRows)),
			Columns: rowapi.Columns{Families: []rowapi.FamilyColumns{{Family: "a", Qualifiers: [][]byte{[]byte("q")}}}}})
		require.NoError(b, err)
		require.Len(b, r.Cells, 1)
	}
}

func BenchmarkPut(b *testing.B) {
	p := benchPlace(b)
	for range b.N {
		put := rowapi.NewPut(benchRow(rand.IntN(benchRows))).Add("a", []byte("q"), make([]byte, 100))
		require.NoError(b, p.client.Put(p.ctx, p.table, put))
	}
}

func BenchmarkPutAt(b *testing.B) {
	p := benchPlace(b)
	for i := range b.N {
		put := rowapi.NewPut(benchRow(rand.IntN(benchRows))).AddAt("a", []byte("q"), int64(i), make([]byte, 100))
		require.NoError(b, p.client.Put(p.ctx, p.table, put))
	}
}

func BenchmarkIncrement(b *testing.B) {
	p := benchPlace(b)
	for range b.N {
		_, err := p.client.Increment(p.ctx, p.table, rowapi.NewIncrement(benchRow(rand.IntN(benchRows))).Add("b",
			[]byte("n"), 1))
		require.NoError(b, err)
	}
}

// BenchmarkScan reads all rows; the time is for one row.
func BenchmarkScan(b *testing.B) {
	p := benchPlace(b)
	for n := 0; n < b.N; n += benchRows {
		s, err := p.client.Scanner(p.ctx, p.table, &rowapi.Scan{})
		require.NoError(b, err)
		for done := false; !done; {
			page, err := s.Next(p.ctx, rowapi.PageLimits{Rows: 1000})
			require.NoError(b, err)
			done = page.Done
		}
		require.NoError(b, s.Close())
	}
}

// BenchmarkStoreScan is BenchmarkScan on the store itself, without copies.
func BenchmarkStoreScan(b *testing.B) {
	p := benchPlace(b)
	for n := 0; n < b.N; n += benchRows {
		tx, err := p.store.Begin(p.ctx, kv.TxnOptions{ReadOnly: true})
		require.NoError(b, err)
		cursor, err := tx.Scan(p.ctx, []*kv.Table{tx.Catalog().Table("shop", "t$a"), tx.Catalog().Table("shop", "t$b")},
			&kv.Scan{Ordered: true, MaxVersions: 1, NeedValue: true})
		require.NoError(b, err)
		for cursor.Next() {
			_, err := cursor.Value()
			require.NoError(b, err)
		}
		require.NoError(b, cursor.Close())
		tx.Rollback()
	}
}
