package rowapi_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
	"github.com/hbasekv/hbasekv/partition"
)

// clock does not move unless it is set.
type clock struct{ ms atomic.Int64 }

func (c *clock) now() time.Time { return time.UnixMilli(c.ms.Load()) }

// place is a table t with the families a and b, and a client on one kind of store.
type place struct {
	t      testing.TB
	ctx    context.Context
	client *rowapi.Client
	store  kv.Store
	table  rowapi.TableName
	clock  *clock
}

// everywhere runs a test on each kind of store and each layout of tables.
func everywhere(t *testing.T, test func(*testing.T, *place)) {
	t.Helper()
	ranges, err := partition.NewSplit([][]byte{[]byte("m")})
	require.NoError(t, err)
	keyed, err := partition.NewKey(3)
	require.NoError(t, err)
	for name, layout := range map[string]*partition.Scheme{"one": nil, "range": ranges, "key": keyed} {
		t.Run("pebble/"+name, func(t *testing.T) { test(t, newPlace(t, openPebble, layout)) })
	}
	t.Run("model", func(t *testing.T) {
		test(t, newPlace(t, func(_ testing.TB, now func() time.Time) kv.Store { return kvtest.NewModelAt(now) }, nil))
	})
}

func openPebble(t testing.TB, now func() time.Time) kv.Store {
	store, err := pebblekv.Open(pebblekv.Options{InMemory: true, Now: now, CacheBytes: 1 << 20})
	require.NoError(t, err)
	return store
}

func newPlace(t testing.TB, open func(testing.TB, func() time.Time) kv.Store, layout *partition.Scheme) *place {
	p := &place{t: t, ctx: context.Background(), table: rowapi.TableName{Namespace: "shop", Name: "t"}, clock: &clock{}}
	p.clock.ms.Store(1_000_000)
	p.store = open(t, p.clock.now)
	t.Cleanup(func() { require.NoError(t, p.store.Close()) })
	p.change(func(c *kv.CatalogChange) error {
		if err := c.CreateDatabase(kv.Database{Name: "shop"}); err != nil {
			return err
		}
		for _, family := range []string{"b", "a"} {
			_, err := c.CreateTable(kv.Table{Database: "shop", Name: "t$" + family, Group: "t", Family: family,
				MaxRow: 100, MaxQualifier: 100, Partitioning: layout})
			if err != nil {
				return err
			}
		}
		_, err := c.CreateTable(kv.Table{Database: "shop", Name: "alone", MaxRow: 100, MaxQualifier: 100})
		return err
	})
	p.client = rowapi.New(p.store, rowapi.Options{Database: "shop"})
	return p
}

func (p *place) change(fn func(*kv.CatalogChange) error) {
	p.t.Helper()
	require.NoError(p.t, p.store.ChangeCatalog(p.ctx, fn))
}

// put writes lines of row, family:qualifier, timestamp and value; the timestamp - means none.
func (p *place) put(lines string) {
	p.t.Helper()
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		words := strings.Fields(line)
		family, qualifier, _ := strings.Cut(words[1], ":")
		at, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil {
			at = rowapi.Latest
		}
		value := strings.Join(words[3:], " ")
		put := rowapi.NewPut([]byte(words[0])).AddAt(family, []byte(qualifier), at, []byte(value))
		require.NoError(p.t, p.client.Put(p.ctx, p.table, put))
	}
}

// text formats cells as row/family:qualifier/timestamp=value.
func text(cells []rowapi.Cell) string {
	var words []string
	for _, c := range cells {
		words = append(words, fmt.Sprintf("%s/%s:%s/%d=%s", c.Row, c.Family, c.Qualifier, c.Timestamp, c.Value))
	}
	return strings.Join(words, " ")
}

func (p *place) get(g *rowapi.Get) string {
	p.t.Helper()
	r, err := p.client.Get(p.ctx, p.table, g)
	require.NoError(p.t, err)
	require.Equal(p.t, len(r.Cells) > 0, r.Exists)
	return text(r.Cells)
}

// all returns a row with all its versions.
func (p *place) all(row string) string {
	p.t.Helper()
	return p.get(&rowapi.Get{Row: []byte(row), Columns: rowapi.Columns{MaxVersions: rowapi.AllVersions}})
}

// scan returns all results of a scan, a line each; a partial one ends with +. It requires that pages in a
// shared memory are the same as those with memory of their own.
func (p *place) scan(s *rowapi.Scan, limits rowapi.PageLimits) []string {
	p.t.Helper()
	lines := p.pages(s, limits, nil)
	require.Equal(p.t, lines, p.pages(s, limits, new(rowapi.Memory)), "%+v %+v", s, limits)
	return lines
}

// pages runs a scan. It reads the results at the end or, if they are made in m, page by page, and then uses m
// for something else.
func (p *place) pages(s *rowapi.Scan, limits rowapi.PageLimits, m *rowapi.Memory) (lines []string) {
	p.t.Helper()
	scanner, err := p.client.Scanner(p.ctx, p.table, s)
	require.NoError(p.t, err)
	defer func() { require.NoError(p.t, scanner.Close()) }()
	next := func() (*rowapi.Page, error) { return scanner.Next(p.ctx, limits) }
	if m != nil {
		next = func() (*rowapi.Page, error) { return scanner.NextIn(p.ctx, m, limits) }
	}
	var results []rowapi.Result
	for {
		page, err := next()
		require.NoError(p.t, err)
		require.True(p.t, len(page.Results) > 0 || page.Heartbeat || page.Done, "a page is not empty before the end")
		done := page.Done
		results = append(results, page.Results...)
		if m != nil {
			lines, results = appendLines(p.t, lines, results), nil
			_, err := p.client.GetIn(p.ctx, m, p.table, &rowapi.Get{Row: []byte("a"), Columns: rowapi.Columns{MaxVersions: 9}})
			require.NoError(p.t, err)
		}
		if done {
			return appendLines(p.t, lines, results)
		}
	}
}

// appendLines adds results, a line each; a partial one ends with +.
func appendLines(t testing.TB, lines []string, results []rowapi.Result) []string {
	t.Helper()
	for _, r := range results {
		require.NotEmpty(t, r.Cells)
		line := text(r.Cells)
		if r.Partial {
			line += " +"
		}
		lines = append(lines, line)
	}
	return lines
}

// filtered returns the rows that pass a filter.
func (p *place) filtered(f filter.Filter, versions int) string {
	p.t.Helper()
	return strings.Join(p.scan(&rowapi.Scan{Columns: rowapi.Columns{Filter: f, MaxVersions: versions}},
		rowapi.PageLimits{}), "\n")
}

func bytesOf(words ...string) (out [][]byte) {
	for _, w := range words {
		out = append(out, []byte(w))
	}
	return out
}
