package hbase

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/tablename"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// TestSuite checks the contract of kv.Store, as far as the store's limits claim it,
// with the same tests as the embedded store.
func TestSuite(t *testing.T) {
	openTest(t)
	kvtest.Run(t, func(t testing.TB, _ func() time.Time) kvtest.Opener {
		open := func(t testing.TB) kv.Store {
			s, err := Open(context.Background(), Options{Quorum: []string{quorumOfTests}})
			require.NoError(t, err)
			return s
		}
		s := open(t).(*Store)
		clearNamespace(t, s, "d")
		require.NoError(t, s.Close())
		return open
	})
}

// clearNamespace removes a namespace with its tables.
func clearNamespace(t testing.TB, s *Store, name string) {
	t.Helper()
	ctx := context.Background()
	gone := map[string]bool{}
	for _, table := range s.refreshed(t).Tables(name) {
		of, _ := tableOf(table)
		if id := tablename.Of(of); !gone[id] {
			gone[id] = true
			require.NoError(t, s.cluster.deleteTable(ctx, of))
		}
	}
	if s.refreshed(t).Database(name) != nil {
		require.NoError(t, s.cluster.deleteNamespace(ctx, name))
	}
}
