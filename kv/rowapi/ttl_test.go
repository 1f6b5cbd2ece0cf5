package rowapi_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/partition"
)

// TestCellTTL requires that a cell exists until its timestamp plus its TTL, for every reader.
func TestCellTTL(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		ttl := func(m *rowapi.Put, d time.Duration) *rowapi.Put { m.TTL = d; return m }
		for _, m := range []*rowapi.Put{
			ttl(rowapi.NewPut([]byte("r")).Add("a", []byte("q"), []byte("new")), 10*time.Millisecond),
			rowapi.NewPut([]byte("r")).AddAt("a", []byte("q"), 5, []byte("old")),
			ttl(rowapi.NewPut([]byte("r")).AddAt("a", []byte("past"), 7, []byte("v")), time.Second),
			ttl(rowapi.NewPut([]byte("s")).Add("b", nil, nil), 10*time.Millisecond),
			ttl(rowapi.NewPut([]byte("s")).Add("b", []byte("ever"), []byte("v")), 1<<63-1),
		} {
			require.NoError(t, p.client.Put(p.ctx, p.table, m))
		}
		i := rowapi.NewIncrement([]byte("n")).Add("a", []byte("n"), 4)
		i.TTL = 10 * time.Millisecond
		_, err := p.client.Increment(p.ctx, p.table, i)
		require.NoError(t, err)
		a := rowapi.NewAppend([]byte("n")).Add("b", []byte("n"), []byte("x"))
		a.TTL = 10 * time.Millisecond
		_, err = p.client.Append(p.ctx, p.table, a)
		require.NoError(t, err)

		p.clock.ms.Add(9)
		require.Equal(t, []string{"n a:n", "n b:n", "r a:q", "s b:", "s b:ever"}, p.columns(t))
		p.clock.ms.Add(1)
		require.Equal(t, []string{"r a:q", "s b:ever"}, p.columns(t))
		got, err := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: []byte("r")})
		require.NoError(t, err)
		require.Equal(t, "old", string(got.Cells[0].Value))
		got, err = p.client.Get(p.ctx, p.table, &rowapi.Get{Row: []byte("n"), ExistenceOnly: true})
		require.NoError(t, err)
		require.False(t, got.Exists)
		done, _, err := p.client.CheckAndMutate(p.ctx, p.table, &rowapi.CheckAndMutate{Row: []byte("n"),
			Condition: rowapi.IfNotExists("a", []byte("n")),
			Mutations: []rowapi.Mutation{rowapi.NewIncrement([]byte("n")).Add("a", []byte("n"), 1)}})
		require.NoError(t, err)
		require.True(t, done)
		got, err = p.client.Get(p.ctx, p.table, &rowapi.Get{Row: []byte("n")})
		require.NoError(t, err)
		require.Equal(t, "\x00\x00\x00\x00\x00\x00\x00\x01", string(got.Cells[0].Value))
	})
}

// columns returns the rows and columns of the table.
func (p *place) columns(t *testing.T) (out []string) {
	s, err := p.client.Scanner(p.ctx, p.table, &rowapi.Scan{})
	require.NoError(t, err)
	defer s.Close()
	page, err := s.Next(p.ctx, rowapi.PageLimits{})
	require.NoError(t, err)
	for _, r := range page.Results {
		for _, c := range r.Cells {
			out = append(out, fmt.Sprintf("%s %s:%s", c.Row, c.Family, c.Qualifier))
		}
	}
	return out
}

func TestCellTTLRefused(t *testing.T) {
	p := newPlace(t, openPebble, nil)
	put := rowapi.NewPut([]byte("r")).Add("a", []byte("q"), []byte("v"))
	for _, ttl := range []time.Duration{-time.Second, time.Microsecond} {
		put.TTL = ttl
		require.ErrorIs(t, p.client.Put(p.ctx, p.table, put), rowapi.ErrInvalid)
	}
	d := rowapi.NewDelete([]byte("r"))
	d.TTL = time.Second
	require.ErrorIs(t, p.client.Delete(p.ctx, p.table, d), rowapi.ErrUnsupported)
	require.Empty(t, p.columns(t))
}

// TestCellTTLReopened requires that expired cells are gone after a restart, a collection and a move, and that
// the file is undamaged.
func TestCellTTLReopened(t *testing.T) {
	now := &clock{}
	now.ms.Store(1_000_000)
	dir := t.TempDir()
	open := func(t testing.TB, at func() time.Time) kv.Store {
		s, err := pebblekv.Open(pebblekv.Options{Dir: dir, Now: at, CollectEvery: -1})
		require.NoError(t, err)
		return s
	}
	p := newPlace(t, open, nil)
	for i := range 600 {
		put := rowapi.NewPut(fmt.Appendf(nil, "%03d", i)).Add("a", []byte("q"), []byte("v"))
		if i%3 != 0 {
			put.TTL = time.Second
		}
		require.NoError(t, p.client.Put(p.ctx, p.table, put))
	}
	p.clock.ms.Add(1000)
	require.NoError(t, p.store.Close())
	p.store = open(t, p.clock.now)
	p.client = rowapi.New(p.store, rowapi.Options{Database: "shop"})
	require.Len(t, p.columns(t), 200)
	did, err := p.store.(kv.Collector).Collect(p.ctx, "shop", "t$a", kv.CollectOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 400, did.Versions)
	require.Len(t, p.columns(t), 200)
	check, err := p.store.(kv.Checker).Check(kv.CheckOptions{})
	require.NoError(t, err)
	report, err := check.Table(p.ctx, "shop", "t$a")
	require.NoError(t, err)
	require.Empty(t, report.Damage)
	require.NoError(t, check.Close())
}

