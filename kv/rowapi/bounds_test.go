package rowapi_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// many puts n rows of one column.
func (p *place) many(n int) {
	p.t.Helper()
	var actions []rowapi.Action
	for i := range n {
		actions = append(actions, rowapi.NewPut(benchRow(i)).AddAt("a", []byte("q"), 1, []byte("v")).AddAt("a",
			[]byte("r"), 1, []byte("v")))
	}
	outcomes, err := p.client.Batch(p.ctx, p.table, actions)
	require.NoError(p.t, err)
	for _, o := range outcomes {
		require.NoError(p.t, o.Err)
	}
}

// TestFiltersPassOver requires that hints of filters skip rows without reading them.
func TestFiltersPassOver(t *testing.T) {
	p := newPlace(t, openPebble, nil)
	p.many(5000)
	f := p.store.(kv.Flusher)
	require.NoError(t, f.Flush(p.ctx))
	at := func(i int) []byte { return benchRow(i) }
	for _, c := range []struct {
		f    filter.Filter
		rows int
	}{
		{filter.PrefixFilter{Prefix: at(4000)}, 1},
		{filter.MultiRowRangeFilter{Ranges: []filter.RowRange{{Start: at(4000), Stop: at(4002), StartInclusive: true},
			{Start: at(2000), Stop: at(2000), StartInclusive: true, StopInclusive: true}}}, 3},
		{filter.FuzzyRowFilter{Keys: []filter.FuzzyKey{{Row: []byte("row000?900"), Mask: []byte{0, 0, 0, 0, 0, 0, 1, 0, 0,
			0}}}}, 5},
		{filter.FilterList{Filters: []filter.Filter{filter.PrefixFilter{Prefix: []byte("row0004")},
			filter.PageFilter{Size: 2}}}, 2},
	} {
		s, err := p.client.Scanner(p.ctx, p.table, &rowapi.Scan{Columns: rowapi.Columns{Filter: c.f,
			Families: []rowapi.FamilyColumns{{Family: "a"}}}})
		require.NoError(t, err)
		page, err := s.Next(p.ctx, rowapi.PageLimits{})
		require.NoError(t, err)
		require.Len(t, page.Results, c.rows, "%T", c.f)
		require.True(t, page.Done)
		require.Less(t, s.Stats().Cells, int64(200), "%T", c.f)
		require.NoError(t, s.Close())
	}
}

// TestWideRow reads a row of many columns in pieces, counts, pages and deletes it.
func TestWideRow(t *testing.T) {
	const columns = 20_000
	p := newPlace(t, openPebble, nil)
	put := rowapi.NewPut([]byte("r"))
	for i := range columns {
		put.AddAt([]string{"a", "b"}[i%2], fmt.Appendf(nil, "%06d", i), 1, []byte("v"))
	}
	require.NoError(t, p.client.Put(p.ctx, p.table, put))
	s, err := p.client.Scanner(p.ctx, p.table, &rowapi.Scan{})
	require.NoError(t, err)
	cells, pages := 0, 0
	for done := false; !done; pages++ {
		page, err := s.Next(p.ctx, rowapi.PageLimits{Bytes: 10_000, Partials: true})
		require.NoError(t, err)
		require.LessOrEqual(t, page.Bytes, int64(11_000))
		for _, r := range page.Results {
			cells += len(r.Cells)
		}
		done = page.Done
	}
	require.NoError(t, s.Close())
	require.Equal(t, columns, cells)
	require.Greater(t, pages, 10)
	require.Equal(t, "r/a:010000/1=v r/a:010002/1=v r/b:010001/1=v r/b:010003/1=v", p.get(&rowapi.Get{Row: []byte("r"),
		Columns: rowapi.Columns{StoreOffset: 5000, StoreLimit: 2}}))
	require.NoError(t, p.client.Delete(p.ctx, p.table, rowapi.NewDelete([]byte("r")).Add(rowapi.DeleteFamily, "a", nil,
		rowapi.Latest)))
	r, err := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: []byte("r")})
	require.NoError(t, err)
	require.Len(t, r.Cells, columns/2)
}

