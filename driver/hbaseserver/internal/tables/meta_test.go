package tables_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/partition"
)

// TestScanMeta reads ranges of hbase:meta, in both directions, and compares them with
// the whole.
func TestScanMeta(t *testing.T) {
	store := kvtest.NewModel()
	require.NoError(t, store.ChangeCatalog(context.Background(), func(c *kv.CatalogChange) error {
		if err := c.CreateDatabase(kv.Database{Name: "d"}); err != nil {
			return err
		}
		for _, name := range []string{"a", "a-b", "b", "c"} {
			scheme, err := partition.NewSplit([][]byte{[]byte("k"), []byte("k,9"), []byte(name)})
			if err != nil {
				return err
			}
			_, err = c.CreateTable(kv.Table{Database: "d", Name: name + "$f", Group: name, Family: "f", MaxRow: 9,
				MaxQualifier: 9, Created: 5, Partitioning: scheme})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	v, err := tables.NewViews(store, tables.Names{Default: "d"}).View(context.Background())
	require.NoError(t, err)
	keys := func(s rowapi.Scan, limit int) (out []string) {
		for _, r := range v.ScanMeta(&s, tables.Server{Host: "h", Port: 1}, limit) {
			out = append(out, string(r.Row()))
		}
		return out
	}
	all := keys(rowapi.Scan{}, 0)
	require.Len(t, all, 4*5)
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		from, to := r.IntN(len(all)), r.IntN(len(all))
		s := rowapi.Scan{Start: []byte(all[from]), Stop: []byte(all[to]), StartExclusive: r.IntN(2) == 0,
			StopInclusive: r.IntN(2) == 0, Reversed: r.IntN(2) == 0}
		order, want := slices.Clone(all), []string(nil)
		if s.Reversed {
			slices.Reverse(order)
			from, to = len(all)-1-from, len(all)-1-to
		}
		for i, key := range order {
			if (i > from || i == from && !s.StartExclusive) && (i < to || i == to && s.StopInclusive) {
				want = append(want, key)
			}
		}
		limit := r.IntN(6)
		if limit > 0 && len(want) > limit {
			want = want[:limit]
		}
		require.Equal(t, want, keys(s, limit), fmt.Sprintf("%+v %d", s, limit))
	}
}