// TestCellTTLRandomly requires that a store and the model agree, whatever is written, expires, is collected
// and moved.
func TestCellTTLRandomly(t *testing.T) {
	sliced, err := partition.NewSplit([][]byte{[]byte("2")})
	require.NoError(t, err)
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 39))
			layout := []*partition.Scheme{nil, sliced}[seed%2]
			pair := []*place{newPlace(t, openStill, layout), newPlace(t, func(_ testing.TB, now func() time.Time) kv.Store {
				return kvtest.NewModelAt(now)
			}, layout)}
			keep := []kv.Retention{{}, {MaxVersions: 2}, {TTLSeconds: 1, MinVersions: 1}, {TTLSeconds: 1, MaxVersions: 3}}[seed%4]
			for _, p := range pair {
				p.change(func(c *kv.CatalogChange) error {
					next := *c.Catalog().Table("shop", "t$a")
					next.Retention = keep
					return c.AlterTable(next)
				})
			}
			for step := range 300 {
				ttlStep(t, r, pair)
				if step%5 == 0 {
					sameCells(t, r, pair)
				}
			}
		})
	}
}

func openStill(t testing.TB, now func() time.Time) kv.Store {
	store, err := pebblekv.Open(pebblekv.Options{InMemory: true, Now: now, CollectEvery: -1})
	require.NoError(t, err)
	return store
}

// ttlStep does the same random step in all places.
func ttlStep(t *testing.T, r *rand.Rand, pair []*place) {
	row, q := fmt.Appendf(nil, "%d", r.IntN(4)), fmt.Appendf(nil, "%d", r.IntN(2))
	at, ttl := int64(rowapi.Latest), time.Duration(0)
	if r.IntN(3) == 0 {
		at = pair[0].clock.ms.Load() - r.Int64N(1500)
	}
	if r.IntN(2) == 0 {
		ttl = time.Duration(1+r.IntN(1500)) * time.Millisecond
	}
	var act func(*place) error
	switch family := []string{"a", "b"}[r.IntN(2)]; r.IntN(9) {
	case 0, 1, 2, 3:
		m := rowapi.NewPut(row).AddAt(family, q, at, fmt.Append(nil, r.IntN(100)))
		m.TTL = ttl
		act = func(p *place) error { return p.client.Put(p.ctx, p.table, m) }
	case 4:
		m := rowapi.NewAppend(row).Add(family, q, []byte("x"))
		m.TTL = ttl
		act = func(p *place) error { _, err := p.client.Append(p.ctx, p.table, m); return err }
	case 5:
		m := rowapi.NewDelete(row).Add(rowapi.DeleteKind(r.IntN(4)), family, q, at)
		act = func(p *place) error { return p.client.Delete(p.ctx, p.table, m) }
	case 6, 7:
		by := r.Int64N(500)
		act = func(p *place) error { p.clock.ms.Add(by); return nil }
	case 8:
		act = func(p *place) error {
			if f, ok := p.store.(kv.Flusher); ok {
				require.NoError(t, f.Flush(p.ctx))
			}
			_, err := p.store.(kv.Collector).Collect(p.ctx, "shop", "t$"+family, kv.CollectOptions{})
			return err
		}
	}
	for _, p := range pair {
		require.NoError(t, act(p))
	}
}

// sameCells scans both places in some way.
func sameCells(t *testing.T, r *rand.Rand, pair []*place) {
	scan := rowapi.Scan{Reversed: r.IntN(2) == 0}
	scan.MaxVersions = []int{0, 2, rowapi.AllVersions}[r.IntN(3)]
	if now := pair[0].clock.ms.Load(); r.IntN(3) == 0 {
		scan.Time = rowapi.TimeRange{Min: now - r.Int64N(1500) - 400, Max: now - r.Int64N(400)}
	}
	if r.IntN(2) == 0 {
		scan.Start, scan.Stop = []byte("1"), []byte("1")
		scan.StopInclusive = true
	}
	var all [2][]rowapi.Cell
	for i, p := range pair {
		s, err := p.client.Scanner(p.ctx, p.table, &scan)
		require.NoError(t, err)
		page, err := s.Next(p.ctx, rowapi.PageLimits{})
		require.NoError(t, err)
		for _, row := range page.Results {
			all[i] = append(all[i], row.Cells...)
		}
		require.NoError(t, s.Close())
	}
	require.Equal(t, all[1], all[0], "%+v", scan)
}