// TestWhatSQLWrites requires that null values are read as empty ones, and that timestamps may be
// negative or the last.
func TestWhatSQLWrites(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		tx, err := p.store.Begin(p.ctx, kv.TxnOptions{})
		require.NoError(t, err)
		a := tx.Catalog().Table("shop", "t$a")
		for _, at := range []int64{math.MinInt64, -1, math.MaxInt64} {
			require.NoError(t, tx.Put(p.ctx, a, kv.Cell{Row: []byte("r"), Qualifier: []byte("q"), Timestamp: at}))
		}
		require.NoError(t, tx.Commit(p.ctx))
		require.Equal(t, "r/a:q/9223372036854775807= r/a:q/-1= r/a:q/-9223372036854775808=", p.all("r"))
		processed, _, err := p.client.CheckAndMutate(p.ctx, p.table, &rowapi.CheckAndMutate{Row: []byte("r"),
			Condition: rowapi.IfNotExists("a", []byte("q")), Mutations: []rowapi.Mutation{rowapi.NewDelete([]byte("r"))}})
		require.NoError(t, err)
		require.True(t, processed)
		require.NoError(t, p.client.Delete(p.ctx, p.table, part(rowapi.DeleteColumn, "a", "q", rowapi.Latest)))
		require.NoError(t, p.client.Delete(p.ctx, p.table, rowapi.NewDelete([]byte("r"))))
		require.Equal(t, "", p.all("r"))
	})
}

// TestRetention requires that versions that a table does not keep do not exist for any operation.
func TestRetention(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		p.change(func(c *kv.CatalogChange) error {
			_, err := c.CreateTable(kv.Table{Database: "shop", Name: "t$kept", Group: "t", Family: "kept", MaxRow: 100,
				MaxQualifier: 100,
				Partitioning: c.Catalog().Table("shop", "t$a").Partitioning, Retention: kv.Retention{MaxVersions: 2,
					TTLSeconds: 10}})
			return err
		})
		for _, value := range []string{"1", "2", "3"} {
			p.put("r kept:q - " + value)
			p.clock.ms.Add(1)
		}
		require.Equal(t, "r/kept:q/1000002=3 r/kept:q/1000001=2", p.all("r"))
		require.NoError(t, p.client.Delete(p.ctx, p.table, part(rowapi.DeleteColumn, "kept", "q", rowapi.Latest)))
		require.Equal(t, "r/kept:q/1000001=2", p.all("r"), "what was not kept does not come back")
		n := func() string {
			r, err := p.client.Increment(p.ctx, p.table, rowapi.NewIncrement([]byte("r")).Add("kept", []byte("n"), 1))
			require.NoError(t, err)
			return string(r.Cells[0].Value)
		}
		require.Equal(t, string(long(1)), n())
		require.Equal(t, string(long(2)), n())
		p.clock.ms.Add((11 * time.Second).Milliseconds())
		require.Equal(t, string(long(1)), n(), "what has expired is nothing")
		require.Equal(t, "r/kept:n/1011003="+string(long(1)), p.all("r"))
	})
}

// TestBusyRow requires that an operation on a row locked by another one fails in time, and that a batch
// does the other rows.
func TestBusyRow(t *testing.T) {
	p := newPlace(t, openPebble, nil)
	p.client = rowapi.New(p.store, rowapi.Options{Database: "shop", LockTimeout: 20 * time.Millisecond})
	tx, err := p.store.Begin(p.ctx, kv.TxnOptions{})
	require.NoError(t, err)
	require.NoError(t, tx.LockRow(p.ctx, tx.Catalog().Table("shop", "t$a"), []byte("busy"), kv.RowLock{}))
	outcomes, err := p.client.Batch(p.ctx, p.table, []rowapi.Action{
		rowapi.NewPut([]byte("a")).AddAt("a", []byte("q"), 1, []byte("v")), rowapi.NewPut([]byte("busy")).AddAt("b",
			[]byte("q"), 1, []byte("v")),
		rowapi.NewPut([]byte("z")).AddAt("a", []byte("q"), 1, []byte("v"))})
	require.NoError(t, err)
	require.NoError(t, outcomes[0].Err)
	require.ErrorIs(t, outcomes[1].Err, rowapi.ErrBusy)
	require.NoError(t, outcomes[2].Err)
	tx.Rollback()
	require.Equal(t, "a z", rowsOf(p.scan(&rowapi.Scan{}, rowapi.PageLimits{})))
}
